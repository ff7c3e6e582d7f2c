#include "easel_bench_paint.h"

#include <stdlib.h>
#include <string.h>

static uint32_t mixed(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

static uint8_t clamped(int value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

/// The value at a lattice point, from -128 to 127.
static float lattice(uint32_t seed, int x, int y) {
  return (float)(mixed(seed ^ (uint32_t)x * 0x9E3779B9u ^ (uint32_t)y * 0x85EBCA6Bu) >> 24) - 128;
}

/// Adds a row of noise whose features have the size of a cell.
static void add_octave(float *row, int width, int y, int cell, float strength, uint32_t seed) {
  float below = (float)(y % cell) / (float)cell;
  float left = 0, right = 0;
  for (int x = 0; x < width; x++) {
    int place = x % cell;
    if (place == 0) {
      int column = x / cell, line = y / cell;
      left = lattice(seed, column, line) * (1 - below) + lattice(seed, column, line + 1) * below;
      right = lattice(seed, column + 1, line) * (1 - below) + lattice(seed, column + 1, line + 1) * below;
    }
    row[x] += strength * (left + (right - left) * (float)place / (float)cell);
  }
}

struct shape {
  int x, y, width, height, is_round;
  int color[3];
};

static void make_shapes(struct shape *shapes, int count, int width, int height, uint32_t seed) {
  for (int i = 0; i < count; i++) {
    uint32_t random = mixed(seed + 977u * (uint32_t)i);
    struct shape *shape = &shapes[i];
    shape->width = width / 20 + (int)(mixed(random + 1) % (uint32_t)(width / 6 + 1));
    shape->height = height / 20 + (int)(mixed(random + 2) % (uint32_t)(height / 6 + 1));
    shape->x = (int)(mixed(random + 3) % (uint32_t)width) - shape->width / 2;
    shape->y = (int)(mixed(random + 4) % (uint32_t)height) - shape->height / 2;
    shape->is_round = random & 1;
    for (int c = 0; c < 3; c++) shape->color[c] = (int)(mixed(random + 5 + (uint32_t)c) >> 24) / 2 - 64;
  }
}

static void add_shape(const struct shape *shape, float *const rows[3], int width, int y) {
  if (y < shape->y || y >= shape->y + shape->height) return;
  for (int x = shape->x < 0 ? 0 : shape->x; x < width && x < shape->x + shape->width; x++) {
    float across = 2 * (float)(x - shape->x) / (float)shape->width - 1;
    float down = 2 * (float)(y - shape->y) / (float)shape->height - 1;
    if (shape->is_round && across * across + down * down > 1) continue;
    for (int c = 0; c < 3; c++) rows[c][x] += (float)shape->color[c];
  }
}

/// Brightness has noise at all scales, colour only at large ones.
static void noise(float *const rows[3], int width, int y, uint32_t seed) {
  for (int x = 0; x < width; x++) rows[0][x] = 120;
  for (int cell = 2, octave = 1; cell <= 1024; cell *= 2, octave++) {
    add_octave(rows[0], width, y, cell, cell < 16 ? 0.065f * (float)octave : 0.13f, mixed(seed + (uint32_t)octave));
  }
  for (int c = 1; c < 3; c++) {
    memcpy(rows[c], rows[0], (size_t)width * sizeof(float));
    for (int cell = 64; cell <= 1024; cell *= 4) {
      add_octave(rows[c], width, y, cell, 0.12f, mixed(seed + 31u * (uint32_t)(cell + c)));
    }
  }
}

void easel_bench_paint_photo(uint8_t *rgba, int width, int height, uint32_t seed) {
  enum { shape_count = 30 };
  struct shape shapes[shape_count];
  make_shapes(shapes, shape_count, width, height, mixed(seed));
  float *memory = malloc(3 * (size_t)width * sizeof(float));
  float *const rows[3] = {memory, memory + width, memory + 2 * width};
  for (int y = 0; memory && y < height; y++) {
    noise(rows, width, y, seed * 101);
    for (int i = 0; i < shape_count; i++) add_shape(&shapes[i], rows, width, y);
    for (int x = 0; x < width; x++, rgba += 4) {
      uint32_t random = mixed((uint32_t)x * 0x9E3779B9u ^ (uint32_t)y * 0xC2B2AE35u ^ seed);
      for (int c = 0; c < 3; c++) {
        // The sum of two draws has a triangular distribution.
        int grain = (int)(random & 7) + (int)(random >> 3 & 7) - 7;
        random >>= 6;
        rgba[c] = clamped((int)rows[c][x] + grain / 2);
      }
      rgba[3] = 255;
    }
  }
  free(memory);
}

static void put(uint8_t *pixel, uint32_t color) {
  pixel[0] = (uint8_t)color;
  pixel[1] = (uint8_t)(color >> 8);
  pixel[2] = (uint8_t)(color >> 16);
  pixel[3] = 255;
}

void easel_bench_paint_screen(uint8_t *rgba, int width, int height, uint32_t seed) {
  static const uint32_t grounds[] = {0xFFFFFF, 0xF8F4F4, 0xE8F8FF, 0x403630, 0xFAFAFA, 0xF0E8E0};
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++, rgba += 4) {
      uint32_t window = mixed((uint32_t)(x / 420) * 31 + (uint32_t)(y / 310) * 17 + seed);
      uint32_t ground = grounds[window % 6];
      int is_text = y % 18 < 11 && x % 420 > 20 && x % 420 < 330 && (window >> 8) % 8 != 0;
      uint32_t letter = mixed((uint32_t)(x / 7) ^ (uint32_t)(y / 18) * 40503u ^ seed);
      int stroke = is_text && x % 7 < 6 && (letter >> ((x % 7) + (y % 18) % 11) & 1);
      if ((window >> 8) % 8 == 0) {
        // A picture in a window: slopes with little noise.
        uint32_t grain = mixed((uint32_t)x ^ (uint32_t)y * 65537u) & 1;
        put(rgba, (uint32_t)clamped(x % 420 / 2 + (int)grain) | (uint32_t)clamped(y % 310 / 2) << 8 | 0x700000u);
      } else {
        put(rgba, stroke ? (ground == 0x403630 ? 0xD0D0D0 : 0x202020) : ground);
      }
    }
  }
}
