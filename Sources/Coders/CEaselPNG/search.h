#ifndef CEASEL_PNG_SEARCH_H
#define CEASEL_PNG_SEARCH_H

#include "block.h"

// Compresses filtered rows. zlib and libdeflate take a repetition whenever they find one. In the noise of a photograph
// most repetitions are chance, and cost more bits than their bytes do. So this search knows the price of every byte,
// and takes only repetitions that save bits.

typedef struct {
  // Repetitions begin with this many bytes that are looked up, 4 to 8.
  unsigned looked_up;
  // The earlier places with the same beginning that are compared at most; 0 to store the bytes as they are.
  unsigned most_places;
  // A repetition of this length is good enough.
  unsigned enough;
  // True to look for a better repetition one byte later.
  bool is_patient;
} easel_png_effort;

typedef struct easel_png_search easel_png_search;

easel_png_search *easel_png_search_create(void);
void easel_png_search_destroy(easel_png_search *search);

// The bytes that a part of this size takes at most.
size_t easel_png_search_bound(size_t count);
// Compresses a part, which repeats nothing of those before it, into whole bytes that the next part can follow. Returns
// the number of bytes.
size_t easel_png_search_run(easel_png_search *search, easel_png_effort effort, const uint8_t *bytes, size_t count,
                            bool is_last, uint8_t *target);

#endif
