#include "floats.h"

EASEL_INLINE float easel_soft_light(float b, float s) {
  if (s <= 0.5f) return b - (1 - 2 * s) * b * (1 - b);
  float d = b <= 0.25f ? ((16 * b - 12) * b + 4) * b : sqrtf(b);
  return b + (2 * s - 1) * (d - b);
}

EASEL_INLINE float easel_mixed(easel_blend_mode mode, float b, float s) {
  switch (mode) {
    case EASEL_BLEND_MULTIPLY: return b * s;
    case EASEL_BLEND_SCREEN: return b + s - b * s;
    case EASEL_BLEND_OVERLAY: return b <= 0.5f ? 2 * b * s : 1 - 2 * (1 - b) * (1 - s);
    case EASEL_BLEND_DARKEN: return b < s ? b : s;
    case EASEL_BLEND_LIGHTEN: return b > s ? b : s;
    case EASEL_BLEND_COLOR_DODGE: return b <= 0 ? 0 : b >= 1 - s ? 1 : b / (1 - s);
    case EASEL_BLEND_COLOR_BURN: return b >= 1 ? 1 : 1 - b >= s ? 0 : 1 - (1 - b) / s;
    case EASEL_BLEND_SOFT_LIGHT: return easel_soft_light(b, s);
    case EASEL_BLEND_HARD_LIGHT: return s <= 0.5f ? 2 * b * s : 1 - 2 * (1 - b) * (1 - s);
    case EASEL_BLEND_DIFFERENCE: return b > s ? b - s : s - b;
    case EASEL_BLEND_EXCLUSION: return b + s - 2 * b * s;
    default: return s;
  }
}

// The shares of source and backdrop in the result, after Porter and Duff.
EASEL_INLINE bool easel_coverage(easel_blend_mode mode, float source, float backdrop, float *keep_source,
                                 float *keep_backdrop) {
  switch (mode) {
    case EASEL_BLEND_NORMAL: *keep_source = 1, *keep_backdrop = 1 - source; return true;
    case EASEL_BLEND_CLEAR: *keep_source = 0, *keep_backdrop = 0; return true;
    case EASEL_BLEND_COPY: *keep_source = 1, *keep_backdrop = 0; return true;
    case EASEL_BLEND_SOURCE_IN: *keep_source = backdrop, *keep_backdrop = 0; return true;
    case EASEL_BLEND_SOURCE_OUT: *keep_source = 1 - backdrop, *keep_backdrop = 0; return true;
    case EASEL_BLEND_SOURCE_ATOP: *keep_source = backdrop, *keep_backdrop = 1 - source; return true;
    case EASEL_BLEND_DESTINATION_OVER: *keep_source = 1 - backdrop, *keep_backdrop = 1; return true;
    case EASEL_BLEND_DESTINATION_IN: *keep_source = 0, *keep_backdrop = source; return true;
    case EASEL_BLEND_DESTINATION_OUT: *keep_source = 0, *keep_backdrop = 1 - source; return true;
    case EASEL_BLEND_DESTINATION_ATOP: *keep_source = 1 - backdrop, *keep_backdrop = source; return true;
    case EASEL_BLEND_XOR: *keep_source = 1 - backdrop, *keep_backdrop = 1 - source; return true;
    case EASEL_BLEND_PLUS_LIGHTER: *keep_source = 1, *keep_backdrop = 1; return true;
    default: return false;
  }
}

EASEL_INLINE easel_f4 easel_blended(easel_blend_mode mode, easel_f4 s, easel_f4 b) {
  float keep_source, keep_backdrop;
  if (easel_coverage(mode, s[3], b[3], &keep_source, &keep_backdrop)) {
    return s * easel_splat(keep_source) + b * easel_splat(keep_backdrop);
  }
  easel_f4 source = easel_clamp(easel_unpremultiplied(s)), backdrop = easel_clamp(easel_unpremultiplied(b)), mixed;
  for (int c = 0; c < 3; c++) mixed[c] = easel_mixed(mode, backdrop[c], source[c]);
  mixed[3] = 1;
  easel_f4 rest = s * easel_splat(1 - b[3]) + b * easel_splat(1 - s[3]);
  return rest + mixed * easel_splat(s[3] * b[3]);
}

typedef struct {
  easel_format format;
  easel_blend_mode mode;
  easel_alpha source_alpha, target_alpha;
  float opacity;
  // Premultiplied; used if there is no source picture.
  float color[4];
} easel_blend_plan;

EASEL_INLINE void easel_blend_row_body(const easel_blend_plan *plan, const uint8_t *source, uint8_t *target,
                                       size_t width) {
  size_t bytes = easel_pixel_bytes(plan->format);
  easel_f4 color, opacity = easel_splat(plan->opacity);
  memcpy(&color, plan->color, 16);
  for (size_t x = 0; x < width; x++) {
    uint8_t *t = target + x * bytes;
    easel_f4 s = source ? easel_load_premultiplied(plan->format, plan->source_alpha, source + x * bytes) : color;
    easel_f4 b = easel_load_premultiplied(plan->format, plan->target_alpha, t);
    easel_store_premultiplied(plan->format, plan->target_alpha, easel_blended(plan->mode, s * opacity, b), t);
  }
}

EASEL_CLONES(easel_blend_row,
             (const easel_blend_plan *plan, const uint8_t *source, uint8_t *target, size_t width),
             (plan, source, target, width))

// Vectors that hold two pixels.
typedef uint32_t easel_u32x8 __attribute__((vector_size(32)));
typedef uint8_t easel_u8x8 __attribute__((vector_size(8)));

EASEL_INLINE easel_u8x8 easel_lay_pixels8(easel_u8x8 source, easel_alpha source_alpha, easel_u8x8 target,
                                          easel_alpha target_alpha, uint32_t opacity, uint32_t per_alpha) {
  const easel_u32x8 alphas = {0, 0, 0, 255, 0, 0, 0, 255};
  easel_u32x8 s = __builtin_convertvector(source, easel_u32x8), b = __builtin_convertvector(target, easel_u32x8);
  if (source_alpha == EASEL_ALPHA_OPAQUE) s |= alphas;
  if (target_alpha == EASEL_ALPHA_OPAQUE) b |= alphas;
  // The weight of the source, from 0 to 65535.
  easel_u32x8 weight = (__builtin_shufflevector(s, s, 3, 3, 3, 3, 7, 7, 7, 7) * per_alpha) >> 16;
  easel_u32x8 sum = b * (65535 - weight);
  sum += source_alpha == EASEL_ALPHA_PREMULTIPLIED ? s * opacity : (s | alphas) * weight;
  // Divides by 65535, and rounds to nearest.
  sum += 32767;
  easel_u32x8 result = (sum + 1 + (sum >> 16)) >> 16;
  // Premultiplied colours that exceed their alpha would overflow.
  result = (result & (easel_u32x8)(result < 255)) | (255 & (easel_u32x8)(result >= 255));
  return __builtin_convertvector(result, easel_u8x8);
}

EASEL_INLINE void easel_lay_with_alphas(const uint8_t *source, easel_alpha source_alpha, uint8_t *target,
                                        easel_alpha target_alpha, size_t width, uint32_t opacity, uint32_t per_alpha) {
  size_t x = 0;
  for (; x + 2 <= width; x += 2) {
    easel_u8x8 s, b;
    memcpy(&s, source + x * 4, 8);
    memcpy(&b, target + x * 4, 8);
    b = easel_lay_pixels8(s, source_alpha, b, target_alpha, opacity, per_alpha);
    memcpy(target + x * 4, &b, 8);
  }
  if (x < width) {
    easel_u8x8 s = {0}, b = {0};
    memcpy(&s, source + x * 4, 4);
    memcpy(&b, target + x * 4, 4);
    b = easel_lay_pixels8(s, source_alpha, b, target_alpha, opacity, per_alpha);
    memcpy(target + x * 4, &b, 4);
  }
}

EASEL_INLINE void easel_lay_row_body(const uint8_t *source, easel_alpha source_alpha, uint8_t *target,
                                     easel_alpha target_alpha, size_t width, uint32_t opacity, uint32_t per_alpha) {
  // Each pair of alphas gets a separate loop.
  easel_alpha opaque = EASEL_ALPHA_OPAQUE, straight = EASEL_ALPHA_STRAIGHT, premultiplied = EASEL_ALPHA_PREMULTIPLIED;
  if (target_alpha == opaque) {
    if (source_alpha == opaque) easel_lay_with_alphas(source, opaque, target, opaque, width, opacity, per_alpha);
    if (source_alpha == straight) easel_lay_with_alphas(source, straight, target, opaque, width, opacity, per_alpha);
    if (source_alpha == premultiplied) {
      easel_lay_with_alphas(source, premultiplied, target, opaque, width, opacity, per_alpha);
    }
  } else {
    easel_lay_with_alphas(source, source_alpha, target, premultiplied, width, opacity, per_alpha);
  }
}

EASEL_CLONES(easel_lay_row,
             (const uint8_t *source, easel_alpha source_alpha, uint8_t *target, easel_alpha target_alpha, size_t width,
              uint32_t opacity, uint32_t per_alpha),
             (source, source_alpha, target, target_alpha, width, opacity, per_alpha))

// The usual case of a watermark, in integers: 8 bits, no blend mode, and a target whose colours need no division.
static void easel_blend_normally8(float opacity, const uint8_t *source, ptrdiff_t source_stride,
                                  easel_alpha source_alpha, uint8_t *target, ptrdiff_t target_stride,
                                  easel_alpha target_alpha, size_t width, size_t height) {
  uint32_t whole = (uint32_t)((double)opacity * 65535 + 0.5);
  // 65535 / 255 in 16.16; the product with any alpha fits into 32 bits.
  uint32_t per_alpha = (uint32_t)((double)opacity * 16843009 + 0.5);
  for (size_t y = 0; y < height; y++) {
    easel_lay_row(source + (ptrdiff_t)y * source_stride, source_alpha, target + (ptrdiff_t)y * target_stride,
                  target_alpha, width, whole, per_alpha);
  }
}

void easel_blend(easel_format format, easel_blend_mode mode, float opacity, const void *source,
                 ptrdiff_t source_stride, easel_alpha source_alpha, void *target, ptrdiff_t target_stride,
                 easel_alpha target_alpha, size_t width, size_t height) {
  if (format == EASEL_FORMAT_RGBA8 && mode == EASEL_BLEND_NORMAL && target_alpha != EASEL_ALPHA_STRAIGHT &&
      opacity >= 0 && opacity <= 1) {
    easel_blend_normally8(opacity, source, source_stride, source_alpha, target, target_stride, target_alpha, width,
                          height);
    return;
  }
  easel_blend_plan plan = {format, mode, source_alpha, target_alpha, opacity, {0, 0, 0, 0}};
  for (size_t y = 0; y < height; y++) {
    easel_blend_row(&plan, (const uint8_t *)source + (ptrdiff_t)y * source_stride,
                    (uint8_t *)target + (ptrdiff_t)y * target_stride, width);
  }
}

// If alpha is 1 everywhere, any mode blends each sample separately, so a table of 256 results is enough.
static void easel_blend_by_levels8(const easel_blend_plan *plan, uint8_t *target, ptrdiff_t stride, size_t width,
                                   size_t height) {
  uint32_t levels[256], red[256], green[256], blue[256];
  for (uint32_t i = 0; i < 256; i++) levels[i] = i * 0x010101u | 0xff000000u;
  easel_blend_row(plan, NULL, (uint8_t *)levels, 256);
  for (uint32_t i = 0; i < 256; i++) {
    red[i] = levels[i] & 0xff0000ffu, green[i] = levels[i] & 0xff00u, blue[i] = levels[i] & 0xff0000u;
  }
  for (size_t y = 0; y < height; y++) {
    uint8_t *row = target + (ptrdiff_t)y * stride;
    for (size_t x = 0; x < width; x++) {
      uint32_t pixel;
      memcpy(&pixel, row + x * 4, 4);
      pixel = red[pixel & 255] | green[pixel >> 8 & 255] | blue[pixel >> 16 & 255];
      memcpy(row + x * 4, &pixel, 4);
    }
  }
}

void easel_blend_color(easel_format format, easel_blend_mode mode, const float color[4], void *target,
                       ptrdiff_t target_stride, easel_alpha target_alpha, size_t width, size_t height) {
  easel_blend_plan plan = {format, mode, EASEL_ALPHA_PREMULTIPLIED, target_alpha, 1, {0, 0, 0, color[3]}};
  for (int c = 0; c < 3; c++) plan.color[c] = color[c] * color[3];
  if (format == EASEL_FORMAT_RGBA8 && target_alpha == EASEL_ALPHA_OPAQUE && width > 1024 / (height + 1)) {
    easel_blend_by_levels8(&plan, target, target_stride, width, height);
    return;
  }
  for (size_t y = 0; y < height; y++) {
    easel_blend_row(&plan, NULL, (uint8_t *)target + (ptrdiff_t)y * target_stride, width);
  }
}
