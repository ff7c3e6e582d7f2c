// The kernels of resample8.c for x86; their results equal the scalar reference byte for byte.

// Packs two weights side by side for pmaddwd; low weights follow the high ones. Returns the number of pairs.
static size_t easel_weight_pairs(const easel_weights *weights, size_t offset, size_t count, int32_t *pairs) {
  size_t half = (count + 1) / 2;
  for (size_t part = 0; part < (weights->low ? 2 : 1); part++) {
    const int16_t *k = (part ? weights->low : weights->high) + offset;
    for (size_t j = 0; j < half; j++) {
      uint32_t first = (uint16_t)k[j * 2], second = j * 2 + 1 < count ? (uint16_t)k[j * 2 + 1] : 0;
      pairs[part * half + j] = (int32_t)(first | second << 16);
    }
  }
  return half;
}

// Spreads two pixels to eight words, with the two samples of each channel side by side for pmaddwd.
#define EASEL_FIRST_PAIR 0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1
#define EASEL_SECOND_PAIR 8, -1, 12, -1, 9, -1, 13, -1, 10, -1, 14, -1, 11, -1, 15, -1

EASEL_SSE41 EASEL_INLINE __m128i easel_row4_rest_sse41(const uint8_t *p, const int16_t *k, __m128i sum) {
  const __m128i first = _mm_setr_epi8(EASEL_FIRST_PAIR), second = _mm_setr_epi8(EASEL_SECOND_PAIR);
  __m128i v = _mm_loadu_si128((const __m128i *)p);
  sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_shuffle_epi8(v, first), _mm_loadu_si128((const __m128i *)k)));
  return _mm_add_epi32(sum, _mm_madd_epi16(_mm_shuffle_epi8(v, second), _mm_loadu_si128((const __m128i *)(k + 8))));
}

EASEL_SSE41 EASEL_INLINE __m128i easel_row4_one_sse41(const uint8_t *p, const int16_t *k, size_t taps, __m128i start) {
  const __m128i first = _mm_setr_epi8(EASEL_FIRST_PAIR), second = _mm_setr_epi8(EASEL_SECOND_PAIR);
  __m128i a = start, b = _mm_setzero_si128();
  size_t t = 0;
  for (; t + 8 <= taps; t += 8) {
    __m128i u = _mm_loadu_si128((const __m128i *)(p + t * 4));
    __m128i v = _mm_loadu_si128((const __m128i *)(p + t * 4 + 16));
    const __m128i *w = (const __m128i *)(k + t * 4);
    a = _mm_add_epi32(a, _mm_madd_epi16(_mm_shuffle_epi8(u, first), _mm_loadu_si128(w)));
    b = _mm_add_epi32(b, _mm_madd_epi16(_mm_shuffle_epi8(v, first), _mm_loadu_si128(w + 1)));
    a = _mm_add_epi32(a, _mm_madd_epi16(_mm_shuffle_epi8(u, second), _mm_loadu_si128(w + 2)));
    b = _mm_add_epi32(b, _mm_madd_epi16(_mm_shuffle_epi8(v, second), _mm_loadu_si128(w + 3)));
  }
  a = _mm_add_epi32(a, b);
  return t < taps ? easel_row4_rest_sse41(p + t * 4, k + t * 4, a) : a;
}

EASEL_AVX2 EASEL_INLINE __m128i easel_row4_one_avx2(const uint8_t *p, const int16_t *k, size_t taps, __m128i start) {
  const __m256i first = _mm256_setr_epi8(EASEL_FIRST_PAIR, EASEL_FIRST_PAIR);
  const __m256i second = _mm256_setr_epi8(EASEL_SECOND_PAIR, EASEL_SECOND_PAIR);
  __m256i a = _mm256_zextsi128_si256(start), b = _mm256_setzero_si256();
  size_t t = 0;
  for (; t + 8 <= taps; t += 8) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(p + t * 4));
    const __m256i *w = (const __m256i *)(k + t * 4);
    a = _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_shuffle_epi8(v, first), _mm256_loadu_si256(w)));
    b = _mm256_add_epi32(b, _mm256_madd_epi16(_mm256_shuffle_epi8(v, second), _mm256_loadu_si256(w + 1)));
  }
  a = _mm256_add_epi32(a, b);
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  return t < taps ? easel_row4_rest_sse41(p + t * 4, k + t * 4, sum) : sum;
}

// The sum for one pixel. With fine weights, the sum of the high parts is shifted, and added to the sum of the low
// parts.
#define EASEL_ROW4_SUM(one, taps, fine, index)                                                                         \
  ((fine) ? one(source + (size_t)axis->start[index] * 4, low + axis->phase[index] * step, taps,                        \
                _mm_add_epi32(half, _mm_slli_epi32(one(source + (size_t)axis->start[index] * 4,                        \
                                                       high + axis->phase[index] * step, taps, _mm_setzero_si128()),   \
                                                   8)))                                                                \
          : one(source + (size_t)axis->start[index] * 4, high + axis->phase[index] * step, taps, half))

#define EASEL_ROW4_LOOP(one, taps, fine)                                                                               \
  do {                                                                                                                 \
    const __m128i half = _mm_set1_epi32(1 << (weights->precision - 1)), shift = _mm_cvtsi32_si128(weights->precision); \
    const int16_t *high = weights->wide_high, *low = weights->wide_low;                                                \
    (void)low;                                                                                                         \
    size_t x = 0, step = (taps) * 4;                                                                                   \
    for (; x + 4 <= axis->outputs; x += 4) {                                                                           \
      __m128i r0 = EASEL_ROW4_SUM(one, taps, fine, x), r1 = EASEL_ROW4_SUM(one, taps, fine, x + 1);                    \
      __m128i r2 = EASEL_ROW4_SUM(one, taps, fine, x + 2), r3 = EASEL_ROW4_SUM(one, taps, fine, x + 3);                \
      __m128i left = _mm_packs_epi32(_mm_sra_epi32(r0, shift), _mm_sra_epi32(r1, shift));                              \
      __m128i right = _mm_packs_epi32(_mm_sra_epi32(r2, shift), _mm_sra_epi32(r3, shift));                             \
      _mm_storeu_si128((__m128i *)(target + x * 4), _mm_packus_epi16(left, right));                                    \
    }                                                                                                                  \
    for (; x < axis->outputs; x++) {                                                                                   \
      __m128i r = _mm_sra_epi32(EASEL_ROW4_SUM(one, taps, fine, x), shift);                                            \
      r = _mm_packs_epi32(r, r);                                                                                       \
      int pixel = _mm_cvtsi128_si32(_mm_packus_epi16(r, r));                                                           \
      memcpy(target + x * 4, &pixel, 4);                                                                               \
    }                                                                                                                  \
  } while (0)

EASEL_SSE41 static void easel_row4_sse41(const uint8_t *source, const easel_axis *axis, const easel_weights *weights,
                                         uint8_t *target) {
  if (weights->low) {
    EASEL_ROW4_LOOP(easel_row4_one_sse41, axis->taps, true);
    return;
  }
  switch (axis->taps) {
    case 4: EASEL_ROW4_LOOP(easel_row4_one_sse41, 4, false); break;
    case 8: EASEL_ROW4_LOOP(easel_row4_one_sse41, 8, false); break;
    default: EASEL_ROW4_LOOP(easel_row4_one_sse41, axis->taps, false); break;
  }
}

EASEL_AVX2 static void easel_row4_avx2(const uint8_t *source, const easel_axis *axis, const easel_weights *weights,
                                       uint8_t *target) {
  if (weights->low) {
    switch (axis->taps) {
      case 4: EASEL_ROW4_LOOP(easel_row4_one_avx2, 4, true); break;
      case 8: EASEL_ROW4_LOOP(easel_row4_one_avx2, 8, true); break;
      default: EASEL_ROW4_LOOP(easel_row4_one_avx2, axis->taps, true); break;
    }
    return;
  }
  switch (axis->taps) {
    case 4: EASEL_ROW4_LOOP(easel_row4_one_avx2, 4, false); break;
    case 8: EASEL_ROW4_LOOP(easel_row4_one_avx2, 8, false); break;
    case 16: EASEL_ROW4_LOOP(easel_row4_one_avx2, 16, false); break;
    case 24: EASEL_ROW4_LOOP(easel_row4_one_avx2, 24, false); break;
    default: EASEL_ROW4_LOOP(easel_row4_one_avx2, axis->taps, false); break;
  }
}

EASEL_SSE41 EASEL_INLINE int32_t easel_row1_sum_sse41(const uint8_t *p, const int16_t *k, size_t taps) {
  __m128i sum = _mm_setzero_si128();
  for (size_t t = 0; t < taps; t += 8) {
    __m128i v = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(p + t)));
    sum = _mm_add_epi32(sum, _mm_madd_epi16(v, _mm_loadu_si128((const __m128i *)(k + t))));
  }
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

EASEL_SSE41 static void easel_row1_from_sse41(const uint8_t *source, const easel_axis *axis,
                                              const easel_weights *weights, size_t from, uint8_t *target) {
  for (size_t x = from; x < axis->outputs; x++) {
    const uint8_t *p = source + axis->start[x];
    size_t offset = axis->phase[x] * axis->taps;
    int32_t sum = easel_row1_sum_sse41(p, weights->high + offset, axis->taps);
    if (weights->low) sum = sum * 256 + easel_row1_sum_sse41(p, weights->low + offset, axis->taps);
    target[x] = easel_clip8(sum + (1 << (weights->precision - 1)), weights->precision);
  }
}

EASEL_SSE41 static void easel_row1_sse41(const uint8_t *source, const easel_axis *axis, const easel_weights *weights,
                                         uint8_t *target) {
  easel_row1_from_sse41(source, axis, weights, 0, target);
}

// Eight parts of the sum for one sample.
EASEL_AVX2 EASEL_INLINE __m256i easel_row1_parts_avx2(const uint8_t *p, const int16_t *k, size_t taps) {
  __m256i sum = _mm256_setzero_si256();
  size_t t = 0;
  for (; t + 16 <= taps; t += 16) {
    __m256i v = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(p + t)));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(v, _mm256_loadu_si256((const __m256i *)(k + t))));
  }
  if (t == taps) return sum;
  __m128i v = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(p + t)));
  __m128i rest = _mm_madd_epi16(v, _mm_loadu_si128((const __m128i *)(k + t)));
  return _mm256_add_epi32(sum, _mm256_zextsi128_si256(rest));
}

// The sums for the four samples from x on.
EASEL_AVX2 EASEL_INLINE __m128i easel_row1_four_avx2(const uint8_t *source, const easel_axis *axis, const int16_t *weights,
                                                     size_t x) {
  size_t taps = axis->taps;
  const uint32_t *start = axis->start + x, *phase = axis->phase + x;
  __m256i first = _mm256_hadd_epi32(easel_row1_parts_avx2(source + start[0], weights + phase[0] * taps, taps),
                                    easel_row1_parts_avx2(source + start[1], weights + phase[1] * taps, taps));
  __m256i second = _mm256_hadd_epi32(easel_row1_parts_avx2(source + start[2], weights + phase[2] * taps, taps),
                                     easel_row1_parts_avx2(source + start[3], weights + phase[3] * taps, taps));
  __m256i both = _mm256_hadd_epi32(first, second);
  return _mm_add_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
}

EASEL_AVX2 static void easel_row1_avx2(const uint8_t *source, const easel_axis *axis, const easel_weights *weights,
                                       uint8_t *target) {
  const __m128i half = _mm_set1_epi32(1 << (weights->precision - 1)), shift = _mm_cvtsi32_si128(weights->precision);
  size_t x = 0;
  for (; x + 4 <= axis->outputs; x += 4) {
    __m128i sums = easel_row1_four_avx2(source, axis, weights->high, x);
    if (weights->low) {
      sums = _mm_add_epi32(_mm_slli_epi32(sums, 8), easel_row1_four_avx2(source, axis, weights->low, x));
    }
    sums = _mm_sra_epi32(_mm_add_epi32(sums, half), shift);
    sums = _mm_packs_epi32(sums, sums);
    int samples = _mm_cvtsi128_si32(_mm_packus_epi16(sums, sums));
    memcpy(target + x, &samples, 4);
  }
  easel_row1_from_sse41(source, axis, weights, x, target);
}

#define EASEL_COLUMN_ADD_SSE41(offset)                                                                                  \
  do {                                                                                                                 \
    __m128i k = _mm_set1_epi32(pairs[(offset) + j]);                                                                  \
    s0 = _mm_add_epi32(s0, _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), k));                            \
    s1 = _mm_add_epi32(s1, _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), k));                            \
    s2 = _mm_add_epi32(s2, _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), k));                           \
    s3 = _mm_add_epi32(s3, _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), k));                           \
  } while (0)

EASEL_SSE41 EASEL_INLINE size_t easel_column_loop_sse41(const uint8_t *const *rows, size_t count, size_t half_count,
                                                     const int32_t *pairs, bool fine, int precision, uint8_t *target,
                                                     size_t bytes) {
  const __m128i half = _mm_set1_epi32(1 << (precision - 1)), zero = _mm_setzero_si128();
  const __m128i shift = _mm_cvtsi32_si128(precision);
  size_t i = 0;
  for (; i + 16 <= bytes; i += 16) {
    __m128i s0 = fine ? zero : half, s1 = s0, s2 = s0, s3 = s0;
    for (size_t j = 0; j < half_count; j++) {
      __m128i a = _mm_loadu_si128((const __m128i *)(rows[j * 2] + i));
      __m128i b = _mm_loadu_si128((const __m128i *)(rows[j * 2 + 1 < count ? j * 2 + 1 : j * 2] + i));
      __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
      EASEL_COLUMN_ADD_SSE41(0);
    }
    if (fine) {
      s0 = _mm_add_epi32(_mm_slli_epi32(s0, 8), half);
      s1 = _mm_add_epi32(_mm_slli_epi32(s1, 8), half);
      s2 = _mm_add_epi32(_mm_slli_epi32(s2, 8), half);
      s3 = _mm_add_epi32(_mm_slli_epi32(s3, 8), half);
      for (size_t j = 0; j < half_count; j++) {
        __m128i a = _mm_loadu_si128((const __m128i *)(rows[j * 2] + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(rows[j * 2 + 1 < count ? j * 2 + 1 : j * 2] + i));
        __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
        EASEL_COLUMN_ADD_SSE41(half_count);
      }
    }
    __m128i left = _mm_packs_epi32(_mm_sra_epi32(s0, shift), _mm_sra_epi32(s1, shift));
    __m128i right = _mm_packs_epi32(_mm_sra_epi32(s2, shift), _mm_sra_epi32(s3, shift));
    _mm_storeu_si128((__m128i *)(target + i), _mm_packus_epi16(left, right));
  }
  return i;
}

EASEL_SSE41 static size_t easel_column_sse41(const uint8_t *const *rows, size_t count, size_t half_count,
                                           const int32_t *pairs, bool fine, int precision, uint8_t *target,
                                           size_t bytes) {
  return fine ? easel_column_loop_sse41(rows, count, half_count, pairs, true, precision, target, bytes)
              : easel_column_loop_sse41(rows, count, half_count, pairs, false, precision, target, bytes);
}

#define EASEL_COLUMN_ADD_AVX2(offset)                                                                                  \
  do {                                                                                                                 \
    __m256i k = _mm256_set1_epi32(pairs[(offset) + j]);                                                                  \
    s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(_mm256_unpacklo_epi8(low, zero), k));                            \
    s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(_mm256_unpackhi_epi8(low, zero), k));                            \
    s2 = _mm256_add_epi32(s2, _mm256_madd_epi16(_mm256_unpacklo_epi8(high, zero), k));                           \
    s3 = _mm256_add_epi32(s3, _mm256_madd_epi16(_mm256_unpackhi_epi8(high, zero), k));                           \
  } while (0)

EASEL_AVX2 EASEL_INLINE size_t easel_column_loop_avx2(const uint8_t *const *rows, size_t count, size_t half_count,
                                                     const int32_t *pairs, bool fine, int precision, uint8_t *target,
                                                     size_t bytes) {
  const __m256i half = _mm256_set1_epi32(1 << (precision - 1)), zero = _mm256_setzero_si256();
  const __m128i shift = _mm_cvtsi32_si128(precision);
  size_t i = 0;
  for (; i + 32 <= bytes; i += 32) {
    __m256i s0 = fine ? zero : half, s1 = s0, s2 = s0, s3 = s0;
    for (size_t j = 0; j < half_count; j++) {
      __m256i a = _mm256_loadu_si256((const __m256i *)(rows[j * 2] + i));
      __m256i b = _mm256_loadu_si256((const __m256i *)(rows[j * 2 + 1 < count ? j * 2 + 1 : j * 2] + i));
      __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
      EASEL_COLUMN_ADD_AVX2(0);
    }
    if (fine) {
      s0 = _mm256_add_epi32(_mm256_slli_epi32(s0, 8), half);
      s1 = _mm256_add_epi32(_mm256_slli_epi32(s1, 8), half);
      s2 = _mm256_add_epi32(_mm256_slli_epi32(s2, 8), half);
      s3 = _mm256_add_epi32(_mm256_slli_epi32(s3, 8), half);
      for (size_t j = 0; j < half_count; j++) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(rows[j * 2] + i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(rows[j * 2 + 1 < count ? j * 2 + 1 : j * 2] + i));
        __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
        EASEL_COLUMN_ADD_AVX2(half_count);
      }
    }
    __m256i left = _mm256_packs_epi32(_mm256_sra_epi32(s0, shift), _mm256_sra_epi32(s1, shift));
    __m256i right = _mm256_packs_epi32(_mm256_sra_epi32(s2, shift), _mm256_sra_epi32(s3, shift));
    _mm256_storeu_si256((__m256i *)(target + i), _mm256_packus_epi16(left, right));
  }
  return i;
}

EASEL_AVX2 static size_t easel_column_avx2(const uint8_t *const *rows, size_t count, size_t half_count,
                                           const int32_t *pairs, bool fine, int precision, uint8_t *target,
                                           size_t bytes) {
  return fine ? easel_column_loop_avx2(rows, count, half_count, pairs, true, precision, target, bytes)
              : easel_column_loop_avx2(rows, count, half_count, pairs, false, precision, target, bytes);
}
