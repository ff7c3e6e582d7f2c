#include "internal.h"

// A tile is four blocks of 8 by 8 pixels, as encoders have them.
enum { EASEL_BLOCK = 8, EASEL_TILE = 2 * EASEL_BLOCK };

typedef struct {
  int luma[EASEL_TILE][EASEL_TILE];
  int blue[EASEL_TILE][EASEL_TILE];
  int red[EASEL_TILE][EASEL_TILE];
} easel_tile;

typedef struct {
  double gradient, square, curvature, color, brightness, flat, edge, coarse;
} easel_detail_sums;

static void easel_load_tile(const uint8_t *pixels, size_t stride, easel_tile *tile) {
  for (size_t y = 0; y < EASEL_TILE; y++) {
    const uint8_t *p = pixels + y * stride;
    for (size_t x = 0; x < EASEL_TILE; x++, p += 4) {
      int luma = (54 * p[0] + 183 * p[1] + 19 * p[2]) >> 8;
      tile->luma[y][x] = luma;
      tile->blue[y][x] = p[2] - luma;
      tile->red[y][x] = p[0] - luma;
    }
  }
}

// The mean difference of neighbours in a block.
static double easel_gradient(int (*plane)[EASEL_TILE], size_t left, size_t top) {
  int sum = 0;
  for (size_t y = top; y < top + EASEL_BLOCK; y++) {
    for (size_t x = left; x < left + EASEL_BLOCK; x++) {
      if (x + 1 < left + EASEL_BLOCK) sum += abs(plane[y][x + 1] - plane[y][x]);
      if (y + 1 < top + EASEL_BLOCK) sum += abs(plane[y + 1][x] - plane[y][x]);
    }
  }
  return sum / (2.0 * EASEL_BLOCK * (EASEL_BLOCK - 1));
}

static double easel_curvature(int (*plane)[EASEL_TILE], size_t left, size_t top) {
  int sum = 0;
  for (size_t y = top; y < top + EASEL_BLOCK; y++) {
    for (size_t x = left + 1; x + 1 < left + EASEL_BLOCK; x++) {
      sum += abs(plane[y][x + 1] - 2 * plane[y][x] + plane[y][x - 1]);
    }
  }
  return sum / (double)(EASEL_BLOCK * (EASEL_BLOCK - 2));
}

// The variance of a quarter of a block.
static double easel_variance(int (*plane)[EASEL_TILE], size_t left, size_t top) {
  int sum = 0, squares = 0;
  for (size_t y = top; y < top + EASEL_BLOCK / 2; y++) {
    for (size_t x = left; x < left + EASEL_BLOCK / 2; x++) {
      sum += plane[y][x];
      squares += plane[y][x] * plane[y][x];
    }
  }
  return (16 * squares - sum * sum) / 256.0;
}

static double easel_logarithm(double value) { return log2(0.25 + value); }

static void easel_add_block(easel_tile *tile, size_t left, size_t top, easel_detail_sums *sums) {
  double gradient = easel_gradient(tile->luma, left, top);
  double logarithm = easel_logarithm(gradient);
  sums->gradient += logarithm;
  sums->square += logarithm * logarithm;
  sums->flat += gradient < 1;
  sums->curvature += easel_logarithm(easel_curvature(tile->luma, left, top));
  sums->color += easel_logarithm(easel_gradient(tile->blue, left, top) + easel_gradient(tile->red, left, top));
  int brightness = 0;
  for (size_t y = top; y < top + EASEL_BLOCK; y++) {
    for (size_t x = left; x < left + EASEL_BLOCK; x++) brightness += tile->luma[y][x];
  }
  sums->brightness += log2(8 + brightness / 64.0);
  double least = INFINITY, most = -INFINITY;
  for (size_t part = 0; part < 4; part++) {
    double variance = easel_variance(tile->luma, left + part % 2 * 4, top + part / 2 * 4);
    least = fmin(least, variance);
    most = fmax(most, variance);
  }
  sums->edge += easel_logarithm(most) - easel_logarithm(least);
}

// The same gradient at half the size.
static double easel_coarse_gradient(easel_tile *tile) {
  int half[EASEL_TILE][EASEL_TILE];
  for (size_t y = 0; y < EASEL_BLOCK; y++) {
    for (size_t x = 0; x < EASEL_BLOCK; x++) {
      half[y][x] = tile->luma[2 * y][2 * x] + tile->luma[2 * y][2 * x + 1] + tile->luma[2 * y + 1][2 * x]
                   + tile->luma[2 * y + 1][2 * x + 1];
    }
  }
  return easel_gradient(half, 0, 0) / 4;
}

bool easel_detail(const uint8_t *pixels, size_t stride, size_t width, size_t height,
                  double values[EASEL_DETAIL_VALUES]) {
  size_t columns = width / EASEL_TILE, rows = height / EASEL_TILE;
  if (columns == 0 || rows == 0) return false;
  // Of a large picture every second or third tile is enough.
  size_t step = 1;
  while ((columns / step) * (rows / step) > EASEL_DETAIL_TILES) step++;
  easel_detail_sums sums = {0};
  size_t count = 0;
  for (size_t row = rows > step / 2 ? step / 2 : 0; row < rows; row += step) {
    for (size_t column = columns > step / 2 ? step / 2 : 0; column < columns; column += step) {
      easel_tile tile;
      easel_load_tile(pixels + row * EASEL_TILE * stride + column * EASEL_TILE * 4, stride, &tile);
      for (size_t part = 0; part < 4; part++) {
        easel_add_block(&tile, part % 2 * EASEL_BLOCK, part / 2 * EASEL_BLOCK, &sums);
      }
      sums.coarse += 4 * easel_logarithm(easel_coarse_gradient(&tile));
      count += 4;
    }
  }
  double blocks = (double)count;
  double gradient = sums.gradient / blocks;
  values[0] = gradient;
  values[1] = sqrt(fmax(0, sums.square / blocks - gradient * gradient));
  values[2] = sums.curvature / blocks - gradient;
  values[3] = sums.color / blocks - gradient;
  values[4] = sums.brightness / blocks;
  values[5] = sums.flat / blocks;
  values[6] = sums.edge / blocks;
  values[7] = sums.coarse / blocks - gradient;
  return true;
}
