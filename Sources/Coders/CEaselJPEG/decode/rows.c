#include "parts.h"

// The reference. Samples lie within rows that have one more sample at each end, a copy of the first or the last.

static uint8_t easel_jpeg_byte(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

static void easel_jpeg_pixel(uint8_t *to, int y, int cb, int cr) {
  cb -= 128;
  cr -= 128;
  to[0] = easel_jpeg_byte(y + ((91881 * cr + 32768) >> 16));
  to[1] = easel_jpeg_byte(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
  to[2] = easel_jpeg_byte(y + ((116130 * cb + 32768) >> 16));
  to[3] = 255;
}

static void easel_jpeg_gray_row(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width) {
  for (uint32_t x = 0; x < width; x++, to += 4) {
    to[0] = to[1] = to[2] = samples->y[x];
    to[3] = 255;
  }
}

static void easel_jpeg_same_row(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width) {
  for (uint32_t x = 0; x < width; x++)
    easel_jpeg_pixel(to + 4 * x, samples->y[x], samples->near[0][x], samples->near[1][x]);
}

static void easel_jpeg_plain_row(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width) {
  for (uint32_t x = 0; x < width; x++)
    easel_jpeg_pixel(to + 4 * x, samples->y[x], samples->near[0][x / 2], samples->near[1][x / 2]);
}

static int easel_jpeg_between(const uint8_t *row, uint32_t x) {
  const uint8_t *at = row + x / 2;
  return x & 1 ? (3 * at[0] + at[1] + 2) >> 2 : (3 * at[0] + at[-1] + 1) >> 2;
}

static void easel_jpeg_wide_row(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width) {
  for (uint32_t x = 0; x < width; x++) {
    easel_jpeg_pixel(to + 4 * x, samples->y[x], easel_jpeg_between(samples->near[0], x),
                     easel_jpeg_between(samples->near[1], x));
  }
}

static int easel_jpeg_amid(const uint8_t *near, const uint8_t *far, uint32_t x) {
  const uint8_t *a = near + x / 2, *b = far + x / 2;
  int step = x & 1 ? 1 : -1;
  int sum = 3 * (3 * a[0] + b[0]) + 3 * a[step] + b[step];
  return (sum + (x & 1 ? 7 : 8)) >> 4;
}

static void easel_jpeg_both_row(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width) {
  for (uint32_t x = 0; x < width; x++) {
    easel_jpeg_pixel(to + 4 * x, samples->y[x], easel_jpeg_amid(samples->near[0], samples->far[0], x),
                     easel_jpeg_amid(samples->near[1], samples->far[1], x));
  }
}

static int easel_jpeg_amid_rows(const easel_jpeg_row_samples *samples, int color, uint32_t x) {
  return (3 * samples->near[color][x] + samples->far[color][x] + (samples->is_lower ? 2 : 1)) >> 2;
}

static void easel_jpeg_tall_row(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width) {
  for (uint32_t x = 0; x < width; x++)
    easel_jpeg_pixel(to + 4 * x, samples->y[x], easel_jpeg_amid_rows(samples, 0, x),
                     easel_jpeg_amid_rows(samples, 1, x));
}

// Kernels by kind.
typedef easel_jpeg_row_function *const easel_jpeg_row_kernels[7];

static const easel_jpeg_row_kernels easel_jpeg_plain_kernels = {
    [EASEL_JPEG_ROW_GRAY] = easel_jpeg_gray_row,        [EASEL_JPEG_ROW_SAME] = easel_jpeg_same_row,
    [EASEL_JPEG_ROW_WIDE] = easel_jpeg_wide_row,        [EASEL_JPEG_ROW_WIDE_PLAIN] = easel_jpeg_plain_row,
    [EASEL_JPEG_ROW_BOTH] = easel_jpeg_both_row,        [EASEL_JPEG_ROW_TALL] = easel_jpeg_tall_row,
    [EASEL_JPEG_ROW_TALL_PLAIN] = easel_jpeg_same_row,
};

#if defined(__x86_64__) || defined(__aarch64__)
easel_jpeg_row_function easel_jpeg_gray_row_narrow, easel_jpeg_same_row_narrow, easel_jpeg_wide_row_narrow,
    easel_jpeg_plain_row_narrow, easel_jpeg_both_row_narrow, easel_jpeg_tall_row_narrow;

static const easel_jpeg_row_kernels easel_jpeg_narrow_kernels = {
    [EASEL_JPEG_ROW_GRAY] = easel_jpeg_gray_row_narrow, [EASEL_JPEG_ROW_SAME] = easel_jpeg_same_row_narrow,
    [EASEL_JPEG_ROW_WIDE] = easel_jpeg_wide_row_narrow, [EASEL_JPEG_ROW_WIDE_PLAIN] = easel_jpeg_plain_row_narrow,
    [EASEL_JPEG_ROW_BOTH] = easel_jpeg_both_row_narrow, [EASEL_JPEG_ROW_TALL] = easel_jpeg_tall_row_narrow,
    [EASEL_JPEG_ROW_TALL_PLAIN] = easel_jpeg_same_row_narrow,
};
#endif

#if defined(__x86_64__)
easel_jpeg_row_function easel_jpeg_gray_row_avx2, easel_jpeg_same_row_avx2, easel_jpeg_wide_row_avx2,
    easel_jpeg_plain_row_avx2, easel_jpeg_both_row_avx2, easel_jpeg_tall_row_avx2;

static const easel_jpeg_row_kernels easel_jpeg_wide_kernels = {
    [EASEL_JPEG_ROW_GRAY] = easel_jpeg_gray_row_avx2,   [EASEL_JPEG_ROW_SAME] = easel_jpeg_same_row_avx2,
    [EASEL_JPEG_ROW_WIDE] = easel_jpeg_wide_row_avx2,   [EASEL_JPEG_ROW_WIDE_PLAIN] = easel_jpeg_plain_row_avx2,
    [EASEL_JPEG_ROW_BOTH] = easel_jpeg_both_row_avx2,   [EASEL_JPEG_ROW_TALL] = easel_jpeg_tall_row_avx2,
    [EASEL_JPEG_ROW_TALL_PLAIN] = easel_jpeg_same_row_avx2,
};
#endif

easel_jpeg_row_function *easel_jpeg_row_kernel(easel_jpeg_row_kind kind, easel_jpeg_vectors vectors) {
#if defined(__x86_64__)
  if (vectors == EASEL_JPEG_WIDE) return easel_jpeg_wide_kernels[kind];
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  if (vectors != EASEL_JPEG_PLAIN) return easel_jpeg_narrow_kernels[kind];
#endif
  (void)vectors;
  return easel_jpeg_plain_kernels[kind];
}
