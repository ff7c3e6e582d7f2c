#ifndef CEASEL_PNG_SEARCH_H
#define CEASEL_PNG_SEARCH_H

#include "block.h"

// Compresses filtered rows. zlib and libdeflate use every repetition that they find. In the noise of a photograph, most
// repetitions are accidental, and cost more bits than their bytes. This search therefore knows the price of every byte,
// and uses only repetitions that save bits.

typedef struct {
  // The number of bytes at the beginning of a repetition that are looked up, 4 to 8.
  unsigned looked_up;
  // The most earlier places with the same beginning that are compared; 0 to store the bytes without compression.
  unsigned most_places;
  // A repetition of this length is long enough, and the search for a longer one ends.
  unsigned enough;
  // True to look for a better repetition one byte later.
  bool is_patient;
} easel_png_effort;

typedef struct easel_png_search easel_png_search;

easel_png_search *easel_png_search_create(void);
void easel_png_search_destroy(easel_png_search *search);

// The most bytes that a compressed part of this size takes.
size_t easel_png_search_bound(size_t count);
// Compresses a part without using the parts before it, to whole bytes that the next part can follow. Returns the number
// of bytes.
size_t easel_png_search_run(easel_png_search *search, easel_png_effort effort, const uint8_t *bytes, size_t count,
                            bool is_last, uint8_t *target);

#endif
