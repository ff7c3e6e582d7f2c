#include "filtering.h"

#include <stdlib.h>
#include <string.h>

#include "CEaselPixels.h"

easel_png_source easel_png_source_of(const easel_png_layout *layout, const void *rows, ptrdiff_t stride) {
  size_t bytes = easel_png_filtered_row_bytes(layout) - 1;
  static const size_t channels[] = {1, 0, 3, 1, 2, 0, 4};
  size_t pixel = channels[layout->color_type] * layout->bit_depth / 8;
  return (easel_png_source){layout, rows, stride, bytes, pixel > 0 ? pixel : 1};
}

bool easel_png_filterer_open(easel_png_filterer *filterer, const easel_png_source *source) {
  filterer->packed[0] = malloc(source->bytes);
  filterer->packed[1] = malloc(source->bytes);
  filterer->zeros = calloc(1, source->bytes);
  return filterer->packed[0] && filterer->packed[1] && filterer->zeros;
}

void easel_png_filterer_close(easel_png_filterer *filterer) {
  free(filterer->packed[0]);
  free(filterer->packed[1]);
  free(filterer->zeros);
}

// ---- Samples as PNG stores them

static void easel_png_pack_indices(const uint8_t *indices, unsigned depth, size_t width, uint8_t *target) {
  unsigned most = 8 / depth;
  for (size_t x = 0; x < width; x += most) {
    unsigned byte = 0;
    for (unsigned i = 0; i < most; i++) byte = byte << depth | (x + i < width ? indices[x + i] : 0u);
    *target++ = (uint8_t)byte;
  }
}

static void easel_png_pack_wide_rgb(const uint8_t *pixels, size_t width, uint8_t *target) {
  for (size_t x = 0; x < width; x++, pixels += 8) {
    for (size_t i = 0; i < 3; i++) {
      uint16_t sample;
      memcpy(&sample, pixels + 2 * i, 2);
      *target++ = (uint8_t)(sample >> 8);
      *target++ = (uint8_t)sample;
    }
  }
}

static bool easel_png_has_host_order(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one == 0;
}

// Returns the samples of a row: its own bytes if those are in PNG's order, else those in `target`.
static const uint8_t *easel_png_packed(const easel_png_source *source, uint32_t y, uint8_t *target) {
  const uint8_t *row = source->rows + (ptrdiff_t)y * source->stride;
  const easel_png_layout *layout = source->layout;
  bool drops_alpha = layout->color_type == 2;
  if (layout->bit_depth < 8) {
    easel_png_pack_indices(row, layout->bit_depth, layout->width, target);
  } else if (layout->bit_depth == 8 && drops_alpha) {
    easel_rgba8_to_rgb8(false, row, 0, target, 0, layout->width, 1);
  } else if (layout->bit_depth == 16 && drops_alpha) {
    easel_png_pack_wide_rgb(row, layout->width, target);
  } else if (layout->bit_depth == 16 && !easel_png_has_host_order()) {
    easel_swap_bytes16(row, target, source->bytes / 2);
  } else {
    return row;
  }
  return target;
}

// ---- Filters

static int easel_png_smallest(const easel_png_source *source, const uint8_t *row, const uint8_t *above) {
  uint64_t sums[5];
  easel_png_filter_sums(source->pixel, row, above, source->bytes, sums);
  int smallest = 0;
  for (int filter = 1; filter < 5; filter++) {
    if (sums[filter] < sums[smallest]) smallest = filter;
  }
  return smallest;
}

uint8_t *easel_png_filter_rows(easel_png_filterer *filterer, const easel_png_source *source, int filter, uint32_t first,
                               uint32_t count, uint8_t *target) {
  const uint8_t *above = filterer->zeros;
  if (first > 0 && filter > 1) above = easel_png_packed(source, first - 1, filterer->packed[(first - 1) % 2]);
  for (uint32_t y = first; y < first + count; y++) {
    const uint8_t *row = easel_png_packed(source, y, filterer->packed[y % 2]);
    int chosen = filter == EASEL_PNG_SMALLEST ? easel_png_smallest(source, row, above) : filter;
    *target = (uint8_t)chosen;
    easel_png_filter(chosen, source->pixel, row, above, source->bytes, target + 1);
    target += source->bytes + 1;
    above = row;
  }
  return target;
}
