#include "internal.h"

// ---- Scores. A map has at most 64 by 64 cells, so plain loops are fast enough at every level.

enum {
  // With these weights, the windows in photographs come closest to those of other programs.
  EASEL_EDGE_WEIGHT = 8,
  // Darker colours attract less, and black does not attract at all.
  EASEL_BRIGHT = 64,
  // The direction of skin in red, green and blue, and the square of its length.
  EASEL_SKIN_RED = 200,
  EASEL_SKIN_GREEN = 146,
  EASEL_SKIN_BLUE = 113,
  EASEL_SKIN_SQUARE = 200 * 200 + 146 * 146 + 113 * 113,
  // A colour counts as skin up to this squared sine of its angle to that direction, in parts of 1024.
  EASEL_SKIN_WIDTH = 100,
};

typedef struct {
  int red, green, blue, alpha;
} easel_cell;

EASEL_INLINE easel_cell easel_load_cell(const uint8_t *p) { return (easel_cell){p[0], p[1], p[2], p[3]}; }

EASEL_INLINE int easel_luma(easel_cell c) { return (54 * c.red + 183 * c.green + 19 * c.blue) >> 8; }

// The largest sample, capped at the level of bright colours. Unlike luma, it counts blue as bright.
EASEL_INLINE int easel_brightest(easel_cell c) {
  int most = c.red > c.green ? c.red : c.green;
  if (c.blue > most) most = c.blue;
  return most < EASEL_BRIGHT ? most : EASEL_BRIGHT;
}

// The square of the luma is similar to light, in which edges in dark parts have little weight.
EASEL_INLINE int easel_light(easel_cell c) {
  int luma = easel_luma(c);
  return luma * luma / 255;
}

EASEL_INLINE int easel_skin(easel_cell c) {
  uint64_t square = (uint64_t)(c.red * c.red + c.green * c.green + c.blue * c.blue);
  if (square == 0) return 0;
  uint64_t along = (uint64_t)(EASEL_SKIN_RED * c.red + EASEL_SKIN_GREEN * c.green + EASEL_SKIN_BLUE * c.blue);
  int off = 1024 - (int)(along * along * 1024 / (square * EASEL_SKIN_SQUARE));
  return off >= EASEL_SKIN_WIDTH ? 0 : (EASEL_SKIN_WIDTH - off) * 255 / EASEL_SKIN_WIDTH;
}

// The distance from grey on axes like those of a Lab space: red against green, and yellow against blue.
EASEL_INLINE int easel_saturation(easel_cell c) {
  int a = abs(c.red - c.green);
  int b = abs((c.red + c.green) / 2 - c.blue);
  return a > b ? a + 3 * b / 8 : b + 3 * a / 8;
}

void easel_salience(const uint8_t *cells, size_t width, size_t height, uint32_t *scores) {
  for (size_t y = 0; y < height; y++) {
    for (size_t x = 0; x < width; x++) {
      const uint8_t *p = cells + (y * width + x) * 4;
      easel_cell cell = easel_load_cell(p);
      int light = easel_light(cell);
      // The Laplacian. A neighbour counts in proportion to its alpha, and there is none beyond the edge.
      int edge = 0;
      if (x > 0) edge += (light - easel_light(easel_load_cell(p - 4))) * p[-1];
      if (x + 1 < width) edge += (light - easel_light(easel_load_cell(p + 4))) * p[7];
      if (y > 0) edge += (light - easel_light(easel_load_cell(p - width * 4))) * p[3 - (ptrdiff_t)width * 4];
      if (y + 1 < height) edge += (light - easel_light(easel_load_cell(p + width * 4))) * p[3 + width * 4];
      int bright = easel_brightest(cell);
      int color = (easel_skin(cell) + easel_saturation(cell)) * bright / EASEL_BRIGHT;
      scores[y * width + x] = (uint32_t)((abs(edge) / 255 * EASEL_EDGE_WEIGHT + color) * cell.alpha / 255);
    }
  }
}

// ---- The best window

// Cells in the middle of the window have the most weight, so that the subject is placed there. If the window cannot
// move along an axis, all cells have the same weight there.
EASEL_INLINE uint64_t easel_cell_weight(size_t index, size_t window, size_t full) {
  if (window == full) return 1;
  size_t from_end = window - 1 - index;
  return 2 * (uint64_t)(index < from_end ? index : from_end) + 1;
}

void easel_best_window(const uint32_t *scores, size_t width, size_t height, size_t window_width, size_t window_height,
                       size_t *best_x, size_t *best_y) {
  size_t columns = width - window_width + 1, rows = height - window_height + 1;
  uint64_t sums[EASEL_MOST_CELLS * EASEL_MOST_CELLS];
  for (size_t y = 0; y < height; y++) {
    for (size_t x = 0; x < columns; x++) {
      uint64_t sum = 0;
      for (size_t i = 0; i < window_width; i++) {
        sum += scores[y * width + x + i] * easel_cell_weight(i, window_width, width);
      }
      sums[y * columns + x] = sum;
    }
  }
  uint64_t best = 0;
  int64_t least = INT64_MAX;
  for (size_t y = 0; y < rows; y++) {
    for (size_t x = 0; x < columns; x++) {
      uint64_t sum = 0;
      for (size_t i = 0; i < window_height; i++) {
        sum += sums[(y + i) * columns + x] * easel_cell_weight(i, window_height, height);
      }
      int64_t dx = 2 * (int64_t)x - (int64_t)(columns - 1), dy = 2 * (int64_t)y - (int64_t)(rows - 1);
      int64_t distance = dx * dx + dy * dy;
      if (sum > best || (sum == best && distance < least)) {
        best = sum;
        least = distance;
        *best_x = x;
        *best_y = y;
      }
    }
  }
}
