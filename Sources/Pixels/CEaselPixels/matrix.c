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

// For pixels of four bytes with straight or ignored alpha. Samples are stored by channel, so that vectors hold as many
// as possible. The order of each addition is that of easel_matrix_pixels.
EASEL_INLINE uint32_t easel_matrix_level(const float *row, float r, float g, float b, float a) {
  float sum = row[4] + row[0] * r;
  sum += row[1] * g;
  sum += row[2] * b;
  sum += row[3] * a;
  sum = sum > 0 ? sum : 0;
  sum = sum < 1 ? sum : 1;
  return (uint32_t)(int32_t)(sum * 255.0f + 0.5f);
}

EASEL_INLINE float easel_matrix_sample(uint32_t bytes) { return (float)(int32_t)(bytes & 255) / 255.0f; }

EASEL_INLINE void easel_matrix_chunk8(const uint32_t *from, uint32_t *to, const float *matrix, bool is_opaque,
                                      bool is_gray) {
  for (size_t i = 0; i < EASEL_CHUNK; i++) {
    uint32_t pixel = from[i];
    float r = easel_matrix_sample(pixel), g = easel_matrix_sample(pixel >> 8), b = easel_matrix_sample(pixel >> 16);
    float a = is_opaque ? 1 : easel_matrix_sample(pixel >> 24);
    uint32_t alpha = is_opaque ? 255 : easel_matrix_level(matrix + 15, r, g, b, a);
    uint32_t red = easel_matrix_level(matrix, r, g, b, a);
    uint32_t green = is_gray ? red : easel_matrix_level(matrix + 5, r, g, b, a);
    uint32_t blue = is_gray ? red : easel_matrix_level(matrix + 10, r, g, b, a);
    to[i] = red | green << 8 | blue << 16 | alpha << 24;
  }
}

// A matrix is grey when it gives red, green and blue the same value.
EASEL_INLINE void easel_matrix_row8(bool is_opaque, bool is_gray, const uint8_t *s, uint8_t *t, size_t width,
                                    const float *matrix) {
  uint32_t from[EASEL_CHUNK] = {0}, to[EASEL_CHUNK];
  for (size_t x = 0; x < width; x += EASEL_CHUNK) {
    size_t bytes = (width - x < EASEL_CHUNK ? width - x : EASEL_CHUNK) * 4;
    memcpy(from, s + x * 4, bytes);
    easel_matrix_chunk8(from, to, matrix, is_opaque, is_gray);
    memcpy(t + x * 4, to, bytes);
  }
}

EASEL_INLINE void easel_matrix_row_body(easel_format format, easel_alpha alpha, const uint8_t *s, uint8_t *t,
                                        size_t width, const float *matrix) {
  size_t row = 5 * sizeof *matrix;
  bool is_gray = memcmp(matrix, matrix + 5, row) == 0 && memcmp(matrix, matrix + 10, row) == 0;
  if (format == EASEL_FORMAT_RGBA8 && alpha == EASEL_ALPHA_OPAQUE) {
    if (is_gray) {
      easel_matrix_row8(true, true, s, t, width, matrix);
    } else {
      easel_matrix_row8(true, false, s, t, width, matrix);
    }
  } else if (format == EASEL_FORMAT_RGBA8 && alpha == EASEL_ALPHA_STRAIGHT) {
    if (is_gray) {
      easel_matrix_row8(false, true, s, t, width, matrix);
    } else {
      easel_matrix_row8(false, false, s, t, width, matrix);
    }
  } else {
    easel_f4 columns[5];
    for (size_t i = 0; i < 5; i++) columns[i] = (easel_f4){matrix[i], matrix[5 + i], matrix[10 + i], matrix[15 + i]};
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
