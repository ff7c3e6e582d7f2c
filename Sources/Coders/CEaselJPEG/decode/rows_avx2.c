#include <string.h>

#include "parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define EASEL_JPEG_VECTOR EASEL_JPEG_AVX2 static inline __attribute__((always_inline))

// Thirty-two pixels at a time: those at even places, and those at odd ones. The rows of samples are readable up to 32
// bytes beyond their ends.
typedef struct {
  __m256i even, odd;
} easel_jpeg_halves;

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_split(const uint8_t *from) {
  __m256i both = _mm256_loadu_si256((const __m256i *)from);
  easel_jpeg_halves halves = {_mm256_and_si256(both, _mm256_set1_epi16(255)), _mm256_srli_epi16(both, 8)};
  return halves;
}

// What green takes of both colours, rounded together.
EASEL_JPEG_VECTOR __m256i easel_jpeg_green(__m256i cb, __m256i cr) {
  __m256i by = _mm256_set1_epi32((int)((uint32_t)(uint16_t)-22554 | (uint32_t)18734 << 16));
  __m256i round = _mm256_set1_epi32(32768);
  __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(cb, cr), by);
  __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(cb, cr), by);
  low = _mm256_srai_epi32(_mm256_add_epi32(low, round), 16);
  high = _mm256_srai_epi32(_mm256_add_epi32(high, round), 16);
  return _mm256_sub_epi16(_mm256_packs_epi32(low, high), cr);
}

// The constants are rounded to a bit less than those of the reference, which changes no result.
EASEL_JPEG_VECTOR __m256i easel_jpeg_red(__m256i cr) {
  return _mm256_add_epi16(cr, _mm256_mulhrs_epi16(cr, _mm256_set1_epi16(13175)));
}

EASEL_JPEG_VECTOR __m256i easel_jpeg_blue(__m256i cb) {
  return _mm256_add_epi16(_mm256_add_epi16(cb, cb), _mm256_mulhrs_epi16(cb, _mm256_set1_epi16(-7471)));
}

// Words of even and of odd pixels become bytes in order, within each half of the vector.
EASEL_JPEG_VECTOR __m256i easel_jpeg_mix(__m256i even, __m256i odd) {
  __m256i order = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
  return _mm256_shuffle_epi8(_mm256_packus_epi16(even, odd), order);
}

EASEL_JPEG_VECTOR void easel_jpeg_store_pixels(uint8_t *to, __m256i r, __m256i g, __m256i b) {
  __m256i a = _mm256_set1_epi8(-1);
  __m256i rg0 = _mm256_unpacklo_epi8(r, g), rg1 = _mm256_unpackhi_epi8(r, g);
  __m256i ba0 = _mm256_unpacklo_epi8(b, a), ba1 = _mm256_unpackhi_epi8(b, a);
  __m256i p0 = _mm256_unpacklo_epi16(rg0, ba0), p1 = _mm256_unpackhi_epi16(rg0, ba0);
  __m256i p2 = _mm256_unpacklo_epi16(rg1, ba1), p3 = _mm256_unpackhi_epi16(rg1, ba1);
  _mm256_storeu_si256((__m256i *)to, _mm256_permute2x128_si256(p0, p1, 0x20));
  _mm256_storeu_si256((__m256i *)(to + 32), _mm256_permute2x128_si256(p2, p3, 0x20));
  _mm256_storeu_si256((__m256i *)(to + 64), _mm256_permute2x128_si256(p0, p1, 0x31));
  _mm256_storeu_si256((__m256i *)(to + 96), _mm256_permute2x128_si256(p2, p3, 0x31));
}

// Colours come with their middle at zero.
EASEL_JPEG_VECTOR void easel_jpeg_convert(uint8_t *to, const uint8_t *y, easel_jpeg_halves cb, easel_jpeg_halves cr) {
  easel_jpeg_halves light = easel_jpeg_split(y);
  __m256i r = easel_jpeg_mix(_mm256_add_epi16(light.even, easel_jpeg_red(cr.even)),
                             _mm256_add_epi16(light.odd, easel_jpeg_red(cr.odd)));
  __m256i g = easel_jpeg_mix(_mm256_add_epi16(light.even, easel_jpeg_green(cb.even, cr.even)),
                             _mm256_add_epi16(light.odd, easel_jpeg_green(cb.odd, cr.odd)));
  __m256i b = easel_jpeg_mix(_mm256_add_epi16(light.even, easel_jpeg_blue(cb.even)),
                             _mm256_add_epi16(light.odd, easel_jpeg_blue(cb.odd)));
  easel_jpeg_store_pixels(to, r, g, b);
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_center(easel_jpeg_halves halves) {
  __m256i middle = _mm256_set1_epi16(128);
  easel_jpeg_halves centered = {_mm256_sub_epi16(halves.even, middle), _mm256_sub_epi16(halves.odd, middle)};
  return centered;
}

EASEL_JPEG_VECTOR __m256i easel_jpeg_words(const uint8_t *from) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)from));
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_same(const uint8_t *near, uint32_t x) {
  return easel_jpeg_center(easel_jpeg_split(near + x));
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_plain(const uint8_t *near, uint32_t x) {
  __m256i words = easel_jpeg_words(near + x / 2);
  easel_jpeg_halves halves = {words, words};
  return easel_jpeg_center(halves);
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_wide(const uint8_t *near, uint32_t x) {
  near += x / 2;
  __m256i here = easel_jpeg_words(near), triple = _mm256_add_epi16(here, _mm256_add_epi16(here, here));
  // The middle and the rounding are one summand.
  __m256i even = _mm256_add_epi16(_mm256_add_epi16(triple, _mm256_set1_epi16(1 - 512)), easel_jpeg_words(near - 1));
  __m256i odd = _mm256_add_epi16(_mm256_add_epi16(triple, _mm256_set1_epi16(2 - 512)), easel_jpeg_words(near + 1));
  easel_jpeg_halves halves = {_mm256_srai_epi16(even, 2), _mm256_srai_epi16(odd, 2)};
  return halves;
}

// Three times the nearest row and once the next one, from one sample before the row to one behind it.
EASEL_JPEG_VECTOR void easel_jpeg_add_rows(int16_t *sums, const uint8_t *near, const uint8_t *far, uint32_t count) {
  for (ptrdiff_t x = -16; x <= (ptrdiff_t)count; x += 16) {
    __m256i a = easel_jpeg_words(near + x), b = easel_jpeg_words(far + x);
    b = _mm256_add_epi16(_mm256_add_epi16(a, a), _mm256_add_epi16(a, b));
    _mm256_storeu_si256((__m256i *)(sums + x), b);
  }
}

EASEL_JPEG_VECTOR easel_jpeg_halves easel_jpeg_both(const int16_t *sums, uint32_t x) {
  sums += x / 2;
  __m256i here = _mm256_loadu_si256((const __m256i *)sums);
  __m256i triple = _mm256_add_epi16(here, _mm256_add_epi16(here, here));
  __m256i even = _mm256_add_epi16(triple, _mm256_set1_epi16(8 - 2048));
  __m256i odd = _mm256_add_epi16(triple, _mm256_set1_epi16(7 - 2048));
  even = _mm256_add_epi16(even, _mm256_loadu_si256((const __m256i *)(sums - 1)));
  odd = _mm256_add_epi16(odd, _mm256_loadu_si256((const __m256i *)(sums + 1)));
  easel_jpeg_halves halves = {_mm256_srai_epi16(even, 4), _mm256_srai_epi16(odd, 4)};
  return halves;
}

// The last pixels pass through a copy, because what lies behind a row may belong to another.
#define EASEL_JPEG_PUT(cb, cr)                                                            \
  for (uint32_t x = 0; x < width; x += 32) {                                              \
    uint8_t copy[128];                                                                    \
    uint8_t *pixels = width - x < 32 ? copy : to + 4 * (size_t)x;                         \
    easel_jpeg_convert(pixels, samples->y + x, cb, cr);                                   \
    if (width - x < 32) memcpy(to + 4 * (size_t)x, copy, 4 * (size_t)(width - x));        \
  }

#define EASEL_JPEG_ROW(name)                                                                            \
  EASEL_JPEG_AVX2 void easel_jpeg_##name##_row_avx2(const easel_jpeg_row_samples *samples, uint8_t *to, \
                                                    uint32_t width) {                                   \
    const uint8_t *cb = samples->near[0], *cr = samples->near[1];                                       \
    EASEL_JPEG_PUT(easel_jpeg_##name(cb, x), easel_jpeg_##name(cr, x))                                  \
  }

EASEL_JPEG_ROW(same)
EASEL_JPEG_ROW(plain)
EASEL_JPEG_ROW(wide)

EASEL_JPEG_AVX2 void easel_jpeg_both_row_avx2(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width) {
  for (int i = 0; i < 2; i++) {
    easel_jpeg_add_rows(samples->sums[i], samples->near[i], samples->far[i], (width + 1) / 2);
  }
  const int16_t *cb = samples->sums[0], *cr = samples->sums[1];
  EASEL_JPEG_PUT(easel_jpeg_both(cb, x), easel_jpeg_both(cr, x))
}

EASEL_JPEG_AVX2 void easel_jpeg_gray_row_avx2(const easel_jpeg_row_samples *samples, uint8_t *to, uint32_t width) {
  for (uint32_t x = 0; x < width; x += 32) {
    uint8_t copy[128];
    __m256i y = _mm256_loadu_si256((const __m256i *)(samples->y + x));
    easel_jpeg_store_pixels(width - x < 32 ? copy : to + 4 * (size_t)x, y, y, y);
    if (width - x < 32) memcpy(to + 4 * (size_t)x, copy, 4 * (size_t)(width - x));
  }
}
#endif
