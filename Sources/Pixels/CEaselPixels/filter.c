#include "internal.h"

// The filters of PNG, and the distances from zero in a filtered row. Every version equals the scalar reference byte for
// byte.

typedef struct {
  const uint8_t *row, *above;
  size_t bytes, pixel;
} easel_filter_rows;

// Computed in bytes alone, so that compilers can vectorize it. The sum of the first two distances may exceed a byte.
// The largest byte is then as good as the sum, because neither distance is larger.
EASEL_INLINE uint8_t easel_nearest(uint8_t a, uint8_t b, uint8_t c) {
  uint8_t pa = (uint8_t)(b > c ? b - c : c - b), pb = (uint8_t)(a > c ? a - c : c - a);
  uint8_t sum = (uint8_t)(pa > 255 - pb ? 255 : pa + pb), gap = (uint8_t)(pa > pb ? pa - pb : pb - pa);
  uint8_t pc = (a > c) == (b > c) ? sum : gap;
  uint8_t second = pb <= pc ? b : c;
  return pa <= pb && pa <= pc ? a : second;
}

EASEL_INLINE uint8_t easel_mean(uint8_t a, uint8_t b) { return (uint8_t)((a & b) + ((a ^ b) >> 1)); }

// Filters the bytes from `first` on, which have a pixel to their left.
EASEL_INLINE void easel_filter_rest_body(int filter, const easel_filter_rows *rows, uint8_t *restrict target) {
  const uint8_t *row = rows->row, *above = rows->above;
  size_t bytes = rows->bytes, pixel = rows->pixel;
#define EASEL_EACH(guess)                                                                                              \
  for (size_t i = pixel; i < bytes; i++) {                                                                             \
    uint8_t a = row[i - pixel], b = above[i], c = above[i - pixel];                                                    \
    (void)a, (void)b, (void)c;                                                                                         \
    target[i] = (uint8_t)(row[i] - (guess));                                                                           \
  }
  switch (filter) {
    case 0: EASEL_EACH(0) break;
    case 1: EASEL_EACH(a) break;
    case 2: EASEL_EACH(b) break;
    case 3: EASEL_EACH(easel_mean(a, b)) break;
    default: EASEL_EACH(easel_nearest(a, b, c)) break;
  }
#undef EASEL_EACH
}

EASEL_CLONES(easel_filter_rest, (int filter, const easel_filter_rows *rows, uint8_t *restrict target),
             (filter, rows, target))

bool easel_png_filter(int filter, size_t bytes_per_pixel, const void *row, const void *above, size_t bytes,
                      void *target) {
  if (filter < 0 || filter > 4 || bytes_per_pixel == 0) return false;
  easel_filter_rows rows = {row, above, bytes, bytes_per_pixel};
  uint8_t *first = target;
  for (size_t i = 0; i < bytes && i < bytes_per_pixel; i++) {
    uint8_t b = rows.above[i];
    uint8_t guess = filter < 2 ? 0 : filter == 3 ? b / 2 : b;
    first[i] = (uint8_t)(rows.row[i] - guess);
  }
  easel_filter_rest(filter, &rows, target);
  return true;
}

// ---- Sums of distances

EASEL_INLINE unsigned easel_distance(uint8_t value) { return value < 128 ? value : 256u - value; }

static void easel_filter_sums_scalar(const easel_filter_rows *rows, size_t first, uint64_t sums[5]) {
  for (size_t i = first; i < rows->bytes; i++) {
    bool has_left = i >= rows->pixel;
    uint8_t x = rows->row[i], b = rows->above[i];
    uint8_t a = has_left ? rows->row[i - rows->pixel] : 0, c = has_left ? rows->above[i - rows->pixel] : 0;
    sums[0] += easel_distance(x);
    sums[1] += easel_distance((uint8_t)(x - a));
    sums[2] += easel_distance((uint8_t)(x - b));
    sums[3] += easel_distance((uint8_t)(x - easel_mean(a, b)));
    sums[4] += easel_distance((uint8_t)(x - easel_nearest(a, b, c)));
  }
}

#if defined(EASEL_X86)
#include "filter_x86.h"
#elif defined(EASEL_NEON)
#include "filter_neon.h"
#endif

void easel_png_filter_sums(size_t bytes_per_pixel, const void *row, const void *above, size_t bytes,
                           uint64_t sums[5]) {
  easel_filter_rows rows = {row, above, bytes, bytes_per_pixel}, head = rows;
  memset(sums, 0, 5 * sizeof *sums);
  if (head.bytes > bytes_per_pixel) head.bytes = bytes_per_pixel;
  easel_filter_sums_scalar(&head, 0, sums);
  if (bytes <= bytes_per_pixel) return;
  EASEL_BEST(easel_filter_sums_avx2, easel_filter_sums_sse41, easel_filter_sums_neon, easel_filter_sums_scalar)
  (&rows, bytes_per_pixel, sums);
}
