#include <libdeflate.h>
#include <string.h>

#include "CEaselPixels.h"
#include "internal.h"

uint32_t easel_png_crc(uint32_t crc, const void *bytes, size_t count) { return libdeflate_crc32(crc, bytes, count); }

static size_t easel_png_channels(const easel_png_layout *layout) {
  switch (layout->color_type) {
    case 2: return 3;
    case 4: return 2;
    case 6: return 4;
    default: return 1;
  }
}

size_t easel_png_bytes_per_pixel(const easel_png_layout *layout) { return layout->is_wide ? 8 : 4; }

size_t easel_png_filtered_row_bytes(const easel_png_layout *layout) {
  return ((size_t)layout->width * layout->bit_depth * easel_png_channels(layout) + 7) / 8 + 1;
}

easel_png_status easel_png_inflate_small(const void *compressed, size_t compressed_bytes, void *target,
                                         size_t capacity, size_t *count) {
  struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
  if (!decompressor) return EASEL_PNG_NO_MEMORY;
  enum libdeflate_result result =
      libdeflate_zlib_decompress(decompressor, compressed, compressed_bytes, target, capacity, count);
  libdeflate_free_decompressor(decompressor);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return EASEL_PNG_NO_MEMORY;
  return result == LIBDEFLATE_SUCCESS ? EASEL_PNG_OK : EASEL_PNG_BAD_DATA;
}

easel_png_status easel_png_inflate(const void *compressed, size_t compressed_bytes, void *filtered,
                                   size_t filtered_bytes) {
  struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
  if (!decompressor) return EASEL_PNG_NO_MEMORY;
  enum libdeflate_result result =
      libdeflate_zlib_decompress(decompressor, compressed, compressed_bytes, filtered, filtered_bytes, NULL);
  libdeflate_free_decompressor(decompressor);
  return result == LIBDEFLATE_SUCCESS ? EASEL_PNG_OK : EASEL_PNG_BAD_DATA;
}

static inline uint16_t easel_png_get16(const uint8_t *bytes) { return (uint16_t)(bytes[0] << 8 | bytes[1]); }

// Rounds in the same way as libpng.
static inline uint8_t easel_png_narrow(uint16_t value) { return (uint8_t)(((uint32_t)value * 255 + 32895) >> 16); }

static uint32_t easel_png_pack(uint8_t red, uint8_t green, uint8_t blue, uint8_t alpha) {
  const uint8_t bytes[4] = {red, green, blue, alpha};
  uint32_t packed;
  memcpy(&packed, bytes, 4);
  return packed;
}

// Computes the pixel for each sample of at most 8 bits, from a palette or from grey.
static void easel_png_fill_colors(easel_png_expander *expander, const easel_png_layout *layout) {
  if (layout->color_type == 3) {
    for (size_t i = 0; i < 256; i++) {
      const uint8_t *color = i < layout->palette_count ? layout->palette + 3 * i : (const uint8_t *)"\0\0";
      uint8_t alpha = i < layout->transparency_bytes ? layout->transparency[i] : 255;
      expander->colors[i] = easel_png_pack(color[0], color[1], color[2], alpha);
    }
    return;
  }
  unsigned levels = 1u << layout->bit_depth;
  for (unsigned i = 0; i < levels; i++) {
    uint8_t gray = (uint8_t)(i * 255 / (levels - 1));
    bool is_clear = expander->is_keyed && i == (expander->key[0] & (levels - 1));
    expander->colors[i] = easel_png_pack(gray, gray, gray, is_clear ? 0 : 255);
  }
}

void easel_png_prepare(easel_png_expander *expander, const easel_png_layout *layout) {
  size_t samples = layout->color_type == 0 ? 1 : layout->color_type == 2 ? 3 : 0;
  expander->is_keyed = samples > 0 && layout->transparency_bytes >= samples * 2;
  for (size_t i = 0; i < 3; i++) {
    expander->key[i] = expander->is_keyed && i < samples ? easel_png_get16(layout->transparency + 2 * i) : 0;
  }
  if (layout->bit_depth <= 8 && (layout->color_type == 0 || layout->color_type == 3)) {
    easel_png_fill_colors(expander, layout);
  }
}

static void easel_png_expand_indices(const easel_png_expander *expander, const easel_png_layout *layout,
                                     const uint8_t *row, uint8_t *target) {
  unsigned depth = layout->bit_depth, mask = (1u << depth) - 1;
  for (size_t x = 0; x < layout->width; x++) {
    size_t bit = x * depth;
    unsigned value = (row[bit / 8] >> (8 - depth - bit % 8)) & mask;
    memcpy(target + 4 * x, &expander->colors[value], 4);
  }
}

static void easel_png_expand_bytes(const easel_png_expander *expander, const easel_png_layout *layout,
                                   const uint8_t *row, uint8_t *target) {
  for (size_t x = 0; x < layout->width; x++) memcpy(target + 4 * x, &expander->colors[row[x]], 4);
}

static void easel_png_expand_rgb(const easel_png_expander *expander, const easel_png_layout *layout,
                                 const uint8_t *row, uint8_t *target) {
  easel_rgb8_to_rgba8(false, row, 0, target, 0, layout->width, 1);
  if (!expander->is_keyed) return;
  uint8_t red = (uint8_t)expander->key[0], green = (uint8_t)expander->key[1], blue = (uint8_t)expander->key[2];
  for (size_t x = 0; x < layout->width; x++, target += 4) {
    if (target[0] == red && target[1] == green && target[2] == blue) target[3] = 0;
  }
}

static void easel_png_expand_gray_alpha(const easel_png_layout *layout, const uint8_t *row, uint8_t *target) {
  for (size_t x = 0; x < layout->width; x++) {
    uint32_t pixel = easel_png_pack(row[2 * x], row[2 * x], row[2 * x], row[2 * x + 1]);
    memcpy(target + 4 * x, &pixel, 4);
  }
}

// Expands samples of 16 bits, for every colour type that has them.
static void easel_png_expand_16(const easel_png_expander *expander, const easel_png_layout *layout, const uint8_t *row,
                                uint8_t *target) {
  size_t channels = easel_png_channels(layout);
  bool has_color = channels >= 3, has_alpha = channels == 2 || channels == 4;
  for (size_t x = 0; x < layout->width; x++, row += 2 * channels) {
    uint16_t pixel[4];
    for (size_t i = 0; i < 3; i++) pixel[i] = easel_png_get16(row + (has_color ? 2 * i : 0));
    pixel[3] = has_alpha ? easel_png_get16(row + 2 * (channels - 1)) : 0xffff;
    if (expander->is_keyed && pixel[0] == expander->key[0] &&
        (!has_color || (pixel[1] == expander->key[1] && pixel[2] == expander->key[2]))) {
      pixel[3] = 0;
    }
    if (layout->is_wide) {
      memcpy(target + 8 * x, pixel, 8);
    } else {
      for (size_t i = 0; i < 4; i++) target[4 * x + i] = easel_png_narrow(pixel[i]);
    }
  }
}

static void easel_png_expand_samples(const easel_png_expander *expander, const easel_png_layout *layout,
                                 const uint8_t *row, uint8_t *target) {
  if (layout->bit_depth == 16) {
    easel_png_expand_16(expander, layout, row, target);
  } else if (layout->color_type == 6) {
    memcpy(target, row, (size_t)layout->width * 4);
  } else if (layout->color_type == 2) {
    easel_png_expand_rgb(expander, layout, row, target);
  } else if (layout->color_type == 4) {
    easel_png_expand_gray_alpha(layout, row, target);
  } else if (layout->bit_depth == 8) {
    easel_png_expand_bytes(expander, layout, row, target);
  } else {
    easel_png_expand_indices(expander, layout, row, target);
  }
}

bool easel_png_expand_row(const easel_png_expander *expander, const easel_png_layout *layout, uint8_t *filtered,
                          const uint8_t *above, uint8_t *target) {
  size_t bits = (size_t)layout->bit_depth * easel_png_channels(layout);
  size_t bytes = easel_png_filtered_row_bytes(layout) - 1;
  if (!easel_png_unfilter(filtered[0], bits < 8 ? 1 : bits / 8, filtered + 1, above, bytes)) return false;
  easel_png_expand_samples(expander, layout, filtered + 1, target);
  return true;
}

easel_png_status easel_png_expand_rows(const easel_png_layout *layout, void *filtered, uint32_t first, uint32_t count,
                                       void *target, ptrdiff_t target_stride) {
  easel_png_expander expander;
  easel_png_prepare(&expander, layout);
  size_t row_bytes = easel_png_filtered_row_bytes(layout);
  for (uint32_t y = first; y < first + count; y++) {
    uint8_t *row = (uint8_t *)filtered + y * row_bytes;
    const uint8_t *above = y == 0 ? NULL : row - row_bytes + 1;
    uint8_t *pixels = (uint8_t *)target + (ptrdiff_t)y * target_stride;
    if (!easel_png_expand_row(&expander, layout, row, above, pixels)) return EASEL_PNG_BAD_DATA;
  }
  return EASEL_PNG_OK;
}
