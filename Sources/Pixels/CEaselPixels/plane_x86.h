// The kernels of plane.c for x86; their results equal the scalar reference bit for bit.

#define EASEL_PLANE_ADD_SSE41(sum, bytes) sum = _mm_add_epi32(sum, _mm_madd_epi16(bytes, k))

EASEL_SSE41 static size_t easel_plane_lines_sse41(const uint8_t *samples, size_t stride, size_t count,
                                                  const int32_t *pairs, float one, size_t width, float *target) {
  const __m128i zero = _mm_setzero_si128();
  const __m128 scale = _mm_set1_ps(one);
  size_t x = 0;
  for (; x + 16 <= width; x += 16) {
    __m128i sums[4] = {zero, zero, zero, zero};
    for (size_t j = 0; j < count; j += 2) {
      const uint8_t *p = samples + j * stride + x;
      __m128i a = _mm_loadu_si128((const __m128i *)p);
      __m128i b = _mm_loadu_si128((const __m128i *)(j + 1 < count ? p + stride : p));
      __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b), k = _mm_set1_epi32(pairs[j / 2]);
      EASEL_PLANE_ADD_SSE41(sums[0], _mm_unpacklo_epi8(low, zero));
      EASEL_PLANE_ADD_SSE41(sums[1], _mm_unpackhi_epi8(low, zero));
      EASEL_PLANE_ADD_SSE41(sums[2], _mm_unpacklo_epi8(high, zero));
      EASEL_PLANE_ADD_SSE41(sums[3], _mm_unpackhi_epi8(high, zero));
    }
    for (size_t i = 0; i < 4; i++) {
      _mm_storeu_ps(target + x + 4 * i, _mm_mul_ps(_mm_cvtepi32_ps(sums[i]), scale));
    }
  }
  return x;
}

#define EASEL_PLANE_ADD_AVX2(sum, bytes) sum = _mm256_add_epi32(sum, _mm256_madd_epi16(bytes, k))

// Filters several parts of 32 columns each.
EASEL_AVX2 EASEL_INLINE void easel_plane_block_avx2(const uint8_t *samples, size_t stride, size_t count,
                                                    const int32_t *pairs, float one, size_t parts, float *target) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i sums[8] = {zero, zero, zero, zero, zero, zero, zero, zero};
  for (size_t j = 0; j < count; j += 2) {
    const uint8_t *p = samples + j * stride, *q = j + 1 < count ? p + stride : p;
    const __m256i k = _mm256_set1_epi32(pairs[j / 2]);
    for (size_t i = 0; i < parts; i++) {
      __m256i a = _mm256_loadu_si256((const __m256i *)(p + 32 * i));
      __m256i b = _mm256_loadu_si256((const __m256i *)(q + 32 * i));
      __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
      EASEL_PLANE_ADD_AVX2(sums[4 * i], _mm256_unpacklo_epi8(low, zero));
      EASEL_PLANE_ADD_AVX2(sums[4 * i + 1], _mm256_unpackhi_epi8(low, zero));
      EASEL_PLANE_ADD_AVX2(sums[4 * i + 2], _mm256_unpacklo_epi8(high, zero));
      EASEL_PLANE_ADD_AVX2(sums[4 * i + 3], _mm256_unpackhi_epi8(high, zero));
    }
  }
  for (size_t i = 0; i < 4 * parts; i++) {
    __m256 line = _mm256_mul_ps(_mm256_cvtepi32_ps(sums[i]), _mm256_set1_ps(one));
    // A sum has four samples of the left half of its part, and four of the right half.
    float *start = target + 32 * (i / 4) + 4 * (i % 4);
    _mm_storeu_ps(start, _mm256_castps256_ps128(line));
    _mm_storeu_ps(start + 16, _mm256_extractf128_ps(line, 1));
  }
}

EASEL_AVX2 static size_t easel_plane_lines_avx2(const uint8_t *samples, size_t stride, size_t count,
                                                const int32_t *pairs, float one, size_t width, float *target) {
  size_t x = 0;
  // A whole cache line is filtered at once, because rows of some planes push each other out of the cache.
  for (; x + 64 <= width; x += 64) easel_plane_block_avx2(samples + x, stride, count, pairs, one, 2, target + x);
  if (x + 32 <= width) {
    easel_plane_block_avx2(samples + x, stride, count, pairs, one, 1, target + x);
    x += 32;
  }
  return x;
}
