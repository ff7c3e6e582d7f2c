#include <stdlib.h>
#include <string.h>

#include "include/CEaselGIF.h"

static inline bool easel_gif_is_new(const uint8_t *pixel, const uint8_t *before) {
  return pixel[3] != 0 && (!before || memcmp(pixel, before, 4) != 0);
}

static inline const uint8_t *easel_gif_row(const void *pixels, ptrdiff_t stride, size_t y) {
  return pixels ? (const uint8_t *)pixels + (ptrdiff_t)y * stride : NULL;
}

// ---- Exact colours

enum { EASEL_GIF_SLOTS = 1024 };

size_t easel_gif_collect_colors(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                                size_t width, size_t height, size_t capacity, uint8_t *colors) {
  uint32_t keys[EASEL_GIF_SLOTS] = {0};
  size_t count = 0;
  uint32_t last = 0;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = easel_gif_row(pixels, stride, y), *other = easel_gif_row(before, before_stride, y);
    for (size_t x = 0; x < width; x++) {
      if (!easel_gif_is_new(row + 4 * x, other ? other + 4 * x : NULL)) continue;
      uint32_t key = (uint32_t)row[4 * x] << 24 | (uint32_t)row[4 * x + 1] << 16 | (uint32_t)row[4 * x + 2] << 8 | 1;
      if (key == last) continue;
      last = key;
      uint32_t slot = (key * 2654435761u) >> 22;
      while (keys[slot] != 0 && keys[slot] != key) slot = (slot + 1) % EASEL_GIF_SLOTS;
      if (keys[slot] == key) continue;
      if (count == capacity) return capacity + 1;
      keys[slot] = key;
      memcpy(colors + 3 * count++, row + 4 * x, 3);
    }
  }
  return count;
}

bool easel_gif_make_binary(void *pixels, ptrdiff_t stride, size_t width, size_t height, const uint8_t background[3]) {
  bool has_transparent = false;
  for (size_t y = 0; y < height; y++) {
    uint8_t *pixel = (uint8_t *)pixels + (ptrdiff_t)y * stride;
    for (size_t x = 0; x < width; x++, pixel += 4) {
      unsigned alpha = pixel[3];
      if (alpha == 255) continue;
      if (alpha < 128) {
        memset(pixel, 0, 4);
        has_transparent = true;
        continue;
      }
      for (int i = 0; i < 3; i++) {
        pixel[i] = (uint8_t)((pixel[i] * alpha + background[i] * (255 - alpha) + 127) / 255);
      }
      pixel[3] = 255;
    }
  }
  return has_transparent;
}

typedef bool (*easel_gif_test)(const uint8_t *pixel, const uint8_t *before);

static bool easel_gif_differs(const uint8_t *pixel, const uint8_t *before) { return memcmp(pixel, before, 4) != 0; }
static bool easel_gif_vanishes(const uint8_t *pixel, const uint8_t *before) { return pixel[3] == 0 && before[3] != 0; }

static bool easel_gif_part(easel_gif_test test, const void *pixels, ptrdiff_t stride, const void *before,
                           ptrdiff_t before_stride, size_t width, size_t height, size_t part[4]) {
  size_t left = width, right = 0, top = height, bottom = 0;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = easel_gif_row(pixels, stride, y), *other = easel_gif_row(before, before_stride, y);
    if (memcmp(row, other, width * 4) == 0) continue;
    size_t first = 0;
    while (first < width && !test(row + 4 * first, other + 4 * first)) first++;
    if (first == width) continue;
    size_t end = width;
    while (!test(row + 4 * (end - 1), other + 4 * (end - 1))) end--;
    if (first < left) left = first;
    if (end > right) right = end;
    if (y < top) top = y;
    bottom = y + 1;
  }
  if (bottom == 0) return false;
  part[0] = left;
  part[1] = top;
  part[2] = right - left;
  part[3] = bottom - top;
  return true;
}

bool easel_gif_changed_part(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                            size_t width, size_t height, size_t part[4]) {
  return easel_gif_part(easel_gif_differs, pixels, stride, before, before_stride, width, height, part);
}

bool easel_gif_vanished_part(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                             size_t width, size_t height, size_t part[4]) {
  return easel_gif_part(easel_gif_vanishes, pixels, stride, before, before_stride, width, height, part);
}

// ---- The nearest colour

enum { EASEL_GIF_CELL_BITS = 5, EASEL_GIF_CELLS = 1 << (3 * EASEL_GIF_CELL_BITS) };

// For each cell of the colour cube: the colours that may be the nearest to a point in the cell. They are found when the
// cell is first used.
typedef struct {
  const uint8_t *colors;
  size_t count;
  uint32_t *starts;
  uint8_t *candidates;
  size_t used, capacity;
} easel_gif_nearest;

static bool easel_gif_fill_cell(easel_gif_nearest *nearest, uint32_t cell) {
  const int side = 1 << (8 - EASEL_GIF_CELL_BITS);
  int low[3] = {(int)(cell >> 10 & 31) * side, (int)(cell >> 5 & 31) * side, (int)(cell & 31) * side};
  int least[256], reach = INT32_MAX;
  for (size_t i = 0; i < nearest->count; i++) {
    int near_sum = 0, far_sum = 0;
    for (int c = 0; c < 3; c++) {
      int color = nearest->colors[3 * i + (size_t)c], high = low[c] + side - 1;
      int below = low[c] - color, above = color - high;
      int outside = below > 0 ? below : above > 0 ? above : 0;
      int span = color - low[c] > high - color ? color - low[c] : high - color;
      near_sum += outside * outside;
      far_sum += span * span;
    }
    least[i] = near_sum;
    if (far_sum < reach) reach = far_sum;
  }
  if (nearest->capacity - nearest->used < nearest->count + 1) {
    size_t capacity = (nearest->capacity + nearest->count + 1) * 2;
    uint8_t *grown = realloc(nearest->candidates, capacity);
    if (!grown) return false;
    nearest->candidates = grown;
    nearest->capacity = capacity;
  }
  size_t start = nearest->used++, found = 0;
  for (size_t i = 0; i < nearest->count; i++) {
    if (least[i] <= reach) {
      nearest->candidates[nearest->used++] = (uint8_t)i;
      found++;
    }
  }
  // The count is stored minus one, so that 256 fits in a byte.
  nearest->candidates[start] = (uint8_t)(found - 1);
  nearest->starts[cell] = (uint32_t)start + 1;
  return true;
}

// Finds the nearest colour; returns -1 when memory runs out.
static inline int easel_gif_find(easel_gif_nearest *nearest, int red, int green, int blue) {
  uint32_t cell = (uint32_t)(red >> 3) << 10 | (uint32_t)(green >> 3) << 5 | (uint32_t)(blue >> 3);
  if (nearest->starts[cell] == 0 && !easel_gif_fill_cell(nearest, cell)) return -1;
  const uint8_t *candidate = nearest->candidates + nearest->starts[cell] - 1;
  size_t count = (size_t)*candidate + 1;
  int best = 0, distance = INT32_MAX;
  for (size_t i = 1; i <= count; i++) {
    const uint8_t *color = nearest->colors + 3 * (size_t)candidate[i];
    int r = red - color[0], g = green - color[1], b = blue - color[2], d = r * r + g * g + b * b;
    if (d < distance) {
      distance = d;
      best = candidate[i];
    }
  }
  return best;
}

// ---- Indices

static bool easel_gif_map_row(easel_gif_nearest *nearest, const easel_gif_mapping *mapping, const uint8_t *row,
                              const uint8_t *before, uint8_t *indices) {
  uint32_t last = 0;
  int found = 0;
  bool has_last = false;
  for (size_t x = 0; x < mapping->width; x++) {
    const uint8_t *pixel = row + 4 * x;
    if (mapping->transparent >= 0 && !easel_gif_is_new(pixel, before ? before + 4 * x : NULL)) {
      indices[x] = (uint8_t)mapping->transparent;
      continue;
    }
    uint32_t key = (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
    if (!has_last || key != last) found = easel_gif_find(nearest, pixel[0], pixel[1], pixel[2]);
    if (found < 0) return false;
    has_last = true;
    last = key;
    indices[x] = (uint8_t)found;
  }
  return true;
}

static inline int easel_gif_clamp(int value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

// Floyd-Steinberg dithering in alternating directions. `errors` has two rows of sixteenths, with one more pixel at each
// end.
static bool easel_gif_diffuse_row(easel_gif_nearest *nearest, const easel_gif_mapping *mapping, size_t y,
                                  const uint8_t *row, const uint8_t *before, int *errors, uint8_t *indices) {
  size_t width = mapping->width, length = 3 * (width + 2);
  int *now = errors + (y % 2) * length + 3, *then = errors + (1 - y % 2) * length + 3;
  memset(then - 3, 0, length * sizeof *then);
  ptrdiff_t step = y % 2 == 0 ? 1 : -1, x = step > 0 ? 0 : (ptrdiff_t)width - 1;
  for (size_t i = 0; i < width; i++, x += step) {
    const uint8_t *pixel = row + 4 * x;
    if (mapping->transparent >= 0 && !easel_gif_is_new(pixel, before ? before + 4 * x : NULL)) {
      indices[x] = (uint8_t)mapping->transparent;
      continue;
    }
    int wanted[3];
    for (int c = 0; c < 3; c++) wanted[c] = easel_gif_clamp(pixel[c] + (now[3 * x + c] + 8) / 16);
    int found = easel_gif_find(nearest, wanted[0], wanted[1], wanted[2]);
    if (found < 0) return false;
    indices[x] = (uint8_t)found;
    for (int c = 0; c < 3; c++) {
      int error = wanted[c] - mapping->colors[3 * found + c];
      now[3 * (x + step) + c] += 7 * error;
      then[3 * (x - step) + c] += 3 * error;
      then[3 * x + c] += 5 * error;
      then[3 * (x + step) + c] += error;
    }
  }
  return true;
}

easel_gif_status easel_gif_map(const easel_gif_mapping *mapping, const void *pixels, ptrdiff_t stride,
                               const void *before, ptrdiff_t before_stride, uint8_t *indices) {
  easel_gif_nearest nearest = {.colors = mapping->colors, .count = mapping->count};
  nearest.starts = calloc(EASEL_GIF_CELLS, sizeof *nearest.starts);
  int *errors = mapping->diffuses ? calloc(2 * 3 * (mapping->width + 2), sizeof *errors) : NULL;
  bool is_done = nearest.starts && (errors || !mapping->diffuses);
  for (size_t y = 0; y < mapping->height && is_done; y++) {
    const uint8_t *row = easel_gif_row(pixels, stride, y), *other = easel_gif_row(before, before_stride, y);
    uint8_t *target = indices + y * mapping->width;
    is_done = errors ? easel_gif_diffuse_row(&nearest, mapping, y, row, other, errors, target)
                     : easel_gif_map_row(&nearest, mapping, row, other, target);
  }
  free(errors);
  free(nearest.starts);
  free(nearest.candidates);
  return is_done ? EASEL_GIF_OK : EASEL_GIF_NO_MEMORY;
}
