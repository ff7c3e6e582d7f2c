// Vectors of two lanes of 128 bits. Operations that move values do so within a lane.
#include <immintrin.h>

typedef __m256i vector;

enum { EASEL_JPEG_LANES = 2, EASEL_JPEG_STEP = 32 };

#define EASEL_JPEG_TARGET EASEL_JPEG_AVX2
#define EASEL_JPEG_VECTOR EASEL_JPEG_AVX2 static inline __attribute__((always_inline))
#define EASEL_JPEG_NAMED(name) name##_avx2

#define v_zero _mm256_setzero_si256
#define v_set1_epi8 _mm256_set1_epi8
#define v_set1_epi16 _mm256_set1_epi16
#define v_set1_epi32 _mm256_set1_epi32
#define v_add_epi16 _mm256_add_epi16
#define v_sub_epi16 _mm256_sub_epi16
#define v_add_epi32 _mm256_add_epi32
#define v_sub_epi32 _mm256_sub_epi32
#define v_mullo_epi16 _mm256_mullo_epi16
#define v_mulhrs_epi16 _mm256_mulhrs_epi16
#define v_madd_epi16 _mm256_madd_epi16
#define v_srai_epi16 _mm256_srai_epi16
#define v_srli_epi16 _mm256_srli_epi16
#define v_srai_epi32 _mm256_srai_epi32
#define v_srli_epi32 _mm256_srli_epi32
#define v_slli_epi32 _mm256_slli_epi32
#define v_srli_epi64 _mm256_srli_epi64
#define v_and _mm256_and_si256
#define v_xor _mm256_xor_si256
#define v_packs_epi32 _mm256_packs_epi32
#define v_packs_epi16 _mm256_packs_epi16
#define v_packus_epi16 _mm256_packus_epi16
#define v_unpacklo_epi8 _mm256_unpacklo_epi8
#define v_unpackhi_epi8 _mm256_unpackhi_epi8
#define v_unpacklo_epi16 _mm256_unpacklo_epi16
#define v_unpackhi_epi16 _mm256_unpackhi_epi16
#define v_unpacklo_epi32 _mm256_unpacklo_epi32
#define v_unpackhi_epi32 _mm256_unpackhi_epi32
#define v_unpacklo_epi64 _mm256_unpacklo_epi64
#define v_unpackhi_epi64 _mm256_unpackhi_epi64
// Words at odd places from the second.
#define v_blend(a, b) _mm256_blend_epi16(a, b, 0xAA)
#define v_has_any(a, b) (!_mm256_testz_si256(a, b))

EASEL_JPEG_VECTOR __m128i v_lane(vector a, int lane) {
  return lane ? _mm256_extracti128_si256(a, 1) : _mm256_castsi256_si128(a);
}

EASEL_JPEG_VECTOR vector v_load(const void *from) { return _mm256_loadu_si256((const __m256i *)from); }
EASEL_JPEG_VECTOR void v_store(void *to, vector a) { _mm256_storeu_si256((__m256i *)to, a); }

EASEL_JPEG_VECTOR vector v_load_rows(const int16_t *const *levels, int row) {
  __m128i first = _mm_loadu_si128((const __m128i *)(levels[0] + 8 * row));
  __m128i second = _mm_loadu_si128((const __m128i *)(levels[1] + 8 * row));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

EASEL_JPEG_VECTOR vector v_load_same(const uint16_t *from) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)from));
}

// Bytes become words.
EASEL_JPEG_VECTOR vector v_load_words(const uint8_t *from) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)from));
}

EASEL_JPEG_VECTOR vector v_set4_epi16(int16_t a, int16_t b, int16_t c, int16_t d) {
  uint64_t all = (uint64_t)(uint16_t)a | (uint64_t)(uint16_t)b << 16 | (uint64_t)(uint16_t)c << 32 |
                 (uint64_t)(uint16_t)d << 48;
  return _mm256_set1_epi64x((int64_t)all);
}

// Bytes of the lower and of the upper half of each lane in turn.
EASEL_JPEG_VECTOR vector v_weave(vector a) {
  __m128i order = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(order));
}

EASEL_JPEG_VECTOR void v_store_low(uint8_t *to, vector a, int lane) { _mm_storel_epi64((__m128i *)to, v_lane(a, lane)); }
EASEL_JPEG_VECTOR void v_store_high(uint8_t *to, vector a, int lane) {
  _mm_storeh_pd((double *)to, _mm_castsi128_pd(v_lane(a, lane)));
}
#define v_store_four(to, a, lane, place) _mm_storeu_si32(to, _mm_srli_si128(v_lane(a, lane), 4 * (place)))
EASEL_JPEG_VECTOR uint64_t v_low(vector a, int lane) { return (uint64_t)_mm_cvtsi128_si64(v_lane(a, lane)); }

// Stores the first lanes of all, and then the second ones.
EASEL_JPEG_VECTOR void v_store_four_vectors(uint8_t *to, vector a, vector b, vector c, vector d) {
  v_store(to, _mm256_permute2x128_si256(a, b, 0x20));
  v_store(to + 32, _mm256_permute2x128_si256(c, d, 0x20));
  v_store(to + 64, _mm256_permute2x128_si256(a, b, 0x31));
  v_store(to + 96, _mm256_permute2x128_si256(c, d, 0x31));
}
