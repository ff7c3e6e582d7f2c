#include "floats.h"

EASEL_INLINE void easel_matrix_pixels(easel_format format, easel_alpha alpha, const uint8_t *s, uint8_t *t, size_t width,
                                      const easel_f4 *columns) {
  size_t bytes = easel_pixel_bytes(format);
  for (size_t x = 0; x < width; x++, s += bytes, t += bytes) {
    easel_f4 v = easel_load_straight(format, alpha, s);
    easel_f4 sum = columns[4] + columns[0] * v[0];
    sum += columns[1] * v[1];
    sum += columns[2] * v[2];
    sum += columns[3] * v[3];
    easel_store_straight(format, alpha, sum, t);
  }
}

EASEL_INLINE void easel_matrix_row_body(easel_format format, easel_alpha alpha, const uint8_t *s, uint8_t *t,
                                        size_t width, const float *matrix) {
  easel_f4 columns[5];
  for (size_t i = 0; i < 5; i++) columns[i] = (easel_f4){matrix[i], matrix[5 + i], matrix[10 + i], matrix[15 + i]};
  if (format == EASEL_FORMAT_RGBA8 && alpha != EASEL_ALPHA_PREMULTIPLIED) {
    easel_matrix_pixels(EASEL_FORMAT_RGBA8, alpha, s, t, width, columns);
  } else {
    easel_matrix_pixels(format, alpha, s, t, width, columns);
  }
}

EASEL_CLONES(easel_matrix_row,
             (easel_format format, easel_alpha alpha, const uint8_t *s, uint8_t *t, size_t width, const float *matrix),
             (format, alpha, s, t, width, matrix))

void easel_color_matrix(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride,
                        void *target, ptrdiff_t target_stride, size_t width, size_t height, const float matrix[20]) {
  for (size_t y = 0; y < height; y++) {
    easel_matrix_row(format, alpha, (const uint8_t *)source + (ptrdiff_t)y * source_stride,
                     (uint8_t *)target + (ptrdiff_t)y * target_stride, width, matrix);
  }
}
