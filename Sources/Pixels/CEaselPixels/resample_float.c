#include "resample.h"

typedef float easel_f8 __attribute__((vector_size(32), aligned(4)));
typedef float easel_f4 __attribute__((vector_size(16), aligned(4)));

// Computes several targets of a row at once, whose sums do not wait for each other. Even and odd taps are summed
// separately and then added, because the order affects the result.
EASEL_INLINE void easel_float_targets(const float *source, const easel_axis *axis, const float *weights, size_t x,
                                      size_t count, bool clamps, float *target) {
  const float *p[4], *k[4];
  easel_f8 sums[4];
  for (size_t i = 0; i < count; i++) {
    p[i] = source + (size_t)axis->start[x + i] * 4;
    k[i] = weights + axis->phase[x + i] * axis->taps;
    sums[i] = (easel_f8){0};
  }
  for (size_t t = 0; t < axis->taps; t += 2) {
    _Pragma("clang loop unroll(full)") for (size_t i = 0; i < count; i++) {
      float a = k[i][t], b = k[i][t + 1];
      easel_f8 weight = {a, a, a, a, b, b, b, b};
      sums[i] += *(const easel_f8 *)(const void *)(p[i] + t * 4) * weight;
    }
  }
  for (size_t i = 0; i < count; i++) {
    easel_f4 even = {sums[i][0], sums[i][1], sums[i][2], sums[i][3]};
    easel_f4 odd = {sums[i][4], sums[i][5], sums[i][6], sums[i][7]};
    easel_f4 sum = even + odd;
    for (size_t c = 0; c < 4; c++) {
      float one = sum[c];
      target[(x + i) * 4 + c] = !clamps ? one : one < 0 ? 0 : one > 1 ? 1 : one;
    }
  }
}

EASEL_INLINE void easel_float_row_body(const float *source, const easel_axis *axis, const float *weights, bool clamps,
                                       float *target) {
  size_t x = 0;
  for (; x + 4 <= axis->outputs; x += 4) easel_float_targets(source, axis, weights, x, 4, clamps, target);
  for (; x < axis->outputs; x++) easel_float_targets(source, axis, weights, x, 1, clamps, target);
}

EASEL_INLINE void easel_float_column_body(const float *const *rows, size_t count, const float *weights, size_t from,
                                          size_t end, bool clamps, float *target) {
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
  if (!clamps) return;
  for (i = from; i < end; i++) target[i] = target[i] < 0 ? 0 : target[i] > 1 ? 1 : target[i];
}

EASEL_CLONES(easel_float_row,
             (const float *source, const easel_axis *axis, const float *weights, bool clamps, float *target),
             (source, axis, weights, clamps, target))
EASEL_CLONES(easel_float_column,
             (const float *const *rows, size_t count, const float *weights, size_t from, size_t end, bool clamps,
              float *target),
             (rows, count, weights, from, end, clamps, target))

void easel_resample_float_row(const float *source, const easel_axis *axis, const float *weights, bool clamps,
                              float *target) {
  easel_float_row(source, axis, weights, clamps, target);
}

void easel_resample_float_column(const float *const *rows, size_t count, const float *weights, size_t from, size_t end,
                                 bool clamps, float *target) {
  easel_float_column(rows, count, weights, from, end, clamps, target);
}
