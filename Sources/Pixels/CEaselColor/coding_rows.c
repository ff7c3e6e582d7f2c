#include "coding.h"

#include <math.h>
#include <stdlib.h>

#define EASEL_INLINE static inline __attribute__((always_inline))

// Forbids fused operations, so that rounding is the same as in the reference.
#pragma STDC FP_CONTRACT OFF

enum { levels = 65536, steps = 4096 };

struct easel_coding_transform {
  easel_coding_plan plan;
  float matrix[9], weights[3];
  // The light that becomes white, in units of the white of sRGB.
  float most;
  // The curves are tables with equal steps of the square root, and values in between are interpolated. Each has an
  // additional entry for the last step.
  float tone[steps + 2], ootf[steps + 2], encoded[steps + 2];
  float linear[levels];
};

static void fill_curve(float curve[steps + 2], double (*value)(double x, const easel_coding_plan *plan),
                       const easel_coding_plan *plan) {
  for (int i = 0; i <= steps; i++) {
    double root = (double)i / steps;
    curve[i] = (float)value(root * root, plan);
  }
  curve[steps + 1] = curve[steps];
}

// The factor for light that has this share of the brightest light.
static double tone_factor(double share, const easel_coding_plan *plan) {
  double light = share * fmax(plan->peak / EASEL_WHITE_NITS, 1);
  return light > 0 ? easel_tone_mapped(light, plan->peak) / light : 1;
}

// The factor for the light of the scene. The argument is the square root of the luminance, because near zero a power of
// 0.2 bends less in it.
static double ootf_factor(double root, const easel_coding_plan *plan) {
  (void)plan;
  return EASEL_HLG_NITS / EASEL_WHITE_NITS * pow(root * root, EASEL_HLG_GAMMA - 1);
}

static double srgb_encoded(double light, const easel_coding_plan *plan) {
  (void)plan;
  return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

easel_coding_transform *easel_coding_transform_create(const easel_coding *coding) {
  easel_coding_transform *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  easel_coding_prepare(coding, &made->plan);
  for (int i = 0; i < 9; i++) made->matrix[i] = (float)made->plan.matrix[i / 3][i % 3];
  for (int c = 0; c < 3; c++) made->weights[c] = (float)made->plan.weights[c];
  made->most = (float)fmax(made->plan.peak / EASEL_WHITE_NITS, 1);
  for (int i = 0; i < levels; i++)
    made->linear[i] = (float)easel_transfer_to_linear(made->plan.transfer, i / (levels - 1.0));
  fill_curve(made->encoded, srgb_encoded, &made->plan);
  if (made->plan.is_high) fill_curve(made->tone, tone_factor, &made->plan);
  if (made->plan.transfer == EASEL_TRANSFER_HLG) fill_curve(made->ootf, ootf_factor, &made->plan);
  return made;
}

void easel_coding_transform_destroy(easel_coding_transform *transform) { free(transform); }

// Interpolates a curve at a share from 0 to 1.
EASEL_INLINE float at(const float curve[steps + 2], float share) {
  float place = sqrtf(share) * steps;
  int index = (int)place;
  float rest = place - (float)index;
  return curve[index] + (curve[index + 1] - curve[index]) * rest;
}

EASEL_INLINE float larger(float a, float b) { return a > b ? a : b; }
EASEL_INLINE float smaller(float a, float b) { return a < b ? a : b; }

static void press(float rgb[3]) {
  double exact[3] = {rgb[0], rgb[1], rgb[2]};
  easel_pressed_into_gamut(exact);
  for (int c = 0; c < 3; c++) rgb[c] = (float)exact[c];
}

// True for a colour that is changed when it is pressed into sRGB.
EASEL_INLINE bool is_outside(const float rgb[3]) {
  float grey = 0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2];
  float least = smaller(rgb[0], smaller(rgb[1], rgb[2]));
  return least < grey * (float)(1 - EASEL_GAMUT_KNEE);
}

// Converts light to components of sRGB from 0 to 1.
EASEL_INLINE void finish_color(const easel_coding_transform *transform, float light[3], float result[3]) {
  const easel_coding_plan *plan = &transform->plan;
  if (plan->transfer == EASEL_TRANSFER_HLG) {
    const float *w = transform->weights;
    float scene = w[0] * light[0] + w[1] * light[1] + w[2] * light[2];
    float factor = at(transform->ootf, sqrtf(smaller(scene, 1)));
    for (int c = 0; c < 3; c++) light[c] *= factor;
  }
  const float *m = transform->matrix;
  float rgb[3];
  for (int c = 0; c < 3; c++) rgb[c] = m[3 * c] * light[0] + m[3 * c + 1] * light[1] + m[3 * c + 2] * light[2];
  if (plan->is_high) {
    if (is_outside(rgb)) press(rgb);
    float most = larger(rgb[0], larger(rgb[1], rgb[2]));
    float factor = most < transform->most ? at(transform->tone, larger(most, 0) / transform->most) : 1 / most;
    for (int c = 0; c < 3; c++) rgb[c] *= factor;
  }
  for (int c = 0; c < 3; c++) result[c] = at(transform->encoded, larger(0, smaller(rgb[c], 1)));
}

static const uint8_t pattern[8][8] = {
    {0, 32, 8, 40, 2, 34, 10, 42}, {48, 16, 56, 24, 50, 18, 58, 26}, {12, 44, 4, 36, 14, 46, 6, 38},
    {60, 28, 52, 20, 62, 30, 54, 22}, {3, 35, 11, 43, 1, 33, 9, 41}, {51, 19, 59, 27, 49, 17, 57, 25},
    {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21},
};

EASEL_INLINE uint8_t alpha8(uint16_t alpha) { return (uint8_t)((alpha * 255u + 32767) / 65535); }

EASEL_INLINE void convert_row(const easel_coding_transform *transform, easel_color_layout from, const void *source,
                              easel_color_layout to, void *destination, size_t count, size_t y) {
  const bool is_wide = from == EASEL_COLOR_RGBA16, stays_wide = to == EASEL_COLOR_RGBA16;
  const int red_in = from == EASEL_COLOR_BGRA8 ? 2 : 0, red_out = to == EASEL_COLOR_BGRA8 ? 2 : 0;
  const uint8_t *bytes = source;
  const uint16_t *words = source;
  for (size_t x = 0; x < count; x++) {
    uint16_t in[4];
    if (is_wide) {
      for (int c = 0; c < 4; c++) in[c] = words[4 * x + c];
    } else {
      const uint8_t *pixel = bytes + 4 * x;
      in[0] = pixel[red_in] * 257u, in[1] = pixel[1] * 257u, in[2] = pixel[2 - red_in] * 257u;
      in[3] = pixel[3] * 257u;
    }
    float light[3], srgb[3];
    for (int c = 0; c < 3; c++) light[c] = transform->linear[in[c]];
    finish_color(transform, light, srgb);
    if (stays_wide) {
      uint16_t *pixel = (uint16_t *)destination + 4 * x;
      for (int c = 0; c < 3; c++) pixel[c] = (uint16_t)(srgb[c] * 65535 + 0.5f);
      pixel[3] = in[3];
    } else {
      uint8_t *pixel = (uint8_t *)destination + 4 * x;
      float threshold = is_wide ? (pattern[y % 8][x % 8] + 0.5f) / 64 : 0.5f;
      pixel[red_out] = (uint8_t)(srgb[0] * 255 + threshold);
      pixel[1] = (uint8_t)(srgb[1] * 255 + threshold);
      pixel[2 - red_out] = (uint8_t)(srgb[2] * 255 + threshold);
      pixel[3] = alpha8(in[3]);
    }
  }
}

void easel_coding_transform_apply(const easel_coding_transform *transform, easel_color_layout source_layout,
                                  const void *source, easel_color_layout destination_layout, void *destination,
                                  size_t pixel_count, size_t y) {
#define EASEL_ROW(from, to)                                                                                            \
  if (source_layout == from && destination_layout == to)                                                               \
    return convert_row(transform, from, source, to, destination, pixel_count, y)
  EASEL_ROW(EASEL_COLOR_RGBA16, EASEL_COLOR_RGBA8);
  EASEL_ROW(EASEL_COLOR_RGBA16, EASEL_COLOR_RGBA16);
  EASEL_ROW(EASEL_COLOR_RGBA16, EASEL_COLOR_BGRA8);
  EASEL_ROW(EASEL_COLOR_RGBA8, EASEL_COLOR_RGBA8);
  EASEL_ROW(EASEL_COLOR_RGBA8, EASEL_COLOR_BGRA8);
  EASEL_ROW(EASEL_COLOR_BGRA8, EASEL_COLOR_RGBA8);
  EASEL_ROW(EASEL_COLOR_BGRA8, EASEL_COLOR_BGRA8);
  EASEL_ROW(EASEL_COLOR_RGBA8, EASEL_COLOR_RGBA16);
  EASEL_ROW(EASEL_COLOR_BGRA8, EASEL_COLOR_RGBA16);
#undef EASEL_ROW
}
