// The transforms of blocks, for vectors of any kind: vector_avx2.h or its like comes before. Each lane of 128 bits belongs
// to a block.

#define EASEL_JPEG_BY(a, b) v_set1_epi32((int)((uint32_t)(uint16_t)(a) | (uint32_t)(uint16_t)(b) << 16))

EASEL_JPEG_VECTOR vector v_load_levels(const int16_t *const *levels, const uint16_t *quanta, int row) {
  return v_mullo_epi16(v_load_rows(levels, row), v_load_same(quanta + 8 * row));
}

// True if a sum of the first pass may not fit, which happens with no picture.
EASEL_JPEG_VECTOR bool easel_jpeg_is_vast(vector row) {
  vector shifted = v_add_epi16(row, v_set1_epi16(8192));
  return v_has_any(shifted, v_set1_epi16((int16_t)0xC000));
}

// Columns: sums of the even rows, and of the odd ones, in halves.
typedef struct {
  vector low[4], high[4];
} easel_jpeg_sums;

EASEL_JPEG_VECTOR void easel_jpeg_even(easel_jpeg_sums *even, vector r0, vector r2, vector r4, vector r6,
                                       int shift) {
  vector low = v_unpacklo_epi16(r2, r6), high = v_unpackhi_epi16(r2, r6);
  vector by2 = EASEL_JPEG_BY(4433, 4433 - 15137), by3 = EASEL_JPEG_BY(4433 + 6270, 4433);
  vector t2l = v_madd_epi16(low, by2), t2h = v_madd_epi16(high, by2);
  vector t3l = v_madd_epi16(low, by3), t3h = v_madd_epi16(high, by3);
  vector zero = v_zero(), round = v_set1_epi32(1 << (shift - 1));
  vector sum = v_add_epi16(r0, r4), difference = v_sub_epi16(r0, r4);
  vector t0l = v_add_epi32(v_srai_epi32(v_unpacklo_epi16(zero, sum), 3), round);
  vector t0h = v_add_epi32(v_srai_epi32(v_unpackhi_epi16(zero, sum), 3), round);
  vector t1l = v_add_epi32(v_srai_epi32(v_unpacklo_epi16(zero, difference), 3), round);
  vector t1h = v_add_epi32(v_srai_epi32(v_unpackhi_epi16(zero, difference), 3), round);
  even->low[0] = v_add_epi32(t0l, t3l);
  even->high[0] = v_add_epi32(t0h, t3h);
  even->low[1] = v_add_epi32(t1l, t2l);
  even->high[1] = v_add_epi32(t1h, t2h);
  even->low[2] = v_sub_epi32(t1l, t2l);
  even->high[2] = v_sub_epi32(t1h, t2h);
  even->low[3] = v_sub_epi32(t0l, t3l);
  even->high[3] = v_sub_epi32(t0h, t3h);
}

EASEL_JPEG_VECTOR void easel_jpeg_odd(easel_jpeg_sums *odd, vector r1, vector r3, vector r5, vector r7) {
  vector s3 = v_add_epi16(r7, r3), s4 = v_add_epi16(r5, r1);
  vector low = v_unpacklo_epi16(s3, s4), high = v_unpackhi_epi16(s3, s4);
  vector by3 = EASEL_JPEG_BY(9633 - 16069, 9633), by4 = EASEL_JPEG_BY(9633, 9633 - 3196);
  vector z3l = v_madd_epi16(low, by3), z3h = v_madd_epi16(high, by3);
  vector z4l = v_madd_epi16(low, by4), z4h = v_madd_epi16(high, by4);
  vector low71 = v_unpacklo_epi16(r7, r1), high71 = v_unpackhi_epi16(r7, r1);
  vector low53 = v_unpacklo_epi16(r5, r3), high53 = v_unpackhi_epi16(r5, r3);
  vector by = EASEL_JPEG_BY(-7373, 12299 - 7373);
  odd->low[0] = v_add_epi32(v_madd_epi16(low71, by), z4l);
  odd->high[0] = v_add_epi32(v_madd_epi16(high71, by), z4h);
  by = EASEL_JPEG_BY(-20995, 25172 - 20995);
  odd->low[1] = v_add_epi32(v_madd_epi16(low53, by), z3l);
  odd->high[1] = v_add_epi32(v_madd_epi16(high53, by), z3h);
  by = EASEL_JPEG_BY(16819 - 20995, -20995);
  odd->low[2] = v_add_epi32(v_madd_epi16(low53, by), z4l);
  odd->high[2] = v_add_epi32(v_madd_epi16(high53, by), z4h);
  by = EASEL_JPEG_BY(2446 - 7373, -7373);
  odd->low[3] = v_add_epi32(v_madd_epi16(low71, by), z3l);
  odd->high[3] = v_add_epi32(v_madd_epi16(high71, by), z3h);
}

EASEL_JPEG_VECTOR void easel_jpeg_join(vector r[8], const easel_jpeg_sums *even, const easel_jpeg_sums *odd,
                                       int shift) {
  for (int i = 0; i < 4; i++) {
    vector low = v_srai_epi32(v_add_epi32(even->low[i], odd->low[i]), shift);
    vector high = v_srai_epi32(v_add_epi32(even->high[i], odd->high[i]), shift);
    r[i] = v_packs_epi32(low, high);
    low = v_srai_epi32(v_sub_epi32(even->low[i], odd->low[i]), shift);
    high = v_srai_epi32(v_sub_epi32(even->high[i], odd->high[i]), shift);
    r[7 - i] = v_packs_epi32(low, high);
  }
}

EASEL_JPEG_VECTOR void easel_jpeg_pass(vector r[8], int shift) {
  easel_jpeg_sums even, odd;
  easel_jpeg_even(&even, r[0], r[2], r[4], r[6], shift);
  easel_jpeg_odd(&odd, r[1], r[3], r[5], r[7]);
  easel_jpeg_join(r, &even, &odd, shift);
}

EASEL_JPEG_VECTOR void easel_jpeg_exchange(vector r[8]) {
  vector t[8];
  for (int i = 0; i < 4; i++) {
    t[2 * i] = v_unpacklo_epi16(r[i], r[i + 4]);
    t[2 * i + 1] = v_unpackhi_epi16(r[i], r[i + 4]);
  }
  for (int i = 0; i < 4; i++) {
    r[2 * i] = v_unpacklo_epi16(t[i], t[i + 4]);
    r[2 * i + 1] = v_unpackhi_epi16(t[i], t[i + 4]);
  }
  for (int i = 0; i < 4; i++) {
    t[2 * i] = v_unpacklo_epi16(r[i], r[i + 4]);
    t[2 * i + 1] = v_unpackhi_epi16(r[i], r[i + 4]);
  }
  for (int i = 0; i < 8; i++) r[i] = t[i];
}

// Columns of words become rows of bytes.
EASEL_JPEG_VECTOR void easel_jpeg_store_columns(const vector c[8], uint8_t *const *to, ptrdiff_t stride) {
  vector p0 = v_packs_epi16(c[0], c[4]), p1 = v_packs_epi16(c[1], c[5]);
  vector p2 = v_packs_epi16(c[2], c[6]), p3 = v_packs_epi16(c[3], c[7]);
  vector u0 = v_unpacklo_epi8(p0, p2), u1 = v_unpacklo_epi8(p1, p3);
  vector u2 = v_unpackhi_epi8(p0, p2), u3 = v_unpackhi_epi8(p1, p3);
  vector w0 = v_unpacklo_epi8(u0, u1), w1 = v_unpackhi_epi8(u0, u1);
  vector w2 = v_unpacklo_epi8(u2, u3), w3 = v_unpackhi_epi8(u2, u3);
  vector center = v_set1_epi8(-128);
  vector rows[4] = {v_unpacklo_epi32(w0, w2), v_unpackhi_epi32(w0, w2), v_unpacklo_epi32(w1, w3),
                     v_unpackhi_epi32(w1, w3)};
  for (int i = 0; i < 4; i++) {
    vector both = v_xor(rows[i], center);
    for (int lane = 0; lane < EASEL_JPEG_LANES; lane++) {
      v_store_low(to[lane] + 2 * i * stride, both, lane);
      v_store_high(to[lane] + (2 * i + 1) * stride, both, lane);
    }
  }
}

EASEL_JPEG_VECTOR void easel_jpeg_lanes_blocks_8(const int16_t *const *levels, const uint16_t *quanta,
                                            uint8_t *const *to, ptrdiff_t stride) {
  vector r[8];
  for (int i = 0; i < 8; i++) r[i] = v_load_levels(levels, quanta, i);
  if (EASEL_JPEG_RARELY(easel_jpeg_is_vast(r[0]))) {
    for (int lane = 0; lane < EASEL_JPEG_LANES; lane++) easel_jpeg_block_8(levels[lane], quanta, to[lane], stride);
    return;
  }
  easel_jpeg_pass(r, 11);
  easel_jpeg_exchange(r);
  easel_jpeg_pass(r, 18);
  easel_jpeg_store_columns(r, to, stride);
}

// With rows 4 to 7 zero, the products of one row with each of two constants are one product.
EASEL_JPEG_VECTOR void easel_jpeg_few_odd(vector odd[4], vector pairs) {
  odd[0] = v_madd_epi16(pairs, EASEL_JPEG_BY(12299 - 7373 + 9633 - 3196, 9633));
  odd[1] = v_madd_epi16(pairs, EASEL_JPEG_BY(9633, 25172 - 20995 + 9633 - 16069));
  odd[2] = v_madd_epi16(pairs, EASEL_JPEG_BY(9633 - 3196, 9633 - 20995));
  odd[3] = v_madd_epi16(pairs, EASEL_JPEG_BY(9633 - 7373, 9633 - 16069));
}

EASEL_JPEG_VECTOR void easel_jpeg_few_even(vector even[4], vector zero_r0, vector r2_zero, int shift) {
  vector t0 = v_add_epi32(v_srai_epi32(zero_r0, 3), v_set1_epi32(1 << (shift - 1)));
  vector t2 = v_madd_epi16(r2_zero, EASEL_JPEG_BY(4433, 0));
  vector t3 = v_madd_epi16(r2_zero, EASEL_JPEG_BY(4433 + 6270, 0));
  even[0] = v_add_epi32(t0, t3);
  even[1] = v_add_epi32(t0, t2);
  even[2] = v_sub_epi32(t0, t2);
  even[3] = v_sub_epi32(t0, t3);
}

// Only the first four rows and columns hold levels.
EASEL_JPEG_VECTOR void easel_jpeg_lanes_corners_8(const int16_t *const *levels, const uint16_t *quanta,
                                            uint8_t *const *to, ptrdiff_t stride) {
  vector r0 = v_load_levels(levels, quanta, 0), r1 = v_load_levels(levels, quanta, 1);
  vector r2 = v_load_levels(levels, quanta, 2), r3 = v_load_levels(levels, quanta, 3);
  if (EASEL_JPEG_RARELY(easel_jpeg_is_vast(r0))) {
    for (int lane = 0; lane < EASEL_JPEG_LANES; lane++) easel_jpeg_block_8(levels[lane], quanta, to[lane], stride);
    return;
  }
  vector zero = v_zero(), even[4], odd[4], sums[8];
  easel_jpeg_few_even(even, v_unpacklo_epi16(zero, r0), v_unpacklo_epi16(r2, zero), 11);
  easel_jpeg_few_odd(odd, v_unpacklo_epi16(r1, r3));
  for (int i = 0; i < 4; i++) {
    sums[i] = v_srai_epi32(v_add_epi32(even[i], odd[i]), 11);
    sums[7 - i] = v_srai_epi32(v_sub_epi32(even[i], odd[i]), 11);
  }
  // Four columns of eight rows become four rows of eight columns.
  vector p0 = v_packs_epi32(sums[0], sums[4]), p1 = v_packs_epi32(sums[1], sums[5]);
  vector p2 = v_packs_epi32(sums[2], sums[6]), p3 = v_packs_epi32(sums[3], sums[7]);
  vector a = v_unpacklo_epi16(p0, p2), b = v_unpacklo_epi16(p1, p3);
  vector c = v_unpackhi_epi16(p0, p2), d = v_unpackhi_epi16(p1, p3);
  vector e = v_unpacklo_epi16(a, b), f = v_unpackhi_epi16(a, b);
  vector g = v_unpacklo_epi16(c, d), h = v_unpackhi_epi16(c, d);
  r0 = v_unpacklo_epi64(e, g);
  r1 = v_unpackhi_epi64(e, g);
  r2 = v_unpacklo_epi64(f, h);
  r3 = v_unpackhi_epi64(f, h);
  vector out[8];
  vector odd_high[4], even_high[4];
  easel_jpeg_few_even(even, v_unpacklo_epi16(zero, r0), v_unpacklo_epi16(r2, zero), 18);
  easel_jpeg_few_even(even_high, v_unpackhi_epi16(zero, r0), v_unpackhi_epi16(r2, zero), 18);
  easel_jpeg_few_odd(odd, v_unpacklo_epi16(r1, r3));
  easel_jpeg_few_odd(odd_high, v_unpackhi_epi16(r1, r3));
  for (int i = 0; i < 4; i++) {
    out[i] = v_packs_epi32(v_srai_epi32(v_add_epi32(even[i], odd[i]), 18),
                                v_srai_epi32(v_add_epi32(even_high[i], odd_high[i]), 18));
    out[7 - i] = v_packs_epi32(v_srai_epi32(v_sub_epi32(even[i], odd[i]), 18),
                                    v_srai_epi32(v_sub_epi32(even_high[i], odd_high[i]), 18));
  }
  easel_jpeg_store_columns(out, to, stride);
}

// ---- At a half: 4 by 4 samples

EASEL_JPEG_VECTOR void easel_jpeg_pass_4(vector out[4], vector zero_r0, vector r26, vector r13, vector r57,
                                         int shift) {
  vector mean = v_add_epi32(v_srai_epi32(zero_r0, 2), v_set1_epi32(1 << (shift - 1)));
  vector even = v_madd_epi16(r26, EASEL_JPEG_BY(15137, -6270));
  vector o2 = v_add_epi32(v_madd_epi16(r13, EASEL_JPEG_BY(20995, 7373)),
                                v_madd_epi16(r57, EASEL_JPEG_BY(-4926, -4176)));
  vector o0 = v_add_epi32(v_madd_epi16(r13, EASEL_JPEG_BY(8697, -17799)),
                                v_madd_epi16(r57, EASEL_JPEG_BY(11893, -1730)));
  vector outer = v_add_epi32(mean, even), inner = v_sub_epi32(mean, even);
  out[0] = v_srai_epi32(v_add_epi32(outer, o2), shift);
  out[1] = v_srai_epi32(v_add_epi32(inner, o0), shift);
  out[2] = v_srai_epi32(v_sub_epi32(inner, o0), shift);
  out[3] = v_srai_epi32(v_sub_epi32(outer, o2), shift);
}

EASEL_JPEG_VECTOR void easel_jpeg_lanes_blocks_4(const int16_t *const *levels, const uint16_t *quanta,
                                            uint8_t *const *to, ptrdiff_t stride) {
  vector r[8];
  for (int i = 0; i < 8; i++) {
    if (i != 4) r[i] = v_load_levels(levels, quanta, i);
  }
  if (EASEL_JPEG_RARELY(easel_jpeg_is_vast(r[0]))) {
    for (int lane = 0; lane < EASEL_JPEG_LANES; lane++) easel_jpeg_block_4(levels[lane], quanta, to[lane], stride);
    return;
  }
  vector zero = v_zero(), low[4], high[4];
  easel_jpeg_pass_4(low, v_unpacklo_epi16(zero, r[0]), v_unpacklo_epi16(r[2], r[6]),
                    v_unpacklo_epi16(r[1], r[3]), v_unpacklo_epi16(r[5], r[7]), 12);
  easel_jpeg_pass_4(high, v_unpackhi_epi16(zero, r[0]), v_unpackhi_epi16(r[2], r[6]),
                    v_unpackhi_epi16(r[1], r[3]), v_unpackhi_epi16(r[5], r[7]), 12);
  // Four rows of eight columns; then words 0 to 3 of each result are a column.
  vector d0 = v_packs_epi32(low[0], high[0]), d1 = v_packs_epi32(low[1], high[1]);
  vector d2 = v_packs_epi32(low[2], high[2]), d3 = v_packs_epi32(low[3], high[3]);
  vector a = v_unpacklo_epi16(d0, d1), b = v_unpackhi_epi16(d0, d1);
  vector c = v_unpacklo_epi16(d2, d3), d = v_unpackhi_epi16(d2, d3);
  vector c01 = v_unpacklo_epi32(a, c), c23 = v_unpackhi_epi32(a, c);
  vector c45 = v_unpacklo_epi32(b, d), c67 = v_unpackhi_epi32(b, d);
  vector out[4];
  easel_jpeg_pass_4(out, v_unpacklo_epi16(zero, c01), v_unpacklo_epi16(c23, c67),
                    v_unpackhi_epi16(c01, c23), v_unpackhi_epi16(c45, c67), 19);
  // Each result is a column of four; now to rows.
  vector p02 = v_packs_epi32(out[0], out[2]), p13 = v_packs_epi32(out[1], out[3]);
  vector e = v_unpacklo_epi16(p02, p13), f = v_unpackhi_epi16(p02, p13);
  vector rows = v_packs_epi16(v_unpacklo_epi32(e, f), v_unpackhi_epi32(e, f));
  rows = v_xor(rows, v_set1_epi8(-128));
  for (int lane = 0; lane < EASEL_JPEG_LANES; lane++) {
    v_store_four(to[lane], rows, lane, 0);
    v_store_four(to[lane] + stride, rows, lane, 1);
    v_store_four(to[lane] + 2 * stride, rows, lane, 2);
    v_store_four(to[lane] + 3 * stride, rows, lane, 3);
  }
}

// ---- At a quarter: 2 by 2 samples

EASEL_JPEG_VECTOR void easel_jpeg_lanes_blocks_2(const int16_t *const *levels, const uint16_t *quanta,
                                            uint8_t *const *to, ptrdiff_t stride) {
  vector r0 = v_load_levels(levels, quanta, 0), r1 = v_load_levels(levels, quanta, 1);
  vector r3 = v_load_levels(levels, quanta, 3), r5 = v_load_levels(levels, quanta, 5);
  vector r7 = v_load_levels(levels, quanta, 7);
  // Columns 0 and 1, and then columns 1, 3, 5 and 7.
  vector by13 = EASEL_JPEG_BY(29692, -10426), by57 = EASEL_JPEG_BY(6967, -5906), zero = v_zero();
  vector first = v_add_epi32(v_madd_epi16(v_unpacklo_epi16(r1, r3), by13),
                                   v_madd_epi16(v_unpacklo_epi16(r5, r7), by57));
  vector r13 = v_blend(v_srli_epi32(r1, 16), r3);
  vector r57 = v_blend(v_srli_epi32(r5, 16), r7);
  vector others = v_add_epi32(v_madd_epi16(r13, by13), v_madd_epi16(r57, by57));
  vector round = v_set1_epi32(1 << 12);
  vector mean_first = v_add_epi32(v_srai_epi32(v_unpacklo_epi16(zero, r0), 1), round);
  vector mean_others = v_add_epi32(v_srai_epi32(v_blend(zero, r0), 1), round);
  vector a0 = v_srai_epi32(v_add_epi32(mean_first, first), 13);
  vector b0 = v_srai_epi32(v_sub_epi32(mean_first, first), 13);
  vector a = v_srai_epi32(v_add_epi32(mean_others, others), 13);
  vector b = v_srai_epi32(v_sub_epi32(mean_others, others), 13);
  // Words of columns 1, 3, 5, 7 of the upper row, then of the lower one.
  vector both = v_packs_epi32(a, b);
  vector products = v_madd_epi16(both, v_set4_epi16(29692, -10426, 6967, -5906));
  vector odd = v_add_epi32(products, v_srli_epi64(products, 32));
  // Doublewords 0 and 2 hold the odd sums of both rows.
  vector means = v_unpacklo_epi64(a0, b0);
  means = v_add_epi32(v_slli_epi32(means, 15), v_set1_epi32(1 << 19));
  vector left = v_srai_epi32(v_add_epi32(means, odd), 20);
  vector right = v_srai_epi32(v_sub_epi32(means, odd), 20);
  vector words = v_packs_epi32(left, right);
  vector bytes = v_xor(v_packs_epi16(words, words), v_set1_epi8(-128));
  // Bytes 0 and 4 are the upper row, 2 and 6 the lower.
  for (int lane = 0; lane < EASEL_JPEG_LANES; lane++) {
    uint64_t four = v_low(bytes, lane);
    to[lane][0] = (uint8_t)four;
    to[lane][1] = (uint8_t)(four >> 32);
    to[lane][stride] = (uint8_t)(four >> 16);
    to[lane][stride + 1] = (uint8_t)(four >> 48);
  }
}

// ---- Two at a time

#define EASEL_JPEG_KERNEL(name)                                                                                        \
  EASEL_JPEG_TARGET void EASEL_JPEG_NAMED(easel_jpeg_##name)(const int16_t *const levels[2], const uint16_t *quanta,  \
                                                             uint8_t *const to[2], ptrdiff_t stride) {                \
    for (int i = 0; i < 2; i += EASEL_JPEG_LANES) easel_jpeg_lanes_##name(levels + i, quanta, to + i, stride);        \
  }

EASEL_JPEG_KERNEL(blocks_8)
EASEL_JPEG_KERNEL(corners_8)
EASEL_JPEG_KERNEL(blocks_4)
EASEL_JPEG_KERNEL(blocks_2)
