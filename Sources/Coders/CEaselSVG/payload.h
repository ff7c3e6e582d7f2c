#ifndef EASEL_SVG_PAYLOAD_H
#define EASEL_SVG_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the bytes in a `data:` URL, which the caller frees; NULL if they are compressed or there is no memory.
uint8_t *easel_svg_payload(const uint8_t *url, size_t count, size_t *made);

// The number of pixels that the header of a picture states.
typedef struct {
  // False for an unknown format.
  bool is_known;
  uint64_t count;
} easel_svg_pixels;

easel_svg_pixels easel_svg_pixels_of(const uint8_t *bytes, size_t count);

#endif
