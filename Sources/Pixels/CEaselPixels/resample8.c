#include "resample.h"

EASEL_INLINE uint8_t easel_clip8(int32_t sum, int precision) {
  int32_t value = sum >> precision;
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

EASEL_INLINE int32_t easel_weight(const easel_weights *weights, size_t index) {
  return weights->low ? weights->high[index] * 256 + weights->low[index] : weights->high[index];
}

static void easel_row4_scalar(const uint8_t *source, const easel_axis *axis, const easel_weights *weights,
                              uint8_t *target) {
  int precision = weights->precision;
  for (size_t x = 0; x < axis->outputs; x++) {
    const uint8_t *p = source + (size_t)axis->start[x] * 4;
    size_t offset = axis->phase[x] * axis->taps, count = axis->count[x];
    int32_t half = 1 << (precision - 1), s0 = half, s1 = half, s2 = half, s3 = half;
    for (size_t i = 0; i < count; i++) {
      int32_t weight = easel_weight(weights, offset + i);
      s0 += p[4 * i] * weight;
      s1 += p[4 * i + 1] * weight;
      s2 += p[4 * i + 2] * weight;
      s3 += p[4 * i + 3] * weight;
    }
    target[4 * x] = easel_clip8(s0, precision);
    target[4 * x + 1] = easel_clip8(s1, precision);
    target[4 * x + 2] = easel_clip8(s2, precision);
    target[4 * x + 3] = easel_clip8(s3, precision);
  }
}

static void easel_row1_scalar(const uint8_t *source, const easel_axis *axis, const easel_weights *weights,
                              uint8_t *target) {
  for (size_t x = 0; x < axis->outputs; x++) {
    const uint8_t *p = source + axis->start[x];
    size_t offset = axis->phase[x] * axis->taps, count = axis->count[x];
    int32_t sum = 1 << (weights->precision - 1);
    for (size_t i = 0; i < count; i++) sum += p[i] * easel_weight(weights, offset + i);
    target[x] = easel_clip8(sum, weights->precision);
  }
}

static void easel_column_scalar(const uint8_t *const *rows, size_t count, const easel_weights *weights, size_t offset,
                                uint8_t *target, size_t bytes, size_t from) {
  for (size_t i = from; i < bytes; i++) {
    int32_t sum = 1 << (weights->precision - 1);
    for (size_t j = 0; j < count; j++) sum += rows[j][i] * easel_weight(weights, offset + j);
    target[i] = easel_clip8(sum, weights->precision);
  }
}

#if defined(EASEL_X86)
#include "resample8_x86.h"
#elif defined(EASEL_NEON)
#include "resample8_neon.h"
#endif

void easel_resample_row4(const uint8_t *source, const easel_axis *axis, const easel_weights *weights, uint8_t *target) {
  EASEL_BEST(easel_row4_avx2, easel_row4_sse41, easel_row4_neon, easel_row4_scalar)(source, axis, weights, target);
}

void easel_resample_row1(const uint8_t *source, const easel_axis *axis, const easel_weights *weights, uint8_t *target) {
  EASEL_BEST(easel_row1_avx2, easel_row1_sse41, easel_row1_neon, easel_row1_scalar)(source, axis, weights, target);
}

void easel_resample_column(const uint8_t *const *rows, size_t count, const easel_weights *weights, size_t offset,
                           int32_t *pairs, uint8_t *target, size_t bytes) {
  int level = easel_pixels_level();
  size_t done = 0;
#if defined(EASEL_X86)
  if (level >= EASEL_LEVEL_SSE41) {
    size_t half = easel_weight_pairs(weights, offset, count, pairs);
    done = level >= EASEL_LEVEL_AVX2
               ? easel_column_avx2(rows, count, half, pairs, weights->low, weights->precision, target, bytes)
               : easel_column_sse41(rows, count, half, pairs, weights->low, weights->precision, target, bytes);
  }
#elif defined(EASEL_NEON)
  if (level >= EASEL_LEVEL_NEON) done = easel_column_neon(rows, count, weights, offset, target, bytes);
#endif
  (void)level;
  (void)pairs;
  easel_column_scalar(rows, count, weights, offset, target, bytes, done);
}
