#include <stdlib.h>
#include <string.h>

#include "include/CEaselPNG.h"

// One pixel over another, both straight, rounded to nearest.
static void easel_png_over8(const uint8_t *source, uint8_t *target) {
  uint32_t above = source[3] * 255u, below = (255u - source[3]) * target[3], sum = above + below;
  for (int i = 0; i < 3; i++) target[i] = (uint8_t)((source[i] * above + target[i] * below + sum / 2) / sum);
  target[3] = (uint8_t)((sum + 127) / 255);
}

static void easel_png_over16(const uint16_t *source, uint16_t *target) {
  uint64_t above = source[3] * 65535ull, below = (65535ull - source[3]) * target[3], sum = above + below;
  for (int i = 0; i < 3; i++) target[i] = (uint16_t)((source[i] * above + target[i] * below + sum / 2) / sum);
  target[3] = (uint16_t)((sum + 32767) / 65535);
}

static void easel_png_row_over8(const uint8_t *source, uint8_t *target, size_t width) {
  for (size_t x = 0; x < width; x++, source += 4, target += 4) {
    if (source[3] == 255 || (target[3] == 0 && source[3] != 0)) memcpy(target, source, 4);
    else if (source[3] != 0) easel_png_over8(source, target);
  }
}

static void easel_png_row_over16(const uint16_t *source, uint16_t *target, size_t width) {
  for (size_t x = 0; x < width; x++, source += 4, target += 4) {
    if (source[3] == 65535 || (target[3] == 0 && source[3] != 0)) memcpy(target, source, 8);
    else if (source[3] != 0) easel_png_over16(source, target);
  }
}

void easel_png_compose(bool is_wide, easel_png_blend blend, const void *frame, ptrdiff_t frame_stride, void *canvas,
                       ptrdiff_t canvas_stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *source = (const uint8_t *)frame + (ptrdiff_t)y * frame_stride;
    uint8_t *target = (uint8_t *)canvas + (ptrdiff_t)y * canvas_stride;
    if (blend == EASEL_PNG_BLEND_SOURCE) {
      memcpy(target, source, width * (is_wide ? 8 : 4));
    } else if (is_wide) {
      easel_png_row_over16((const uint16_t *)(const void *)source, (uint16_t *)(void *)target, width);
    } else {
      easel_png_row_over8(source, target, width);
    }
  }
}

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

// Colours with alpha come first, so that tRNS can be short.
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
