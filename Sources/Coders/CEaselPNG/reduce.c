#include <stdlib.h>
#include <string.h>

#include "include/CEaselPNG.h"

bool easel_png_take_gray(bool is_wide, bool has_alpha, const void *pixels, ptrdiff_t stride, size_t width,
                         size_t height, void *target) {
  size_t sample = is_wide ? 2 : 1;
  uint8_t *next = target;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = (const uint8_t *)pixels + (ptrdiff_t)y * stride;
    for (size_t x = 0; x < width; x++, row += 4 * sample) {
      if (memcmp(row, row + sample, sample) != 0 || memcmp(row, row + 2 * sample, sample) != 0) return false;
      memcpy(next, row, sample);
      next += sample;
      if (!has_alpha) continue;
      memcpy(next, row + 3 * sample, sample);
      next += sample;
    }
  }
  return true;
}

enum { EASEL_PNG_SLOTS = 1024 };

typedef struct {
  uint32_t color[EASEL_PNG_SLOTS];
  // The index plus one, 0 for a free slot.
  uint16_t index[EASEL_PNG_SLOTS];
} easel_png_color_table;

static uint16_t *easel_png_slot(easel_png_color_table *table, uint32_t color) {
  uint32_t slot = (color * 2654435761u) >> 22;
  while (table->index[slot] != 0 && table->color[slot] != color) slot = (slot + 1) % EASEL_PNG_SLOTS;
  table->color[slot] = color;
  return &table->index[slot];
}

// Puts colours with alpha first, so that tRNS can be short.
static void easel_png_sort_palette(uint8_t palette[1024], size_t count, uint8_t places[256]) {
  uint8_t sorted[1024];
  size_t next = 0;
  for (int wants_opaque = 0; wants_opaque < 2; wants_opaque++) {
    for (size_t i = 0; i < count; i++) {
      if ((palette[4 * i + 3] == 255) != wants_opaque) continue;
      memcpy(sorted + 4 * next, palette + 4 * i, 4);
      places[i] = (uint8_t)next++;
    }
  }
  memcpy(palette, sorted, count * 4);
}

size_t easel_png_make_palette(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t palette[1024],
                              uint8_t *indices) {
  easel_png_color_table table = {0};
  size_t count = 0;
  uint8_t *index = indices;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = (const uint8_t *)pixels + (ptrdiff_t)y * stride;
    for (size_t x = 0; x < width; x++) {
      uint32_t color;
      memcpy(&color, row + 4 * x, 4);
      uint16_t *found = easel_png_slot(&table, color);
      if (*found == 0) {
        if (count == 256) return 0;
        memcpy(palette + 4 * count, row + 4 * x, 4);
        *found = (uint16_t)++count;
      }
      *index++ = (uint8_t)(*found - 1);
    }
  }
  uint8_t places[256];
  easel_png_sort_palette(palette, count, places);
  for (size_t i = 0; i < width * height; i++) indices[i] = places[indices[i]];
  return count;
}

size_t easel_png_arrange_palette(uint8_t palette[1024], size_t count, uint8_t *indices, size_t index_count) {
  size_t pixels[256] = {0}, made = 0;
  uint8_t sorted[1024], places[256], order[256];
  for (size_t i = 0; i < index_count; i++) pixels[indices[i]]++;
  for (size_t i = 0; i < count; i++) {
    if (pixels[i] == 0) continue;
    bool is_opaque = palette[4 * i + 3] == 255;
    size_t place = made++;
    for (; place > 0; place--) {
      size_t other = order[place - 1];
      bool other_is_opaque = palette[4 * other + 3] == 255;
      if (is_opaque != other_is_opaque ? is_opaque : pixels[i] <= pixels[other]) break;
      order[place] = order[place - 1];
    }
    order[place] = (uint8_t)i;
  }
  for (size_t i = 0; i < made; i++) {
    memcpy(sorted + 4 * i, palette + 4 * order[i], 4);
    places[order[i]] = (uint8_t)i;
  }
  memcpy(palette, sorted, 4 * made);
  for (size_t i = 0; i < index_count; i++) indices[i] = places[indices[i]];
  return made;
}
