#ifndef PICTURE_H
#define PICTURE_H

#include "CEaselPixels.h"
#include "noise.h"

// Rows with gaps between them, upwards or downwards, at any even address. They end at a page that cannot be read, or
// begin after one, so that a kernel that leaves its rows ends the process.
typedef struct {
  easel_format format;
  size_t width, height;
  ptrdiff_t stride;
  uint8_t *first;
  // All bytes, those of gaps too.
  uint8_t *bytes;
  size_t count;
  uint8_t *map;
  size_t mapped;
} picture;

size_t bytes_per_pixel(easel_format format);
// Bytes with one of several looks: any values, only extremes, or mostly opaque pixels.
picture random_picture(easel_format format, size_t width, size_t height, noise *n);
picture copy_of(const picture *other);
void release(picture *p);
uint8_t *row_of(const picture *p, size_t y);

#endif
