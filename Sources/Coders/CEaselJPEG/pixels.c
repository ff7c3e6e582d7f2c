#include "include/CEaselJPEG.h"

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
