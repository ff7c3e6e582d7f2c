#include "thrifty.h"

#include <string.h>

#pragma STDC FP_CONTRACT OFF

typedef uint32_t easel_jpeg_u8x32 __attribute__((vector_size(32)));

// Vectors go through pointers, because passing them would depend on the processor.
EASEL_JPEG_INLINE void easel_jpeg_load(easel_jpeg_f8 *v, const float *from) { memcpy(v, from, sizeof *v); }
EASEL_JPEG_INLINE void easel_jpeg_store(float *to, const easel_jpeg_f8 *v) { memcpy(to, v, sizeof *v); }

EASEL_JPEG_INLINE void easel_jpeg_repeat_last(float *row, size_t width, size_t padded) {
  for (size_t x = width; x < padded; x++) row[x] = row[width - 1];
}

// Rows may be shorter than a vector, so the last pixels pass through a copy.
EASEL_JPEG_INLINE void easel_jpeg_split_row_body(const uint8_t *pixels, size_t width, size_t padded, float *y,
                                                 float *cb, float *cr) {
  for (size_t x = 0; x < width; x += 8) {
    uint32_t copy[8] = {0};
    memcpy(copy, pixels + 4 * x, 4 * (width - x < 8 ? width - x : 8));
    easel_jpeg_u8x32 packed;
    memcpy(&packed, copy, sizeof packed);
    easel_jpeg_f8 r = __builtin_convertvector((easel_jpeg_i8)(packed & 255), easel_jpeg_f8);
    easel_jpeg_f8 g = __builtin_convertvector((easel_jpeg_i8)(packed >> 8 & 255), easel_jpeg_f8);
    easel_jpeg_f8 b = __builtin_convertvector((easel_jpeg_i8)(packed >> 16 & 255), easel_jpeg_f8);
    easel_jpeg_f8 light = r * 0.299f + g * 0.587f + b * 0.114f;
    b = (b - light) * (0.5f / 0.886f);
    r = (r - light) * (0.5f / 0.701f);
    light -= 128.0f;
    easel_jpeg_store(y + x, &light);
    easel_jpeg_store(cb + x, &b);
    easel_jpeg_store(cr + x, &r);
  }
  easel_jpeg_repeat_last(y, width, padded);
  easel_jpeg_repeat_last(cb, width, padded);
  easel_jpeg_repeat_last(cr, width, padded);
}

EASEL_JPEG_CLONES(easel_jpeg_split_row,
                  (const uint8_t *pixels, size_t width, size_t padded, float *y, float *cb, float *cr),
                  (pixels, width, padded, y, cb, cr))

void easel_jpeg_gray_row(const uint8_t *pixels, size_t width, size_t padded, float *y) {
  for (size_t x = 0; x < width; x++) y[x] = (float)pixels[x] - 128.0f;
  easel_jpeg_repeat_last(y, width, padded);
}

EASEL_JPEG_INLINE void easel_jpeg_halve_rows_body(const float *upper, const float *lower, size_t count,
                                                  float *target) {
  for (size_t x = 0; x < count; x += 8) {
    easel_jpeg_f8 left, right, under;
    easel_jpeg_load(&left, upper + 2 * x);
    easel_jpeg_load(&under, lower + 2 * x);
    left += under;
    easel_jpeg_load(&right, upper + 2 * x + 8);
    easel_jpeg_load(&under, lower + 2 * x + 8);
    right += under;
    easel_jpeg_f8 even = __builtin_shufflevector(left, right, 0, 2, 4, 6, 8, 10, 12, 14);
    easel_jpeg_f8 odd = __builtin_shufflevector(left, right, 1, 3, 5, 7, 9, 11, 13, 15);
    even = (even + odd) * 0.25f;
    easel_jpeg_store(target + x, &even);
  }
}

EASEL_JPEG_CLONES(easel_jpeg_halve_rows, (const float *upper, const float *lower, size_t count, float *target),
                  (upper, lower, count, target))

// ---- The transform

// The cosines of the transform, each halved: of sixteenths of a half turn.
static const float easel_jpeg_c1 = 0.49039264f, easel_jpeg_c2 = 0.46193977f, easel_jpeg_c3 = 0.41573481f,
                   easel_jpeg_c4 = 0.35355339f, easel_jpeg_c5 = 0.27778512f, easel_jpeg_c6 = 0.19134172f,
                   easel_jpeg_c7 = 0.09754516f;

// Transforms the columns of eight rows. The sums of mirrored rows give the even results, their differences the odd.
EASEL_JPEG_INLINE void easel_jpeg_transform_columns(easel_jpeg_f8 r[8]) {
  easel_jpeg_f8 s0 = r[0] + r[7], s1 = r[1] + r[6], s2 = r[2] + r[5], s3 = r[3] + r[4];
  easel_jpeg_f8 d0 = r[0] - r[7], d1 = r[1] - r[6], d2 = r[2] - r[5], d3 = r[3] - r[4];
  easel_jpeg_f8 outer = s0 + s3, inner = s1 + s2, across = s0 - s3, along = s1 - s2;
  r[0] = (outer + inner) * easel_jpeg_c4;
  r[4] = (outer - inner) * easel_jpeg_c4;
  r[2] = across * easel_jpeg_c2 + along * easel_jpeg_c6;
  r[6] = across * easel_jpeg_c6 - along * easel_jpeg_c2;
  r[1] = d0 * easel_jpeg_c1 + d1 * easel_jpeg_c3 + (d2 * easel_jpeg_c5 + d3 * easel_jpeg_c7);
  r[3] = d0 * easel_jpeg_c3 - d1 * easel_jpeg_c7 - (d2 * easel_jpeg_c1 + d3 * easel_jpeg_c5);
  r[5] = d0 * easel_jpeg_c5 - d1 * easel_jpeg_c1 + (d2 * easel_jpeg_c7 + d3 * easel_jpeg_c3);
  r[7] = d0 * easel_jpeg_c7 - d1 * easel_jpeg_c5 + (d2 * easel_jpeg_c3 - d3 * easel_jpeg_c1);
}

// Exchanges rows and columns in three steps, of which each interleaves the rows of two halves.
EASEL_JPEG_INLINE void easel_jpeg_turn(easel_jpeg_f8 r[8]) {
  for (int step = 0; step < 3; step++) {
    easel_jpeg_f8 t[8];
    for (int i = 0; i < 4; i++) {
      t[2 * i] = __builtin_shufflevector(r[i], r[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      t[2 * i + 1] = __builtin_shufflevector(r[i], r[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i++) r[i] = t[i];
  }
}

EASEL_JPEG_INLINE void easel_jpeg_transform_body(const float *samples, size_t stride, size_t count,
                                                 float *coefficients, float *activity) {
  for (size_t i = 0; i < count; i++) {
    easel_jpeg_f8 r[8];
    for (int y = 0; y < 8; y++) easel_jpeg_load(&r[y], samples + 8 * i + (size_t)y * stride);
    easel_jpeg_transform_columns(r);
    easel_jpeg_turn(r);
    easel_jpeg_transform_columns(r);
    for (int y = 0; y < 8; y++) easel_jpeg_store(coefficients + 64 * i + 8 * y, &r[y]);
    if (!activity) continue;
    r[0][0] = 0;
    easel_jpeg_f8 sum = r[0] * r[0];
    for (int y = 1; y < 8; y++) sum += r[y] * r[y];
    activity[i] = (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]))) * (1 / 64.0f);
  }
}

EASEL_JPEG_CLONES(easel_jpeg_transform,
                  (const float *samples, size_t stride, size_t count, float *coefficients, float *activity),
                  (samples, stride, count, coefficients, activity))
