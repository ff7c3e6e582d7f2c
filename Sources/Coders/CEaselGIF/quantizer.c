#include <stdlib.h>
#include <string.h>

#include "include/CEaselGIF.h"

// Counts colours, and repeatedly splits the group in which a split removes the most error. Then each mean moves to the
// centre of the colours nearest to it. All numbers are integers, or are added in a fixed order, so that equal pictures
// give equal colours.

enum {
  EASEL_GIF_CELLS_AT_MOST = 1 << 15,
  EASEL_GIF_CELL_SLOTS = 1 << 16,
  EASEL_GIF_ROUNDS = 4,
};

typedef struct {
  uint32_t key;
  uint64_t weight;
  uint64_t sum[3];
  double mean[3];
} easel_gif_cell;

struct easel_gif_quantizer {
  easel_gif_cell cells[EASEL_GIF_CELLS_AT_MOST];
  size_t count;
  // The number of low bits that are ignored in each component; it grows with the number of colours.
  unsigned shift;
  // The index of a cell plus one, 0 if empty.
  uint32_t slots[EASEL_GIF_CELL_SLOTS];
};

easel_gif_status easel_gif_quantizer_create(easel_gif_quantizer **made) {
  *made = calloc(1, sizeof **made);
  return *made ? EASEL_GIF_OK : EASEL_GIF_NO_MEMORY;
}

void easel_gif_quantizer_destroy(easel_gif_quantizer *quantizer) { free(quantizer); }

static easel_gif_cell *easel_gif_cell_of(easel_gif_quantizer *quantizer, uint32_t key) {
  uint32_t slot = (key * 2654435761u) >> 16;
  while (quantizer->slots[slot] != 0 && quantizer->cells[quantizer->slots[slot] - 1].key != key) {
    slot = (slot + 1) % EASEL_GIF_CELL_SLOTS;
  }
  if (quantizer->slots[slot] == 0) {
    if (quantizer->count == EASEL_GIF_CELLS_AT_MOST) return NULL;
    easel_gif_cell *cell = &quantizer->cells[quantizer->count++];
    *cell = (easel_gif_cell){.key = key};
    quantizer->slots[slot] = (uint32_t)quantizer->count;
  }
  return &quantizer->cells[quantizer->slots[slot] - 1];
}

static uint32_t easel_gif_key(const uint8_t *pixel, unsigned shift) {
  return (uint32_t)(pixel[0] >> shift) << 16 | (uint32_t)(pixel[1] >> shift) << 8 | (uint32_t)(pixel[2] >> shift);
}

// Ignores one more bit, and joins cells that are now equal.
static void easel_gif_coarsen(easel_gif_quantizer *quantizer) {
  size_t count = quantizer->count;
  quantizer->shift++;
  quantizer->count = 0;
  memset(quantizer->slots, 0, sizeof quantizer->slots);
  // In this loop, cells only move towards the front.
  for (size_t i = 0; i < count; i++) {
    easel_gif_cell old = quantizer->cells[i];
    uint32_t key = old.key >> 1 & 0x7f7f7f;
    easel_gif_cell *cell = easel_gif_cell_of(quantizer, key);
    cell->weight += old.weight;
    for (int c = 0; c < 3; c++) cell->sum[c] += old.sum[c];
  }
}

void easel_gif_quantizer_add(easel_gif_quantizer *quantizer, const void *pixels, ptrdiff_t stride, const void *before,
                             ptrdiff_t before_stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    const uint8_t *pixel = (const uint8_t *)pixels + (ptrdiff_t)y * stride;
    const uint8_t *other = before ? (const uint8_t *)before + (ptrdiff_t)y * before_stride : NULL;
    for (size_t x = 0; x < width; x++, pixel += 4) {
      if (pixel[3] == 0 || (other && memcmp(pixel, other + 4 * x, 4) == 0)) continue;
      easel_gif_cell *cell;
      while (!(cell = easel_gif_cell_of(quantizer, easel_gif_key(pixel, quantizer->shift)))) {
        easel_gif_coarsen(quantizer);
      }
      cell->weight++;
      for (int c = 0; c < 3; c++) cell->sum[c] += pixel[c];
    }
  }
}

// ---- Halving

typedef struct {
  size_t start, end;
  // The error that splitting the box removes, the component along which it is split, and the first cell of the second
  // half.
  double gain;
  int axis;
  size_t middle;
} easel_gif_box;

typedef struct {
  double weight, sum[3];
} easel_gif_total;

static void easel_gif_count_in(easel_gif_total *total, const easel_gif_cell *cell) {
  total->weight += (double)cell->weight;
  for (int c = 0; c < 3; c++) total->sum[c] += (double)cell->sum[c];
}

static double easel_gif_power(const easel_gif_total *total) {
  double squares = 0;
  for (int c = 0; c < 3; c++) squares += total->sum[c] * total->sum[c];
  return total->weight > 0 ? squares / total->weight : 0;
}

#define EASEL_GIF_ORDER(axis)                                                                                          \
  static int easel_gif_order_##axis(const void *left, const void *right) {                                             \
    const easel_gif_cell *a = left, *b = right;                                                                        \
    if (a->mean[axis] != b->mean[axis]) return a->mean[axis] < b->mean[axis] ? -1 : 1;                                 \
    return a->key < b->key ? -1 : a->key > b->key;                                                                     \
  }
EASEL_GIF_ORDER(0)
EASEL_GIF_ORDER(1)
EASEL_GIF_ORDER(2)

static void easel_gif_sort(easel_gif_cell *cells, const easel_gif_box *box, int axis) {
  static int (*const orders[3])(const void *, const void *) = {easel_gif_order_0, easel_gif_order_1,
                                                               easel_gif_order_2};
  qsort(cells + box->start, box->end - box->start, sizeof *cells, orders[axis]);
}

// Returns the component with the widest spread.
static int easel_gif_widest(const easel_gif_cell *cells, const easel_gif_box *box) {
  double weight = 0, sum[3] = {0}, squares[3] = {0};
  for (size_t i = box->start; i < box->end; i++) {
    double w = (double)cells[i].weight;
    weight += w;
    for (int c = 0; c < 3; c++) {
      sum[c] += w * cells[i].mean[c];
      squares[c] += w * cells[i].mean[c] * cells[i].mean[c];
    }
  }
  int widest = 1;
  double most = -1;
  for (int c = 0; c < 3; c++) {
    double spread = squares[c] - sum[c] * sum[c] / weight;
    if (spread > most + 1e-9) {
      most = spread;
      widest = c;
    }
  }
  return widest;
}

static void easel_gif_weigh(easel_gif_cell *cells, easel_gif_box *box) {
  box->gain = 0;
  if (box->end - box->start < 2) return;
  box->axis = easel_gif_widest(cells, box);
  easel_gif_sort(cells, box, box->axis);
  easel_gif_total all = {0}, low = {0};
  for (size_t i = box->start; i < box->end; i++) easel_gif_count_in(&all, &cells[i]);
  double whole = easel_gif_power(&all);
  for (size_t i = box->start; i + 1 < box->end; i++) {
    easel_gif_count_in(&low, &cells[i]);
    easel_gif_total high = {all.weight - low.weight,
                            {all.sum[0] - low.sum[0], all.sum[1] - low.sum[1], all.sum[2] - low.sum[2]}};
    double gain = easel_gif_power(&low) + easel_gif_power(&high) - whole;
    if (gain > box->gain) {
      box->gain = gain;
      box->middle = i + 1;
    }
  }
}

static size_t easel_gif_halve(easel_gif_cell *cells, size_t count, size_t capacity, easel_gif_box boxes[256]) {
  size_t boxes_count = 1;
  boxes[0] = (easel_gif_box){.end = count};
  easel_gif_weigh(cells, &boxes[0]);
  while (boxes_count < capacity) {
    size_t best = 0;
    for (size_t i = 1; i < boxes_count; i++) {
      if (boxes[i].gain > boxes[best].gain) best = i;
    }
    if (boxes[best].gain <= 0) break;
    boxes[boxes_count] = (easel_gif_box){.start = boxes[best].middle, .end = boxes[best].end};
    boxes[best].end = boxes[best].middle;
    easel_gif_weigh(cells, &boxes[best]);
    easel_gif_weigh(cells, &boxes[boxes_count++]);
  }
  return boxes_count;
}

// ---- Means

static size_t easel_gif_nearest_mean(const double (*means)[3], size_t count, const double color[3]) {
  size_t best = 0;
  double distance = 1e30;
  for (size_t i = 0; i < count; i++) {
    double r = color[0] - means[i][0], g = color[1] - means[i][1], b = color[2] - means[i][2];
    double d = r * r + g * g + b * b;
    if (d < distance) {
      distance = d;
      best = i;
    }
  }
  return best;
}

static void easel_gif_move_means(const easel_gif_quantizer *quantizer, double (*means)[3], size_t count) {
  for (int round = 0; round < EASEL_GIF_ROUNDS; round++) {
    easel_gif_total totals[256] = {0};
    for (size_t i = 0; i < quantizer->count; i++) {
      const easel_gif_cell *cell = &quantizer->cells[i];
      easel_gif_count_in(&totals[easel_gif_nearest_mean((const double(*)[3])means, count, cell->mean)], cell);
    }
    for (size_t i = 0; i < count; i++) {
      if (totals[i].weight <= 0) continue;
      for (int c = 0; c < 3; c++) means[i][c] = totals[i].sum[c] / totals[i].weight;
    }
  }
}

size_t easel_gif_quantizer_choose(easel_gif_quantizer *quantizer, size_t capacity, uint8_t *colors) {
  if (capacity > 256) capacity = 256;
  if (quantizer->count == 0 || capacity == 0) return 0;
  for (size_t i = 0; i < quantizer->count; i++) {
    easel_gif_cell *cell = &quantizer->cells[i];
    for (int c = 0; c < 3; c++) cell->mean[c] = (double)cell->sum[c] / (double)cell->weight;
  }
  easel_gif_box boxes[256];
  double means[256][3];
  size_t count = easel_gif_halve(quantizer->cells, quantizer->count, capacity, boxes);
  for (size_t i = 0; i < count; i++) {
    easel_gif_total total = {0};
    for (size_t k = boxes[i].start; k < boxes[i].end; k++) easel_gif_count_in(&total, &quantizer->cells[k]);
    for (int c = 0; c < 3; c++) means[i][c] = total.sum[c] / total.weight;
  }
  easel_gif_move_means(quantizer, means, count);
  for (size_t i = 0; i < count; i++) {
    for (int c = 0; c < 3; c++) colors[3 * i + (size_t)c] = (uint8_t)(means[i][c] + 0.5);
  }
  return count;
}
