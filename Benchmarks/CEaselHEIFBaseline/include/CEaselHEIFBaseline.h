#ifndef CEASEL_HEIF_BASELINE_H
#define CEASEL_HEIF_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A unit of the coding, without its length.
typedef struct {
  const uint8_t *bytes;
  size_t count;
} easel_baseline_unit;

// The units of one cell, with its parameters before them, and its place in the picture.
typedef struct {
  const easel_baseline_unit *units;
  size_t count;
  uint32_t x, y;
} easel_baseline_cell;

// Decodes cells of 8 bits in 4:2:0 with libde265 alone, several at a time, to RGBA8 rows in an existing buffer. Colours
// have the full range and the matrix of JPEG; each pixel takes the nearest sample of them.
bool easel_baseline_decode_heif(const easel_baseline_cell *cells, size_t count, uint32_t width, uint32_t height,
                                int threads, void *target);

// The same, but the result is the mean of the samples of each plane that fall on a pixel.
bool easel_baseline_shrink_heif(const easel_baseline_cell *cells, size_t count, uint32_t width, uint32_t height,
                                int threads, uint32_t target_width, uint32_t target_height, void *target);

#endif
