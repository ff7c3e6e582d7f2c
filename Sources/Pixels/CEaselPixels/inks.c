#include "internal.h"

// The share of white that two inks leave, rounded to nearest; `ink` and `black` are the shares that each ink leaves.
EASEL_INLINE uint8_t easel_under(uint32_t ink, uint32_t black) {
  uint32_t product = ink * black + 128;
  return (uint8_t)((product + (product >> 8)) >> 8);
}

void easel_cmyk8_to_rgba8(bool is_inverted, void *pixels, size_t count) {
  uint8_t *pixel = pixels, full = is_inverted ? 0 : 255;
  for (size_t i = 0; i < count; i++, pixel += 4) {
    uint8_t black = (uint8_t)(pixel[3] ^ full);
    for (int c = 0; c < 3; c++) pixel[c] = easel_under((uint8_t)(pixel[c] ^ full), black);
    pixel[3] = 255;
  }
}

void easel_set_alpha8(void *pixels, const uint8_t *alpha, size_t count) {
  uint8_t *pixel = pixels;
  for (size_t i = 0; i < count; i++) pixel[4 * i + 3] = alpha[i];
}
