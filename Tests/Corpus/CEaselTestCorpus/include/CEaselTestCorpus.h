#ifndef CEASEL_TEST_CORPUS_H
#define CEASEL_TEST_CORPUS_H

#include <stddef.h>
#include <stdint.h>

// SHA-256 of straight RGBA8 rows in which every pixel without alpha counts as four zeros. In C, for a debug build
// hashes hundreds of megabytes with it.
void easel_corpus_hash(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t digest[32]);

#endif
