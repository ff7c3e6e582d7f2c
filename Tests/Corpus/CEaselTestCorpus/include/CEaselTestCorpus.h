#ifndef CEASEL_TEST_CORPUS_H
#define CEASEL_TEST_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// These are written in C because debug builds pass hundreds of megabytes through them.

// Computes the SHA-256 of straight RGBA8 rows; each fully transparent pixel counts as four zeros.
void easel_corpus_hash(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t digest[32]);

// Computes the means of a four by four grid of straight RGBA8 rows, premultiplied.
void easel_corpus_grid(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t grid[64]);

bool easel_corpus_contains(const void *bytes, size_t count, const void *part, size_t part_count);

#endif
