#ifndef EASEL_SVG_PAYLOAD_H
#define EASEL_SVG_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The bytes that a `data:` URL holds, to be freed; NULL if they are packed or there is no memory.
uint8_t *easel_svg_payload(const uint8_t *url, size_t count, size_t *made);

// The number of pixels that the header of a picture states.
typedef struct {
  // False for a format that is not known here.
  bool is_known;
  uint64_t count;
} easel_svg_pixels;

easel_svg_pixels easel_svg_pixels_of(const uint8_t *bytes, size_t count);

#endif
