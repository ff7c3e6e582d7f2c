#include "parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

// Each half of a vector belongs to one of two blocks.

#define EASEL_JPEG_VECTOR EASEL_JPEG_AVX2 static inline __attribute__((always_inline))

#define EASEL_JPEG_BY(a, b) _mm256_set1_epi32((int)((uint32_t)(uint16_t)(a) | (uint32_t)(uint16_t)(b) << 16))

EASEL_JPEG_VECTOR __m256i easel_jpeg_load_row(const int16_t *const levels[2], const uint16_t *quanta, int row) {
  __m128i first = _mm_loadu_si128((const __m128i *)(levels[0] + 8 * row));
  __m128i second = _mm_loadu_si128((const __m128i *)(levels[1] + 8 * row));
  __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
  __m256i by = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(quanta + 8 * row)));
  return _mm256_mullo_epi16(both, by);
}

// True if a sum of the first pass may not fit, which happens with no picture.
EASEL_JPEG_VECTOR bool easel_jpeg_is_vast(__m256i row) {
  __m256i shifted = _mm256_add_epi16(row, _mm256_set1_epi16(8192));
  return !_mm256_testz_si256(shifted, _mm256_set1_epi16((short)0xC000));
}

// Sixteen columns: sums of the even rows, and of the odd ones, in halves.
typedef struct {
  __m256i low[4], high[4];
} easel_jpeg_sums;

EASEL_JPEG_VECTOR void easel_jpeg_even(easel_jpeg_sums *even, __m256i r0, __m256i r2, __m256i r4, __m256i r6,
                                       int shift) {
  __m256i low = _mm256_unpacklo_epi16(r2, r6), high = _mm256_unpackhi_epi16(r2, r6);
  __m256i by2 = EASEL_JPEG_BY(4433, 4433 - 15137), by3 = EASEL_JPEG_BY(4433 + 6270, 4433);
  __m256i t2l = _mm256_madd_epi16(low, by2), t2h = _mm256_madd_epi16(high, by2);
  __m256i t3l = _mm256_madd_epi16(low, by3), t3h = _mm256_madd_epi16(high, by3);
  __m256i zero = _mm256_setzero_si256(), round = _mm256_set1_epi32(1 << (shift - 1));
  __m256i sum = _mm256_add_epi16(r0, r4), difference = _mm256_sub_epi16(r0, r4);
  __m256i t0l = _mm256_add_epi32(_mm256_srai_epi32(_mm256_unpacklo_epi16(zero, sum), 3), round);
  __m256i t0h = _mm256_add_epi32(_mm256_srai_epi32(_mm256_unpackhi_epi16(zero, sum), 3), round);
  __m256i t1l = _mm256_add_epi32(_mm256_srai_epi32(_mm256_unpacklo_epi16(zero, difference), 3), round);
  __m256i t1h = _mm256_add_epi32(_mm256_srai_epi32(_mm256_unpackhi_epi16(zero, difference), 3), round);
  even->low[0] = _mm256_add_epi32(t0l, t3l);
  even->high[0] = _mm256_add_epi32(t0h, t3h);
  even->low[1] = _mm256_add_epi32(t1l, t2l);
  even->high[1] = _mm256_add_epi32(t1h, t2h);
  even->low[2] = _mm256_sub_epi32(t1l, t2l);
  even->high[2] = _mm256_sub_epi32(t1h, t2h);
  even->low[3] = _mm256_sub_epi32(t0l, t3l);
  even->high[3] = _mm256_sub_epi32(t0h, t3h);
}

EASEL_JPEG_VECTOR void easel_jpeg_odd(easel_jpeg_sums *odd, __m256i r1, __m256i r3, __m256i r5, __m256i r7) {
  __m256i s3 = _mm256_add_epi16(r7, r3), s4 = _mm256_add_epi16(r5, r1);
  __m256i low = _mm256_unpacklo_epi16(s3, s4), high = _mm256_unpackhi_epi16(s3, s4);
  __m256i by3 = EASEL_JPEG_BY(9633 - 16069, 9633), by4 = EASEL_JPEG_BY(9633, 9633 - 3196);
  __m256i z3l = _mm256_madd_epi16(low, by3), z3h = _mm256_madd_epi16(high, by3);
  __m256i z4l = _mm256_madd_epi16(low, by4), z4h = _mm256_madd_epi16(high, by4);
  __m256i low71 = _mm256_unpacklo_epi16(r7, r1), high71 = _mm256_unpackhi_epi16(r7, r1);
  __m256i low53 = _mm256_unpacklo_epi16(r5, r3), high53 = _mm256_unpackhi_epi16(r5, r3);
  __m256i by = EASEL_JPEG_BY(-7373, 12299 - 7373);
  odd->low[0] = _mm256_add_epi32(_mm256_madd_epi16(low71, by), z4l);
  odd->high[0] = _mm256_add_epi32(_mm256_madd_epi16(high71, by), z4h);
  by = EASEL_JPEG_BY(-20995, 25172 - 20995);
  odd->low[1] = _mm256_add_epi32(_mm256_madd_epi16(low53, by), z3l);
  odd->high[1] = _mm256_add_epi32(_mm256_madd_epi16(high53, by), z3h);
  by = EASEL_JPEG_BY(16819 - 20995, -20995);
  odd->low[2] = _mm256_add_epi32(_mm256_madd_epi16(low53, by), z4l);
  odd->high[2] = _mm256_add_epi32(_mm256_madd_epi16(high53, by), z4h);
  by = EASEL_JPEG_BY(2446 - 7373, -7373);
  odd->low[3] = _mm256_add_epi32(_mm256_madd_epi16(low71, by), z3l);
  odd->high[3] = _mm256_add_epi32(_mm256_madd_epi16(high71, by), z3h);
}

EASEL_JPEG_VECTOR void easel_jpeg_join(__m256i r[8], const easel_jpeg_sums *even, const easel_jpeg_sums *odd,
                                       int shift) {
  for (int i = 0; i < 4; i++) {
    __m256i low = _mm256_srai_epi32(_mm256_add_epi32(even->low[i], odd->low[i]), shift);
    __m256i high = _mm256_srai_epi32(_mm256_add_epi32(even->high[i], odd->high[i]), shift);
    r[i] = _mm256_packs_epi32(low, high);
    low = _mm256_srai_epi32(_mm256_sub_epi32(even->low[i], odd->low[i]), shift);
    high = _mm256_srai_epi32(_mm256_sub_epi32(even->high[i], odd->high[i]), shift);
    r[7 - i] = _mm256_packs_epi32(low, high);
  }
}

EASEL_JPEG_VECTOR void easel_jpeg_pass(__m256i r[8], int shift) {
  easel_jpeg_sums even, odd;
  easel_jpeg_even(&even, r[0], r[2], r[4], r[6], shift);
  easel_jpeg_odd(&odd, r[1], r[3], r[5], r[7]);
  easel_jpeg_join(r, &even, &odd, shift);
}

EASEL_JPEG_VECTOR void easel_jpeg_exchange(__m256i r[8]) {
  __m256i t[8];
  for (int i = 0; i < 4; i++) {
    t[2 * i] = _mm256_unpacklo_epi16(r[i], r[i + 4]);
    t[2 * i + 1] = _mm256_unpackhi_epi16(r[i], r[i + 4]);
  }
  for (int i = 0; i < 4; i++) {
    r[2 * i] = _mm256_unpacklo_epi16(t[i], t[i + 4]);
    r[2 * i + 1] = _mm256_unpackhi_epi16(t[i], t[i + 4]);
  }
  for (int i = 0; i < 4; i++) {
    t[2 * i] = _mm256_unpacklo_epi16(r[i], r[i + 4]);
    t[2 * i + 1] = _mm256_unpackhi_epi16(r[i], r[i + 4]);
  }
  for (int i = 0; i < 8; i++) r[i] = t[i];
}

EASEL_JPEG_VECTOR void easel_jpeg_store_two(uint8_t *to, ptrdiff_t stride, __m128i rows) {
  _mm_storel_epi64((__m128i *)to, rows);
  _mm_storeh_pd((double *)(to + stride), _mm_castsi128_pd(rows));
}

// Columns of words become rows of bytes.
EASEL_JPEG_VECTOR void easel_jpeg_store_columns(const __m256i c[8], uint8_t *const to[2], ptrdiff_t stride) {
  __m256i p0 = _mm256_packs_epi16(c[0], c[4]), p1 = _mm256_packs_epi16(c[1], c[5]);
  __m256i p2 = _mm256_packs_epi16(c[2], c[6]), p3 = _mm256_packs_epi16(c[3], c[7]);
  __m256i u0 = _mm256_unpacklo_epi8(p0, p2), u1 = _mm256_unpacklo_epi8(p1, p3);
  __m256i u2 = _mm256_unpackhi_epi8(p0, p2), u3 = _mm256_unpackhi_epi8(p1, p3);
  __m256i w0 = _mm256_unpacklo_epi8(u0, u1), w1 = _mm256_unpackhi_epi8(u0, u1);
  __m256i w2 = _mm256_unpacklo_epi8(u2, u3), w3 = _mm256_unpackhi_epi8(u2, u3);
  __m256i center = _mm256_set1_epi8(-128);
  __m256i rows[4] = {_mm256_unpacklo_epi32(w0, w2), _mm256_unpackhi_epi32(w0, w2), _mm256_unpacklo_epi32(w1, w3),
                     _mm256_unpackhi_epi32(w1, w3)};
  for (int i = 0; i < 4; i++) {
    __m256i both = _mm256_xor_si256(rows[i], center);
    easel_jpeg_store_two(to[0] + 2 * i * stride, stride, _mm256_castsi256_si128(both));
    easel_jpeg_store_two(to[1] + 2 * i * stride, stride, _mm256_extracti128_si256(both, 1));
  }
}

EASEL_JPEG_AVX2 void easel_jpeg_blocks_8_avx2(const int16_t *const levels[2], const uint16_t *quanta,
                                              uint8_t *const to[2], ptrdiff_t stride) {
  __m256i r[8];
  for (int i = 0; i < 8; i++) r[i] = easel_jpeg_load_row(levels, quanta, i);
  if (EASEL_JPEG_RARELY(easel_jpeg_is_vast(r[0]))) {
    easel_jpeg_block_8(levels[0], quanta, to[0], stride);
    easel_jpeg_block_8(levels[1], quanta, to[1], stride);
    return;
  }
  easel_jpeg_pass(r, 11);
  easel_jpeg_exchange(r);
  easel_jpeg_pass(r, 18);
  easel_jpeg_store_columns(r, to, stride);
}

// With rows 4 to 7 zero, the products of one row with each of two constants are one product.
EASEL_JPEG_VECTOR void easel_jpeg_few_odd(__m256i odd[4], __m256i pairs) {
  odd[0] = _mm256_madd_epi16(pairs, EASEL_JPEG_BY(12299 - 7373 + 9633 - 3196, 9633));
  odd[1] = _mm256_madd_epi16(pairs, EASEL_JPEG_BY(9633, 25172 - 20995 + 9633 - 16069));
  odd[2] = _mm256_madd_epi16(pairs, EASEL_JPEG_BY(9633 - 3196, 9633 - 20995));
  odd[3] = _mm256_madd_epi16(pairs, EASEL_JPEG_BY(9633 - 7373, 9633 - 16069));
}

EASEL_JPEG_VECTOR void easel_jpeg_few_even(__m256i even[4], __m256i zero_r0, __m256i r2_zero, int shift) {
  __m256i t0 = _mm256_add_epi32(_mm256_srai_epi32(zero_r0, 3), _mm256_set1_epi32(1 << (shift - 1)));
  __m256i t2 = _mm256_madd_epi16(r2_zero, EASEL_JPEG_BY(4433, 0));
  __m256i t3 = _mm256_madd_epi16(r2_zero, EASEL_JPEG_BY(4433 + 6270, 0));
  even[0] = _mm256_add_epi32(t0, t3);
  even[1] = _mm256_add_epi32(t0, t2);
  even[2] = _mm256_sub_epi32(t0, t2);
  even[3] = _mm256_sub_epi32(t0, t3);
}

// Only the first four rows and columns hold levels.
EASEL_JPEG_AVX2 void easel_jpeg_corners_8_avx2(const int16_t *const levels[2], const uint16_t *quanta,
                                               uint8_t *const to[2], ptrdiff_t stride) {
  __m256i r0 = easel_jpeg_load_row(levels, quanta, 0), r1 = easel_jpeg_load_row(levels, quanta, 1);
  __m256i r2 = easel_jpeg_load_row(levels, quanta, 2), r3 = easel_jpeg_load_row(levels, quanta, 3);
  if (EASEL_JPEG_RARELY(easel_jpeg_is_vast(r0))) {
    easel_jpeg_block_8(levels[0], quanta, to[0], stride);
    easel_jpeg_block_8(levels[1], quanta, to[1], stride);
    return;
  }
  __m256i zero = _mm256_setzero_si256(), even[4], odd[4], sums[8];
  easel_jpeg_few_even(even, _mm256_unpacklo_epi16(zero, r0), _mm256_unpacklo_epi16(r2, zero), 11);
  easel_jpeg_few_odd(odd, _mm256_unpacklo_epi16(r1, r3));
  for (int i = 0; i < 4; i++) {
    sums[i] = _mm256_srai_epi32(_mm256_add_epi32(even[i], odd[i]), 11);
    sums[7 - i] = _mm256_srai_epi32(_mm256_sub_epi32(even[i], odd[i]), 11);
  }
  // Four columns of eight rows become four rows of eight columns.
  __m256i p0 = _mm256_packs_epi32(sums[0], sums[4]), p1 = _mm256_packs_epi32(sums[1], sums[5]);
  __m256i p2 = _mm256_packs_epi32(sums[2], sums[6]), p3 = _mm256_packs_epi32(sums[3], sums[7]);
  __m256i a = _mm256_unpacklo_epi16(p0, p2), b = _mm256_unpacklo_epi16(p1, p3);
  __m256i c = _mm256_unpackhi_epi16(p0, p2), d = _mm256_unpackhi_epi16(p1, p3);
  __m256i e = _mm256_unpacklo_epi16(a, b), f = _mm256_unpackhi_epi16(a, b);
  __m256i g = _mm256_unpacklo_epi16(c, d), h = _mm256_unpackhi_epi16(c, d);
  r0 = _mm256_unpacklo_epi64(e, g);
  r1 = _mm256_unpackhi_epi64(e, g);
  r2 = _mm256_unpacklo_epi64(f, h);
  r3 = _mm256_unpackhi_epi64(f, h);
  __m256i out[8];
  __m256i odd_high[4], even_high[4];
  easel_jpeg_few_even(even, _mm256_unpacklo_epi16(zero, r0), _mm256_unpacklo_epi16(r2, zero), 18);
  easel_jpeg_few_even(even_high, _mm256_unpackhi_epi16(zero, r0), _mm256_unpackhi_epi16(r2, zero), 18);
  easel_jpeg_few_odd(odd, _mm256_unpacklo_epi16(r1, r3));
  easel_jpeg_few_odd(odd_high, _mm256_unpackhi_epi16(r1, r3));
  for (int i = 0; i < 4; i++) {
    out[i] = _mm256_packs_epi32(_mm256_srai_epi32(_mm256_add_epi32(even[i], odd[i]), 18),
                                _mm256_srai_epi32(_mm256_add_epi32(even_high[i], odd_high[i]), 18));
    out[7 - i] = _mm256_packs_epi32(_mm256_srai_epi32(_mm256_sub_epi32(even[i], odd[i]), 18),
                                    _mm256_srai_epi32(_mm256_sub_epi32(even_high[i], odd_high[i]), 18));
  }
  easel_jpeg_store_columns(out, to, stride);
}

// ---- At a half: 4 by 4 samples

EASEL_JPEG_VECTOR void easel_jpeg_pass_4(__m256i out[4], __m256i zero_r0, __m256i r26, __m256i r13, __m256i r57,
                                         int shift) {
  __m256i mean = _mm256_add_epi32(_mm256_srai_epi32(zero_r0, 2), _mm256_set1_epi32(1 << (shift - 1)));
  __m256i even = _mm256_madd_epi16(r26, EASEL_JPEG_BY(15137, -6270));
  __m256i o2 = _mm256_add_epi32(_mm256_madd_epi16(r13, EASEL_JPEG_BY(20995, 7373)),
                                _mm256_madd_epi16(r57, EASEL_JPEG_BY(-4926, -4176)));
  __m256i o0 = _mm256_add_epi32(_mm256_madd_epi16(r13, EASEL_JPEG_BY(8697, -17799)),
                                _mm256_madd_epi16(r57, EASEL_JPEG_BY(11893, -1730)));
  __m256i outer = _mm256_add_epi32(mean, even), inner = _mm256_sub_epi32(mean, even);
  out[0] = _mm256_srai_epi32(_mm256_add_epi32(outer, o2), shift);
  out[1] = _mm256_srai_epi32(_mm256_add_epi32(inner, o0), shift);
  out[2] = _mm256_srai_epi32(_mm256_sub_epi32(inner, o0), shift);
  out[3] = _mm256_srai_epi32(_mm256_sub_epi32(outer, o2), shift);
}

EASEL_JPEG_AVX2 void easel_jpeg_blocks_4_avx2(const int16_t *const levels[2], const uint16_t *quanta,
                                              uint8_t *const to[2], ptrdiff_t stride) {
  __m256i r[8];
  for (int i = 0; i < 8; i++) {
    if (i != 4) r[i] = easel_jpeg_load_row(levels, quanta, i);
  }
  if (EASEL_JPEG_RARELY(easel_jpeg_is_vast(r[0]))) {
    easel_jpeg_block_4(levels[0], quanta, to[0], stride);
    easel_jpeg_block_4(levels[1], quanta, to[1], stride);
    return;
  }
  __m256i zero = _mm256_setzero_si256(), low[4], high[4];
  easel_jpeg_pass_4(low, _mm256_unpacklo_epi16(zero, r[0]), _mm256_unpacklo_epi16(r[2], r[6]),
                    _mm256_unpacklo_epi16(r[1], r[3]), _mm256_unpacklo_epi16(r[5], r[7]), 12);
  easel_jpeg_pass_4(high, _mm256_unpackhi_epi16(zero, r[0]), _mm256_unpackhi_epi16(r[2], r[6]),
                    _mm256_unpackhi_epi16(r[1], r[3]), _mm256_unpackhi_epi16(r[5], r[7]), 12);
  // Four rows of eight columns; then words 0 to 3 of each result are a column.
  __m256i d0 = _mm256_packs_epi32(low[0], high[0]), d1 = _mm256_packs_epi32(low[1], high[1]);
  __m256i d2 = _mm256_packs_epi32(low[2], high[2]), d3 = _mm256_packs_epi32(low[3], high[3]);
  __m256i a = _mm256_unpacklo_epi16(d0, d1), b = _mm256_unpackhi_epi16(d0, d1);
  __m256i c = _mm256_unpacklo_epi16(d2, d3), d = _mm256_unpackhi_epi16(d2, d3);
  __m256i c01 = _mm256_unpacklo_epi32(a, c), c23 = _mm256_unpackhi_epi32(a, c);
  __m256i c45 = _mm256_unpacklo_epi32(b, d), c67 = _mm256_unpackhi_epi32(b, d);
  __m256i out[4];
  easel_jpeg_pass_4(out, _mm256_unpacklo_epi16(zero, c01), _mm256_unpacklo_epi16(c23, c67),
                    _mm256_unpackhi_epi16(c01, c23), _mm256_unpackhi_epi16(c45, c67), 19);
  // Each result is a column of four; now to rows.
  __m256i p02 = _mm256_packs_epi32(out[0], out[2]), p13 = _mm256_packs_epi32(out[1], out[3]);
  __m256i e = _mm256_unpacklo_epi16(p02, p13), f = _mm256_unpackhi_epi16(p02, p13);
  __m256i rows = _mm256_packs_epi16(_mm256_unpacklo_epi32(e, f), _mm256_unpackhi_epi32(e, f));
  rows = _mm256_xor_si256(rows, _mm256_set1_epi8(-128));
  for (int i = 0; i < 2; i++) {
    __m128i four = i ? _mm256_extracti128_si256(rows, 1) : _mm256_castsi256_si128(rows);
    _mm_storeu_si32(to[i], four);
    _mm_storeu_si32(to[i] + stride, _mm_srli_si128(four, 4));
    _mm_storeu_si32(to[i] + 2 * stride, _mm_srli_si128(four, 8));
    _mm_storeu_si32(to[i] + 3 * stride, _mm_srli_si128(four, 12));
  }
}

// ---- At a quarter: 2 by 2 samples

EASEL_JPEG_AVX2 void easel_jpeg_blocks_2_avx2(const int16_t *const levels[2], const uint16_t *quanta,
                                              uint8_t *const to[2], ptrdiff_t stride) {
  __m256i r0 = easel_jpeg_load_row(levels, quanta, 0), r1 = easel_jpeg_load_row(levels, quanta, 1);
  __m256i r3 = easel_jpeg_load_row(levels, quanta, 3), r5 = easel_jpeg_load_row(levels, quanta, 5);
  __m256i r7 = easel_jpeg_load_row(levels, quanta, 7);
  // Columns 0 and 1, and then columns 1, 3, 5 and 7.
  __m256i by13 = EASEL_JPEG_BY(29692, -10426), by57 = EASEL_JPEG_BY(6967, -5906), zero = _mm256_setzero_si256();
  __m256i first = _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpacklo_epi16(r1, r3), by13),
                                   _mm256_madd_epi16(_mm256_unpacklo_epi16(r5, r7), by57));
  __m256i r13 = _mm256_blend_epi16(_mm256_srli_epi32(r1, 16), r3, 0xAA);
  __m256i r57 = _mm256_blend_epi16(_mm256_srli_epi32(r5, 16), r7, 0xAA);
  __m256i others = _mm256_add_epi32(_mm256_madd_epi16(r13, by13), _mm256_madd_epi16(r57, by57));
  __m256i round = _mm256_set1_epi32(1 << 12);
  __m256i mean_first = _mm256_add_epi32(_mm256_srai_epi32(_mm256_unpacklo_epi16(zero, r0), 1), round);
  __m256i mean_others = _mm256_add_epi32(_mm256_srai_epi32(_mm256_blend_epi16(zero, r0, 0xAA), 1), round);
  __m256i a0 = _mm256_srai_epi32(_mm256_add_epi32(mean_first, first), 13);
  __m256i b0 = _mm256_srai_epi32(_mm256_sub_epi32(mean_first, first), 13);
  __m256i a = _mm256_srai_epi32(_mm256_add_epi32(mean_others, others), 13);
  __m256i b = _mm256_srai_epi32(_mm256_sub_epi32(mean_others, others), 13);
  // Words of columns 1, 3, 5, 7 of the upper row, then of the lower one.
  __m256i both = _mm256_packs_epi32(a, b);
  __m256i products = _mm256_madd_epi16(
      both, _mm256_set1_epi64x((int64_t)((uint64_t)29692 | (uint64_t)(uint16_t)-10426 << 16 | (uint64_t)6967 << 32 |
                                         (uint64_t)(uint16_t)-5906 << 48)));
  __m256i odd = _mm256_add_epi32(products, _mm256_srli_epi64(products, 32));
  // Doublewords 0 and 2 hold the odd sums of both rows.
  __m256i means = _mm256_unpacklo_epi64(a0, b0);
  means = _mm256_add_epi32(_mm256_slli_epi32(means, 15), _mm256_set1_epi32(1 << 19));
  __m256i left = _mm256_srai_epi32(_mm256_add_epi32(means, odd), 20);
  __m256i right = _mm256_srai_epi32(_mm256_sub_epi32(means, odd), 20);
  __m256i words = _mm256_packs_epi32(left, right);
  __m256i bytes = _mm256_xor_si256(_mm256_packs_epi16(words, words), _mm256_set1_epi8(-128));
  // Bytes 0 and 4 are the upper row, 2 and 6 the lower.
  for (int i = 0; i < 2; i++) {
    uint64_t four = (uint64_t)_mm_cvtsi128_si64(i ? _mm256_extracti128_si256(bytes, 1) : _mm256_castsi256_si128(bytes));
    to[i][0] = (uint8_t)four;
    to[i][1] = (uint8_t)(four >> 32);
    to[i][stride] = (uint8_t)(four >> 16);
    to[i][stride + 1] = (uint8_t)(four >> 48);
  }
}
#endif
