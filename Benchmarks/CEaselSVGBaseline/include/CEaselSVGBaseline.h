#ifndef CEASEL_SVG_BASELINE_H
#define CEASEL_SVG_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Draws an SVG at a size, as a program in C does with librsvg. The pixels are RGBA with straight alpha.
bool easel_baseline_draw_svg(const uint8_t *bytes, size_t count, int width, int height, uint8_t *pixels);

#endif
