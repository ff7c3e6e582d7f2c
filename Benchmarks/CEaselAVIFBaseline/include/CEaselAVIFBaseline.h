#ifndef CEASEL_AVIF_BASELINE_H
#define CEASEL_AVIF_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes a frame of an AVIF with libavif and dav1d alone, as the manual of libavif says, to RGBA8 rows in an existing
// buffer.
bool easel_baseline_decode_avif(const void *bytes, size_t count, void *target, int threads);

// Decodes a frame of 8 bits, and takes the means of its planes before it converts them, to RGBA8 rows of a smaller
// picture in an existing buffer.
bool easel_baseline_shrink_avif(const void *bytes, size_t count, void *target, int width, int height, int threads);

// Encodes RGBA8 rows with libavif and libaom alone, in 4:2:0, at a quantizer from 0 to 63. The caller frees the file.
bool easel_baseline_encode_avif(const void *pixels, int width, int height, int quantizer, int speed, int threads,
                                uint8_t **file, size_t *count);

// Decodes all frames of a sequence, one after another, to RGBA8 rows in an existing buffer.
bool easel_baseline_play_avif(const void *bytes, size_t count, void *target, int threads);

#endif
