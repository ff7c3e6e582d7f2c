// The sums of filter.c for SSE4.1 and AVX2; they equal those of the scalar reference.

#define EASEL_FILTER_SUMS(name, level, vector, width, load, sub, avg, min, adds, subs, or, xor, and, eq, blend,   \
                          sad, add64, set1, zero)                                                                      \
  level static void name(const easel_filter_rows *rows, size_t first, uint64_t sums[5]) {                             \
    const vector nothing = zero(), one = set1(1);                                                                      \
    vector totals[5] = {nothing, nothing, nothing, nothing, nothing};                                                  \
    size_t i = first;                                                                                                  \
    for (; i + width <= rows->bytes; i += width) {                                                                     \
      vector x = load((const vector *)(const void *)(rows->row + i));                                                  \
      vector a = load((const vector *)(const void *)(rows->row + i - rows->pixel));                                    \
      vector b = load((const vector *)(const void *)(rows->above + i));                                                \
      vector c = load((const vector *)(const void *)(rows->above + i - rows->pixel));                                  \
      /* One of the two differences is zero, so they tell the sign. */                                                 \
      vector b_above_c = subs(b, c), c_above_b = subs(c, b), a_above_c = subs(a, c), c_above_a = subs(c, a);           \
      vector pa = or(b_above_c, c_above_b), pb = or(a_above_c, c_above_a);                                             \
      vector opposite = or(min(b_above_c, c_above_a), min(c_above_b, a_above_c));                                      \
      vector pc = blend(or(subs(pa, pb), subs(pb, pa)), adds(pa, pb), eq(opposite, nothing));                          \
      vector least = min(pa, min(pb, pc));                                                                             \
      vector nearest = blend(blend(c, b, eq(min(pb, pc), pb)), a, eq(least, pa));                                      \
      /* The instruction rounds up. */                                                                                 \
      vector mean = sub(avg(a, b), and(xor(a, b), one));                                                               \
      vector rests[5] = {x, sub(x, a), sub(x, b), sub(x, mean), sub(x, nearest)};                                      \
      for (int k = 0; k < 5; k++) {                                                                                    \
        totals[k] = add64(totals[k], sad(min(rests[k], sub(nothing, rests[k])), nothing));                             \
      }                                                                                                                \
    }                                                                                                                  \
    for (int k = 0; k < 5; k++) {                                                                                      \
      uint64_t parts[width / 8];                                                                                       \
      memcpy(parts, &totals[k], width);                                                                                \
      for (int part = 0; part < width / 8; part++) sums[k] += parts[part];                                             \
    }                                                                                                                  \
    easel_filter_sums_scalar(rows, i, sums);                                                                           \
  }

EASEL_FILTER_SUMS(easel_filter_sums_sse41, EASEL_SSE41, __m128i, 16, _mm_loadu_si128, _mm_sub_epi8,
                  _mm_avg_epu8, _mm_min_epu8, _mm_adds_epu8, _mm_subs_epu8, _mm_or_si128, _mm_xor_si128, _mm_and_si128,
                  _mm_cmpeq_epi8, _mm_blendv_epi8, _mm_sad_epu8, _mm_add_epi64, _mm_set1_epi8, _mm_setzero_si128)
EASEL_FILTER_SUMS(easel_filter_sums_avx2, EASEL_AVX2, __m256i, 32, _mm256_loadu_si256, 
                  _mm256_sub_epi8, _mm256_avg_epu8, _mm256_min_epu8, _mm256_adds_epu8, _mm256_subs_epu8,
                  _mm256_or_si256, _mm256_xor_si256, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_blendv_epi8,
                  _mm256_sad_epu8, _mm256_add_epi64, _mm256_set1_epi8, _mm256_setzero_si256)

#undef EASEL_FILTER_SUMS
