// The sums of filter.c for NEON; they equal those of the scalar reference.

static void easel_filter_sums_neon(const easel_filter_rows *rows, size_t first, uint64_t sums[5]) {
  uint64x2_t totals[5] = {vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0)};
  size_t i = first;
  for (; i + 16 <= rows->bytes; i += 16) {
    uint8x16_t x = vld1q_u8(rows->row + i), a = vld1q_u8(rows->row + i - rows->pixel);
    uint8x16_t b = vld1q_u8(rows->above + i), c = vld1q_u8(rows->above + i - rows->pixel);
    uint8x16_t pa = vabdq_u8(b, c), pb = vabdq_u8(a, c);
    uint8x16_t agrees = vceqq_u8(vcgtq_u8(a, c), vcgtq_u8(b, c));
    uint8x16_t pc = vbslq_u8(agrees, vqaddq_u8(pa, pb), vabdq_u8(pa, pb));
    uint8x16_t second = vbslq_u8(vcleq_u8(pb, pc), b, c);
    uint8x16_t nearest = vbslq_u8(vandq_u8(vcleq_u8(pa, pb), vcleq_u8(pa, pc)), a, second);
    uint8x16_t rests[5] = {x, vsubq_u8(x, a), vsubq_u8(x, b), vsubq_u8(x, vhaddq_u8(a, b)), vsubq_u8(x, nearest)};
    for (int k = 0; k < 5; k++) {
      uint8x16_t distances = vminq_u8(rests[k], vsubq_u8(vdupq_n_u8(0), rests[k]));
      totals[k] = vpadalq_u32(totals[k], vpaddlq_u16(vpaddlq_u8(distances)));
    }
  }
  for (int k = 0; k < 5; k++) sums[k] += vaddvq_u64(totals[k]);
  easel_filter_sums_scalar(rows, i, sums);
}
