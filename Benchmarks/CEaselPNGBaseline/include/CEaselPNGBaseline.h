#ifndef CEASEL_PNG_BASELINE_H
#define CEASEL_PNG_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

// Decodes a PNG from memory with libpng alone, as its manual says, to RGBA8 rows in an existing buffer.
bool easel_baseline_decode_png(const void *bytes, size_t count, void *target, size_t capacity);

#endif
