#ifndef CEASEL_PNG_BLOCK_H
#define CEASEL_PNG_BLOCK_H

#include "codes.h"

// A literal, or a repetition: the upper part is its length, the lower part its distance minus one.
typedef uint32_t easel_png_token;

enum { EASEL_PNG_IS_REPETITION = 1u << 31 };

typedef struct {
  const easel_png_token *tokens;
  size_t token_count;
  // The bytes that the tokens stand for.
  const uint8_t *bytes;
  size_t byte_count;
  // The counts of the symbols, including one end of block.
  const easel_png_counts *counts;
} easel_png_block;

// Writes a block in its shortest form. It needs at most the number of bytes, five more for each 65,535 of them, and 16.
void easel_png_write_block(easel_png_bit_writer *writer, const easel_png_block *block, bool is_last);
// Writes bytes without compression, in blocks that end at whole bytes; without bytes it writes one empty block.
void easel_png_write_stored(easel_png_bit_writer *writer, const uint8_t *bytes, size_t count, bool is_last);

#endif
