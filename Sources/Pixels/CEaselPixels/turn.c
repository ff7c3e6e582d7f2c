#include "internal.h"

EASEL_INLINE void easel_transpose_tile(const uint8_t *s, ptrdiff_t ss, uint8_t *t, ptrdiff_t ts, size_t columns,
                                       size_t rows, size_t bytes) {
  for (size_t y = 0; y < rows; y++) {
    for (size_t x = 0; x < columns; x++) {
      memcpy(t + (ptrdiff_t)x * ts + y * bytes, s + (ptrdiff_t)y * ss + x * bytes, bytes);
    }
  }
}

#if defined(EASEL_X86)
EASEL_SSE41 static void easel_transpose4x4(const uint8_t *s, ptrdiff_t ss, uint8_t *t, ptrdiff_t ts) {
  __m128i a = _mm_loadu_si128((const __m128i *)s), b = _mm_loadu_si128((const __m128i *)(s + ss));
  __m128i c = _mm_loadu_si128((const __m128i *)(s + 2 * ss)), d = _mm_loadu_si128((const __m128i *)(s + 3 * ss));
  __m128i ab0 = _mm_unpacklo_epi32(a, b), ab1 = _mm_unpackhi_epi32(a, b);
  __m128i cd0 = _mm_unpacklo_epi32(c, d), cd1 = _mm_unpackhi_epi32(c, d);
  _mm_storeu_si128((__m128i *)t, _mm_unpacklo_epi64(ab0, cd0));
  _mm_storeu_si128((__m128i *)(t + ts), _mm_unpackhi_epi64(ab0, cd0));
  _mm_storeu_si128((__m128i *)(t + 2 * ts), _mm_unpacklo_epi64(ab1, cd1));
  _mm_storeu_si128((__m128i *)(t + 3 * ts), _mm_unpackhi_epi64(ab1, cd1));
}

EASEL_AVX2 static void easel_transpose8x8(const uint8_t *s, ptrdiff_t ss, uint8_t *t, ptrdiff_t ts) {
  __m256i r[8], u[8];
  for (int i = 0; i < 4; i++) {
    // A register holds one half of row i and the same half of row i + 4, so that the 128-bit unpacks below complete the
    // transpose.
    const uint8_t *upper = s + i * ss, *lower = s + (i + 4) * ss;
    r[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)upper)),
                                   _mm_loadu_si128((const __m128i *)lower), 1);
    r[i + 4] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(upper + 16))),
                                       _mm_loadu_si128((const __m128i *)(lower + 16)), 1);
  }
  for (int half = 0; half < 8; half += 4) {
    __m256i ab0 = _mm256_unpacklo_epi32(r[half], r[half + 1]), ab1 = _mm256_unpackhi_epi32(r[half], r[half + 1]);
    __m256i cd0 = _mm256_unpacklo_epi32(r[half + 2], r[half + 3]);
    __m256i cd1 = _mm256_unpackhi_epi32(r[half + 2], r[half + 3]);
    u[half] = _mm256_unpacklo_epi64(ab0, cd0);
    u[half + 1] = _mm256_unpackhi_epi64(ab0, cd0);
    u[half + 2] = _mm256_unpacklo_epi64(ab1, cd1);
    u[half + 3] = _mm256_unpackhi_epi64(ab1, cd1);
  }
  for (int i = 0; i < 8; i++) _mm256_storeu_si256((__m256i *)(t + i * ts), u[i]);
}
#elif defined(EASEL_NEON)
static void easel_transpose4x4(const uint8_t *s, ptrdiff_t ss, uint8_t *t, ptrdiff_t ts) {
  uint32x4_t a = vreinterpretq_u32_u8(vld1q_u8(s)), b = vreinterpretq_u32_u8(vld1q_u8(s + ss));
  uint32x4_t c = vreinterpretq_u32_u8(vld1q_u8(s + 2 * ss)), d = vreinterpretq_u32_u8(vld1q_u8(s + 3 * ss));
  // Columns 0 and 2, and then columns 1 and 3, of two rows each.
  uint64x2_t ab0 = vreinterpretq_u64_u32(vtrn1q_u32(a, b)), ab1 = vreinterpretq_u64_u32(vtrn2q_u32(a, b));
  uint64x2_t cd0 = vreinterpretq_u64_u32(vtrn1q_u32(c, d)), cd1 = vreinterpretq_u64_u32(vtrn2q_u32(c, d));
  vst1q_u8(t, vreinterpretq_u8_u64(vtrn1q_u64(ab0, cd0)));
  vst1q_u8(t + ts, vreinterpretq_u8_u64(vtrn1q_u64(ab1, cd1)));
  vst1q_u8(t + 2 * ts, vreinterpretq_u8_u64(vtrn2q_u64(ab0, cd0)));
  vst1q_u8(t + 3 * ts, vreinterpretq_u8_u64(vtrn2q_u64(ab1, cd1)));
}
#endif

// The side of the squares of pixels that vectors transpose; 0 without vectors.
EASEL_INLINE size_t easel_square_side(void) { return EASEL_BEST(8, 4, 4, 0); }

EASEL_INLINE void easel_transpose_square(const uint8_t *s, ptrdiff_t ss, uint8_t *t, ptrdiff_t ts, size_t side) {
#if defined(EASEL_X86)
  if (side == 8) {
    easel_transpose8x8(s, ss, t, ts);
  } else {
    easel_transpose4x4(s, ss, t, ts);
  }
#elif defined(EASEL_NEON)
  (void)side;
  easel_transpose4x4(s, ss, t, ts);
#else
  easel_transpose_tile(s, ss, t, ts, side, side, 4);
#endif
}

EASEL_INLINE void easel_transpose_block(const uint8_t *s, ptrdiff_t ss, uint8_t *t, ptrdiff_t ts, size_t columns,
                                        size_t rows, size_t bytes) {
  size_t side = bytes == 4 ? easel_square_side() : 0;
  if (side == 0) {
    easel_transpose_tile(s, ss, t, ts, columns, rows, bytes);
    return;
  }
  size_t x = 0, whole_rows = rows / side * side;
  for (; x + side <= columns; x += side) {
    for (size_t y = 0; y < whole_rows; y += side) {
      easel_transpose_square(s + (ptrdiff_t)y * ss + x * 4, ss, t + (ptrdiff_t)x * ts + y * 4, ts, side);
    }
  }
  easel_transpose_tile(s + x * 4, ss, t + (ptrdiff_t)x * ts, ts, columns - x, whole_rows, 4);
  easel_transpose_tile(s + (ptrdiff_t)whole_rows * ss, ss, t + whole_rows * 4, ts, columns, rows - whole_rows, 4);
}

EASEL_INLINE void easel_transpose_sized(const uint8_t *s, ptrdiff_t ss, size_t width, size_t height, uint8_t *t,
                                        ptrdiff_t ts, size_t bytes) {
  // A source tile and a target tile together fit in the first-level cache.
  const size_t side = 32;
  for (size_t y = 0; y < height; y += side) {
    size_t rows = height - y < side ? height - y : side;
    for (size_t x = 0; x < width; x += side) {
      size_t columns = width - x < side ? width - x : side;
      easel_transpose_block(s + (ptrdiff_t)y * ss + x * bytes, ss, t + (ptrdiff_t)x * ts + y * bytes, ts, columns, rows,
                            bytes);
    }
  }
}

static void easel_transpose(const uint8_t *s, ptrdiff_t ss, size_t width, size_t height, uint8_t *t, ptrdiff_t ts,
                            size_t bytes) {
  switch (bytes) {
    case 1: easel_transpose_sized(s, ss, width, height, t, ts, 1); break;
    case 4: easel_transpose_sized(s, ss, width, height, t, ts, 4); break;
    default: easel_transpose_sized(s, ss, width, height, t, ts, 8); break;
  }
}

// Swaps pixels from both ends inwards; this also works if source and target are the same row.
EASEL_INLINE void easel_mirror_rest(const uint8_t *s, uint8_t *t, size_t from, size_t end, size_t bytes) {
  uint8_t a[8], b[8];
  while (from < end) {
    end--;
    memcpy(a, s + from * bytes, bytes);
    memcpy(b, s + end * bytes, bytes);
    memcpy(t + from * bytes, b, bytes);
    memcpy(t + end * bytes, a, bytes);
    from++;
  }
}

#if defined(EASEL_X86)
EASEL_AVX2 static void easel_mirror4_avx2(const uint8_t *s, uint8_t *t, size_t width) {
  const __m256i order = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  size_t from = 0, end = width;
  while (end - from >= 16) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(s + from * 4));
    __m256i b = _mm256_loadu_si256((const __m256i *)(s + (end - 8) * 4));
    _mm256_storeu_si256((__m256i *)(t + from * 4), _mm256_permutevar8x32_epi32(b, order));
    _mm256_storeu_si256((__m256i *)(t + (end - 8) * 4), _mm256_permutevar8x32_epi32(a, order));
    from += 8;
    end -= 8;
  }
  easel_mirror_rest(s, t, from, end, 4);
}
#elif defined(EASEL_NEON)
EASEL_INLINE uint8x16_t easel_mirrored4_neon(uint8x16_t v) {
  uint32x4_t pairs = vrev64q_u32(vreinterpretq_u32_u8(v));
  return vreinterpretq_u8_u32(vextq_u32(pairs, pairs, 2));
}

static void easel_mirror4_neon(const uint8_t *s, uint8_t *t, size_t width) {
  size_t from = 0, end = width;
  while (end - from >= 8) {
    uint8x16_t a = vld1q_u8(s + from * 4), b = vld1q_u8(s + (end - 4) * 4);
    vst1q_u8(t + from * 4, easel_mirrored4_neon(b));
    vst1q_u8(t + (end - 4) * 4, easel_mirrored4_neon(a));
    from += 4;
    end -= 4;
  }
  easel_mirror_rest(s, t, from, end, 4);
}
#endif

static void easel_mirror4_scalar(const uint8_t *s, uint8_t *t, size_t width) { easel_mirror_rest(s, t, 0, width, 4); }

static void easel_mirror_row(const uint8_t *s, uint8_t *t, size_t width, size_t bytes) {
  switch (bytes) {
    case 1: easel_mirror_rest(s, t, 0, width, 1); break;
    case 4:
      EASEL_BEST(easel_mirror4_avx2, easel_mirror4_scalar, easel_mirror4_neon, easel_mirror4_scalar)(s, t, width);
      break;
    default: easel_mirror_rest(s, t, 0, width, 8); break;
  }
}

// For rows that do not overlap: one stream of writes is faster than two.
EASEL_INLINE void easel_reverse_rest(const uint8_t *s, uint8_t *t, size_t from, size_t width, size_t bytes) {
  for (size_t x = from; x < width; x++) memcpy(t + x * bytes, s + (width - 1 - x) * bytes, bytes);
}

#if defined(EASEL_X86)
EASEL_AVX2 static void easel_reverse4_avx2(const uint8_t *s, uint8_t *t, size_t width) {
  const __m256i order = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  size_t x = 0;
  for (; x + 16 <= width; x += 16) {
    const uint8_t *end = s + (width - x) * 4;
    __m256i a = _mm256_loadu_si256((const __m256i *)(end - 32)), b = _mm256_loadu_si256((const __m256i *)(end - 64));
    _mm256_storeu_si256((__m256i *)(t + x * 4), _mm256_permutevar8x32_epi32(a, order));
    _mm256_storeu_si256((__m256i *)(t + x * 4 + 32), _mm256_permutevar8x32_epi32(b, order));
  }
  easel_reverse_rest(s, t, x, width, 4);
}

EASEL_SSE41 static void easel_reverse4_sse41(const uint8_t *s, uint8_t *t, size_t width) {
  size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    __m128i pixels = _mm_loadu_si128((const __m128i *)(s + (width - x - 4) * 4));
    _mm_storeu_si128((__m128i *)(t + x * 4), _mm_shuffle_epi32(pixels, 0x1B));
  }
  easel_reverse_rest(s, t, x, width, 4);
}
#elif defined(EASEL_NEON)
static void easel_reverse4_neon(const uint8_t *s, uint8_t *t, size_t width) {
  size_t x = 0;
  for (; x + 4 <= width; x += 4) vst1q_u8(t + x * 4, easel_mirrored4_neon(vld1q_u8(s + (width - x - 4) * 4)));
  easel_reverse_rest(s, t, x, width, 4);
}
#endif

static void easel_reverse4_scalar(const uint8_t *s, uint8_t *t, size_t width) { easel_reverse_rest(s, t, 0, width, 4); }

static void easel_reverse_row(const uint8_t *s, uint8_t *t, size_t width, size_t bytes) {
  switch (bytes) {
    case 1: easel_reverse_rest(s, t, 0, width, 1); break;
    case 4:
      EASEL_BEST(easel_reverse4_avx2, easel_reverse4_sse41, easel_reverse4_neon, easel_reverse4_scalar)(s, t, width);
      break;
    default: easel_reverse_rest(s, t, 0, width, 8); break;
  }
}

static void easel_exchange_rows(uint8_t *a, uint8_t *b, size_t bytes) {
  uint8_t kept[1024];
  for (size_t i = 0; i < bytes; i += sizeof kept) {
    size_t count = bytes - i < sizeof kept ? bytes - i : sizeof kept;
    memcpy(kept, a + i, count);
    memcpy(a + i, b + i, count);
    memcpy(b + i, kept, count);
  }
}

void easel_flip(easel_format format, bool horizontally, bool vertically, const void *source, ptrdiff_t source_stride,
                void *target, ptrdiff_t target_stride, size_t width, size_t height) {
  size_t bytes = easel_pixel_bytes(format);
  const uint8_t *s = source;
  uint8_t *t = target;
  if (s == t) {
    for (size_t y = 0; vertically && y < height / 2; y++) {
      easel_exchange_rows(t + (ptrdiff_t)y * target_stride, t + (ptrdiff_t)(height - 1 - y) * target_stride,
                          width * bytes);
    }
    for (size_t y = 0; horizontally && y < height; y++) {
      uint8_t *row = t + (ptrdiff_t)y * target_stride;
      easel_mirror_row(row, row, width, bytes);
    }
    return;
  }
  for (size_t y = 0; y < height; y++) {
    const uint8_t *from = s + (ptrdiff_t)(vertically ? height - 1 - y : y) * source_stride;
    uint8_t *to = t + (ptrdiff_t)y * target_stride;
    if (horizontally) {
      easel_reverse_row(from, to, width, bytes);
    } else {
      memcpy(to, from, width * bytes);
    }
  }
}

void easel_orient(easel_format format, int orientation, const void *source, ptrdiff_t source_stride,
                  size_t source_width, size_t source_height, void *target, ptrdiff_t target_stride) {
  if (orientation < 5 || orientation > 8) {
    bool horizontally = orientation == 2 || orientation == 3, vertically = orientation == 3 || orientation == 4;
    easel_flip(format, horizontally, vertically, source, source_stride, target, target_stride, source_width,
               source_height);
    return;
  }
  if (source_width == 0 || source_height == 0) return;
  // A transpose that reads the source or writes the target from bottom to top, as the orientation requires.
  const uint8_t *s = source;
  uint8_t *t = target;
  if (orientation == 6 || orientation == 7) {
    s += (ptrdiff_t)(source_height - 1) * source_stride;
    source_stride = -source_stride;
  }
  if (orientation == 7 || orientation == 8) {
    t += (ptrdiff_t)(source_width - 1) * target_stride;
    target_stride = -target_stride;
  }
  easel_transpose(s, source_stride, source_width, source_height, t, target_stride, easel_pixel_bytes(format));
}
