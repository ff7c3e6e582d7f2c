// The kernel of plane.c for NEON; its results equal the scalar reference bit for bit.

static size_t easel_plane_lines_neon(const uint8_t *samples, size_t stride, size_t count, const int32_t *pairs,
                                     float one, size_t width, float *target) {
  size_t x = 0;
  for (; x + 16 <= width; x += 16) {
    int32x4_t zero = vdupq_n_s32(0), sums[4] = {zero, zero, zero, zero};
    for (size_t j = 0; j < count; j++) {
      int16_t k = easel_plane_weight(pairs, j);
      uint8x16_t bytes = vld1q_u8(samples + j * stride + x);
      int16x8_t low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes)));
      int16x8_t high = vreinterpretq_s16_u16(vmovl_high_u8(bytes));
      sums[0] = vmlal_n_s16(sums[0], vget_low_s16(low), k);
      sums[1] = vmlal_high_n_s16(sums[1], low, k);
      sums[2] = vmlal_n_s16(sums[2], vget_low_s16(high), k);
      sums[3] = vmlal_high_n_s16(sums[3], high, k);
    }
    for (size_t i = 0; i < 4; i++) vst1q_f32(target + x + 4 * i, vmulq_n_f32(vcvtq_f32_s32(sums[i]), one));
  }
  return x;
}
