#include <string.h>

#include "include/CEaselWebP.h"

static uint8_t easel_webp_blend_channel(uint8_t front, uint32_t front_weight, uint8_t back, uint32_t back_weight,
                                        uint32_t scale) {
  return (uint8_t)(((front * front_weight + back * back_weight) * scale) >> 24);
}

void easel_webp_blend(const void *frame, ptrdiff_t frame_stride, void *canvas, ptrdiff_t canvas_stride, size_t width,
                      size_t height) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *front = (const uint8_t *)frame + (ptrdiff_t)y * frame_stride;
    uint8_t *back = (uint8_t *)canvas + (ptrdiff_t)y * canvas_stride;
    for (size_t x = 0; x < width; x++, front += 4, back += 4) {
      uint32_t alpha = front[3];
      if (alpha == 0) continue;
      if (alpha == 255) {
        memcpy(back, front, 4);
        continue;
      }
      uint32_t rest = (back[3] * (256 - alpha)) >> 8;
      uint32_t sum = alpha + rest;
      uint32_t scale = (1u << 24) / sum;
      for (int i = 0; i < 3; i++) back[i] = easel_webp_blend_channel(front[i], alpha, back[i], rest, scale);
      back[3] = (uint8_t)sum;
    }
  }
}
