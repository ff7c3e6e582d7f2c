#include "internal.h"

float easel_srgb_decode(float value) {
  return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

float easel_srgb_encode(float value) {
  return value <= 0.0031308f ? value * 12.92f : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
}

// ---- Scalar references

static void easel_premultiply8_scalar(const uint8_t *s, uint8_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, s += 4, t += 4) {
    unsigned alpha = s[3];
    t[0] = (uint8_t)easel_scaled8(s[0], alpha);
    t[1] = (uint8_t)easel_scaled8(s[1], alpha);
    t[2] = (uint8_t)easel_scaled8(s[2], alpha);
    t[3] = (uint8_t)alpha;
  }
}

static void easel_unpremultiply8_scalar(const uint8_t *s, uint8_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, s += 4, t += 4) {
    unsigned alpha = s[3];
    t[0] = (uint8_t)easel_unscaled8(s[0], alpha);
    t[1] = (uint8_t)easel_unscaled8(s[1], alpha);
    t[2] = (uint8_t)easel_unscaled8(s[2], alpha);
    t[3] = (uint8_t)alpha;
  }
}

static void easel_premultiply16_scalar(const uint16_t *s, uint16_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, s += 4, t += 4) {
    uint32_t alpha = s[3];
    t[0] = (uint16_t)easel_scaled16(s[0], alpha);
    t[1] = (uint16_t)easel_scaled16(s[1], alpha);
    t[2] = (uint16_t)easel_scaled16(s[2], alpha);
    t[3] = (uint16_t)alpha;
  }
}

static void easel_unpremultiply16_scalar(const uint16_t *s, uint16_t *t, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, s += 4, t += 4) {
    uint32_t alpha = s[3];
    t[0] = (uint16_t)easel_unscaled16(s[0], alpha);
    t[1] = (uint16_t)easel_unscaled16(s[1], alpha);
    t[2] = (uint16_t)easel_unscaled16(s[2], alpha);
    t[3] = (uint16_t)alpha;
  }
}

static void easel_clamp_to_alpha8_scalar(uint8_t *row, size_t pixels) {
  for (size_t i = 0; i < pixels; i++, row += 4) {
    for (size_t c = 0; c < 3; c++) row[c] = row[c] < row[3] ? row[c] : row[3];
  }
}

static bool easel_is_opaque8_scalar(const uint8_t *row, size_t pixels) {
  unsigned all = 255;
  for (size_t i = 0; i < pixels; i++) all &= row[i * 4 + 3];
  return all == 255;
}

#if defined(EASEL_X86)
#include "alpha_x86.h"
#elif defined(EASEL_NEON)
#include "alpha_neon.h"
#endif

void easel_premultiply8_row(const uint8_t *s, uint8_t *t, size_t pixels) {
  EASEL_BEST(easel_premultiply8_avx2, easel_premultiply8_sse41, easel_premultiply8_neon, easel_premultiply8_scalar)
  (s, t, pixels);
}

void easel_unpremultiply8_row(const uint8_t *s, uint8_t *t, size_t pixels) {
  EASEL_BEST(easel_unpremultiply8_avx2, easel_unpremultiply8_sse41, easel_unpremultiply8_neon,
             easel_unpremultiply8_scalar)
  (s, t, pixels);
}

void easel_clamp_to_alpha8_row(uint8_t *row, size_t pixels) {
  EASEL_BEST(easel_clamp_to_alpha8_sse41, easel_clamp_to_alpha8_sse41, easel_clamp_to_alpha8_neon,
             easel_clamp_to_alpha8_scalar)
  (row, pixels);
}

void easel_force_opaque8_row(uint8_t *row, size_t pixels) {
  for (size_t i = 0; i < pixels; i++) row[i * 4 + 3] = 255;
}

static void easel_premultiply16_row(const uint16_t *s, uint16_t *t, size_t pixels) {
  EASEL_BEST(easel_premultiply16_avx2, easel_premultiply16_scalar, easel_premultiply16_neon,
             easel_premultiply16_scalar)
  (s, t, pixels);
}

static void easel_unpremultiply16_row(const uint16_t *s, uint16_t *t, size_t pixels) {
  EASEL_BEST(easel_unpremultiply16_avx2, easel_unpremultiply16_scalar, easel_unpremultiply16_neon,
             easel_unpremultiply16_scalar)
  (s, t, pixels);
}

bool easel_is_opaque8_row(const uint8_t *row, size_t pixels) {
  return EASEL_BEST(easel_is_opaque8_avx2, easel_is_opaque8_sse41, easel_is_opaque8_neon,
                    easel_is_opaque8_scalar)(row, pixels);
}

// ---- Pictures

void easel_premultiply(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                       ptrdiff_t target_stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *s = (const uint8_t *)source + (ptrdiff_t)y * source_stride;
    uint8_t *t = (uint8_t *)target + (ptrdiff_t)y * target_stride;
    if (format == EASEL_FORMAT_RGBA8) easel_premultiply8_row(s, t, width);
    if (format == EASEL_FORMAT_RGBA16) easel_premultiply16_row((const uint16_t *)(const void *)s, (uint16_t *)(void *)t, width);
  }
}

void easel_unpremultiply(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *s = (const uint8_t *)source + (ptrdiff_t)y * source_stride;
    uint8_t *t = (uint8_t *)target + (ptrdiff_t)y * target_stride;
    if (format == EASEL_FORMAT_RGBA8) easel_unpremultiply8_row(s, t, width);
    if (format == EASEL_FORMAT_RGBA16) easel_unpremultiply16_row((const uint16_t *)(const void *)s, (uint16_t *)(void *)t, width);
  }
}

bool easel_is_opaque(easel_format format, const void *source, ptrdiff_t stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = (const uint8_t *)source + (ptrdiff_t)y * stride;
    if (format == EASEL_FORMAT_RGBA8 && !easel_is_opaque8_row(row, width)) return false;
    if (format == EASEL_FORMAT_RGBA16) {
      unsigned all = 65535;
      for (size_t x = 0; x < width; x++) all &= ((const uint16_t *)(const void *)row)[x * 4 + 3];
      if (all != 65535) return false;
    }
  }
  return true;
}
