#ifndef EASEL_WEBP_SHRINK_H
#define EASEL_WEBP_SHRINK_H

#include "include/CEaselWebP.h"

#include <string.h>

// Averages planes with the same integers as libwebp's own scaler.
//
// A sample of the small plane is the average of a box of source samples. Boxes touch, and their sides need not be
// integers: a source sample at the border of two boxes belongs partly to both. First each row is summed across, then
// rows are summed. In sums, each sample is multiplied by the number of columns of the small plane, so that parts of
// samples are integers.

// The data for summing rows across.
typedef struct {
  uint32_t source, target;
  // The target, rounded up to whole vectors. The additional boxes sum nothing.
  uint32_t padded;
  // The most source samples that end in one box. Each box has this many, or one fewer.
  uint32_t most;
  uint32_t reciprocal;
  // For each box, the source sample after its last one.
  uint32_t *end;
  // The part of the last sample that belongs to the next box. A whole sample counts as the width of the small plane.
  uint16_t *rest;
  // The rest times the reciprocal, in two halves: multiplied by a sample, it gives the next box's share.
  uint16_t *share_high, *share_low;
  // All bits set if the next box has one sample fewer than the largest box.
  uint16_t *is_short;
  // Two factors for each box, for use in vectors: one for the sum of its samples, and one for its last sample.
  int16_t *factors;
} easel_webp_axis;

// A plane that is being shrunk.
typedef struct {
  const easel_webp_axis *axis;
  uint32_t height;
  // The height that the row of boxes still lacks. A source row counts as the height of the small plane, and a row of
  // boxes as the height of the source plane. A negative number belongs to the next boxes.
  int32_t missing;
  // The sum of the box's rows so far, without the row at its end.
  uint32_t *sums;
  // The row at the end of the box; a part of it belongs to the next box.
  uint32_t *last;
} easel_webp_plane;

static const uint64_t easel_webp_half = (uint64_t)1 << 31;

// Sums a row across, and adds it to sums. It may read up to sixteen bytes before the row.
void easel_webp_add_row(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums);

// Ends a row of boxes: adds their last row, divides, and keeps the part for the next boxes. That part of the last row,
// and the reciprocal of the area, are fractions of 32 bits.
void easel_webp_end_boxes(uint32_t *sums, uint32_t *last, uint32_t later_part, uint32_t scale, size_t width,
                          uint8_t *samples);

// These do the same as the functions above, one sample after another; they are the reference for the kernels of a
// processor. The first does not read before the row.
void easel_webp_add_row_plainly(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums);
void easel_webp_end_boxes_plainly(uint32_t *sums, uint32_t *last, uint32_t later_part, uint32_t scale, size_t from,
                                  size_t width, uint8_t *samples);

// Converts samples of the same size to pixels.
void easel_webp_mix(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t width, uint8_t *pixels);

#endif
