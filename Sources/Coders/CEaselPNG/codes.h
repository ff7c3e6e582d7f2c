#ifndef CEASEL_PNG_CODES_H
#define CEASEL_PNG_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The numbers of symbols in a block of deflate: literals, the end of the block and the classes of lengths; then the
// classes of distances.
enum {
  EASEL_PNG_LITERALS = 286,
  EASEL_PNG_DISTANCES = 30,
  EASEL_PNG_END = 256,
  EASEL_PNG_SHORTEST = 3,
  EASEL_PNG_FARTHEST = 1 << 15,
  EASEL_PNG_LONGEST = 258,
};

// The class of a length or a distance, the number of extra bits after its code, and the value to which these are added.
typedef struct {
  uint16_t base;
  uint8_t bits;
} easel_png_class;

extern const easel_png_class easel_png_lengths[29], easel_png_distances[EASEL_PNG_DISTANCES];

unsigned easel_png_length_class(unsigned length);
unsigned easel_png_distance_class(unsigned distance);

// The number of times that each symbol occurs in a block.
typedef struct {
  uint32_t literals[EASEL_PNG_LITERALS], distances[EASEL_PNG_DISTANCES];
} easel_png_counts;

typedef struct {
  uint8_t lengths[288];
  // The codes in the form that is written: the first bit of each is the lowest.
  uint16_t codes[288];
} easel_png_code;

// Makes the shortest code in which no symbol has more than `longest` bits.
void easel_png_make_code(easel_png_code *code, const uint32_t *counts, unsigned symbols, unsigned longest);
// Makes the codes from their lengths.
void easel_png_number_code(easel_png_code *code, unsigned symbols);

// ---- Bits

typedef struct {
  uint8_t *next;
  uint64_t bits;
  unsigned count;
} easel_png_bit_writer;

// Adds bits; up to 56 bits may wait between two flushes.
static inline void easel_png_put(easel_png_bit_writer *writer, uint64_t bits, unsigned count) {
  writer->bits |= bits << writer->count;
  writer->count += count;
}

// Writes the whole bytes; there must be room for eight.
static inline void easel_png_flush(easel_png_bit_writer *writer) {
  for (int i = 0; i < 8; i++) writer->next[i] = (uint8_t)(writer->bits >> (8 * i));
  writer->next += writer->count / 8;
  writer->bits >>= writer->count & ~7u;
  writer->count &= 7;
}

#endif
