#ifndef EASEL_RESAMPLE_H
#define EASEL_RESAMPLE_H

#include "internal.h"

// The source samples and the weights that make each target sample on one axis.
typedef struct {
  size_t outputs;
  // The number of weights per phase: the widest window, rounded up to the step of the kernels and padded with zeros.
  size_t taps;
  size_t phases;
  uint32_t *start;
  uint32_t *count;
  // Targets whose windows are equal share their weights.
  uint32_t *phase;
  double *weights;
} easel_axis;

// With `keep_inside`, a window that would go beyond the end of the source is moved left.
easel_status easel_axis_create(easel_filter filter, size_t source, double from, double length, size_t outputs,
                               size_t round_taps_to, bool keep_inside, easel_axis *axis);
void easel_axis_destroy(easel_axis *axis);

// Integer weights with `precision` fractional bits. Their sum is so close to one that a picture of one colour keeps its
// colour. A weight is `high`, or `high * 256 + low` if 16 bits would be too coarse.
typedef struct {
  int16_t *high, *low;
  // The weights in the order in which the x86 kernels load them.
  int16_t *wide_high, *wide_low;
  int precision;
} easel_weights;

easel_status easel_weights_create(const easel_axis *axis, easel_weights *weights);
void easel_weights_destroy(easel_weights *weights);
// Makes the wide weights, for rows of four channels.
easel_status easel_weights_widen(const easel_axis *axis, easel_weights *weights);

// These functions resample rows of 8-bit samples.
void easel_resample_row4(const uint8_t *source, const easel_axis *axis, const easel_weights *weights, uint8_t *target);
void easel_resample_row1(const uint8_t *source, const easel_axis *axis, const easel_weights *weights, uint8_t *target);
// `pairs` needs room for two integers per row and two more.
void easel_resample_column(const uint8_t *const *rows, size_t count, const easel_weights *weights, size_t offset,
                           int32_t *pairs, uint8_t *target, size_t bytes);

// These functions resample rows of four floats per pixel.
void easel_resample_float_row(const float *source, const easel_axis *axis, const float *weights, float *target);
void easel_resample_float_column(const float *const *rows, size_t count, const float *weights, size_t from, size_t end,
                                 float *target);

#endif
