#include "palette.h"

void easel_palette_table_fill(easel_palette_table *table, const easel_f4 *points, size_t count) {
  table->count = count;
  for (size_t i = 0; i < EASEL_PALETTE_MOST; i++) {
    // Places behind the last colour are farther than all colours.
    for (size_t k = 0; k < 4; k++) table->components[k][i] = i < count ? points[i][k] : 1e9f;
    if (i >= count) continue;
    table->points[i] = points[i];
    table->safe[i] = 3e38f;
    for (size_t other = 0; other < count; other++) {
      float distance = easel_palette_square(points[i] - points[other]) / 4;
      if (other != i && distance < table->safe[i]) table->safe[i] = distance;
    }
  }
}

// ---- Unrest

static void easel_palette_bright_row(const easel_palette_picture *picture, size_t y, int16_t *row) {
  const uint8_t *pixel = (const uint8_t *)picture->pixels + (ptrdiff_t)y * picture->stride;
  for (size_t x = 0; x < picture->width; x++, pixel += 4) {
    int gray = (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) >> 8;
    // Over a middle grey, with two bits behind the point.
    row[x] = (int16_t)(4 * gray * pixel[3] / 255 + 2 * (255 - pixel[3]));
  }
}

uint8_t *easel_palette_unrest(const easel_palette_picture *picture) {
  size_t width = picture->width, height = picture->height;
  uint8_t *unrest = easel_allocate(width, height);
  int16_t *rows = easel_allocate(3 * width, sizeof *rows);
  uint16_t *steps = easel_allocate(3 * width, sizeof *steps);
  if (unrest && rows && steps) {
    easel_palette_bright_row(picture, 0, rows);
    for (size_t y = 0; y < height; y++) {
      int16_t *above = rows + (y + 2) % 3 * width, *now = rows + y % 3 * width, *below = rows + (y + 1) % 3 * width;
      if (y + 1 < height) easel_palette_bright_row(picture, y + 1, below);
      if (y == 0) above = now;
      if (y + 1 == height) below = now;
      // The larger change hides more, but the change along a single edge hides nothing beside it.
      for (size_t x = 0; x < width; x++) {
        int left = now[x > 0 ? x - 1 : 0], right = now[x + 1 < width ? x + 1 : x];
        int across = abs(now[x] - left) + abs(now[x] - right), down = abs(now[x] - above[x]) + abs(now[x] - below[x]);
        int step = (across < down ? 3 * across + down : 3 * down + across) / 4;
        steps[x] = (uint16_t)(step > 1020 ? 1020 : step);
      }
      for (size_t x = 0; x < width; x++) {
        unsigned sum = 2u * steps[x] + steps[x > 0 ? x - 1 : 0] + steps[x + 1 < width ? x + 1 : x];
        sum /= 8;
        unrest[y * width + x] = (uint8_t)(sum > 255 ? 255 : sum);
      }
    }
    // Smooth from above to below, too.
    for (size_t y = 0; y + 1 < height; y++) {
      uint8_t *now = unrest + y * width, *below = now + width;
      for (size_t x = 0; x < width; x++) now[x] = (uint8_t)((now[x] + below[x] + 1) / 2);
    }
  } else {
    free(unrest);
    unrest = NULL;
  }
  free(rows);
  free(steps);
  return unrest;
}

bool easel_palette_limits(const easel_palette_picture *picture, uint32_t even, uint32_t restless, uint32_t *limits) {
  uint8_t *unrest = easel_palette_unrest(picture);
  if (!unrest) return false;
  for (size_t i = 0; i < picture->width * picture->height; i++) {
    limits[i] = even + (uint32_t)((uint64_t)(restless - even) * unrest[i] / 255);
  }
  free(unrest);
  return true;
}
