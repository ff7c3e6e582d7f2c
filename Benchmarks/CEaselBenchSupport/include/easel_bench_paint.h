#ifndef EASEL_BENCH_PAINT_H
#define EASEL_BENCH_PAINT_H

#include <stdint.h>

/// Paints an opaque picture that codecs treat like a photo: noise with similar octaves, shapes with sharp edges, and
/// sensor noise. Equal seeds give equal pictures.
void easel_bench_paint_photo(uint8_t *rgba, int width, int height, uint32_t seed);

/// Paints an opaque picture of flat windows, lines similar to text, and a few embedded pictures.
void easel_bench_paint_screen(uint8_t *rgba, int width, int height, uint32_t seed);

#endif
