#ifndef CEASEL_CODEC_BASELINE_H
#define CEASEL_CODEC_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the libraries take to write opaque RGBA8 rows without room between them, as a C program would have it done.
// The file goes to whoever asks, who frees it.
bool easel_baseline_encode_jpeg(const uint8_t *rgba, int width, int height, int quality, uint8_t **file, size_t *count);
bool easel_baseline_encode_png(const uint8_t *rgba, int width, int height, int level, uint8_t **file, size_t *count);
bool easel_baseline_encode_webp(const uint8_t *rgba, int width, int height, float quality, uint8_t **file,
                                size_t *count);

// What they take to tell the size of the picture in a file, from its opening to its closing.
bool easel_baseline_probe_jpeg(const char *path, int *width, int *height);
bool easel_baseline_probe_png(const char *path, int *width, int *height);
bool easel_baseline_probe_webp(const char *path, int *width, int *height);
bool easel_baseline_probe_gif(const char *path, int *width, int *height);

#endif
