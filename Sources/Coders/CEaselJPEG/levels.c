#include "thrifty.h"

#include <math.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

// The turned positions of a block in the order in which they are scanned.
static const uint8_t easel_jpeg_scan[64] = {
    0,  8,  1,  2,  9,  16, 24, 17, 10, 3,  4,  11, 18, 25, 32, 40, 33, 26, 19, 12, 5,  6,
    13, 20, 27, 34, 41, 48, 56, 49, 42, 35, 28, 21, 14, 7,  15, 22, 29, 36, 43, 50, 57, 58,
    51, 44, 37, 30, 23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63};

enum { EASEL_JPEG_HIGHEST = 1023 };

void easel_jpeg_orders_make(easel_jpeg_orders *orders) {
  for (int place = 0; place < 64; place++) {
    int turned = easel_jpeg_scan[place];
    orders->scanned[turned >> 3][1 << (turned & 7)] = (uint64_t)1 << place;
  }
  for (int row = 0; row < 8; row++) {
    uint64_t *masks = orders->scanned[row];
    masks[0] = 0;
    for (int byte = 1; byte < 256; byte++) masks[byte] = masks[byte & (byte - 1)] | masks[byte & -byte];
  }
}

EASEL_JPEG_INLINE int easel_jpeg_size(int level) { return level ? 32 - __builtin_clz((unsigned)level) : 0; }

typedef struct {
  float values[64];
  uint64_t candidates;
} easel_jpeg_quotients;

// The bits that a level of 1 saves at least over no level if it may be worth its code.
static const float easel_jpeg_least_gain = 1.5f;

// Divides by the quanta, and notes in scan order what may be worth a code.
EASEL_JPEG_INLINE void easel_jpeg_divide(const easel_jpeg_orders *orders, const easel_jpeg_pricing *pricing,
                                         const float *coefficients, float patience,
                                         easel_jpeg_quotients *quotients) {
  // From this much above a half on, a level of 1 is that much nearer than none.
  float margin = easel_jpeg_least_gain * 0.5f / patience;
  typedef bool easel_jpeg_flags __attribute__((ext_vector_type(8)));
  uint64_t candidates = 0;
  for (int row = 0; row < 8; row++) {
    easel_jpeg_f8 c, reciprocals, margins;
    memcpy(&c, coefficients + 8 * row, sizeof c);
    memcpy(&reciprocals, pricing->reciprocals + 8 * row, sizeof reciprocals);
    memcpy(&margins, pricing->margins + 8 * row, sizeof margins);
    easel_jpeg_i8 bits = (easel_jpeg_i8)(c * reciprocals) & INT32_MAX;
    easel_jpeg_f8 size = (easel_jpeg_f8)bits;
    memcpy(quotients->values + 8 * row, &size, sizeof size);
    easel_jpeg_flags flags = __builtin_convertvector(size >= margins * margin + 0.5f, easel_jpeg_flags);
    uint8_t byte;
    memcpy(&byte, &flags, 1);
    candidates |= orders->scanned[row][byte];
  }
  quotients->candidates = candidates & ~(uint64_t)1;
}

// A path through the candidates of a block. Entry 0 is the beginning; each other is a candidate that is kept.
typedef struct {
  // Its place in scan order, the level with the best way to it, and the entry before it on that way.
  uint8_t places[65], from[65];
  int16_t levels[65];
  // The cost of that way less the errors of dropping all candidates up to here, and the least of them so far.
  float net[65], least[65];
} easel_jpeg_path;

// Finds the levels whose bits and weighed errors are the least: dropping a candidate costs its square, keeping it the
// code for the zeros before it and its size. A level just large enough for its size may become one smaller.
EASEL_JPEG_INLINE int easel_jpeg_best_path(const easel_jpeg_pricing *pricing, const easel_jpeg_quotients *quotients,
                                           float patience, easel_jpeg_path *path) {
  int count = 0;
  path->places[0] = 0;
  path->net[0] = path->least[0] = 0;
  float best_end = pricing->end_bits;
  int end = 0;
  for (uint64_t rest = quotients->candidates; rest; rest &= rest - 1) {
    int place = __builtin_ctzll(rest);
    int turned = easel_jpeg_scan[place];
    float value = quotients->values[turned], weight = pricing->weights[turned] * patience;
    int high = (int)(value + 0.5f);
    if (high > EASEL_JPEG_HIGHEST) high = EASEL_JPEG_HIGHEST;
    int size = easel_jpeg_size(high);
    float error = value - (float)high;
    float high_error = weight * error * error, low_error = high_error;
    float fewest = pricing->fewest[size] + high_error;
    const float *high_bits = pricing->bits + 16 * size, *low_bits = high_bits;
    bool may_be_lower = high > 1 && !(high & (high - 1));
    if (may_be_lower) {
      low_error = weight * (error + 1) * (error + 1);
      low_bits -= 16;
      float low = pricing->fewest[size - 1] + low_error;
      if (low < fewest) fewest = low;
    }
    float best = INFINITY;
    int from = 0, level = high;
    for (int i = count; i >= 0 && path->least[i] + fewest < best; i--) {
      int run = place - path->places[i] - 1;
      float before = path->net[i] + (float)(run >> 4) * pricing->skip_bits;
      float cost = before + high_bits[run & 15] + high_error;
      if (cost < best) {
        best = cost;
        from = i;
        level = high;
      }
      if (!may_be_lower) continue;
      cost = before + low_bits[run & 15] + low_error;
      if (cost < best) {
        best = cost;
        from = i;
        level = high - 1;
      }
    }
    // All costs are less those of dropping what lies before, so this is less the cost of dropping this one, too.
    float net = best - weight * value * value;
    count++;
    path->places[count] = (uint8_t)place;
    path->from[count] = (uint8_t)from;
    path->levels[count] = (int16_t)level;
    path->net[count] = net;
    path->least[count] = net < path->least[count - 1] ? net : path->least[count - 1];
    float with_end = net + (place == 63 ? 0 : pricing->end_bits);
    if (with_end < best_end) {
      best_end = with_end;
      end = count;
    }
  }
  return end;
}

EASEL_JPEG_INLINE void easel_jpeg_choose_levels_body(const easel_jpeg_orders *orders,
                                                     const easel_jpeg_pricing *pricing, const float *coefficients,
                                                     const float *patience, size_t count, int16_t (*blocks)[64],
                                                     uint32_t *symbols) {
  for (size_t i = 0; i < count; i++, coefficients += 64) {
    int16_t *block = blocks[i];
    memset(block, 0, sizeof *blocks);
    float mean = coefficients[0] * pricing->reciprocals[0];
    block[0] = (int16_t)(mean < 0 ? mean - 0.5f : mean + 0.5f);
    easel_jpeg_quotients quotients;
    easel_jpeg_divide(orders, pricing, coefficients, patience[i], &quotients);
    easel_jpeg_path path;
    int entry = easel_jpeg_best_path(pricing, &quotients, patience[i], &path);
    if (path.places[entry] < 63) symbols[0]++;
    while (entry) {
      int place = path.places[entry], turned = easel_jpeg_scan[place], level = path.levels[entry];
      block[(turned & 7) * 8 + (turned >> 3)] = (int16_t)(coefficients[turned] < 0 ? -level : level);
      entry = path.from[entry];
      int run = place - path.places[entry] - 1;
      symbols[0xF0] += (uint32_t)run >> 4;
      symbols[(run & 15) << 4 | easel_jpeg_size(level)]++;
    }
  }
}

EASEL_JPEG_CLONES(easel_jpeg_choose_levels,
                  (const easel_jpeg_orders *orders, const easel_jpeg_pricing *pricing, const float *coefficients,
                   const float *patience, size_t count, int16_t (*blocks)[64], uint32_t *symbols),
                  (orders, pricing, coefficients, patience, count, blocks, symbols))
