#include "reduction.h"

#include <stdlib.h>
#include <string.h>

static int at_least_one(int64_t value) { return value < 1 ? 1 : (int)value; }

void easel_fit(struct reduction *reduction, int width, int height, int side) {
  int64_t longer = width > height ? width : height;
  if (longer <= side) {
    reduction->width = width;
    reduction->height = height;
  } else {
    reduction->width = at_least_one(((int64_t)width * side * 2 + longer) / (longer * 2));
    reduction->height = at_least_one(((int64_t)height * side * 2 + longer) / (longer * 2));
  }
}

bool easel_begin(struct reduction *reduction, int source_width, int source_height) {
  size_t width = (size_t)reduction->width;
  reduction->source_width = source_width;
  reduction->source_height = source_height;
  reduction->pixels = malloc(width * (size_t)reduction->height * 4);
  reduction->sums = calloc(width * 4, sizeof *reduction->sums);
  reduction->counts = calloc(width, sizeof *reduction->counts);
  reduction->columns = malloc((size_t)source_width * sizeof *reduction->columns);
  if (!reduction->pixels || !reduction->sums || !reduction->counts || !reduction->columns) return false;
  for (int x = 0; x < source_width; x++) {
    reduction->columns[x] = (uint32_t)((int64_t)x * reduction->width / source_width);
  }
  return true;
}

static void put(struct reduction *reduction) {
  size_t width = (size_t)reduction->width;
  uint8_t *target = reduction->pixels + (size_t)reduction->row * width * 4;
  for (size_t x = 0; x < width; x++) {
    for (int i = 0; i < 4; i++) target[x * 4 + i] = (uint8_t)(reduction->sums[x * 4 + i] / reduction->counts[x]);
  }
  memset(reduction->sums, 0, width * 4 * sizeof *reduction->sums);
  memset(reduction->counts, 0, width * sizeof *reduction->counts);
  reduction->row++;
}

void easel_add(struct reduction *reduction, const uint8_t *row) {
  for (int x = 0; x < reduction->source_width; x++, row += 4) {
    uint32_t column = reduction->columns[x];
    reduction->counts[column]++;
    for (int i = 0; i < 4; i++) reduction->sums[column * 4 + i] += row[i];
  }
  reduction->source_row++;
  int next = (int)((int64_t)reduction->source_row * reduction->height / reduction->source_height);
  if (next > reduction->row) put(reduction);
}

void easel_end(struct reduction *reduction) {
  free(reduction->pixels);
  free(reduction->sums);
  free(reduction->counts);
  free(reduction->columns);
}
