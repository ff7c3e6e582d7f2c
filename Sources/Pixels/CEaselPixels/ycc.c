#include "internal.h"

// The colours between those of two rows: three parts of the nearer row and one part of the other, so four times the
// value. If each row of brightness has its own row of colours, both are the same.
EASEL_INLINE void easel_ycc_blend8_body(const uint8_t *near, const uint8_t *far, uint16_t *target, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] = (uint16_t)(3 * near[i] + far[i]);
}
EASEL_CLONES(easel_ycc_blend8, (const uint8_t *near, const uint8_t *far, uint16_t *target, size_t count),
             (near, far, target, count))

EASEL_INLINE void easel_ycc_blend16_body(const uint16_t *near, const uint16_t *far, uint16_t *target, size_t count,
                                         uint16_t most) {
  for (size_t i = 0; i < count; i++) {
    uint16_t a = near[i] < most ? near[i] : most, b = far[i] < most ? far[i] : most;
    target[i] = (uint16_t)(3 * a + b);
  }
}
EASEL_CLONES(easel_ycc_blend16,
             (const uint16_t *near, const uint16_t *far, uint16_t *target, size_t count, uint16_t most),
             (near, far, target, count, most))

// Interpolates along a row of colours, each of which is between two pixels; the result is sixteen times the value.
EASEL_INLINE void easel_ycc_widen_body(const uint16_t *source, uint16_t *target, size_t width) {
  size_t count = (width + 1) / 2;
  target[0] = (uint16_t)(4 * source[0]);
  for (size_t i = 0; i + 1 < count; i++) {
    target[2 * i + 1] = (uint16_t)(3 * source[i] + source[i + 1]);
    target[2 * i + 2] = (uint16_t)(source[i] + 3 * source[i + 1]);
  }
  if (width % 2 == 0) target[width - 1] = (uint16_t)(4 * source[count - 1]);
}
EASEL_CLONES(easel_ycc_widen, (const uint16_t *source, uint16_t *target, size_t width), (source, target, width))

EASEL_INLINE void easel_ycc_quadruple_body(uint16_t *row, size_t width) {
  for (size_t i = 0; i < width; i++) row[i] = (uint16_t)(4 * row[i]);
}
EASEL_CLONES(easel_ycc_quadruple, (uint16_t *row, size_t width), (row, width))

EASEL_INLINE float easel_ycc_limited(float value, float most) {
  value = value < most ? value : most;
  return value > 0 ? value : 0;
}

EASEL_INLINE float easel_ycc_mixed(const float m[4], float y, float cb, float cr) {
  return y * m[0] + cb * m[1] + cr * m[2] + m[3];
}

// Defines a function that reads samples of bytes or words, and writes components of bytes or words.
#define EASEL_YCC_MIX(name, sample, component, most)                                                                   \
  EASEL_INLINE void name##_body(const sample *luma, const uint16_t *cb, const uint16_t *cr, const float m[3][4],       \
                                component *target, size_t width) {                                                     \
    for (size_t x = 0; x < width; x++) {                                                                               \
      float y = (float)luma[x], b = (float)cb[x], r = (float)cr[x];                                                    \
      target[4 * x] = (component)(easel_ycc_limited(easel_ycc_mixed(m[0], y, b, r), most) + 0.5f);                     \
      target[4 * x + 1] = (component)(easel_ycc_limited(easel_ycc_mixed(m[1], y, b, r), most) + 0.5f);                 \
      target[4 * x + 2] = (component)(easel_ycc_limited(easel_ycc_mixed(m[2], y, b, r), most) + 0.5f);                 \
      target[4 * x + 3] = (component)(most);                                                                           \
    }                                                                                                                  \
  }                                                                                                                    \
  EASEL_CLONES(name,                                                                                                   \
               (const sample *luma, const uint16_t *cb, const uint16_t *cr, const float m[3][4], component *target,    \
                size_t width),                                                                                         \
               (luma, cb, cr, m, target, width))

EASEL_YCC_MIX(easel_ycc_mix16to8, uint16_t, uint8_t, 255)
EASEL_YCC_MIX(easel_ycc_mix8to16, uint8_t, uint16_t, 65535)
EASEL_YCC_MIX(easel_ycc_mix16to16, uint16_t, uint16_t, 65535)

// Pixels of four bytes are put together as one number, which is three times as fast.
EASEL_INLINE void easel_ycc_mix8to8_body(const uint8_t *luma, const uint16_t *cb, const uint16_t *cr,
                                         const float m[3][4], uint8_t *target, size_t width) {
  for (size_t x = 0; x < width; x++) {
    float y = (float)luma[x], b = (float)(int32_t)cb[x], r = (float)(int32_t)cr[x];
    uint32_t red = (uint32_t)(int32_t)(easel_ycc_limited(easel_ycc_mixed(m[0], y, b, r), 255) + 0.5f);
    uint32_t green = (uint32_t)(int32_t)(easel_ycc_limited(easel_ycc_mixed(m[1], y, b, r), 255) + 0.5f);
    uint32_t blue = (uint32_t)(int32_t)(easel_ycc_limited(easel_ycc_mixed(m[2], y, b, r), 255) + 0.5f);
    uint32_t pixel = red | green << 8 | blue << 16 | 0xFF000000u;
    memcpy(target + 4 * x, &pixel, 4);
  }
}
EASEL_CLONES(easel_ycc_mix8to8,
             (const uint8_t *luma, const uint16_t *cb, const uint16_t *cr, const float m[3][4], uint8_t *target,
              size_t width),
             (luma, cb, cr, m, target, width))

static bool easel_ycc_is_little_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 1;
}

static const uint8_t *easel_ycc_row(const easel_ycc_planes *planes, int plane, size_t row) {
  return (const uint8_t *)planes->planes[plane] + row * planes->strides[plane];
}

// One row of a colour at the full width, as sixteen times its values.
static void easel_ycc_color(const easel_ycc_planes *planes, int plane, size_t y, uint16_t *scratch, uint16_t *target) {
  size_t width = planes->halves_width ? (planes->width + 1) / 2 : planes->width;
  size_t near = y, far = y;
  if (planes->halves_height) {
    size_t rows = (planes->height + 1) / 2;
    near = y / 2;
    far = y % 2 == 0 ? (near > 0 ? near - 1 : 0) : (near + 1 < rows ? near + 1 : near);
  }
  uint16_t *blended = planes->halves_width ? scratch : target;
  const uint8_t *a = easel_ycc_row(planes, plane, near), *b = easel_ycc_row(planes, plane, far);
  if (planes->color_depth > 8) {
    easel_ycc_blend16((const uint16_t *)(const void *)a, (const uint16_t *)(const void *)b, blended, width,
                      (uint16_t)((1u << planes->color_depth) - 1));
  } else {
    easel_ycc_blend8(a, b, blended, width);
  }
  if (planes->halves_width) {
    easel_ycc_widen(scratch, target, planes->width);
  } else {
    easel_ycc_quadruple(target, planes->width);
  }
}

static void easel_ycc_mix(const easel_ycc_planes *planes, size_t y, const uint16_t *cb, const uint16_t *cr,
                          const float matrix[3][4], bool is_wide, void *target) {
  const uint8_t *luma = easel_ycc_row(planes, 0, y);
  const uint16_t *words = (const uint16_t *)(const void *)luma;
  if (planes->depth > 8) {
    if (is_wide) {
      easel_ycc_mix16to16(words, cb, cr, matrix, target, planes->width);
    } else {
      easel_ycc_mix16to8(words, cb, cr, matrix, target, planes->width);
    }
  } else if (is_wide) {
    easel_ycc_mix8to16(luma, cb, cr, matrix, target, planes->width);
  } else {
    easel_ycc_mix8to8(luma, cb, cr, matrix, target, planes->width);
  }
}

easel_status easel_ycc_to_rgba(const easel_ycc_planes *planes, const float matrix[3][4], size_t first, size_t count,
                               bool is_wide, void *target, ptrdiff_t target_stride) {
  if (planes->depth > 12 || planes->color_depth > 12 || first > planes->height || count > planes->height - first) {
    return EASEL_BAD_ARGUMENT;
  }
  if (!is_wide && planes->depth <= 8 && !easel_ycc_is_little_endian()) return EASEL_BAD_ARGUMENT;
  if (count == 0 || planes->width == 0) return EASEL_OK;
  size_t room = planes->width + 16;
  uint16_t *rows = easel_allocate(3 * room, sizeof *rows);
  if (!rows) return EASEL_NO_MEMORY;
  uint16_t *cb = rows + room, *cr = cb + room;
  // Grey pictures have no colours, and the weights of colours are then zero.
  if (!planes->planes[1]) memset(cb, 0, 2 * room * sizeof *cb);
  for (size_t y = first; y < first + count; y++) {
    if (planes->planes[1]) {
      easel_ycc_color(planes, 1, y, rows, cb);
      easel_ycc_color(planes, 2, y, rows, cr);
    }
    easel_ycc_mix(planes, y, cb, cr, matrix, is_wide, (uint8_t *)target + (ptrdiff_t)(y - first) * target_stride);
  }
  free(rows);
  return EASEL_OK;
}

void easel_ycc_to_alpha(const easel_ycc_planes *planes, float scale, float offset, size_t first, size_t count,
                        bool is_wide, void *target, ptrdiff_t target_stride) {
  for (size_t y = first; y < first + count; y++) {
    const uint8_t *row = easel_ycc_row(planes, 0, y);
    const uint16_t *words = (const uint16_t *)(const void *)row;
    uint8_t *pixels = (uint8_t *)target + (ptrdiff_t)(y - first) * target_stride;
    for (size_t x = 0; x < planes->width; x++) {
      float value = (float)(planes->depth > 8 ? words[x] : row[x]) * scale + offset;
      value = easel_ycc_limited(value, is_wide ? 65535 : 255) + 0.5f;
      if (is_wide) {
        ((uint16_t *)(void *)pixels)[4 * x + 3] = (uint16_t)value;
      } else {
        pixels[4 * x + 3] = (uint8_t)value;
      }
    }
  }
}
