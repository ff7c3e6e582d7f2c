#ifndef CEASEL_GIF_BASELINE_H
#define CEASEL_GIF_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

// Decodes all frames with giflib, each put on the canvas of RGBA pixels as it asks for; false when giflib refuses the
// file or the canvas has another size. What the frames show is added up in `sum`, so that it can be compared.
bool easel_baseline_decode_gif(const void *bytes, size_t count, void *canvas, size_t width, size_t height, size_t *sum);

#endif
