// The kernels of resample8.c for NEON; their results equal the scalar reference byte for byte.

EASEL_INLINE int32x4_t easel_row4_sum_neon(const uint8_t *p, const int16_t *k, size_t taps, int32x4_t sum) {
  for (size_t t = 0; t < taps; t += 4) {
    uint8x16_t v = vld1q_u8(p + t * 4);
    int16x8_t low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(v)));
    int16x8_t high = vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(v)));
    int16x4_t w = vld1_s16(k + t);
    sum = vmlal_lane_s16(sum, vget_low_s16(low), w, 0);
    sum = vmlal_lane_s16(sum, vget_high_s16(low), w, 1);
    sum = vmlal_lane_s16(sum, vget_low_s16(high), w, 2);
    sum = vmlal_lane_s16(sum, vget_high_s16(high), w, 3);
  }
  return sum;
}

static void easel_row4_neon(const uint8_t *source, const easel_axis *axis, const easel_weights *weights,
                            uint8_t *target) {
  const int32x4_t down = vdupq_n_s32(-weights->precision), half = vdupq_n_s32(1 << (weights->precision - 1));
  for (size_t x = 0; x < axis->outputs; x++) {
    const uint8_t *p = source + (size_t)axis->start[x] * 4;
    size_t offset = axis->phase[x] * axis->taps;
    int32x4_t sum = easel_row4_sum_neon(p, weights->high + offset, axis->taps, weights->low ? vdupq_n_s32(0) : half);
    if (weights->low) {
      sum = vaddq_s32(vshlq_n_s32(sum, 8), half);
      sum = easel_row4_sum_neon(p, weights->low + offset, axis->taps, sum);
    }
    uint16x4_t words = vqmovun_s32(vshlq_s32(sum, down));
    uint32x2_t bytes = vreinterpret_u32_u8(vqmovn_u16(vcombine_u16(words, words)));
    uint32_t pixel = vget_lane_u32(bytes, 0);
    memcpy(target + x * 4, &pixel, 4);
  }
}

EASEL_INLINE int32_t easel_row1_sum_neon(const uint8_t *p, const int16_t *k, size_t taps) {
  int32x4_t low = vdupq_n_s32(0), high = low;
  for (size_t t = 0; t < taps; t += 8) {
    int16x8_t v = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(p + t))), w = vld1q_s16(k + t);
    low = vmlal_s16(low, vget_low_s16(v), vget_low_s16(w));
    high = vmlal_high_s16(high, v, w);
  }
  return vaddvq_s32(vaddq_s32(low, high));
}

static void easel_row1_neon(const uint8_t *source, const easel_axis *axis, const easel_weights *weights,
                            uint8_t *target) {
  for (size_t x = 0; x < axis->outputs; x++) {
    const uint8_t *p = source + axis->start[x];
    size_t offset = axis->phase[x] * axis->taps;
    int32_t sum = easel_row1_sum_neon(p, weights->high + offset, axis->taps);
    if (weights->low) sum = sum * 256 + easel_row1_sum_neon(p, weights->low + offset, axis->taps);
    target[x] = easel_clip8(sum + (1 << (weights->precision - 1)), weights->precision);
  }
}

EASEL_INLINE void easel_column_add_neon(const uint8_t *const *rows, size_t count, const int16_t *k, size_t i,
                                        int32x4_t sums[4]) {
  for (size_t j = 0; j < count; j++) {
    uint8x16_t bytes = vld1q_u8(rows[j] + i);
    int16x8_t low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes)));
    int16x8_t high = vreinterpretq_s16_u16(vmovl_high_u8(bytes));
    sums[0] = vmlal_n_s16(sums[0], vget_low_s16(low), k[j]);
    sums[1] = vmlal_high_n_s16(sums[1], low, k[j]);
    sums[2] = vmlal_n_s16(sums[2], vget_low_s16(high), k[j]);
    sums[3] = vmlal_high_n_s16(sums[3], high, k[j]);
  }
}

static size_t easel_column_neon(const uint8_t *const *rows, size_t count, const easel_weights *weights, size_t offset,
                                uint8_t *target, size_t bytes) {
  const int32x4_t down = vdupq_n_s32(-weights->precision), half = vdupq_n_s32(1 << (weights->precision - 1));
  size_t i = 0;
  for (; i + 16 <= bytes; i += 16) {
    int32x4_t start = weights->low ? vdupq_n_s32(0) : half, sums[4] = {start, start, start, start};
    easel_column_add_neon(rows, count, weights->high + offset, i, sums);
    if (weights->low) {
      for (size_t n = 0; n < 4; n++) sums[n] = vaddq_s32(vshlq_n_s32(sums[n], 8), half);
      easel_column_add_neon(rows, count, weights->low + offset, i, sums);
    }
    uint16x4_t words[4];
    for (size_t n = 0; n < 4; n++) words[n] = vqmovun_s32(vshlq_s32(sums[n], down));
    uint8x8_t left = vqmovn_u16(vcombine_u16(words[0], words[1]));
    vst1q_u8(target + i, vcombine_u8(left, vqmovn_u16(vcombine_u16(words[2], words[3]))));
  }
  return i;
}
