#include "include/CEaselJPEG.h"

// Multiplies two inverted ink values and rounds to nearest. An inverted value is the share of white that remains under
// the ink.
static uint8_t easel_jpeg_under(uint32_t ink, uint32_t black) {
  uint32_t product = ink * black + 128;
  return (uint8_t)((product + (product >> 8)) >> 8);
}

void easel_jpeg_inks_to_rgba(const void *inks, void *target, size_t pixels) {
  const uint8_t *from = inks;
  uint8_t *to = target;
  for (size_t i = 0; i < pixels; i++, from += 4, to += 4) {
    uint8_t black = from[3];
    to[0] = easel_jpeg_under(from[0], black);
    to[1] = easel_jpeg_under(from[1], black);
    to[2] = easel_jpeg_under(from[2], black);
    to[3] = 255;
  }
}

bool easel_jpeg_take_gray(const void *pixels, ptrdiff_t stride, size_t width, size_t height, void *target) {
  uint8_t *to = target;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = (const uint8_t *)pixels + (ptrdiff_t)y * stride;
    for (size_t x = 0; x < width; x++, row += 4) {
      if (row[0] != row[1] || row[0] != row[2]) return false;
      *to++ = row[0];
    }
  }
  return true;
}
