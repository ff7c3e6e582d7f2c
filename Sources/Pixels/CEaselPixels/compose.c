#include <string.h>

#include "include/CEaselPixels.h"

// Blends one pixel over another. Both have straight alpha, and the result is rounded to nearest.
static void easel_lay_pixel8(const uint8_t *source, uint8_t *target) {
  uint32_t above = source[3] * 255u, below = (255u - source[3]) * target[3], sum = above + below;
  for (int i = 0; i < 3; i++) target[i] = (uint8_t)((source[i] * above + target[i] * below + sum / 2) / sum);
  target[3] = (uint8_t)((sum + 127) / 255);
}

static void easel_lay_pixel16(const uint16_t *source, uint16_t *target) {
  uint64_t above = source[3] * 65535ull, below = (65535ull - source[3]) * target[3], sum = above + below;
  for (int i = 0; i < 3; i++) target[i] = (uint16_t)((source[i] * above + target[i] * below + sum / 2) / sum);
  target[3] = (uint16_t)((sum + 32767) / 65535);
}

static void easel_lay_row8(const uint8_t *source, uint8_t *target, size_t width) {
  for (size_t x = 0; x < width; x++, source += 4, target += 4) {
    if (source[3] == 255 || (target[3] == 0 && source[3] != 0)) memcpy(target, source, 4);
    else if (source[3] != 0) easel_lay_pixel8(source, target);
  }
}

static void easel_lay_row16(const uint16_t *source, uint16_t *target, size_t width) {
  for (size_t x = 0; x < width; x++, source += 4, target += 4) {
    if (source[3] == 65535 || (target[3] == 0 && source[3] != 0)) memcpy(target, source, 8);
    else if (source[3] != 0) easel_lay_pixel16(source, target);
  }
}

void easel_lay_over(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                    ptrdiff_t target_stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *from = (const uint8_t *)source + (ptrdiff_t)y * source_stride;
    uint8_t *to = (uint8_t *)target + (ptrdiff_t)y * target_stride;
    if (format == EASEL_FORMAT_RGBA16) {
      easel_lay_row16((const uint16_t *)(const void *)from, (uint16_t *)(void *)to, width);
    } else if (format == EASEL_FORMAT_RGBA8) {
      easel_lay_row8(from, to, width);
    } else {
      memcpy(to, from, width);
    }
  }
}
