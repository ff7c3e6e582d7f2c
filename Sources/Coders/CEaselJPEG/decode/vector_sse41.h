// Vectors of one lane of 128 bits; vector_avx2.h says what the operations do.
#include <immintrin.h>

typedef __m128i vector;

enum { EASEL_JPEG_LANES = 1, EASEL_JPEG_STEP = 16 };

#define EASEL_JPEG_TARGET __attribute__((target("sse4.1")))
#define EASEL_JPEG_VECTOR EASEL_JPEG_TARGET static inline __attribute__((always_inline))
#define EASEL_JPEG_NAMED(name) name##_narrow

#define v_zero _mm_setzero_si128
#define v_set1_epi8 _mm_set1_epi8
#define v_set1_epi16 _mm_set1_epi16
#define v_set1_epi32 _mm_set1_epi32
#define v_add_epi16 _mm_add_epi16
#define v_sub_epi16 _mm_sub_epi16
#define v_add_epi32 _mm_add_epi32
#define v_sub_epi32 _mm_sub_epi32
#define v_mullo_epi16 _mm_mullo_epi16
#define v_mulhrs_epi16 _mm_mulhrs_epi16
#define v_madd_epi16 _mm_madd_epi16
#define v_srai_epi16 _mm_srai_epi16
#define v_srli_epi16 _mm_srli_epi16
#define v_srai_epi32 _mm_srai_epi32
#define v_srli_epi32 _mm_srli_epi32
#define v_slli_epi32 _mm_slli_epi32
#define v_srli_epi64 _mm_srli_epi64
#define v_and _mm_and_si128
#define v_xor _mm_xor_si128
#define v_packs_epi32 _mm_packs_epi32
#define v_packs_epi16 _mm_packs_epi16
#define v_packus_epi16 _mm_packus_epi16
#define v_unpacklo_epi8 _mm_unpacklo_epi8
#define v_unpackhi_epi8 _mm_unpackhi_epi8
#define v_unpacklo_epi16 _mm_unpacklo_epi16
#define v_unpackhi_epi16 _mm_unpackhi_epi16
#define v_unpacklo_epi32 _mm_unpacklo_epi32
#define v_unpackhi_epi32 _mm_unpackhi_epi32
#define v_unpacklo_epi64 _mm_unpacklo_epi64
#define v_unpackhi_epi64 _mm_unpackhi_epi64
#define v_blend(a, b) _mm_blend_epi16(a, b, 0xAA)
#define v_has_any(a, b) (!_mm_testz_si128(a, b))

EASEL_JPEG_VECTOR vector v_load(const void *from) { return _mm_loadu_si128((const __m128i *)from); }
EASEL_JPEG_VECTOR void v_store(void *to, vector a) { _mm_storeu_si128((__m128i *)to, a); }
EASEL_JPEG_VECTOR vector v_load_rows(const int16_t *const *levels, int row) { return v_load(levels[0] + 8 * row); }
EASEL_JPEG_VECTOR vector v_load_same(const uint16_t *from) { return v_load(from); }

EASEL_JPEG_VECTOR vector v_load_words(const uint8_t *from) {
  return _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)from));
}

EASEL_JPEG_VECTOR vector v_set4_epi16(int16_t a, int16_t b, int16_t c, int16_t d) {
  return _mm_setr_epi16(a, b, c, d, a, b, c, d);
}

EASEL_JPEG_VECTOR vector v_weave(vector a) { return _mm_unpacklo_epi8(a, _mm_srli_si128(a, 8)); }

EASEL_JPEG_VECTOR void v_store_low(uint8_t *to, vector a, int lane) {
  (void)lane;
  _mm_storel_epi64((__m128i *)to, a);
}

EASEL_JPEG_VECTOR void v_store_high(uint8_t *to, vector a, int lane) {
  (void)lane;
  _mm_storeh_pd((double *)to, _mm_castsi128_pd(a));
}

#define v_store_four(to, a, lane, place) _mm_storeu_si32(to, _mm_srli_si128(a, 4 * (place)))

EASEL_JPEG_VECTOR uint64_t v_low(vector a, int lane) {
  (void)lane;
  return (uint64_t)_mm_cvtsi128_si64(a);
}

EASEL_JPEG_VECTOR void v_store_four_vectors(uint8_t *to, vector a, vector b, vector c, vector d) {
  v_store(to, a);
  v_store(to + 16, b);
  v_store(to + 32, c);
  v_store(to + 48, d);
}
