#ifndef EASEL_FLOATS_H
#define EASEL_FLOATS_H

#include "internal.h"

// One pixel: four samples from 0 to 1. With plain vector arithmetic, all processors round in the same way.
typedef float easel_f4 __attribute__((vector_size(16)));
typedef int32_t easel_i4 __attribute__((vector_size(16)));
typedef uint8_t easel_u8x4 __attribute__((vector_size(4)));
typedef uint16_t easel_u16x4 __attribute__((vector_size(8)));

// The number of pixels that kernels process at once, in buffers on the stack.
enum { EASEL_CHUNK = 64 };

EASEL_INLINE easel_f4 easel_splat(float v) { return (easel_f4){v, v, v, v}; }

EASEL_INLINE easel_f4 easel_select(easel_i4 mask, easel_f4 a, easel_f4 b) {
  return (easel_f4)(((easel_i4)a & mask) | ((easel_i4)b & ~mask));
}

EASEL_INLINE easel_f4 easel_min(easel_f4 a, easel_f4 b) { return easel_select(a < b, a, b); }
EASEL_INLINE easel_f4 easel_max(easel_f4 a, easel_f4 b) { return easel_select(a > b, a, b); }
EASEL_INLINE easel_f4 easel_clamp(easel_f4 v) { return easel_min(easel_max(v, easel_splat(0)), easel_splat(1)); }
EASEL_INLINE easel_f4 easel_alpha_of(easel_f4 v) { return easel_splat(v[3]); }

// Combines the colour of a with the alpha of b.
EASEL_INLINE easel_f4 easel_with_alpha(easel_f4 a, easel_f4 b) {
  return easel_select((easel_i4){-1, -1, -1, 0}, a, b);
}

EASEL_INLINE easel_f4 easel_load_samples(easel_format format, const uint8_t *pixel) {
  if (format == EASEL_FORMAT_RGBA8) {
    easel_u8x4 v;
    memcpy(&v, pixel, 4);
    return __builtin_convertvector(v, easel_f4) / 255.0f;
  }
  if (format == EASEL_FORMAT_RGBA16) {
    easel_u16x4 v;
    memcpy(&v, pixel, 8);
    return __builtin_convertvector(v, easel_f4) / 65535.0f;
  }
  float grey = (float)pixel[0] / 255.0f;
  return (easel_f4){grey, grey, grey, 1};
}

EASEL_INLINE easel_f4 easel_load_premultiplied(easel_format format, easel_alpha alpha, const uint8_t *pixel) {
  easel_f4 v = easel_load_samples(format, pixel);
  if (alpha == EASEL_ALPHA_OPAQUE) return easel_with_alpha(v, easel_splat(1));
  if (alpha == EASEL_ALPHA_STRAIGHT) return easel_with_alpha(v * easel_alpha_of(v), v);
  return v;
}

EASEL_INLINE easel_f4 easel_unpremultiplied(easel_f4 v) {
  if (!(v[3] > 0)) return easel_splat(0);
  return easel_with_alpha(v / easel_alpha_of(v), v);
}

EASEL_INLINE easel_f4 easel_load_straight(easel_format format, easel_alpha alpha, const uint8_t *pixel) {
  easel_f4 v = easel_load_samples(format, pixel);
  if (alpha == EASEL_ALPHA_OPAQUE) return easel_with_alpha(v, easel_splat(1));
  return alpha == EASEL_ALPHA_PREMULTIPLIED ? easel_unpremultiplied(v) : v;
}

EASEL_INLINE void easel_store_samples(easel_format format, easel_f4 v, uint8_t *pixel) {
  v = easel_clamp(v);
  if (format == EASEL_FORMAT_RGBA16) {
    easel_i4 whole = __builtin_convertvector(v * 65535.0f + 0.5f, easel_i4);
    easel_u16x4 deep = __builtin_convertvector(whole, easel_u16x4);
    memcpy(pixel, &deep, 8);
    return;
  }
  easel_i4 whole = __builtin_convertvector(v * 255.0f + 0.5f, easel_i4);
  if (format == EASEL_FORMAT_RGBA8) {
    easel_u8x4 bytes = __builtin_convertvector(whole, easel_u8x4);
    memcpy(pixel, &bytes, 4);
  } else {
    pixel[0] = (uint8_t)whole[0];
  }
}

EASEL_INLINE void easel_store_premultiplied(easel_format format, easel_alpha alpha, easel_f4 v, uint8_t *pixel) {
  v = easel_clamp(v);
  if (alpha == EASEL_ALPHA_OPAQUE) {
    v = easel_with_alpha(v, easel_splat(1));
  } else {
    v = easel_min(v, easel_alpha_of(v));
    // A pixel whose alpha rounds to zero has no colour.
    float one = format == EASEL_FORMAT_RGBA16 ? 65535.0f : 255.0f;
    if (v[3] * one < 0.5f) v = easel_splat(0);
    if (alpha == EASEL_ALPHA_STRAIGHT) v = easel_unpremultiplied(v);
  }
  easel_store_samples(format, v, pixel);
}

EASEL_INLINE void easel_store_straight(easel_format format, easel_alpha alpha, easel_f4 v, uint8_t *pixel) {
  v = easel_clamp(v);
  if (alpha == EASEL_ALPHA_OPAQUE) v = easel_with_alpha(v, easel_splat(1));
  if (alpha == EASEL_ALPHA_PREMULTIPLIED) v = easel_with_alpha(v * easel_alpha_of(v), v);
  easel_store_samples(format, v, pixel);
}

#endif
