#ifndef EASEL_PIXELS_INTERNAL_H
#define EASEL_PIXELS_INTERNAL_H

#include "CEaselPixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A fused multiply-add rounds differently from separate operations, but all versions must round in the same way.
#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)
#define EASEL_X86 1
#include <immintrin.h>
#define EASEL_SSE41 __attribute__((target("sse4.1")))
#elif defined(__aarch64__)
#define EASEL_NEON 1
#include <arm_neon.h>
#endif

#define EASEL_INLINE static inline __attribute__((always_inline))

#define EASEL_CLONES(name, parameters, arguments) EASEL_CLONES_OF(static, name, parameters, arguments)

// Selects the version of a kernel for the current level. Only the versions for this processor must exist.
#if defined(EASEL_X86)
#define EASEL_BEST(avx2, sse41, neon, scalar)                                                                          \
  (easel_pixels_level() >= EASEL_LEVEL_AVX2    ? avx2                                                                  \
   : easel_pixels_level() >= EASEL_LEVEL_SSE41 ? sse41                                                                 \
                                               : scalar)
#elif defined(EASEL_NEON)
#define EASEL_BEST(avx2, sse41, neon, scalar) (easel_pixels_level() >= EASEL_LEVEL_NEON ? neon : scalar)
#else
#define EASEL_BEST(avx2, sse41, neon, scalar) scalar
#endif

EASEL_INLINE bool easel_multiply(size_t a, size_t b, size_t *product) { return !__builtin_mul_overflow(a, b, product); }

// Rounds up to whole cache lines, so that rows of a block never share a line, and vectors may go beyond the end of a
// row.
EASEL_INLINE bool easel_padded(size_t bytes, size_t *padded) {
  if (bytes > SIZE_MAX - 127) return false;
  *padded = (bytes + 63) & ~(size_t)63;
  return true;
}

EASEL_INLINE void *easel_allocate(size_t count, size_t size) {
  size_t bytes;
  if (!easel_multiply(count, size, &bytes) || !easel_padded(bytes, &bytes)) return NULL;
  return aligned_alloc(64, bytes ? bytes : 64);
}

EASEL_INLINE size_t easel_pixel_bytes(easel_format format) {
  return format == EASEL_FORMAT_GRAY8 ? 1 : format == EASEL_FORMAT_RGBA8 ? 4 : 8;
}

EASEL_INLINE unsigned easel_scaled8(unsigned value, unsigned alpha) {
  unsigned t = value * alpha + 128;
  return (t + (t >> 8)) >> 8;
}

EASEL_INLINE uint32_t easel_scaled16(uint32_t value, uint32_t alpha) {
  uint32_t t = value * alpha + 32768;
  return (t + (t >> 16)) >> 16;
}

EASEL_INLINE unsigned easel_unscaled8(unsigned value, unsigned alpha) {
  if (alpha == 0) return 0;
  unsigned t = (value * 255 + (alpha >> 1)) / alpha;
  return t > 255 ? 255 : t;
}

EASEL_INLINE uint32_t easel_unscaled16(uint32_t value, uint32_t alpha) {
  if (alpha == 0) return 0;
  uint64_t t = ((uint64_t)value * 65535 + (alpha >> 1)) / alpha;
  return t > 65535 ? 65535 : (uint32_t)t;
}

// Row kernels, for the picture kernels and for the resampler.
void easel_premultiply8_row(const uint8_t *source, uint8_t *target, size_t pixels);
void easel_unpremultiply8_row(const uint8_t *source, uint8_t *target, size_t pixels);
void easel_clamp_to_alpha8_row(uint8_t *row, size_t pixels);
void easel_force_opaque8_row(uint8_t *row, size_t pixels);
bool easel_is_opaque8_row(const uint8_t *row, size_t pixels);

// The sRGB curve.
float easel_srgb_decode(float value);
float easel_srgb_encode(float value);

#endif
