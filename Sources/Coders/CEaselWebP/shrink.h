#ifndef EASEL_WEBP_SHRINK_H
#define EASEL_WEBP_SHRINK_H

#include "include/CEaselWebP.h"

#include <string.h>

// Averages of planes, with the integers of libwebp's own scaler.
//
// A sample of the small plane is the average of a box of source samples. Boxes touch, and their sides need not be
// whole: a source sample at the border of two boxes belongs to both in part. Each row is summed across first, then rows
// are summed. In sums a sample counts as often as the small plane has columns, so that parts of samples are whole.

// How rows are summed across.
typedef struct {
  uint32_t source, target;
  // The target rounded up to whole vectors. The rest sums nothing.
  uint32_t padded;
  // The most source samples that end in one box. Each box has that many or one fewer.
  uint32_t most;
  uint32_t reciprocal;
  // For each box, the source sample behind its last one.
  uint32_t *end;
  // The part of the last sample that belongs to the next box. Such parts count the small width for a whole sample.
  uint16_t *rest;
  // The rest times the reciprocal, in two halves: the factor that makes the next box's share of a sample.
  uint16_t *share_high, *share_low;
  // All bits set if the next box has one sample fewer than the largest box.
  uint16_t *is_short;
  // Two factors for each box, by which vectors multiply: of the sum of its samples, and of its last sample.
  int16_t *factors;
} easel_webp_axis;

// A plane that is being shrunk.
typedef struct {
  const easel_webp_axis *axis;
  uint32_t height;
  // The row of boxes lacks this much of its height. A source row counts the small height, a row of boxes the plane's.
  // A number below zero belongs to the next boxes.
  int32_t missing;
  // The rows of the box so far, without the one at its end.
  uint32_t *sums;
  // The row at the end of the box, part of which belongs to the next one.
  uint32_t *last;
} easel_webp_plane;

static const uint64_t easel_webp_half = (uint64_t)1 << 31;

// Adds a row, summed across, to sums. It may read up to sixteen bytes before the row.
void easel_webp_add_row(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums);

// Ends a row of boxes: adds their last row, divides, and keeps what belongs to the next boxes. That part of the last
// row, and the reciprocal of the area, are fractions of 32 bits.
void easel_webp_end_boxes(uint32_t *sums, uint32_t *last, uint32_t later_part, uint32_t scale, size_t width,
                          uint8_t *samples);

// The same, one sample after another: the reference for the kernels of a processor. The first reads nothing before the
// row.
void easel_webp_add_row_plainly(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums);
void easel_webp_end_boxes_plainly(uint32_t *sums, uint32_t *last, uint32_t later_part, uint32_t scale, size_t from,
                                  size_t width, uint8_t *samples);

// Mixes colours from samples of the same size.
void easel_webp_mix(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t width, uint8_t *pixels);

#endif
