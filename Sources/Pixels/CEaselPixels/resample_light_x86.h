// The kernels of resample_light.c for x86; their results equal the scalar reference bit for bit.

// Brings the samples of two pixels side by side, channel by channel, for pmaddwd.
#define EASEL_LIGHT_PAIRS 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15

EASEL_SSE41 EASEL_INLINE __m128i easel_light_sum_sse41(const int16_t *p, const int16_t *k, size_t taps) {
  const __m128i pairs = _mm_setr_epi8(EASEL_LIGHT_PAIRS);
  __m128i a = _mm_setzero_si128(), b = a;
  for (size_t t = 0; t < taps; t += 4) {
    __m128i u = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + t * 4)), pairs);
    __m128i v = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + t * 4 + 8)), pairs);
    a = _mm_add_epi32(a, _mm_madd_epi16(u, _mm_loadu_si128((const __m128i *)(k + t * 4))));
    b = _mm_add_epi32(b, _mm_madd_epi16(v, _mm_loadu_si128((const __m128i *)(k + t * 4 + 8))));
  }
  return _mm_add_epi32(a, b);
}

EASEL_AVX2 EASEL_INLINE __m128i easel_light_sum_avx2(const int16_t *p, const int16_t *k, size_t taps) {
  const __m256i pairs = _mm256_setr_epi8(EASEL_LIGHT_PAIRS, EASEL_LIGHT_PAIRS);
  __m256i a = _mm256_setzero_si256(), b = a;
  size_t t = 0;
  for (; t + 8 <= taps; t += 8) {
    __m256i u = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(p + t * 4)), pairs);
    __m256i v = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(p + t * 4 + 16)), pairs);
    a = _mm256_add_epi32(a, _mm256_madd_epi16(u, _mm256_loadu_si256((const __m256i *)(k + t * 4))));
    b = _mm256_add_epi32(b, _mm256_madd_epi16(v, _mm256_loadu_si256((const __m256i *)(k + t * 4 + 16))));
  }
  if (t < taps) {
    __m256i u = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(p + t * 4)), pairs);
    a = _mm256_add_epi32(a, _mm256_madd_epi16(u, _mm256_loadu_si256((const __m256i *)(k + t * 4))));
  }
  a = _mm256_add_epi32(a, b);
  return _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}

#define EASEL_LIGHT_ROUNDED(sum) _mm_srai_epi32(_mm_add_epi32(sum, half), easel_light_bits)

#define EASEL_LIGHT_SUM(one, taps, index)                                                                              \
  EASEL_LIGHT_ROUNDED(one(source + (size_t)axis->start[index] * 4, weights->wide + axis->phase[index] * (taps) * 4, taps))

#define EASEL_LIGHT_ROW(one, taps)                                                                                     \
  do {                                                                                                                 \
    const __m128i half = _mm_set1_epi32(1 << (easel_light_bits - 1));                                                  \
    size_t x = 0;                                                                                                      \
    for (; x + 2 <= axis->outputs; x += 2) {                                                                           \
      __m128i left = EASEL_LIGHT_SUM(one, taps, x), right = EASEL_LIGHT_SUM(one, taps, x + 1);                         \
      _mm_storeu_si128((__m128i *)(target + x * 4), _mm_packs_epi32(left, right));                                     \
    }                                                                                                                  \
    if (x < axis->outputs) {                                                                                           \
      __m128i last = EASEL_LIGHT_SUM(one, taps, x);                                                                    \
      _mm_storel_epi64((__m128i *)(target + x * 4), _mm_packs_epi32(last, last));                                      \
    }                                                                                                                  \
  } while (0)

EASEL_SSE41 static void easel_light_row_sse41(const int16_t *source, const easel_axis *axis,
                                              const easel_light_weights *weights, int16_t *target) {
  EASEL_LIGHT_ROW(easel_light_sum_sse41, axis->taps);
}

EASEL_AVX2 static void easel_light_row_avx2(const int16_t *source, const easel_axis *axis,
                                            const easel_light_weights *weights, int16_t *target) {
  switch (axis->taps) {
    case 12: EASEL_LIGHT_ROW(easel_light_sum_avx2, 12); break;
    case 16: EASEL_LIGHT_ROW(easel_light_sum_avx2, 16); break;
    case 20: EASEL_LIGHT_ROW(easel_light_sum_avx2, 20); break;
    case 24: EASEL_LIGHT_ROW(easel_light_sum_avx2, 24); break;
    default: EASEL_LIGHT_ROW(easel_light_sum_avx2, axis->taps); break;
  }
}

// Two rows and their weights at a time; of an odd number, the last row goes with a weight of zero.
EASEL_INLINE int32_t easel_light_pair(const int16_t *weights, size_t j, size_t count) {
  return (int32_t)((uint16_t)weights[j] | (uint32_t)(j + 1 < count ? (uint16_t)weights[j + 1] : 0) << 16);
}

EASEL_SSE41 static size_t easel_light_column_sse41(const int16_t *const *rows, size_t count, const int16_t *weights,
                                                   size_t from, size_t end, int16_t *target) {
  const __m128i half = _mm_set1_epi32(1 << (easel_light_bits - 1));
  size_t i = from;
  for (; i + 8 <= end; i += 8) {
    __m128i s0 = half, s1 = half;
    for (size_t j = 0; j < count; j += 2) {
      __m128i k = _mm_set1_epi32(easel_light_pair(weights, j, count));
      __m128i a = _mm_loadu_si128((const __m128i *)(rows[j] + i));
      __m128i b = _mm_loadu_si128((const __m128i *)(rows[j + 1 < count ? j + 1 : j] + i));
      s0 = _mm_add_epi32(s0, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), k));
      s1 = _mm_add_epi32(s1, _mm_madd_epi16(_mm_unpackhi_epi16(a, b), k));
    }
    _mm_storeu_si128((__m128i *)(target + i),
                     _mm_packs_epi32(_mm_srai_epi32(s0, easel_light_bits), _mm_srai_epi32(s1, easel_light_bits)));
  }
  return i;
}

EASEL_AVX2 static size_t easel_light_column_avx2(const int16_t *const *rows, size_t count, const int16_t *weights,
                                                 size_t from, size_t end, int16_t *target) {
  const __m256i half = _mm256_set1_epi32(1 << (easel_light_bits - 1));
  size_t i = from;
  for (; i + 32 <= end; i += 32) {
    __m256i s0 = half, s1 = half, s2 = half, s3 = half;
    for (size_t j = 0; j < count; j += 2) {
      __m256i k = _mm256_set1_epi32(easel_light_pair(weights, j, count));
      const int16_t *first = rows[j] + i, *second = rows[j + 1 < count ? j + 1 : j] + i;
      __m256i a = _mm256_loadu_si256((const __m256i *)first), b = _mm256_loadu_si256((const __m256i *)second);
      __m256i c = _mm256_loadu_si256((const __m256i *)(first + 16));
      __m256i d = _mm256_loadu_si256((const __m256i *)(second + 16));
      s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), k));
      s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), k));
      s2 = _mm256_add_epi32(s2, _mm256_madd_epi16(_mm256_unpacklo_epi16(c, d), k));
      s3 = _mm256_add_epi32(s3, _mm256_madd_epi16(_mm256_unpackhi_epi16(c, d), k));
    }
    __m256i left = _mm256_packs_epi32(_mm256_srai_epi32(s0, easel_light_bits), _mm256_srai_epi32(s1, easel_light_bits));
    __m256i right = _mm256_packs_epi32(_mm256_srai_epi32(s2, easel_light_bits), _mm256_srai_epi32(s3, easel_light_bits));
    _mm256_storeu_si256((__m256i *)(target + i), left);
    _mm256_storeu_si256((__m256i *)(target + i + 16), right);
  }
  return easel_light_column_sse41(rows, count, weights, i, end, target);
}
