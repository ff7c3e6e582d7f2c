#ifndef EASEL_PALETTE_MAKER_H
#define EASEL_PALETTE_MAKER_H

#include "palette.h"

enum { EASEL_PALETTE_CELLS = 1 << 16, EASEL_PALETTE_SLOTS = 1 << 17 };

// Pixels of one colour, or of colours that differ in few low bits.
typedef struct {
  uint32_t key;
  uint64_t weight, sums[4];
} easel_palette_cell;

// What the choice of colours needs of a cell.
typedef struct {
  easel_f4 point;
  float weight;
  uint32_t cell;
} easel_palette_sample;

struct easel_palette_maker {
  easel_palette_cell *cells;
  // The index of a cell plus one, 0 if empty.
  uint32_t *slots;
  size_t count;
  // The low bits that are ignored in each component; they grow with the number of colours.
  unsigned shift;
};

#endif
