// The kernels of resample_light.c for NEON; their results equal the scalar reference bit for bit.

static void easel_light_row_neon(const int16_t *source, const easel_axis *axis, const easel_light_weights *weights,
                                 int16_t *target) {
  for (size_t x = 0; x < axis->outputs; x++) {
    const int16_t *p = source + (size_t)axis->start[x] * 4, *k = weights->narrow + axis->phase[x] * axis->taps;
    int32x4_t a = vdupq_n_s32(0), b = a;
    for (size_t t = 0; t < axis->taps; t += 4) {
      int16x8_t u = vld1q_s16(p + t * 4), v = vld1q_s16(p + t * 4 + 8);
      int16x4_t w = vld1_s16(k + t);
      a = vmlal_lane_s16(a, vget_low_s16(u), w, 0);
      b = vmlal_lane_s16(b, vget_high_s16(u), w, 1);
      a = vmlal_lane_s16(a, vget_low_s16(v), w, 2);
      b = vmlal_lane_s16(b, vget_high_s16(v), w, 3);
    }
    vst1_s16(target + x * 4, vqrshrn_n_s32(vaddq_s32(a, b), easel_light_bits));
  }
}

static size_t easel_light_column_neon(const int16_t *const *rows, size_t count, const int16_t *weights, size_t from,
                                      size_t end, int16_t *target) {
  size_t i = from;
  for (; i + 8 <= end; i += 8) {
    int32x4_t low = vdupq_n_s32(0), high = low;
    for (size_t j = 0; j < count; j++) {
      int16x8_t v = vld1q_s16(rows[j] + i);
      low = vmlal_n_s16(low, vget_low_s16(v), weights[j]);
      high = vmlal_high_n_s16(high, v, weights[j]);
    }
    vst1q_s16(target + i,
              vcombine_s16(vqrshrn_n_s32(low, easel_light_bits), vqrshrn_n_s32(high, easel_light_bits)));
  }
  return i;
}
