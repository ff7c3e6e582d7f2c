#include "floats.h"

EASEL_INLINE void easel_convolve_row_body(easel_format format, easel_alpha alpha, const uint8_t *const rows[3],
                                          uint8_t *target, size_t width, const float *kernel, float bias) {
  size_t bytes = easel_pixel_bytes(format);
  for (size_t x = 0; x < width; x++) {
    size_t columns[3] = {x ? x - 1 : 0, x, x + 1 < width ? x + 1 : x};
    easel_f4 sum = easel_splat(bias);
    for (size_t j = 0; j < 3; j++) {
      for (size_t i = 0; i < 3; i++) {
        sum += easel_load_premultiplied(format, alpha, rows[j] + columns[i] * bytes) * kernel[j * 3 + i];
      }
    }
    easel_store_premultiplied(format, alpha, sum, target + x * bytes);
  }
}

EASEL_CLONES(easel_convolve_row,
             (easel_format format, easel_alpha alpha, const uint8_t *const rows[3], uint8_t *target, size_t width,
              const float *kernel, float bias),
             (format, alpha, rows, target, width, kernel, bias))

void easel_convolve3(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride, void *target,
                     ptrdiff_t target_stride, size_t width, size_t height, size_t first_row, size_t rows,
                     const float kernel[9], float bias) {
  const uint8_t *base = source;
  for (size_t y = first_row; y < first_row + rows && y < height; y++) {
    size_t above = y ? y - 1 : 0, below = y + 1 < height ? y + 1 : y;
    const uint8_t *near[3] = {base + (ptrdiff_t)above * source_stride, base + (ptrdiff_t)y * source_stride,
                              base + (ptrdiff_t)below * source_stride};
    easel_convolve_row(format, alpha, near, (uint8_t *)target + (ptrdiff_t)y * target_stride, width, kernel, bias);
  }
}

EASEL_INLINE void easel_unsharp_row_body(easel_format format, easel_alpha alpha, const uint8_t *source,
                                         uint8_t *target, size_t width, float amount, float threshold) {
  size_t bytes = easel_pixel_bytes(format);
  for (size_t x = 0; x < width; x++) {
    easel_f4 sharp = easel_load_premultiplied(format, alpha, source + x * bytes);
    easel_f4 difference = sharp - easel_load_premultiplied(format, alpha, target + x * bytes);
    easel_f4 limit = easel_splat(threshold);
    easel_i4 counts = (difference > limit) | (difference < -limit);
    easel_f4 result = sharp + easel_select(counts, difference * easel_splat(amount), easel_splat(0));
    easel_store_premultiplied(format, alpha, result, target + x * bytes);
  }
}

EASEL_CLONES(easel_unsharp_row,
             (easel_format format, easel_alpha alpha, const uint8_t *source, uint8_t *target, size_t width,
              float amount, float threshold),
             (format, alpha, source, target, width, amount, threshold))

void easel_unsharp(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride, void *blurred,
                   ptrdiff_t blurred_stride, size_t width, size_t height, float amount, float threshold) {
  for (size_t y = 0; y < height; y++) {
    easel_unsharp_row(format, alpha, (const uint8_t *)source + (ptrdiff_t)y * source_stride,
                      (uint8_t *)blurred + (ptrdiff_t)y * blurred_stride, width, amount, threshold);
  }
}
