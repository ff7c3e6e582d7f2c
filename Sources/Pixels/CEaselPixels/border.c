#include "internal.h"

// True if a premultiplied sample is outside its range. The comparisons have no branches, so that they can be
// vectorized.
EASEL_INLINE unsigned easel_is_outside(const uint32_t v[4], const uint16_t low[4], const uint16_t high[4]) {
  unsigned outside = 0;
  for (size_t i = 0; i < 4; i++) outside |= (unsigned)(v[i] < low[i]) | (unsigned)(v[i] > high[i]);
  return outside;
}

EASEL_INLINE unsigned easel_pixel_is_outside(easel_format format, easel_alpha alpha, const uint8_t *pixel,
                                             const uint16_t low[4], const uint16_t high[4]) {
  uint32_t v[4];
  if (format == EASEL_FORMAT_GRAY8) {
    v[0] = v[1] = v[2] = pixel[0];
    v[3] = 255;
  } else if (format == EASEL_FORMAT_RGBA8) {
    v[3] = alpha == EASEL_ALPHA_OPAQUE ? 255 : pixel[3];
    for (size_t i = 0; i < 3; i++) v[i] = alpha == EASEL_ALPHA_STRAIGHT ? easel_scaled8(pixel[i], v[3]) : pixel[i];
  } else {
    uint16_t deep[4];
    memcpy(deep, pixel, 8);
    v[3] = alpha == EASEL_ALPHA_OPAQUE ? 65535 : deep[3];
    for (size_t i = 0; i < 3; i++) v[i] = alpha == EASEL_ALPHA_STRAIGHT ? easel_scaled16(deep[i], v[3]) : deep[i];
  }
  return easel_is_outside(v, low, high);
}

EASEL_INLINE bool easel_any_outside(easel_format format, easel_alpha alpha, const uint8_t *pixels, size_t count,
                                    const uint16_t low[4], const uint16_t high[4]) {
  size_t bytes = easel_pixel_bytes(format);
  unsigned outside = 0;
  for (size_t x = 0; x < count; x++) {
    outside |= easel_pixel_is_outside(format, alpha, pixels + x * bytes, low, high);
  }
  return outside != 0;
}

enum { EASEL_BORDER_CHUNK = 64 };

EASEL_INLINE size_t easel_smaller(size_t a, size_t b) { return a < b ? a : b; }

// Skips chunks that are inside the range, and then single pixels of the first chunk that is not.
EASEL_INLINE void easel_find_outside_in(easel_format format, easel_alpha alpha, const uint8_t *row, size_t width,
                                        const uint16_t *low, const uint16_t *high, size_t *first, size_t *end) {
  size_t bytes = easel_pixel_bytes(format);
  size_t start = 0, stop = width;
  while (start < width) {
    size_t count = easel_smaller(width - start, EASEL_BORDER_CHUNK);
    if (easel_any_outside(format, alpha, row + start * bytes, count, low, high)) break;
    start += count;
  }
  while (start < width && !easel_pixel_is_outside(format, alpha, row + start * bytes, low, high)) start++;
  while (stop > start) {
    size_t count = easel_smaller(stop - start, EASEL_BORDER_CHUNK);
    if (easel_any_outside(format, alpha, row + (stop - count) * bytes, count, low, high)) break;
    stop -= count;
  }
  while (stop > start && !easel_pixel_is_outside(format, alpha, row + (stop - 1) * bytes, low, high)) stop--;
  *first = start;
  *end = stop;
}

EASEL_INLINE void easel_find_outside_row_body(easel_format format, easel_alpha alpha, const uint8_t *row, size_t width,
                                          const uint16_t *low, const uint16_t *high, size_t *first, size_t *end) {
  // Each format is compiled separately, so that its loop has no branches.
  if (format == EASEL_FORMAT_GRAY8) {
    easel_find_outside_in(EASEL_FORMAT_GRAY8, EASEL_ALPHA_OPAQUE, row, width, low, high, first, end);
  } else if (format == EASEL_FORMAT_RGBA8) {
    if (alpha == EASEL_ALPHA_OPAQUE) {
      easel_find_outside_in(EASEL_FORMAT_RGBA8, EASEL_ALPHA_OPAQUE, row, width, low, high, first, end);
    } else if (alpha == EASEL_ALPHA_STRAIGHT) {
      easel_find_outside_in(EASEL_FORMAT_RGBA8, EASEL_ALPHA_STRAIGHT, row, width, low, high, first, end);
    } else {
      easel_find_outside_in(EASEL_FORMAT_RGBA8, EASEL_ALPHA_PREMULTIPLIED, row, width, low, high, first, end);
    }
  } else {
    easel_find_outside_in(EASEL_FORMAT_RGBA16, alpha, row, width, low, high, first, end);
  }
}

EASEL_CLONES(easel_find_outside_row,
             (easel_format format, easel_alpha alpha, const uint8_t *row, size_t width, const uint16_t *low,
              const uint16_t *high, size_t *first, size_t *end),
             (format, alpha, row, width, low, high, first, end))

bool easel_find_outside(easel_format format, easel_alpha alpha, const void *row, size_t width, const uint16_t low[4],
                        const uint16_t high[4], size_t *first, size_t *end) {
  easel_find_outside_row(format, alpha, row, width, low, high, first, end);
  return *first < width;
}
