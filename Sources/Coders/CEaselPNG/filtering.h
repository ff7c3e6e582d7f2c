#ifndef CEASEL_PNG_FILTERING_H
#define CEASEL_PNG_FILTERING_H

#include "include/CEaselPNG.h"

// One of the five filters for all rows, or the choice for each row of the filter that leaves the smallest bytes.
enum { EASEL_PNG_SMALLEST = 5, EASEL_PNG_FILTERS = 6 };

typedef struct {
  const easel_png_layout *layout;
  const uint8_t *rows;
  ptrdiff_t stride;
  // The number of bytes of a row without its filter, and the distance from a byte to its left neighbour.
  size_t bytes, pixel;
} easel_png_source;

typedef struct {
  // The samples of two rows in PNG's form, and zeros for the row before the first.
  uint8_t *packed[2], *zeros;
} easel_png_filterer;

easel_png_source easel_png_source_of(const easel_png_layout *layout, const void *rows, ptrdiff_t stride);

bool easel_png_filterer_open(easel_png_filterer *filterer, const easel_png_source *source);
void easel_png_filterer_close(easel_png_filterer *filterer);
// Writes rows, each after its filter byte, in the form that is compressed. Returns the end of what was written.
uint8_t *easel_png_filter_rows(easel_png_filterer *filterer, const easel_png_source *source, int filter, uint32_t first,
                               uint32_t count, uint8_t *target);

#endif
