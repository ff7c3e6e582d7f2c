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

// The squares of the distances of four colours from their average, in 65536ths of a square of a level.
static uint64_t easel_jpeg_color_loss(const uint8_t *upper, const uint8_t *lower) {
  const uint8_t *pixels[4] = {upper, upper + 4, lower, lower + 4};
  int32_t blue[4], red[4], blue_sum = 0, red_sum = 0;
  for (int i = 0; i < 4; i++) {
    const uint8_t *p = pixels[i];
    blue_sum += blue[i] = 32 * p[2] - 21 * p[1] - 11 * p[0];
    red_sum += red[i] = 32 * p[0] - 27 * p[1] - 5 * p[2];
  }
  uint64_t loss = 0;
  for (int i = 0; i < 4; i++) {
    int64_t b = 4 * blue[i] - blue_sum, r = 4 * red[i] - red_sum;
    loss += (uint64_t)(b * b) + (uint64_t)(r * r);
  }
  return loss;
}

// One square of four pixels of every other block is enough. Its place in the block changes from block to block, so that
// no pattern goes unseen.
bool easel_jpeg_has_fine_colors(const void *pixels, ptrdiff_t stride, size_t width, size_t height) {
  // A square whose colours are 4 levels from their average; photographs with more are smaller with all colours.
  const uint64_t most = (uint64_t)4 * 4 * 4 * 65536;
  uint64_t loss = 0, count = 0;
  for (size_t row = 0; 8 * row < height; row++) {
    for (size_t column = row & 1; 8 * column < width; column += 2) {
      size_t x = 8 * column + 2 * ((column / 2 + 3 * row) & 3), y = 8 * row + 2 * ((row + column / 8) & 3);
      if (x + 1 >= width || y + 1 >= height) continue;
      const uint8_t *upper = (const uint8_t *)pixels + (ptrdiff_t)y * stride + 4 * x;
      loss += easel_jpeg_color_loss(upper, upper + stride);
      count++;
    }
  }
  return loss > count * most;
}
