// The kernels of alpha.c for x86; their results equal the scalar reference byte for byte.

// t * 257 >> 16 is (t + t / 256) / 256, which divides by 255 and rounds to nearest.
EASEL_AVX2 static void easel_premultiply8_avx2(const uint8_t *s, uint8_t *t, size_t pixels) {
  const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi16(128), divide = _mm256_set1_epi16(257);
  const __m256i spread = _mm256_setr_epi8(6, 7, 6, 7, 6, 7, -1, -1, 14, 15, 14, 15, 14, 15, -1, -1, 6, 7, 6, 7, 6, 7,
                                          -1, -1, 14, 15, 14, 15, 14, 15, -1, -1);
  const __m256i own = _mm256_set1_epi64x((int64_t)0x00ff000000000000);
  const __m256i alphas = _mm256_set1_epi32((int)0xff000000);
  size_t i = 0;
  for (; i + 8 <= pixels; i += 8) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(s + i * 4));
    if (_mm256_testc_si256(v, alphas)) {
      _mm256_storeu_si256((__m256i *)(t + i * 4), v);
      continue;
    }
    __m256i low = _mm256_unpacklo_epi8(v, zero), high = _mm256_unpackhi_epi8(v, zero);
    __m256i a = _mm256_or_si256(_mm256_shuffle_epi8(low, spread), own);
    __m256i b = _mm256_or_si256(_mm256_shuffle_epi8(high, spread), own);
    low = _mm256_mulhi_epu16(_mm256_add_epi16(_mm256_mullo_epi16(low, a), half), divide);
    high = _mm256_mulhi_epu16(_mm256_add_epi16(_mm256_mullo_epi16(high, b), half), divide);
    _mm256_storeu_si256((__m256i *)(t + i * 4), _mm256_packus_epi16(low, high));
  }
  easel_premultiply8_scalar(s + i * 4, t + i * 4, pixels - i);
}

EASEL_SSE41 static void easel_premultiply8_sse41(const uint8_t *s, uint8_t *t, size_t pixels) {
  const __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi16(128), divide = _mm_set1_epi16(257);
  const __m128i spread = _mm_setr_epi8(6, 7, 6, 7, 6, 7, -1, -1, 14, 15, 14, 15, 14, 15, -1, -1);
  const __m128i own = _mm_set1_epi64x((int64_t)0x00ff000000000000);
  size_t i = 0;
  for (; i + 4 <= pixels; i += 4) {
    __m128i v = _mm_loadu_si128((const __m128i *)(s + i * 4));
    __m128i low = _mm_unpacklo_epi8(v, zero), high = _mm_unpackhi_epi8(v, zero);
    __m128i a = _mm_or_si128(_mm_shuffle_epi8(low, spread), own);
    __m128i b = _mm_or_si128(_mm_shuffle_epi8(high, spread), own);
    low = _mm_mulhi_epu16(_mm_add_epi16(_mm_mullo_epi16(low, a), half), divide);
    high = _mm_mulhi_epu16(_mm_add_epi16(_mm_mullo_epi16(high, b), half), divide);
    _mm_storeu_si128((__m128i *)(t + i * 4), _mm_packus_epi16(low, high));
  }
  easel_premultiply8_scalar(s + i * 4, t + i * 4, pixels - i);
}

// (255 c + a / 2 + 0.5) / a is at least 0.5 / 255 away from every integer, so truncation is exact even with a rounded
// reciprocal.
EASEL_AVX2 static void easel_unpremultiply8_avx2(const uint8_t *s, uint8_t *t, size_t pixels) {
  const __m256i byte = _mm256_set1_epi32(255), alphas = _mm256_set1_epi32((int)0xff000000);
  const __m256 full = _mm256_set1_ps(255), half = _mm256_set1_ps(0.5f), one = _mm256_set1_ps(1);
  size_t i = 0;
  for (; i + 8 <= pixels; i += 8) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(s + i * 4));
    if (_mm256_testc_si256(v, alphas)) {
      _mm256_storeu_si256((__m256i *)(t + i * 4), v);
      continue;
    }
    __m256i alpha = _mm256_srli_epi32(v, 24);
    __m256i visible = _mm256_cmpgt_epi32(alpha, _mm256_setzero_si256());
    __m256 reciprocal = _mm256_div_ps(one, _mm256_cvtepi32_ps(alpha));
    __m256 offset = _mm256_add_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(alpha, 1)), half);
    __m256i result = _mm256_and_si256(v, alphas);
    for (int shift = 0; shift < 24; shift += 8) {
      __m256 c = _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srl_epi32(v, _mm_cvtsi32_si128(shift)), byte));
      __m256 scaled = _mm256_mul_ps(_mm256_add_ps(_mm256_mul_ps(c, full), offset), reciprocal);
      __m256i whole = _mm256_cvttps_epi32(_mm256_min_ps(scaled, full));
      result = _mm256_or_si256(result, _mm256_sll_epi32(whole, _mm_cvtsi32_si128(shift)));
    }
    _mm256_storeu_si256((__m256i *)(t + i * 4), _mm256_and_si256(result, visible));
  }
  easel_unpremultiply8_scalar(s + i * 4, t + i * 4, pixels - i);
}

EASEL_SSE41 static void easel_unpremultiply8_sse41(const uint8_t *s, uint8_t *t, size_t pixels) {
  const __m128i byte = _mm_set1_epi32(255), alphas = _mm_set1_epi32((int)0xff000000);
  const __m128 full = _mm_set1_ps(255), half = _mm_set1_ps(0.5f), one = _mm_set1_ps(1);
  size_t i = 0;
  for (; i + 4 <= pixels; i += 4) {
    __m128i v = _mm_loadu_si128((const __m128i *)(s + i * 4));
    __m128i alpha = _mm_srli_epi32(v, 24);
    __m128i visible = _mm_cmpgt_epi32(alpha, _mm_setzero_si128());
    __m128 reciprocal = _mm_div_ps(one, _mm_cvtepi32_ps(alpha));
    __m128 offset = _mm_add_ps(_mm_cvtepi32_ps(_mm_srli_epi32(alpha, 1)), half);
    __m128i result = _mm_and_si128(v, alphas);
    for (int shift = 0; shift < 24; shift += 8) {
      __m128 c = _mm_cvtepi32_ps(_mm_and_si128(_mm_srl_epi32(v, _mm_cvtsi32_si128(shift)), byte));
      __m128 scaled = _mm_mul_ps(_mm_add_ps(_mm_mul_ps(c, full), offset), reciprocal);
      __m128i whole = _mm_cvttps_epi32(_mm_min_ps(scaled, full));
      result = _mm_or_si128(result, _mm_sll_epi32(whole, _mm_cvtsi32_si128(shift)));
    }
    _mm_storeu_si128((__m128i *)(t + i * 4), _mm_and_si128(result, visible));
  }
  easel_unpremultiply8_scalar(s + i * 4, t + i * 4, pixels - i);
}

EASEL_AVX2 static void easel_premultiply16_avx2(const uint16_t *s, uint16_t *t, size_t pixels) {
  const __m256i half = _mm256_set1_epi32(32768), one = _mm256_set1_epi32(65535);
  size_t i = 0;
  for (; i + 2 <= pixels; i += 2) {
    __m256i v = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(s + i * 4)));
    __m256i alpha = _mm256_blend_epi32(_mm256_shuffle_epi32(v, 0xff), one, 0x88);
    __m256i sum = _mm256_add_epi32(_mm256_mullo_epi32(v, alpha), half);
    sum = _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_srli_epi32(sum, 16)), 16);
    __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    _mm_storeu_si128((__m128i *)(t + i * 4), packed);
  }
  easel_premultiply16_scalar(s + i * 4, t + i * 4, pixels - i);
}

EASEL_AVX2 static void easel_unpremultiply16_avx2(const uint16_t *s, uint16_t *t, size_t pixels) {
  const __m256d full = _mm256_set1_pd(65535), half = _mm256_set1_pd(0.5);
  for (size_t i = 0; i < pixels; i++, s += 4, t += 4) {
    uint16_t alpha = s[3];
    if (alpha == 0) {
      memset(t, 0, 8);
      continue;
    }
    __m256d v = _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)s)));
    __m256d sum = _mm256_add_pd(_mm256_mul_pd(v, full), _mm256_add_pd(_mm256_set1_pd(alpha >> 1), half));
    sum = _mm256_min_pd(_mm256_div_pd(sum, _mm256_set1_pd(alpha)), full);
    __m128i whole = _mm256_cvttpd_epi32(sum);
    _mm_storel_epi64((__m128i *)t, _mm_packus_epi32(whole, whole));
    t[3] = alpha;
  }
}

EASEL_AVX2 static bool easel_is_opaque8_avx2(const uint8_t *row, size_t pixels) {
  const __m256i alphas = _mm256_set1_epi32((int)0xff000000);
  size_t i = 0;
  for (; i + 32 <= pixels; i += 32) {
    const __m256i *v = (const __m256i *)(row + i * 4);
    __m256i a = _mm256_and_si256(_mm256_loadu_si256(v), _mm256_loadu_si256(v + 1));
    __m256i b = _mm256_and_si256(_mm256_loadu_si256(v + 2), _mm256_loadu_si256(v + 3));
    if (!_mm256_testc_si256(_mm256_and_si256(a, b), alphas)) return false;
  }
  return easel_is_opaque8_scalar(row + i * 4, pixels - i);
}

EASEL_SSE41 static bool easel_is_opaque8_sse41(const uint8_t *row, size_t pixels) {
  const __m128i alphas = _mm_set1_epi32((int)0xff000000);
  size_t i = 0;
  for (; i + 8 <= pixels; i += 8) {
    const __m128i *v = (const __m128i *)(row + i * 4);
    if (!_mm_testc_si128(_mm_and_si128(_mm_loadu_si128(v), _mm_loadu_si128(v + 1)), alphas)) return false;
  }
  return easel_is_opaque8_scalar(row + i * 4, pixels - i);
}

EASEL_SSE41 static void easel_clamp_to_alpha8_sse41(uint8_t *row, size_t pixels) {
  const __m128i spread = _mm_setr_epi8(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
  size_t i = 0;
  for (; i + 4 <= pixels; i += 4) {
    __m128i v = _mm_loadu_si128((const __m128i *)(row + i * 4));
    _mm_storeu_si128((__m128i *)(row + i * 4), _mm_min_epu8(v, _mm_shuffle_epi8(v, spread)));
  }
  easel_clamp_to_alpha8_scalar(row + i * 4, pixels - i);
}
