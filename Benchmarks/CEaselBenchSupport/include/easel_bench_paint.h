#ifndef EASEL_BENCH_PAINT_H
#define EASEL_BENCH_PAINT_H

#include <stdint.h>

/// Paints an opaque picture that codecs treat like a photo: noise whose octaves are alike, shapes with sharp edges, and
/// the noise of a sensor. Equal seeds give equal pictures.
void easel_bench_paint_photo(uint8_t *rgba, int width, int height, uint32_t seed);

/// Paints an opaque picture of flat windows, lines of something like text, and a few pictures in it.
void easel_bench_paint_screen(uint8_t *rgba, int width, int height, uint32_t seed);

#endif
