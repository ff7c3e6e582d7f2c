#include "visual.h"

// ---- From pixels to light

void easel_visual_light_make(easel_visual_light *light) {
  for (size_t i = 0; i < 256; i++) light->bytes[i] = easel_srgb_decode((float)i / 255.0f);
  for (size_t i = 0; i <= 4096; i++) light->curve[i] = easel_srgb_decode((float)i / 4096.0f);
}

EASEL_INLINE float easel_visual_light_of(const easel_visual_light *light, float value) {
  float place = value < 0 ? 0 : value > 1 ? 4096 : value * 4096;
  size_t i = (size_t)place;
  if (i > 4095) i = 4095;
  return light->curve[i] + (light->curve[i + 1] - light->curve[i]) * (place - (float)i);
}

// Colours are blended with the background before they become light, as in browsers.
static void easel_visual_blend_row(const easel_visual_picture *picture, const uint8_t *row, size_t columns,
                                   float background, const easel_visual_light *light, float *const out[3]) {
  bool is_wide = picture->format == EASEL_FORMAT_RGBA16;
  float one = is_wide ? 65535.0f : 255.0f;
  for (size_t x = 0; x < columns; x++) {
    float samples[4];
    for (size_t k = 0; k < 4; k++) {
      samples[k] = (float)(is_wide ? ((const uint16_t *)(const void *)row)[4 * x + k] : row[4 * x + k]) / one;
    }
    float alpha = picture->alpha == EASEL_ALPHA_OPAQUE ? 1 : samples[3];
    float weight = picture->alpha == EASEL_ALPHA_STRAIGHT ? alpha : 1;
    for (size_t k = 0; k < 3; k++) {
      out[k][x] = easel_visual_light_of(light, weight * samples[k] + (1 - alpha) * background);
    }
  }
}

void easel_visual_linear_row(const easel_visual_picture *picture, const uint8_t *row, size_t columns, size_t width,
                             float background, const easel_visual_light *light, float *red, float *green, float *blue) {
  float *const out[3] = {picture->is_bgr ? blue : red, green, picture->is_bgr ? red : blue};
  if (picture->format == EASEL_FORMAT_GRAY8) {
    for (size_t x = 0; x < columns; x++) red[x] = green[x] = blue[x] = light->bytes[row[x]];
  } else if (picture->format == EASEL_FORMAT_RGBA8 && picture->alpha == EASEL_ALPHA_OPAQUE) {
    for (size_t x = 0; x < columns; x++) {
      for (size_t k = 0; k < 3; k++) out[k][x] = light->bytes[row[4 * x + k]];
    }
  } else {
    easel_visual_blend_row(picture, row, columns, background, light, out);
  }
  for (size_t x = columns; x < width; x++) {
    for (size_t k = 0; k < 3; k++) out[k][x] = out[k][columns - 1];
  }
}

// ---- To half the size

EASEL_INLINE void easel_visual_halve_rows_body(const float *above, const float *below, size_t width, float *out) {
  for (size_t x = 0; x < (width + 1) / 2; x += 8) {
    easel_f8 left = EASEL_LOAD8(above + 2 * x) + EASEL_LOAD8(below + 2 * x);
    easel_f8 right = EASEL_LOAD8(above + 2 * x + 8) + EASEL_LOAD8(below + 2 * x + 8);
    easel_f8 even = __builtin_shufflevector(left, right, 0, 2, 4, 6, 8, 10, 12, 14);
    easel_f8 odd = __builtin_shufflevector(left, right, 1, 3, 5, 7, 9, 11, 13, 15);
    EASEL_STORE8(out + x, (even + odd) * 0.25f);
  }
}

EASEL_CLONES(easel_visual_halve_rows, (const float *above, const float *below, size_t width, float *out),
             (above, below, width, out))

void easel_visual_halve_row(const float *above, const float *below, size_t width, float *out) {
  easel_visual_halve_rows(above, below, width, out);
}

// ---- From light to the colours of the eye

// Replaces positive numbers by their cube roots.
EASEL_INLINE void easel_visual_cube_root(easel_f8 *numbers) {
  easel_f8 x = *numbers;
  // A third of the exponent gives the inverse root within some percent; each step then adds terms of its series.
  easel_f8 third = __builtin_convertvector((easel_i8)x, easel_f8) * (1.0f / 3);
  easel_f8 root = (easel_f8)(0x548c2b4b - __builtin_convertvector(third, easel_i8));
  easel_f8 error = 1 - x * root * root * root;
  root += root * error * (1.0f / 3 + error * (2.0f / 9 + error * (14.0f / 81)));
  error = 1 - x * root * root * root;
  root += root * error * (1.0f / 3 + error * (2.0f / 9));
  *numbers = x * root * root;
}

// The colour space XYB of JPEG XL, moved and stretched so that its components are positive. The matrix and the bias
// come from its standard (ISO/IEC 18181), the rest from SSIMULACRA 2.1.
EASEL_INLINE void easel_visual_to_xyb(easel_f8 *a, easel_f8 *b, easel_f8 *c) {
  const float bias = 0.0037930732552754493f, root_of_bias = 0.15595420054924863f;
  const float s0 = 0.24342268924547819f, s1 = 0.20476744424496821f;
  easel_f8 red = *a, green = *b, blue = *c;
  easel_f8 l = red * 0.3f + green * (1 - 0.078f - 0.3f) + blue * 0.078f + bias;
  easel_f8 m = red * 0.23f + green * (1 - 0.078f - 0.23f) + blue * 0.078f + bias;
  easel_f8 s = red * s0 + green * s1 + blue * (1 - s0 - s1) + bias;
  easel_visual_cube_root(&l), easel_visual_cube_root(&m), easel_visual_cube_root(&s);
  easel_f8 y = (l + m) * 0.5f;
  *a = (l - m) * 7 + 0.42f;
  *b = y + (0.01f - root_of_bias);
  *c = s - y + 0.55f;
}

EASEL_INLINE void easel_visual_planes_rows_body(const float *const colors[EASEL_VISUAL_COLORS], size_t width,
                                                float *const planes[EASEL_VISUAL_PLANES]) {
  for (size_t x = 0; x < width; x += 8) {
    easel_f8 values[EASEL_VISUAL_COLORS];
    for (size_t i = 0; i < EASEL_VISUAL_COLORS; i++) values[i] = EASEL_LOAD8(colors[i] + x);
    easel_visual_to_xyb(values, values + 1, values + 2);
    easel_visual_to_xyb(values + 3, values + 4, values + 5);
    for (size_t i = 0; i < 3; i++) {
      easel_f8 a = values[i], b = values[i + 3];
      EASEL_STORE8(planes[4 * i] + x, a);
      EASEL_STORE8(planes[4 * i + 1] + x, b);
      EASEL_STORE8(planes[4 * i + 2] + x, a * b);
      EASEL_STORE8(planes[4 * i + 3] + x, (a - b) * (a - b));
    }
  }
}

EASEL_CLONES(easel_visual_planes_rows,
             (const float *const colors[EASEL_VISUAL_COLORS], size_t width, float *const planes[EASEL_VISUAL_PLANES]),
             (colors, width, planes))

void easel_visual_planes_row(const float *const colors[EASEL_VISUAL_COLORS], size_t width,
                             float *const planes[EASEL_VISUAL_PLANES]) {
  easel_visual_planes_rows(colors, width, planes);
  // The blur treats everything outside the picture as zero.
  size_t after = easel_visual_eights(width) - width;
  for (size_t i = 0; i < EASEL_VISUAL_PLANES; i++) memset(planes[i] + width, 0, after * sizeof(float));
}
