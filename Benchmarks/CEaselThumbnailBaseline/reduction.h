#ifndef EASEL_REDUCTION_H
#define EASEL_REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

/// A picture that is reduced row by row, by averages over boxes.
struct reduction {
  int width, height;
  uint8_t *pixels;
  int source_width, source_height;
  int source_row, row;
  uint32_t *sums, *counts, *columns;
};

/// Sets the size of the result, which fits in a square and is never larger than its source.
void easel_fit(struct reduction *reduction, int width, int height, int side);

/// Allocates rows for a source that the decoder may have scaled down already.
bool easel_begin(struct reduction *reduction, int source_width, int source_height);

void easel_add(struct reduction *reduction, const uint8_t *row);

void easel_end(struct reduction *reduction);

#endif
