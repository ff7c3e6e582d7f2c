#ifndef EASEL_PALETTE_INTERNAL_H
#define EASEL_PALETTE_INTERNAL_H

#include "easel_palette.h"
#include "floats.h"
#include "visual.h"

// Colours are compared as points: brightness, blueness and redness over middle grey, and alpha. The square of the
// distance of two points is the mean of what the eye would see over black and over white, since
// ((c + d)^2 + (c - d)^2) / 2 is c^2 + d^2. A step of brightness has the length 1.

// The weights of the two components of colour beside brightness.
#ifndef EASEL_PALETTE_BLUE
#define EASEL_PALETTE_BLUE 0.8f
#define EASEL_PALETTE_RED 0.6f
#endif

EASEL_INLINE easel_f4 easel_palette_point(const uint8_t *pixel) {
  // Brightness, blueness, redness, alpha.
  const easel_f4 red = {0.299f, -0.169f * EASEL_PALETTE_BLUE, 0.5f * EASEL_PALETTE_RED, 0};
  const easel_f4 green = {0.587f, -0.331f * EASEL_PALETTE_BLUE, -0.419f * EASEL_PALETTE_RED, 0};
  const easel_f4 blue = {0.114f, 0.5f * EASEL_PALETTE_BLUE, -0.081f * EASEL_PALETTE_RED, 0};
  const easel_f4 alpha = {-0.5f, 0, 0, 0.5f};
  float a = (float)pixel[3], share = a / 255.0f;
  return ((float)pixel[0] * share) * red + ((float)pixel[1] * share) * green + ((float)pixel[2] * share) * blue +
         a * alpha;
}

EASEL_INLINE float easel_palette_square(easel_f4 point) {
  easel_f4 square = point * point;
  return (square[0] + square[1]) + (square[2] + square[3]);
}

// The points of a palette, one component after another, for searches.
typedef struct {
  float components[4][EASEL_PALETTE_MOST];
  easel_f4 points[EASEL_PALETTE_MOST];
  // A quarter of the square of the distance to the nearest other colour: a point nearer than that has found its colour.
  float safe[EASEL_PALETTE_MOST];
  size_t count;
} easel_palette_table;

void easel_palette_table_fill(easel_palette_table *table, const easel_f4 *points, size_t count);

// Finds the nearest colour, of equal ones the first.
EASEL_INLINE size_t easel_palette_find(const easel_palette_table *table, easel_f4 point, float *distance) {
  easel_f8 least = (easel_f8){0} + 3e38f;
  easel_i8 place = {0}, now = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t i = 0; i < table->count; i += 8) {
    easel_f8 sum = {0};
    for (size_t k = 0; k < 4; k++) {
      easel_f8 d = EASEL_LOAD8(table->components[k] + i) - point[k];
      sum += d * d;
    }
    easel_i8 nearer = sum < least;
    least = (easel_f8)(((easel_i8)sum & nearer) | ((easel_i8)least & ~nearer));
    place = (now & nearer) | (place & ~nearer);
    now += 8;
  }
  size_t best = 0;
  for (size_t k = 1; k < 8; k++) {
    if (least[k] < least[best] || (least[k] == least[best] && place[k] < place[best])) best = k;
  }
  *distance = least[best];
  return (size_t)place[best];
}

// True unless the caller wants the work to end.
EASEL_INLINE bool easel_palette_goes_on(easel_palette_caller caller) {
  return !caller.may_go_on || caller.may_go_on(caller.context);
}

// How restless a picture is around each pixel: 0 in even parts, 255 where errors hide. Returns null without memory.
uint8_t *easel_palette_unrest(const easel_palette_picture *picture);

#endif
