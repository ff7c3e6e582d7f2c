#include "visual.h"

// The errors of one row, for three components. The blur is the recursive Gaussian of truncated cosines (Charalampidis,
// 2016) with a sigma of 1.5. Its response ends after four pixels. It is therefore computed directly with nine weights,
// which needs only nine rows and does not add up rounding errors.
static const float easel_visual_weights[EASEL_VISUAL_REACH + 1] = {0.2646211054881985f, 0.2129285920104222f,
                                                                   0.1093353727774603f, 0.0360111146583644f,
                                                                   0.00941436780965374f};

// The number of columns that are blurred at once, so that the result of blurring rows stays in the nearest cache.
enum { EASEL_VISUAL_STRIP = 512 };

#define EASEL_VISUAL_BLUR(at)                                                                                          \
  (EASEL_LOAD8(at(0)) * w0 + (EASEL_LOAD8(at(-1)) + EASEL_LOAD8(at(1))) * w1 +                                         \
   (EASEL_LOAD8(at(-2)) + EASEL_LOAD8(at(2))) * w2 + (EASEL_LOAD8(at(-3)) + EASEL_LOAD8(at(3))) * w3 +                 \
   (EASEL_LOAD8(at(-4)) + EASEL_LOAD8(at(4))) * w4)

#define EASEL_VISUAL_WEIGHTS                                                                                           \
  const float w0 = easel_visual_weights[0], w1 = easel_visual_weights[1], w2 = easel_visual_weights[2],                \
              w3 = easel_visual_weights[3], w4 = easel_visual_weights[4]

EASEL_INLINE void easel_visual_blur_columns(const float *const rows[EASEL_VISUAL_TAPS], size_t first, size_t count,
                                            float *out) {
  EASEL_VISUAL_WEIGHTS;
#define EASEL_VISUAL_AT(k) (rows[EASEL_VISUAL_REACH + (k)] + first + i)
  for (size_t i = 0; i < count; i += 8) EASEL_STORE8(out + i, EASEL_VISUAL_BLUR(EASEL_VISUAL_AT));
#undef EASEL_VISUAL_AT
}

EASEL_INLINE void easel_visual_blur_rows(const float *line, easel_f8 *out) {
  EASEL_VISUAL_WEIGHTS;
#define EASEL_VISUAL_AT(k) (line + (k))
  *out = EASEL_VISUAL_BLUR(EASEL_VISUAL_AT);
#undef EASEL_VISUAL_AT
}

#define EASEL_VISUAL_AND(value, mask) ((easel_f8)((easel_i8)(value) & (mask)))
#define EASEL_VISUAL_POSITIVE(value) EASEL_VISUAL_AND(value, (value) > 0)

// Adds numbers and their fourth powers.
EASEL_INLINE void easel_visual_add(const easel_f8 *numbers, easel_f8 sums[2]) {
  easel_f8 squares = *numbers * *numbers;
  sums[0] += *numbers;
  sums[1] += squares * squares;
}

// Adds the errors of eight pixels: in the structure, in edges that were added, and in edges that were lost.
EASEL_INLINE void easel_visual_add_eight(const float *const lines[4], const float *left, const float *right,
                                         const easel_i8 *mask, easel_f8 sums[3][2]) {
  easel_f8 mean_a, mean_b, product, squares;
  easel_visual_blur_rows(lines[0], &mean_a), easel_visual_blur_rows(lines[1], &mean_b);
  easel_visual_blur_rows(lines[2], &product), easel_visual_blur_rows(lines[3], &squares);
  // The error is 1 - (1 - m) (2 covariance + c) / (variances + c), where m is the squared difference of the means. The
  // variances minus twice the covariance are the variance of the difference, which is exact where pictures are alike.
  easel_f8 m = (mean_a - mean_b) * (mean_a - mean_b);
  easel_f8 covariance = (product - mean_a * mean_b) * 2 + 0.0009f;
  easel_f8 variance = squares - m;
  easel_f8 structure = (variance + m * covariance) / (covariance + variance);
  easel_f8 edge_a = EASEL_VISUAL_AND(EASEL_LOAD8(left) - mean_a, 0x7fffffff);
  easel_f8 edge_b = EASEL_VISUAL_AND(EASEL_LOAD8(right) - mean_b, 0x7fffffff);
  easel_f8 change = (edge_b - edge_a) / (edge_a + 1);
  structure = EASEL_VISUAL_AND(EASEL_VISUAL_POSITIVE(structure), *mask);
  easel_f8 added = EASEL_VISUAL_AND(EASEL_VISUAL_POSITIVE(change), *mask);
  easel_f8 lost = EASEL_VISUAL_AND(EASEL_VISUAL_POSITIVE(-change), *mask);
  easel_visual_add(&structure, sums[0]), easel_visual_add(&added, sums[1]), easel_visual_add(&lost, sums[2]);
}

EASEL_INLINE void easel_visual_add_strip(const float *const rows[4][EASEL_VISUAL_TAPS], size_t first, size_t count,
                                         double errors[3][2]) {
  float lines[4][EASEL_VISUAL_STRIP + 2 * EASEL_VISUAL_MARGIN];
  for (size_t k = 0; k < 4; k++) {
    easel_visual_blur_columns(rows[k], first, easel_visual_eights(count) + 2 * EASEL_VISUAL_MARGIN, lines[k]);
  }
  easel_f8 sums[3][2] = {0};
  const easel_i8 places = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t i = 0; i < count; i += 8) {
    size_t x = EASEL_VISUAL_MARGIN + i;
    const float *const near[4] = {lines[0] + x, lines[1] + x, lines[2] + x, lines[3] + x};
    const easel_i8 mask = places < (int32_t)(count - i);
    easel_visual_add_eight(near, rows[0][EASEL_VISUAL_REACH] + first + x, rows[1][EASEL_VISUAL_REACH] + first + x,
                           &mask, sums);
  }
  for (size_t k = 0; k < 3; k++) {
    for (size_t norm = 0; norm < 2; norm++) {
      for (size_t lane = 0; lane < 8; lane++) errors[k][norm] += (double)sums[k][norm][lane];
    }
  }
}

EASEL_INLINE void easel_visual_add_rows_body(const float *const rows[EASEL_VISUAL_PLANES][EASEL_VISUAL_TAPS],
                                             size_t width, double errors[3][3][2]) {
  for (size_t component = 0; component < 3; component++) {
    for (size_t x = 0; x < width; x += EASEL_VISUAL_STRIP) {
      size_t count = width - x < EASEL_VISUAL_STRIP ? width - x : EASEL_VISUAL_STRIP;
      easel_visual_add_strip(rows + 4 * component, x, count, errors[component]);
    }
  }
}

EASEL_CLONES(easel_visual_add_rows,
             (const float *const rows[EASEL_VISUAL_PLANES][EASEL_VISUAL_TAPS], size_t width, double errors[3][3][2]),
             (rows, width, errors))

void easel_visual_add_row(const float *const rows[EASEL_VISUAL_PLANES][EASEL_VISUAL_TAPS], size_t width,
                          double errors[3][3][2]) {
  easel_visual_add_rows(rows, width, errors);
}
