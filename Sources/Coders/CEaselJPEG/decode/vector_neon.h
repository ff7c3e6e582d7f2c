// Vectors of one lane of 128 bits; vector_avx2.h says what the operations do.
#include <arm_neon.h>

typedef int16x8_t vector;

enum { EASEL_JPEG_LANES = 1, EASEL_JPEG_STEP = 16 };

#define EASEL_JPEG_TARGET
#define EASEL_JPEG_VECTOR static inline __attribute__((always_inline))
#define EASEL_JPEG_NAMED(name) name##_narrow

#define EASEL_JPEG_OF32(a) vreinterpretq_s16_s32(a)
#define EASEL_JPEG_AS32(a) vreinterpretq_s32_s16(a)
#define EASEL_JPEG_OF8(a) vreinterpretq_s16_s8(a)
#define EASEL_JPEG_AS8(a) vreinterpretq_s8_s16(a)
#define EASEL_JPEG_OF64(a) vreinterpretq_s16_s64(a)
#define EASEL_JPEG_AS64(a) vreinterpretq_s64_s16(a)

EASEL_JPEG_VECTOR vector v_zero(void) { return vdupq_n_s16(0); }
EASEL_JPEG_VECTOR vector v_set1_epi8(int value) { return EASEL_JPEG_OF8(vdupq_n_s8((int8_t)value)); }
EASEL_JPEG_VECTOR vector v_set1_epi16(int value) { return vdupq_n_s16((int16_t)value); }
EASEL_JPEG_VECTOR vector v_set1_epi32(int value) { return EASEL_JPEG_OF32(vdupq_n_s32(value)); }
EASEL_JPEG_VECTOR vector v_add_epi16(vector a, vector b) { return vaddq_s16(a, b); }
EASEL_JPEG_VECTOR vector v_sub_epi16(vector a, vector b) { return vsubq_s16(a, b); }
EASEL_JPEG_VECTOR vector v_add_epi32(vector a, vector b) {
  return EASEL_JPEG_OF32(vaddq_s32(EASEL_JPEG_AS32(a), EASEL_JPEG_AS32(b)));
}
EASEL_JPEG_VECTOR vector v_sub_epi32(vector a, vector b) {
  return EASEL_JPEG_OF32(vsubq_s32(EASEL_JPEG_AS32(a), EASEL_JPEG_AS32(b)));
}
EASEL_JPEG_VECTOR vector v_mullo_epi16(vector a, vector b) { return vmulq_s16(a, b); }
// Differs from that of x86 only for the product of both lowest values, which does not come.
EASEL_JPEG_VECTOR vector v_mulhrs_epi16(vector a, vector b) { return vqrdmulhq_s16(a, b); }
EASEL_JPEG_VECTOR vector v_madd_epi16(vector a, vector b) {
  int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(b)), high = vmull_high_s16(a, b);
  return EASEL_JPEG_OF32(vpaddq_s32(low, high));
}

#define v_srai_epi16(a, count) vshlq_s16(a, vdupq_n_s16((int16_t)-(count)))
#define v_srai_epi32(a, count) EASEL_JPEG_OF32(vshlq_s32(EASEL_JPEG_AS32(a), vdupq_n_s32(-(count))))
#define v_slli_epi32(a, count) EASEL_JPEG_OF32(vshlq_n_s32(EASEL_JPEG_AS32(a), count))
#define v_srli_epi16(a, count) vreinterpretq_s16_u16(vshrq_n_u16(vreinterpretq_u16_s16(a), count))
#define v_srli_epi32(a, count) vreinterpretq_s16_u32(vshrq_n_u32(vreinterpretq_u32_s16(a), count))
#define v_srli_epi64(a, count) vreinterpretq_s16_u64(vshrq_n_u64(vreinterpretq_u64_s16(a), count))

EASEL_JPEG_VECTOR vector v_and(vector a, vector b) { return vandq_s16(a, b); }
EASEL_JPEG_VECTOR vector v_xor(vector a, vector b) { return veorq_s16(a, b); }
EASEL_JPEG_VECTOR vector v_packs_epi32(vector a, vector b) {
  return vcombine_s16(vqmovn_s32(EASEL_JPEG_AS32(a)), vqmovn_s32(EASEL_JPEG_AS32(b)));
}
EASEL_JPEG_VECTOR vector v_packs_epi16(vector a, vector b) {
  return EASEL_JPEG_OF8(vcombine_s8(vqmovn_s16(a), vqmovn_s16(b)));
}
EASEL_JPEG_VECTOR vector v_packus_epi16(vector a, vector b) {
  return vreinterpretq_s16_u8(vcombine_u8(vqmovun_s16(a), vqmovun_s16(b)));
}
EASEL_JPEG_VECTOR vector v_unpacklo_epi8(vector a, vector b) {
  return EASEL_JPEG_OF8(vzip1q_s8(EASEL_JPEG_AS8(a), EASEL_JPEG_AS8(b)));
}
EASEL_JPEG_VECTOR vector v_unpackhi_epi8(vector a, vector b) {
  return EASEL_JPEG_OF8(vzip2q_s8(EASEL_JPEG_AS8(a), EASEL_JPEG_AS8(b)));
}
EASEL_JPEG_VECTOR vector v_unpacklo_epi16(vector a, vector b) { return vzip1q_s16(a, b); }
EASEL_JPEG_VECTOR vector v_unpackhi_epi16(vector a, vector b) { return vzip2q_s16(a, b); }
EASEL_JPEG_VECTOR vector v_unpacklo_epi32(vector a, vector b) {
  return EASEL_JPEG_OF32(vzip1q_s32(EASEL_JPEG_AS32(a), EASEL_JPEG_AS32(b)));
}
EASEL_JPEG_VECTOR vector v_unpackhi_epi32(vector a, vector b) {
  return EASEL_JPEG_OF32(vzip2q_s32(EASEL_JPEG_AS32(a), EASEL_JPEG_AS32(b)));
}
EASEL_JPEG_VECTOR vector v_unpacklo_epi64(vector a, vector b) {
  return EASEL_JPEG_OF64(vzip1q_s64(EASEL_JPEG_AS64(a), EASEL_JPEG_AS64(b)));
}
EASEL_JPEG_VECTOR vector v_unpackhi_epi64(vector a, vector b) {
  return EASEL_JPEG_OF64(vzip2q_s64(EASEL_JPEG_AS64(a), EASEL_JPEG_AS64(b)));
}
EASEL_JPEG_VECTOR vector v_blend(vector a, vector b) {
  uint16x8_t odd = vreinterpretq_u16_u32(vdupq_n_u32(0xFFFF0000));
  return vbslq_s16(odd, b, a);
}
EASEL_JPEG_VECTOR bool v_has_any(vector a, vector b) {
  return vmaxvq_u16(vreinterpretq_u16_s16(vandq_s16(a, b))) != 0;
}

EASEL_JPEG_VECTOR vector v_load(const void *from) { return vreinterpretq_s16_u8(vld1q_u8(from)); }
EASEL_JPEG_VECTOR void v_store(void *to, vector a) { vst1q_u8(to, vreinterpretq_u8_s16(a)); }
EASEL_JPEG_VECTOR vector v_load_rows(const int16_t *const *levels, int row) { return v_load(levels[0] + 8 * row); }
EASEL_JPEG_VECTOR vector v_load_same(const uint16_t *from) { return v_load(from); }
EASEL_JPEG_VECTOR vector v_load_words(const uint8_t *from) { return vreinterpretq_s16_u16(vmovl_u8(vld1_u8(from))); }

EASEL_JPEG_VECTOR vector v_set4_epi16(int16_t a, int16_t b, int16_t c, int16_t d) {
  int16_t all[8] = {a, b, c, d, a, b, c, d};
  return vld1q_s16(all);
}

EASEL_JPEG_VECTOR vector v_weave(vector a) {
  int8x16_t bytes = EASEL_JPEG_AS8(a);
  return EASEL_JPEG_OF8(vzip1q_s8(bytes, vextq_s8(bytes, bytes, 8)));
}

EASEL_JPEG_VECTOR void v_store_low(uint8_t *to, vector a, int lane) {
  (void)lane;
  vst1_u8(to, vget_low_u8(vreinterpretq_u8_s16(a)));
}

EASEL_JPEG_VECTOR void v_store_high(uint8_t *to, vector a, int lane) {
  (void)lane;
  vst1_u8(to, vget_high_u8(vreinterpretq_u8_s16(a)));
}

#define v_store_four(to, a, lane, place)                                  \
  do {                                                                    \
    int32_t four = vgetq_lane_s32(EASEL_JPEG_AS32(a), place);             \
    memcpy(to, &four, sizeof four);                                       \
  } while (0)

EASEL_JPEG_VECTOR uint64_t v_low(vector a, int lane) {
  (void)lane;
  return (uint64_t)vgetq_lane_s64(EASEL_JPEG_AS64(a), 0);
}

EASEL_JPEG_VECTOR void v_store_four_vectors(uint8_t *to, vector a, vector b, vector c, vector d) {
  v_store(to, a);
  v_store(to + 16, b);
  v_store(to + 32, c);
  v_store(to + 48, d);
}
