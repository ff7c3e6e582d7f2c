#ifndef CEASEL_JPEG_BASELINE_H
#define CEASEL_JPEG_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

// Decodes a JPEG from memory with libjpeg-turbo alone, as its manual says, to RGBA8 rows in an existing buffer.
bool easel_baseline_decode_jpeg(const void *bytes, size_t count, void *target, size_t capacity);
// Decodes a JPEG at the smallest of 1/8, 1/4 and 1/2 of its size that is not smaller than requested, then averages
// boxes of pixels.
bool easel_baseline_thumbnail_jpeg(const void *bytes, size_t count, void *target, size_t width, size_t height);

#endif
