#include "internal.h"

#define EASEL_ROW(pointer, stride, y) ((uint8_t *)(pointer) + (ptrdiff_t)(y) * (stride))
#define EASEL_CONST_ROW(pointer, stride, y) ((const uint8_t *)(pointer) + (ptrdiff_t)(y) * (stride))

EASEL_INLINE void easel_swap8_pixel(const uint8_t *s, uint8_t *t) {
  uint32_t v;
  memcpy(&v, s, 4);
  v = (v & 0xff00ff00u) | (v & 0xff) << 16 | (v >> 16 & 0xff);
  memcpy(t, &v, 4);
}

EASEL_INLINE void easel_swap8_body(const uint8_t *s, uint8_t *t, size_t pixels) {
  if (s == t) {
    // This loop is separate, because vectors need the guarantee that no pixel is written that is read later.
    for (size_t i = 0; i < pixels; i++) easel_swap8_pixel(t + i * 4, t + i * 4);
  } else {
    for (size_t i = 0; i < pixels; i++) easel_swap8_pixel(s + i * 4, t + i * 4);
  }
}

EASEL_INLINE void easel_swap16_body(const uint8_t *s, uint8_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++) {
    uint64_t v;
    memcpy(&v, s + i * 8, 8);
    v = (v & 0xffff0000ffff0000u) | (v & 0xffff) << 32 | (v >> 32 & 0xffff);
    memcpy(t + i * 8, &v, 8);
  }
}

EASEL_INLINE void easel_gray8_body(const uint8_t *s, uint8_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++) {
    uint32_t v = 0xff000000u | s[i] * 0x010101u;
    memcpy(t + i * 4, &v, 4);
  }
}

EASEL_INLINE void easel_widen8_body(const uint8_t *s, uint16_t *t, size_t samples) {
  for (size_t i = 0; i < samples; i++) t[i] = (uint16_t)(s[i] * 257u);
}

// Rounds v / 257 to nearest without a division (65535 is 257 times 255).
EASEL_INLINE void easel_narrow16_body(const uint16_t *s, uint8_t *t, size_t samples) {
  for (size_t i = 0; i < samples; i++) t[i] = (uint8_t)((s[i] * 255u + 32895u) >> 16);
}

EASEL_INLINE void easel_fill4_body(uint32_t value, uint8_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++) memcpy(t + i * 4, &value, 4);
}

EASEL_INLINE void easel_fill8_body(uint64_t value, uint8_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++) memcpy(t + i * 8, &value, 8);
}

EASEL_CLONES(easel_swap8, (const uint8_t *s, uint8_t *t, size_t pixels), (s, t, pixels))
EASEL_CLONES(easel_swap16, (const uint8_t *s, uint8_t *t, size_t pixels), (s, t, pixels))
EASEL_CLONES(easel_gray8, (const uint8_t *s, uint8_t *t, size_t pixels), (s, t, pixels))
EASEL_CLONES(easel_widen8, (const uint8_t *s, uint16_t *t, size_t samples), (s, t, samples))
EASEL_CLONES(easel_narrow16, (const uint16_t *s, uint8_t *t, size_t samples), (s, t, samples))
EASEL_CLONES(easel_fill4, (uint32_t value, uint8_t *t, size_t pixels), (value, t, pixels))
EASEL_CLONES(easel_fill8, (uint64_t value, uint8_t *t, size_t pixels), (value, t, pixels))

static void easel_rgb8_scalar(bool is_bgr, const uint8_t *s, uint8_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, s += 3, t += 4) {
    t[0] = s[is_bgr ? 2 : 0];
    t[1] = s[1];
    t[2] = s[is_bgr ? 0 : 2];
    t[3] = 255;
  }
}

#if defined(EASEL_X86)
EASEL_SSE41 static void easel_rgb8_sse41(bool is_bgr, const uint8_t *s, uint8_t *t, size_t pixels) {
  const __m128i rgb = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  const __m128i bgr = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
  const __m128i order = is_bgr ? bgr : rgb;
  const __m128i alpha = _mm_set1_epi32((int)0xff000000);
  size_t i = 0;
  // Each load reads four bytes more than it needs.
  for (; i + 6 <= pixels; i += 4) {
    __m128i v = _mm_loadu_si128((const __m128i *)(s + i * 3));
    _mm_storeu_si128((__m128i *)(t + i * 4), _mm_or_si128(_mm_shuffle_epi8(v, order), alpha));
  }
  easel_rgb8_scalar(is_bgr, s + i * 3, t + i * 4, pixels - i);
}
#elif defined(EASEL_NEON)
static void easel_rgb8_neon(bool is_bgr, const uint8_t *s, uint8_t *t, size_t pixels) {
  size_t i = 0;
  for (; i + 16 <= pixels; i += 16) {
    uint8x16x3_t v = vld3q_u8(s + i * 3);
    uint8x16x4_t with_alpha = {{v.val[is_bgr ? 2 : 0], v.val[1], v.val[is_bgr ? 0 : 2], vdupq_n_u8(255)}};
    vst4q_u8(t + i * 4, with_alpha);
  }
  easel_rgb8_scalar(is_bgr, s + i * 3, t + i * 4, pixels - i);
}
#endif

static void easel_rgb8(bool is_bgr, const uint8_t *s, uint8_t *t, size_t pixels) {
  EASEL_BEST(easel_rgb8_sse41, easel_rgb8_sse41, easel_rgb8_neon, easel_rgb8_scalar)(is_bgr, s, t, pixels);
}

static void easel_pack_scalar(bool is_bgr, const uint8_t *s, uint8_t *t, size_t pixels) {
  for (; pixels > 0; pixels--, s += 4, t += 3) {
    t[0] = s[is_bgr ? 2 : 0];
    t[1] = s[1];
    t[2] = s[is_bgr ? 0 : 2];
  }
}

#if defined(EASEL_X86)
EASEL_SSE41 static void easel_pack_sse41(bool is_bgr, const uint8_t *s, uint8_t *t, size_t pixels) {
  const __m128i rgb = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  const __m128i bgr = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m128i order = is_bgr ? bgr : rgb;
  size_t i = 0;
  // Each store writes four bytes too many, which the next store overwrites.
  for (; i + 6 <= pixels; i += 4) {
    __m128i v = _mm_loadu_si128((const __m128i *)(s + i * 4));
    _mm_storeu_si128((__m128i *)(t + i * 3), _mm_shuffle_epi8(v, order));
  }
  easel_pack_scalar(is_bgr, s + i * 4, t + i * 3, pixels - i);
}
#elif defined(EASEL_NEON)
static void easel_pack_neon(bool is_bgr, const uint8_t *s, uint8_t *t, size_t pixels) {
  size_t i = 0;
  for (; i + 16 <= pixels; i += 16) {
    uint8x16x4_t v = vld4q_u8(s + i * 4);
    uint8x16x3_t without_alpha = {{v.val[is_bgr ? 2 : 0], v.val[1], v.val[is_bgr ? 0 : 2]}};
    vst3q_u8(t + i * 3, without_alpha);
  }
  easel_pack_scalar(is_bgr, s + i * 4, t + i * 3, pixels - i);
}
#endif

void easel_rgba8_to_rgb8(bool is_bgr, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    EASEL_BEST(easel_pack_sse41, easel_pack_sse41, easel_pack_neon, easel_pack_scalar)
    (is_bgr, EASEL_CONST_ROW(source, source_stride, y), EASEL_ROW(target, target_stride, y), width);
  }
}

EASEL_INLINE void easel_swap_bytes_body(const uint8_t *s, uint8_t *t, size_t samples) {
  for (size_t i = 0; i < samples; i++) {
    uint16_t v;
    memcpy(&v, s + i * 2, 2);
    v = (uint16_t)(v << 8 | v >> 8);
    memcpy(t + i * 2, &v, 2);
  }
}

EASEL_CLONES(easel_swap_bytes, (const uint8_t *s, uint8_t *t, size_t samples), (s, t, samples))

void easel_swap_bytes16(const void *source, void *target, size_t samples) {
  easel_swap_bytes(source, target, samples);
}

void easel_swap_red_blue(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *s = EASEL_CONST_ROW(source, source_stride, y);
    uint8_t *t = EASEL_ROW(target, target_stride, y);
    if (format == EASEL_FORMAT_RGBA8) easel_swap8(s, t, width);
    if (format == EASEL_FORMAT_RGBA16) easel_swap16(s, t, width);
  }
}

void easel_gray8_to_rgba8(const void *source, ptrdiff_t source_stride, void *target, ptrdiff_t target_stride,
                          size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    easel_gray8(EASEL_CONST_ROW(source, source_stride, y), EASEL_ROW(target, target_stride, y), width);
  }
}

void easel_rgb8_to_rgba8(bool is_bgr, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    easel_rgb8(is_bgr, EASEL_CONST_ROW(source, source_stride, y), EASEL_ROW(target, target_stride, y), width);
  }
}

void easel_rgba8_to_rgba16(const void *source, ptrdiff_t source_stride, void *target, ptrdiff_t target_stride,
                           size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    easel_widen8(EASEL_CONST_ROW(source, source_stride, y), (uint16_t *)(void *)EASEL_ROW(target, target_stride, y),
                 width * 4);
  }
}

void easel_rgba16_to_rgba8(const void *source, ptrdiff_t source_stride, void *target, ptrdiff_t target_stride,
                           size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    easel_narrow16((const uint16_t *)(const void *)EASEL_CONST_ROW(source, source_stride, y),
                   EASEL_ROW(target, target_stride, y), width * 4);
  }
}

void easel_fill(easel_format format, const void *pixel, void *target, ptrdiff_t target_stride, size_t width,
                size_t height) {
  for (size_t y = 0; y < height; y++) {
    uint8_t *t = EASEL_ROW(target, target_stride, y);
    if (format == EASEL_FORMAT_GRAY8) {
      memset(t, *(const uint8_t *)pixel, width);
    } else if (format == EASEL_FORMAT_RGBA8) {
      uint32_t value;
      memcpy(&value, pixel, 4);
      easel_fill4(value, t, width);
    } else {
      uint64_t value;
      memcpy(&value, pixel, 8);
      easel_fill8(value, t, width);
    }
  }
}

void easel_map_gray(easel_format format, const void *table, void *pixels, ptrdiff_t stride, size_t width,
                    size_t height) {
  const uint8_t *levels = table;
  for (size_t y = 0; y < height; y++) {
    uint8_t *row = EASEL_ROW(pixels, stride, y);
    for (size_t x = 0; x < width; x++) {
      if (format == EASEL_FORMAT_RGBA16) {
        uint16_t level;
        memcpy(&level, row + 8 * x, 2);
        memcpy(row + 8 * x, levels + 6 * (size_t)level, 6);
      } else if (format == EASEL_FORMAT_RGBA8) {
        memcpy(row + 4 * x, levels + 3 * (size_t)row[4 * x], 3);
      }
    }
  }
}
