// The kernels of shrink.c for x86-64, whose processors all have SSE2.

#include <emmintrin.h>

static inline __m128i easel_webp_load_two(const uint8_t *first, const uint8_t *second) {
  return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)first),
                            _mm_loadl_epi64((const __m128i *)(const void *)second));
}

// The low or the high halves of eight 64-bit numbers, in pairs.
#define EASEL_WEBP_HALVES(a, b, i)                                                                                     \
  _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), _MM_SHUFFLE(2 + (i), i, 2 + (i), i)))

// For boxes of up to eight samples; processes eight boxes at a time.
static void easel_webp_add_row_narrow(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums) {
  const __m128i zero = _mm_setzero_si128(), unwanted = _mm_cvtsi32_si128((int)(64 - 8 * axis->most));
  __m128i left = zero;
  for (size_t x = 0; x < axis->padded; x += 8) {
    const uint32_t *end = axis->end + x;
    // Each lane ends with the last sample of a box.
    __m128i a = easel_webp_load_two(row + end[0] - 8, row + end[1] - 8);
    __m128i b = easel_webp_load_two(row + end[2] - 8, row + end[3] - 8);
    __m128i c = easel_webp_load_two(row + end[4] - 8, row + end[5] - 8);
    __m128i d = easel_webp_load_two(row + end[6] - 8, row + end[7] - 8);
    __m128i ends = _mm_packs_epi32(_mm_srli_epi32(EASEL_WEBP_HALVES(a, b, 1), 24),
                                   _mm_srli_epi32(EASEL_WEBP_HALVES(c, d, 1), 24));
    a = _mm_sad_epu8(_mm_srl_epi64(a, unwanted), zero);
    b = _mm_sad_epu8(_mm_srl_epi64(b, unwanted), zero);
    c = _mm_sad_epu8(_mm_srl_epi64(c, unwanted), zero);
    d = _mm_sad_epu8(_mm_srl_epi64(d, unwanted), zero);
    __m128i whole = _mm_packs_epi32(EASEL_WEBP_HALVES(a, b, 0), EASEL_WEBP_HALVES(c, d, 0));

    // Multiplies the last sample by a 32-bit factor, of which only the rounded upper part is kept.
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(axis->share_high + x));
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(axis->share_low + x));
    __m128i middle = _mm_adds_epu16(_mm_mullo_epi16(ends, high), _mm_mulhi_epu16(ends, low));
    __m128i share = _mm_add_epi16(_mm_mulhi_epu16(ends, high), _mm_srli_epi16(middle, 15));
    __m128i is_short = _mm_loadu_si128((const __m128i *)(const void *)(axis->is_short + x));
    share = _mm_sub_epi16(share, _mm_and_si128(ends, is_short));
    // Each box gets the share that the previous box leaves to it.
    whole = _mm_add_epi16(whole, _mm_or_si128(_mm_slli_si128(share, 2), left));
    left = _mm_srli_si128(share, 14);

    const __m128i *factors = (const __m128i *)(const void *)(axis->factors + 2 * x);
    __m128i *target = (__m128i *)(void *)(sums + x);
    __m128i first = _mm_madd_epi16(_mm_unpacklo_epi16(whole, ends), _mm_loadu_si128(factors));
    __m128i second = _mm_madd_epi16(_mm_unpackhi_epi16(whole, ends), _mm_loadu_si128(factors + 1));
    _mm_storeu_si128(target, _mm_add_epi32(_mm_loadu_si128(target), first));
    _mm_storeu_si128(target + 1, _mm_add_epi32(_mm_loadu_si128(target + 1), second));
  }
}

// For boxes of any size, in blocks of sixteen samples, from the end of a box backwards.
static void easel_webp_add_row_wide(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums) {
  static const uint8_t masks[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  const __m128i zero = _mm_setzero_si128();
  const size_t blocks = (axis->most - 1) / 16, rest = axis->most - 16 * blocks;
  const __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(masks + rest));
  uint32_t left = 0;
  for (size_t x = 0; x < axis->target; x++) {
    const uint8_t *end = row + axis->end[x];
    const __m128i *block = (const __m128i *)(const void *)(end - 16);
    __m128i sum = zero;
    for (size_t i = 0; i < blocks; i++) sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_loadu_si128(block--), zero));
    sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_and_si128(_mm_loadu_si128(block), mask), zero));
    uint32_t whole = (uint32_t)(_mm_cvtsi128_si32(sum) + _mm_cvtsi128_si32(_mm_srli_si128(sum, 8)));
    uint32_t part = (uint32_t)end[-1] * axis->rest[x];
    sums[x] += (whole + left) * axis->target - part;
    left = (uint32_t)(((uint64_t)part * axis->reciprocal + easel_webp_half) >> 32);
    left -= (uint32_t)end[-1] & axis->is_short[x];
  }
}

void easel_webp_add_row(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums) {
  if (axis->most <= 8) {
    easel_webp_add_row_narrow(axis, row, sums);
  } else {
    easel_webp_add_row_wide(axis, row, sums);
  }
}

// Multiplies four 32-bit numbers by a factor, and drops the lower half of each product.
static inline __m128i easel_webp_tops(__m128i numbers, __m128i factor, __m128i added) {
  const __m128i upper = _mm_set_epi32(-1, 0, -1, 0);
  __m128i even = _mm_add_epi64(_mm_mul_epu32(numbers, factor), added);
  __m128i odd = _mm_add_epi64(_mm_mul_epu32(_mm_srli_epi64(numbers, 32), factor), added);
  return _mm_or_si128(_mm_srli_epi64(even, 32), _mm_and_si128(odd, upper));
}

static inline __m128i easel_webp_end_four(uint32_t *sums, uint32_t *last, __m128i later_part, __m128i scale) {
  const __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi64x((long long)easel_webp_half);
  __m128i *sum = (__m128i *)(void *)sums, *end = (__m128i *)(void *)last;
  __m128i row = _mm_loadu_si128(end), later = easel_webp_tops(row, later_part, zero);
  __m128i whole = _mm_sub_epi32(_mm_add_epi32(_mm_loadu_si128(sum), row), later);
  _mm_storeu_si128(sum, later);
  _mm_storeu_si128(end, zero);
  return easel_webp_tops(whole, scale, half);
}

void easel_webp_end_boxes(uint32_t *sums, uint32_t *last, uint32_t later_part, uint32_t scale, size_t width,
                          uint8_t *samples) {
  const __m128i parts = _mm_set1_epi32((int)later_part), scales = _mm_set1_epi32((int)scale);
  size_t x = 0;
  for (; x + 8 <= width; x += 8) {
    __m128i first = easel_webp_end_four(sums + x, last + x, parts, scales);
    __m128i second = easel_webp_end_four(sums + x + 4, last + x + 4, parts, scales);
    __m128i words = _mm_packs_epi32(first, second);
    _mm_storel_epi64((__m128i *)(void *)(samples + x), _mm_packus_epi16(words, words));
  }
  easel_webp_end_boxes_plainly(sums, last, later_part, scale, x, width, samples);
}
