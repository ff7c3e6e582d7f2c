#ifndef CEASEL_GIF_BASELINE_H
#define CEASEL_GIF_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

// Decodes all frames with giflib and draws each on the canvas of RGBA pixels by its disposal method; false if giflib
// refuses the file or the canvas has another size. `sum` adds up the pixels of all frames, for comparison.
bool easel_baseline_decode_gif(const void *bytes, size_t count, void *canvas, size_t width, size_t height, size_t *sum);

#endif
