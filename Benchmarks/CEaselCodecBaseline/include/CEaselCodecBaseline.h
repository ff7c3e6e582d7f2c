#ifndef CEASEL_CODEC_BASELINE_H
#define CEASEL_CODEC_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Encode opaque RGBA8 rows without gaps, with the libraries alone, as a C program would. The caller frees the file.
bool easel_baseline_encode_jpeg(const uint8_t *rgba, int width, int height, int quality, uint8_t **file, size_t *count);
bool easel_baseline_encode_png(const uint8_t *rgba, int width, int height, int level, uint8_t **file, size_t *count);
bool easel_baseline_encode_webp(const uint8_t *rgba, int width, int height, float quality, uint8_t **file,
                                size_t *count);

// Read the size of the picture in a file with the libraries alone, from opening the file to closing it.
bool easel_baseline_probe_jpeg(const char *path, int *width, int *height);
bool easel_baseline_probe_png(const char *path, int *width, int *height);
bool easel_baseline_probe_webp(const char *path, int *width, int *height);
bool easel_baseline_probe_gif(const char *path, int *width, int *height);

#endif
