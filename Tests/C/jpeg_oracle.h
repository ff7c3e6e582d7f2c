#ifndef JPEG_ORACLE_H
#define JPEG_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes with libjpeg-turbo as the coder does. Null if it fails, or if the picture has more pixels than `most`; the
// caller frees the pixels. They are RGBA.
uint8_t *jpeg_oracle_pixels(const uint8_t *bytes, size_t count, int eighths, uint64_t most, uint32_t *width,
                            uint32_t *height);

// True if Easel's decoder of scans leaves the file to libjpeg-turbo, or gives the same pixels in each of its ways.
bool jpeg_scans_agree(const uint8_t *bytes, size_t count, int eighths, uint64_t most, bool *was_decoded);

// True if Easel's decoder leaves the file to libjpeg-turbo, or gives the same pixels in each of its ways.
bool jpeg_decoder_agrees(const uint8_t *bytes, size_t count, int eighths, uint64_t most, bool *was_decoded);

#endif
