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

// Rounds weights to integers whose sum is `one`.
void easel_quantise_phase(const double *exact, size_t taps, int32_t one, int32_t *target);

// These functions resample rows of 8-bit samples.
void easel_resample_row4(const uint8_t *source, const easel_axis *axis, const easel_weights *weights, uint8_t *target);
void easel_resample_row1(const uint8_t *source, const easel_axis *axis, const easel_weights *weights, uint8_t *target);
// `pairs` needs room for two integers per row and two more.
void easel_resample_column(const uint8_t *const *rows, size_t count, const easel_weights *weights, size_t offset,
                           int32_t *pairs, uint8_t *target, size_t bytes);

// These functions resample rows of four floats per pixel. With `clamps`, the results stay between 0 and 1. The negative
// lobes of a filter need the values outside: where a row was cut off there, the columns cannot find the right mean.
void easel_resample_float_row(const float *source, const easel_axis *axis, const float *weights, bool clamps,
                              float *target);
void easel_resample_float_column(const float *const *rows, size_t count, const float *weights, size_t from, size_t end,
                                 bool clamps, float *target);

// Integer weights for light: one by one, and in the order in which the x86 kernels load those of rows.
typedef struct {
  int16_t *narrow, *wide;
} easel_light_weights;

easel_status easel_light_weights_create(const easel_axis *axis, easel_light_weights *weights);
void easel_light_weights_destroy(easel_light_weights *weights);

// The light of each byte of sRGB, at its place in a pixel of light, and the byte of each light from black to white.
typedef struct {
  uint64_t red[256], green[256], blue[256];
  uint8_t encoded[(1 << 14) + 1];
} easel_light_table;

easel_status easel_light_table_create(easel_light_table **table);
void easel_light_of_bytes(const easel_light_table *table, const uint8_t *row, int16_t *light, size_t pixels);
void easel_floats_of_light(const int16_t *light, float *floats, size_t pixels);
void easel_bytes_of_light(const easel_light_table *table, const int16_t *light, uint8_t *row, size_t pixels);

// These functions resample rows of opaque pixels of light, four numbers of 16 bits each. Results beyond black and white
// are kept for the next pass.
void easel_light_row(const int16_t *source, const easel_axis *axis, const easel_light_weights *weights,
                     int16_t *target);
void easel_light_column(const int16_t *const *rows, size_t count, const easel_light_weights *weights, size_t offset,
                        size_t from, size_t end, int16_t *target);

#endif
