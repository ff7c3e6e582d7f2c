#ifndef EASEL_JPEG_THRIFTY_H
#define EASEL_JPEG_THRIFTY_H

// The parts of the encoder that spends bits where they are seen. They make coefficients and code tables; libjpeg-turbo
// writes the file.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CEaselPixels.h>

// Fused multiply-add rounds differently from separate operations, and every processor must write the same file.
#pragma STDC FP_CONTRACT OFF

#define EASEL_JPEG_INLINE static inline __attribute__((always_inline))

#define EASEL_JPEG_CLONES(name, parameters, arguments) EASEL_CLONES_OF(, name, parameters, arguments)

// ---- Samples and their transform

typedef float easel_jpeg_f8 __attribute__((vector_size(32), aligned(32)));
typedef int32_t easel_jpeg_i8 __attribute__((vector_size(32), aligned(32)));

// Brightness and colour differences of a row of RGBA, each with its middle at 0. Samples beyond the width repeat the
// last one up to `padded`, a multiple of 8.
void easel_jpeg_split_row(const uint8_t *pixels, size_t width, size_t padded, float *y, float *cb, float *cr);
// The same for grey.
void easel_jpeg_gray_row(const uint8_t *pixels, size_t width, size_t padded, float *y);
// Averages pairs of samples of two rows, which may be the same row, into `count` samples.
void easel_jpeg_halve_rows(const float *upper, const float *lower, size_t count, float *target);

// Transforms `count` blocks that lie side by side. Coefficients are turned: the first eight are one column of the usual
// order, and so on. `activity` gets the mean square of all but the first, if it is not null.
void easel_jpeg_transform(const float *samples, size_t stride, size_t count, float *coefficients, float *activity);

// ---- Levels

// How one component is quantized and what its levels cost. Arrays of 64 are turned like the coefficients.
typedef struct {
  float reciprocals[64];
  // By how much a squared error of one quantum counts against bits.
  float weights[64];
  // Their reciprocals.
  float margins[64];
  // The bits of a level by its size and the zeros before it, with its own bits: [size * 16 + run].
  float bits[256];
  // The fewest bits of a level of this size.
  float fewest[16];
  float end_bits, skip_bits;
} easel_jpeg_pricing;

// What never changes; made once a writer.
typedef struct {
  // The mask of positions in scan order for a byte of each row of a mask of turned positions.
  uint64_t scanned[8][256];
} easel_jpeg_orders;

void easel_jpeg_orders_make(easel_jpeg_orders *orders);

// The statistics of Huffman codes.
typedef struct {
  uint32_t ac[2][256], dc[2][16];
} easel_jpeg_counts;

// Chooses the levels of `count` blocks, which `blocks` gets in the order of the library, and counts their symbols.
// `patience` tells for each block how much an error counts.
void easel_jpeg_choose_levels(const easel_jpeg_orders *orders, const easel_jpeg_pricing *pricing,
                              const float *coefficients, const float *patience, size_t count, int16_t (*blocks)[64],
                              uint32_t *symbols);

// ---- Code tables

// The number of codes of each length and the symbols in the order of their codes: the shortest codes for these counts
// of which none has more than 16 bits, and none only ones.
void easel_jpeg_make_codes(const uint32_t *counts, size_t count, uint8_t lengths[17], uint8_t *symbols);

// ---- Tables

// The quanta of brightness (kind 0) or colours (1) in the usual order, at a quality of 1 to 100, if so many pixels share a
// colour.
void easel_jpeg_quanta(int kind, int quality, int pixels_per_color, uint16_t quanta[64]);
void easel_jpeg_pricing_make(easel_jpeg_pricing *pricing, int kind, const uint16_t quanta[64]);
// How much an error counts in a block of this activity.
void easel_jpeg_patience(const float *activity, size_t count, float *patience);

#endif
