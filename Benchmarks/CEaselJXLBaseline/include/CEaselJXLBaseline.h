#ifndef CEASEL_JXL_BASELINE_H
#define CEASEL_JXL_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes a still of 8 bits with libjxl alone and threads of its own, to RGBA8 rows in an existing buffer.
bool easel_baseline_decode_jxl(const void *bytes, size_t count, int threads, void *target);

// The same; the result is the mean of the pixels that fall on each one.
bool easel_baseline_shrink_jxl(const void *bytes, size_t count, int threads, uint32_t width, uint32_t height,
                               void *target);

// Encodes the colours of RGBA8 rows with libjxl alone; without loss at distance 0. The caller frees the file.
bool easel_baseline_encode_jxl(const void *pixels, uint32_t width, uint32_t height, float distance, int effort,
                               int threads, uint8_t **file, size_t *count);

#endif
