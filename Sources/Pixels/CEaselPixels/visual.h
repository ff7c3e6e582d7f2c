#ifndef EASEL_VISUAL_H
#define EASEL_VISUAL_H

#include "internal.h"

// Rows of floats for the visual score. Vectors are plain, so that every level gives the same bits.
typedef float easel_f8 __attribute__((vector_size(32)));
typedef int32_t easel_i8 __attribute__((vector_size(32)));
typedef float easel_f8_unaligned __attribute__((vector_size(32), aligned(4), may_alias));

#define EASEL_LOAD8(address) (*(const easel_f8_unaligned *)(const void *)(address))
#define EASEL_STORE8(address, value) (*(easel_f8_unaligned *)(void *)(address) = (value))

enum {
  EASEL_VISUAL_SCALES = 6,
  // Linear red, green and blue of both pictures.
  EASEL_VISUAL_COLORS = 6,
  // For each of three components: both pictures, their product, and their squared difference.
  EASEL_VISUAL_PLANES = 12,
  // The blur needs four rows above and below, and four columns on both sides.
  EASEL_VISUAL_REACH = 4,
  EASEL_VISUAL_TAPS = 2 * EASEL_VISUAL_REACH + 1,
  // The zeros before the first column of a plane. After its last column there are at least as many.
  EASEL_VISUAL_MARGIN = 8,
};

EASEL_INLINE size_t easel_visual_eights(size_t count) { return (count + 7) & ~(size_t)7; }

// The light for each of 256 values, and for 4,097 values between which light is interpolated.
typedef struct {
  float bytes[256];
  float curve[4097];
} easel_visual_light;

void easel_visual_light_make(easel_visual_light *light);
// Writes the linear red, green and blue of a row. The last pixel is repeated up to `width`.
void easel_visual_linear_row(const easel_visual_picture *picture, const uint8_t *row, size_t columns, size_t width,
                             float background, const easel_visual_light *light, float *red, float *green, float *blue);
// Averages squares of two by two pixels. Both rows may be the same; each has one more column if the width is odd.
void easel_visual_halve_row(const float *above, const float *below, size_t width, float *out);
// Writes the planes of a row from its linear colours, beginning at column 0.
void easel_visual_planes_row(const float *const colors[EASEL_VISUAL_COLORS], size_t width,
                             float *const planes[EASEL_VISUAL_PLANES]);
// Adds the errors of the row in the middle of the taps. Rows begin with their margin.
void easel_visual_add_row(const float *const rows[EASEL_VISUAL_PLANES][EASEL_VISUAL_TAPS], size_t width,
                          double errors[3][3][2]);

#endif
