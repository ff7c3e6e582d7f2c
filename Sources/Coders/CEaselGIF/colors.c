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

// ---- Indices

// The index of each colour, in slots.
typedef struct {
  uint32_t keys[EASEL_GIF_SLOTS];
  uint8_t indices[EASEL_GIF_SLOTS];
} easel_gif_places;

static uint32_t easel_gif_key(const uint8_t *color) {
  return (uint32_t)color[0] << 24 | (uint32_t)color[1] << 16 | (uint32_t)color[2] << 8 | 1;
}

static uint32_t easel_gif_slot(const easel_gif_places *places, uint32_t key) {
  uint32_t slot = (key * 2654435761u) >> 22;
  while (places->keys[slot] != 0 && places->keys[slot] != key) slot = (slot + 1) % EASEL_GIF_SLOTS;
  return slot;
}

void easel_gif_map(const easel_gif_mapping *mapping, const void *pixels, ptrdiff_t stride, const void *before,
                   ptrdiff_t before_stride, uint8_t *indices) {
  easel_gif_places places = {0};
  for (size_t i = mapping->count; i-- > 0;) {
    uint32_t key = easel_gif_key(mapping->colors + 3 * i), slot = easel_gif_slot(&places, key);
    places.keys[slot] = key;
    places.indices[slot] = (uint8_t)i;
  }
  for (size_t y = 0; y < mapping->height; y++) {
    const uint8_t *row = easel_gif_row(pixels, stride, y), *other = easel_gif_row(before, before_stride, y);
    for (size_t x = 0; x < mapping->width; x++) {
      const uint8_t *pixel = row + 4 * x;
      bool is_skipped = mapping->transparent >= 0 && !easel_gif_is_new(pixel, other ? other + 4 * x : NULL);
      *indices++ = is_skipped ? (uint8_t)mapping->transparent
                              : places.indices[easel_gif_slot(&places, easel_gif_key(pixel))];
    }
  }
}
