#ifndef CEASEL_BASIC_BASELINE_H
#define CEASEL_BASIC_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// No library reads these formats on Debian, so this is the shortest C that does, for the files of the benchmarks alone.

// Decodes a file of 24 bits a pixel, the lowest row first, or of a QOI or a PPM, to RGBA8 rows without gaps.
bool easel_baseline_decode_bmp(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, void *target);
bool easel_baseline_decode_ppm(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, void *target);
bool easel_baseline_decode_qoi(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, void *target);

// Encodes the colours of RGBA8 rows without gaps. The caller frees the file.
bool easel_baseline_encode_bmp(const void *pixels, uint32_t width, uint32_t height, uint8_t **file, size_t *count);
bool easel_baseline_encode_ppm(const void *pixels, uint32_t width, uint32_t height, uint8_t **file, size_t *count);
bool easel_baseline_encode_qoi(const void *pixels, uint32_t width, uint32_t height, uint8_t **file, size_t *count);

#endif
