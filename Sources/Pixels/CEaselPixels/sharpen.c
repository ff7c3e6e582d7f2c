#include "floats.h"

typedef struct {
  const float *numbers;
  size_t columns, rows;
} easel_matrix;

// The pixels of a chunk and those beside it that a matrix reaches.
enum { EASEL_REACH = EASEL_CHUNK + EASEL_MOST_MATRIX_SIDE - 1 };

// `rows` are the rows that the matrix covers. Each pixel is converted once for each row of the matrix, and not once for
// each number.
EASEL_INLINE void easel_convolve_row_body(easel_format format, easel_alpha alpha, const uint8_t *const *rows,
                                          uint8_t *target, size_t width, const easel_matrix *matrix) {
  size_t bytes = easel_pixel_bytes(format), middle = matrix->columns / 2;
  easel_f4 near[EASEL_REACH], sums[EASEL_CHUNK], alphas[EASEL_CHUNK];
  for (size_t first = 0; first < width; first += EASEL_CHUNK) {
    size_t count = width - first < EASEL_CHUNK ? width - first : EASEL_CHUNK;
    for (size_t x = 0; x < count; x++) sums[x] = easel_splat(0);
    for (size_t j = 0; j < matrix->rows; j++) {
      for (size_t i = 0; i < count + matrix->columns - 1; i++) {
        size_t place = first + i < middle ? 0 : first + i - middle;
        near[i] = easel_load_premultiplied(format, alpha, rows[j] + (place < width ? place : width - 1) * bytes);
      }
      for (size_t i = 0; i < matrix->columns; i++) {
        easel_f4 number = easel_splat(matrix->numbers[j * matrix->columns + i]);
        for (size_t x = 0; x < count; x++) sums[x] += near[x + i] * number;
      }
      if (j != matrix->rows / 2) continue;
      for (size_t x = 0; x < count; x++) alphas[x] = near[x + middle];
    }
    for (size_t x = 0; x < count; x++) {
      easel_store_premultiplied(format, alpha, easel_with_alpha(sums[x], alphas[x]), target + (first + x) * bytes);
    }
  }
}

EASEL_CLONES(easel_convolve_row,
             (easel_format format, easel_alpha alpha, const uint8_t *const *rows, uint8_t *target, size_t width,
              const easel_matrix *matrix),
             (format, alpha, rows, target, width, matrix))

void easel_convolve(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride, void *target,
                    ptrdiff_t target_stride, size_t width, size_t height, size_t first_row, size_t rows,
                    const float *numbers, size_t matrix_columns, size_t matrix_rows) {
  easel_matrix matrix = {numbers, matrix_columns, matrix_rows};
  size_t middle = matrix_rows / 2;
  for (size_t y = first_row; y < first_row + rows && y < height; y++) {
    const uint8_t *near[EASEL_MOST_MATRIX_SIDE];
    for (size_t j = 0; j < matrix_rows; j++) {
      size_t place = y + j < middle ? 0 : y + j - middle;
      near[j] = (const uint8_t *)source + (ptrdiff_t)(place < height ? place : height - 1) * source_stride;
    }
    easel_convolve_row(format, alpha, near, (uint8_t *)target + (ptrdiff_t)y * target_stride, width, &matrix);
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
