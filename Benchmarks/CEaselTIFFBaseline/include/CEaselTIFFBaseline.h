#ifndef CEASEL_TIFF_BASELINE_H
#define CEASEL_TIFF_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes a TIFF of RGB bytes with libtiff alone, strip by strip or tile by tile, to RGBA8 rows in an existing buffer.
bool easel_baseline_decode_tiff(const void *bytes, size_t count, void *target);

// Encodes the colours of RGBA8 rows with libtiff alone, with differences of neighbours: in strips of this many rows, or
// in square tiles with such a side. The caller frees the file.
bool easel_baseline_encode_tiff(const void *pixels, uint32_t width, uint32_t height, bool is_lzw, int level,
                                uint32_t rows, uint32_t tile, uint8_t **file, size_t *count);

#endif
