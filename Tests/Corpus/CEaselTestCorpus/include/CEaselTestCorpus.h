#ifndef CEASEL_TEST_CORPUS_H
#define CEASEL_TEST_CORPUS_H

#include <stddef.h>
#include <stdint.h>

// Computes the SHA-256 of straight RGBA8 rows; each fully transparent pixel counts as four zeros. It is written in C
// because debug builds hash hundreds of megabytes with it.
void easel_corpus_hash(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t digest[32]);

#endif
