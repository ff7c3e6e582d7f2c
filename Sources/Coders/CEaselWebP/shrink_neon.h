// The kernels of shrink.c for ARM64.

#include <arm_neon.h>

static inline uint8x16_t easel_webp_load_two(const uint8_t *first, const uint8_t *second) {
  return vcombine_u8(vld1_u8(first), vld1_u8(second));
}

static inline uint16x8_t easel_webp_wanted_sums(uint8x16_t samples, int64x2_t unwanted) {
  return vpaddlq_u8(vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(samples), unwanted)));
}

// The upper halves of the 32-bit numbers in two vectors, which end two boxes each.
static inline uint16x8_t easel_webp_upper(uint8x16_t first, uint8x16_t second) {
  return vreinterpretq_u16_u32(vuzp2q_u32(vreinterpretq_u32_u8(first), vreinterpretq_u32_u8(second)));
}

// Multiplies four samples by 32-bit factors, and keeps only the rounded upper part.
static inline uint16x4_t easel_webp_shares(uint16x4_t ends, uint16x4_t high, uint16x4_t low) {
  return vrshrn_n_u32(vsraq_n_u32(vmull_u16(ends, high), vmull_u16(ends, low), 16), 16);
}

// For boxes of up to eight samples; processes eight boxes at a time.
static void easel_webp_add_row_narrow(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums) {
  const int64x2_t unwanted = vdupq_n_s64(8 * (int64_t)axis->most - 64);
  const uint16_t target = (uint16_t)axis->target;
  uint16x8_t before = vdupq_n_u16(0);
  for (size_t x = 0; x < axis->padded; x += 8) {
    const uint32_t *end = axis->end + x;
    // Each half ends with the last sample of a box.
    uint8x16_t a = easel_webp_load_two(row + end[0] - 8, row + end[1] - 8);
    uint8x16_t b = easel_webp_load_two(row + end[2] - 8, row + end[3] - 8);
    uint8x16_t c = easel_webp_load_two(row + end[4] - 8, row + end[5] - 8);
    uint8x16_t d = easel_webp_load_two(row + end[6] - 8, row + end[7] - 8);
    uint16x8_t ends = vshrq_n_u16(vuzp2q_u16(easel_webp_upper(a, b), easel_webp_upper(c, d)), 8);
    uint16x8_t whole = vpaddq_u16(
        vpaddq_u16(easel_webp_wanted_sums(a, unwanted), easel_webp_wanted_sums(b, unwanted)),
        vpaddq_u16(easel_webp_wanted_sums(c, unwanted), easel_webp_wanted_sums(d, unwanted)));

    uint16x8_t high = vld1q_u16(axis->share_high + x), low = vld1q_u16(axis->share_low + x);
    uint16x8_t share = vcombine_u16(easel_webp_shares(vget_low_u16(ends), vget_low_u16(high), vget_low_u16(low)),
                                    easel_webp_shares(vget_high_u16(ends), vget_high_u16(high), vget_high_u16(low)));
    share = vsubq_u16(share, vandq_u16(ends, vld1q_u16(axis->is_short + x)));
    // Each box gets the share that the previous box leaves to it.
    whole = vaddq_u16(whole, vextq_u16(before, share, 7));
    before = share;

    uint16x8_t rest = vld1q_u16(axis->rest + x);
    uint32x4_t first = vmlal_n_u16(vld1q_u32(sums + x), vget_low_u16(whole), target);
    uint32x4_t second = vmlal_n_u16(vld1q_u32(sums + x + 4), vget_high_u16(whole), target);
    vst1q_u32(sums + x, vmlsl_u16(first, vget_low_u16(ends), vget_low_u16(rest)));
    vst1q_u32(sums + x + 4, vmlsl_u16(second, vget_high_u16(ends), vget_high_u16(rest)));
  }
}

void easel_webp_add_row(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums) {
  if (axis->most <= 8) {
    easel_webp_add_row_narrow(axis, row, sums);
  } else {
    easel_webp_add_row_plainly(axis, row, sums);
  }
}

// Ends four columns. libwebp multiplies by half of each factor, which loses its last bit.
static inline uint16x4_t easel_webp_end_four(uint32_t *sums, uint32_t *last, int32_t half_part, int32_t half_scale) {
  uint32x4_t row = vld1q_u32(last);
  uint32x4_t later = vreinterpretq_u32_s32(vqdmulhq_n_s32(vreinterpretq_s32_u32(row), half_part));
  uint32x4_t whole = vqsubq_u32(vaddq_u32(vld1q_u32(sums), row), later);
  vst1q_u32(sums, later);
  vst1q_u32(last, vdupq_n_u32(0));
  return vmovn_u32(vreinterpretq_u32_s32(vqrdmulhq_n_s32(vreinterpretq_s32_u32(whole), half_scale)));
}

void easel_webp_end_boxes(uint32_t *sums, uint32_t *last, uint32_t later_part, uint32_t scale, size_t width,
                          uint8_t *samples) {
  const int32_t half_part = (int32_t)(later_part >> 1), half_scale = (int32_t)(scale >> 1);
  size_t x = 0;
  for (; x + 8 <= width; x += 8) {
    uint16x4_t first = easel_webp_end_four(sums + x, last + x, half_part, half_scale);
    uint16x4_t second = easel_webp_end_four(sums + x + 4, last + x + 4, half_part, half_scale);
    vst1_u8(samples + x, vmovn_u16(vcombine_u16(first, second)));
  }
  easel_webp_end_boxes_plainly(sums, last, later_part, scale, x, width, samples);
}
