#include "resample.h"

typedef float easel_f8 __attribute__((vector_size(32), aligned(4)));
typedef float easel_f4 __attribute__((vector_size(16), aligned(4)));

// Even and odd taps are summed separately, then added: the order affects the result.
EASEL_INLINE void easel_float_row_body(const float *source, const easel_axis *axis, const float *weights,
                                       float *target) {
  for (size_t x = 0; x < axis->outputs; x++) {
    const float *p = source + (size_t)axis->start[x] * 4;
    const float *k = weights + axis->phase[x] * axis->taps;
    easel_f8 sums = {0};
    for (size_t t = 0; t < axis->taps; t += 2) {
      float a = k[t], b = k[t + 1];
      easel_f8 weight = {a, a, a, a, b, b, b, b};
      sums += *(const easel_f8 *)(const void *)(p + t * 4) * weight;
    }
    easel_f4 even = {sums[0], sums[1], sums[2], sums[3]}, odd = {sums[4], sums[5], sums[6], sums[7]};
    easel_f4 sum = even + odd;
    for (size_t c = 0; c < 4; c++) target[x * 4 + c] = sum[c] < 0 ? 0 : sum[c] > 1 ? 1 : sum[c];
  }
}

EASEL_INLINE void easel_float_column_body(const float *const *rows, size_t count, const float *weights, size_t from,
                                          size_t end, float *target) {
  size_t i = from;
  for (; i + 16 <= end; i += 16) {
    easel_f8 a = {0}, b = {0};
    for (size_t j = 0; j < count; j++) {
      const float *row = rows[j] + i;
      a += *(const easel_f8 *)(const void *)row * weights[j];
      b += *(const easel_f8 *)(const void *)(row + 8) * weights[j];
    }
    *(easel_f8 *)(void *)(target + i) = a;
    *(easel_f8 *)(void *)(target + i + 8) = b;
  }
  for (; i < end; i++) {
    float sum = 0;
    for (size_t j = 0; j < count; j++) sum += rows[j][i] * weights[j];
    target[i] = sum;
  }
  for (i = from; i < end; i++) target[i] = target[i] < 0 ? 0 : target[i] > 1 ? 1 : target[i];
}

EASEL_CLONES(easel_float_row,
             (const float *source, const easel_axis *axis, const float *weights, float *target),
             (source, axis, weights, target))
EASEL_CLONES(easel_float_column,
             (const float *const *rows, size_t count, const float *weights, size_t from, size_t end, float *target),
             (rows, count, weights, from, end, target))

void easel_resample_float_row(const float *source, const easel_axis *axis, const float *weights, float *target) {
  easel_float_row(source, axis, weights, target);
}

void easel_resample_float_column(const float *const *rows, size_t count, const float *weights, size_t from, size_t end,
                                 float *target) {
  easel_float_column(rows, count, weights, from, end, target);
}
