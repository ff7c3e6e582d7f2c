#ifndef EASEL_REDUCTION_H
#define EASEL_REDUCTION_H

#include <stdbool.h>
#include <stdint.h>

/// A picture that becomes smaller while its rows pass, by averages over boxes.
struct reduction {
  int width, height;
  uint8_t *pixels;
  int source_width, source_height;
  int source_row, row;
  uint32_t *sums, *counts, *columns;
};

/// Decides how large the result is: it fits in a square and is never larger than its source.
void easel_fit(struct reduction *reduction, int width, int height, int side);

/// Takes memory for rows of a source that may be smaller than the picture already.
bool easel_begin(struct reduction *reduction, int source_width, int source_height);

void easel_add(struct reduction *reduction, const uint8_t *row);

void easel_end(struct reduction *reduction);

#endif
