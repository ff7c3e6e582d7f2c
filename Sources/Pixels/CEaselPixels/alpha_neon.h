// The kernels of alpha.c for NEON; their results equal the scalar reference byte for byte.

static void easel_premultiply8_neon(const uint8_t *s, uint8_t *t, size_t pixels) {
  size_t i = 0;
  for (; i + 8 <= pixels; i += 8) {
    uint8x8x4_t v = vld4_u8(s + i * 4);
    for (int c = 0; c < 3; c++) {
      uint16x8_t product = vmull_u8(v.val[c], v.val[3]);
      v.val[c] = vraddhn_u16(product, vrshrq_n_u16(product, 8));
    }
    vst4_u8(t + i * 4, v);
  }
  easel_premultiply8_scalar(s + i * 4, t + i * 4, pixels - i);
}

// Computed as on x86, so the truncation is exact for the same reason.
EASEL_INLINE uint16x4_t easel_unscaled8_neon(uint16x4_t color, float32x4_t offset, float32x4_t reciprocal) {
  const float32x4_t full = vdupq_n_f32(255);
  float32x4_t sum = vaddq_f32(vmulq_f32(vcvtq_f32_u32(vmovl_u16(color)), full), offset);
  return vmovn_u32(vcvtq_u32_f32(vminq_f32(vmulq_f32(sum, reciprocal), full)));
}

static void easel_unpremultiply8_neon(const uint8_t *s, uint8_t *t, size_t pixels) {
  const float32x4_t half = vdupq_n_f32(0.5f), one = vdupq_n_f32(1);
  size_t i = 0;
  for (; i + 8 <= pixels; i += 8) {
    uint8x8x4_t v = vld4_u8(s + i * 4);
    if (vminv_u8(v.val[3]) < 255) {
      uint16x8_t alpha = vmovl_u8(v.val[3]), halves = vshrq_n_u16(alpha, 1);
      uint8x8_t visible = vtst_u8(v.val[3], v.val[3]);
      float32x4_t low = vdivq_f32(one, vcvtq_f32_u32(vmovl_u16(vget_low_u16(alpha))));
      float32x4_t high = vdivq_f32(one, vcvtq_f32_u32(vmovl_u16(vget_high_u16(alpha))));
      float32x4_t low_offset = vaddq_f32(vcvtq_f32_u32(vmovl_u16(vget_low_u16(halves))), half);
      float32x4_t high_offset = vaddq_f32(vcvtq_f32_u32(vmovl_u16(vget_high_u16(halves))), half);
      for (int c = 0; c < 3; c++) {
        uint16x8_t color = vmovl_u8(v.val[c]);
        uint16x4_t first = easel_unscaled8_neon(vget_low_u16(color), low_offset, low);
        uint16x4_t second = easel_unscaled8_neon(vget_high_u16(color), high_offset, high);
        v.val[c] = vand_u8(vmovn_u16(vcombine_u16(first, second)), visible);
      }
    }
    vst4_u8(t + i * 4, v);
  }
  easel_unpremultiply8_scalar(s + i * 4, t + i * 4, pixels - i);
}

static void easel_premultiply16_neon(const uint16_t *s, uint16_t *t, size_t pixels) {
  size_t i = 0;
  for (; i + 4 <= pixels; i += 4) {
    uint16x4x4_t v = vld4_u16(s + i * 4);
    for (int c = 0; c < 3; c++) {
      uint32x4_t product = vmull_u16(v.val[c], v.val[3]);
      v.val[c] = vraddhn_u32(product, vrshrq_n_u32(product, 16));
    }
    vst4_u16(t + i * 4, v);
  }
  easel_premultiply16_scalar(s + i * 4, t + i * 4, pixels - i);
}

EASEL_INLINE uint32x2_t easel_unscaled16_neon(uint32x2_t color, float64x2_t offset, float64x2_t alpha) {
  const float64x2_t full = vdupq_n_f64(65535);
  float64x2_t sum = vaddq_f64(vmulq_f64(vcvtq_f64_u64(vmovl_u32(color)), full), offset);
  return vmovn_u64(vcvtq_u64_f64(vminq_f64(vdivq_f64(sum, alpha), full)));
}

static void easel_unpremultiply16_neon(const uint16_t *s, uint16_t *t, size_t pixels) {
  const float64x2_t half = vdupq_n_f64(0.5);
  size_t i = 0;
  for (; i + 4 <= pixels; i += 4) {
    uint16x4x4_t v = vld4_u16(s + i * 4);
    uint16x4_t visible = vtst_u16(v.val[3], v.val[3]);
    uint32x4_t alpha = vmovl_u16(v.val[3]), halves = vshrq_n_u32(alpha, 1);
    float64x2_t low = vcvtq_f64_u64(vmovl_u32(vget_low_u32(alpha)));
    float64x2_t high = vcvtq_f64_u64(vmovl_u32(vget_high_u32(alpha)));
    float64x2_t low_offset = vaddq_f64(vcvtq_f64_u64(vmovl_u32(vget_low_u32(halves))), half);
    float64x2_t high_offset = vaddq_f64(vcvtq_f64_u64(vmovl_u32(vget_high_u32(halves))), half);
    for (int c = 0; c < 3; c++) {
      uint32x4_t color = vmovl_u16(v.val[c]);
      uint32x2_t first = easel_unscaled16_neon(vget_low_u32(color), low_offset, low);
      uint32x2_t second = easel_unscaled16_neon(vget_high_u32(color), high_offset, high);
      v.val[c] = vand_u16(vmovn_u32(vcombine_u32(first, second)), visible);
    }
    vst4_u16(t + i * 4, v);
  }
  easel_unpremultiply16_scalar(s + i * 4, t + i * 4, pixels - i);
}

static bool easel_is_opaque8_neon(const uint8_t *row, size_t pixels) {
  const uint8x16_t colors = vreinterpretq_u8_u32(vdupq_n_u32(0x00ffffff));
  size_t i = 0;
  for (; i + 16 <= pixels; i += 16) {
    const uint8_t *p = row + i * 4;
    uint8x16_t a = vandq_u8(vld1q_u8(p), vld1q_u8(p + 16)), b = vandq_u8(vld1q_u8(p + 32), vld1q_u8(p + 48));
    if (vminvq_u8(vorrq_u8(vandq_u8(a, b), colors)) != 255) return false;
  }
  return easel_is_opaque8_scalar(row + i * 4, pixels - i);
}

static void easel_clamp_to_alpha8_neon(uint8_t *row, size_t pixels) {
  size_t i = 0;
  for (; i + 16 <= pixels; i += 16) {
    uint8x16x4_t v = vld4q_u8(row + i * 4);
    for (int c = 0; c < 3; c++) v.val[c] = vminq_u8(v.val[c], v.val[3]);
    vst4q_u8(row + i * 4, v);
  }
  easel_clamp_to_alpha8_scalar(row + i * 4, pixels - i);
}
