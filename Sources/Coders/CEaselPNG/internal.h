#ifndef CEASEL_PNG_INTERNAL_H
#define CEASEL_PNG_INTERNAL_H

#include "include/CEaselPNG.h"

// The conversion of samples to pixels, prepared once for many rows.
typedef struct {
  // The colour that tRNS makes transparent, if any.
  bool is_keyed;
  uint16_t key[3];
  uint32_t colors[256];
} easel_png_expander;

void easel_png_prepare(easel_png_expander *expander, const easel_png_layout *layout);
// Undoes the filter of a row in place, and writes its pixels. `above` is the previous row without its filter byte, or
// null for the first row. Returns false for an unknown filter.
bool easel_png_expand_row(const easel_png_expander *expander, const easel_png_layout *layout, uint8_t *filtered,
                          const uint8_t *above, uint8_t *target);

#endif
