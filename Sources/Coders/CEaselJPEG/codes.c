#include "thrifty.h"

#include <stdlib.h>
#include <string.h>

// The most symbols of a table, with one that reserves the code of only ones.
enum { EASEL_JPEG_SYMBOLS = 257, EASEL_JPEG_LONGEST = 16 };

typedef struct {
  uint32_t count;
  uint16_t symbol;
} easel_jpeg_leaf;

// The rarest first; equal counts by symbol, so that the order is the same everywhere.
static int easel_jpeg_compare_leaves(const void *left, const void *right) {
  const easel_jpeg_leaf *a = left, *b = right;
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  return a->symbol < b->symbol ? 1 : -1;
}

// Joins the two rarest again and again, and returns how many leaves lie at each depth.
static int easel_jpeg_depths(const easel_jpeg_leaf *leaves, int count, uint32_t least, int *leaves_at) {
  uint64_t weights[2 * EASEL_JPEG_SYMBOLS];
  uint16_t parents[2 * EASEL_JPEG_SYMBOLS];
  // Leaves are sorted, and nodes come into being in the order of their weight: two queues give the rarest.
  for (int i = 0; i < count; i++) weights[i] = leaves[i].count > least ? leaves[i].count : least;
  int leaf = 0, node = count, end = count;
  for (; end < 2 * count - 1; end++) {
    weights[end] = 0;
    for (int i = 0; i < 2; i++) {
      int rarest = leaf < count && (node == end || weights[leaf] <= weights[node]) ? leaf++ : node++;
      weights[end] += weights[rarest];
      parents[rarest] = (uint16_t)end;
    }
  }
  int depths[2 * EASEL_JPEG_SYMBOLS], deepest = 0;
  depths[end - 1] = 0;
  memset(leaves_at, 0, EASEL_JPEG_SYMBOLS * sizeof *leaves_at);
  for (int i = end - 2; i >= 0; i--) {
    depths[i] = depths[parents[i]] + 1;
    if (i >= count) continue;
    leaves_at[depths[i]]++;
    if (depths[i] > deepest) deepest = depths[i];
  }
  return deepest;
}

void easel_jpeg_make_codes(const uint32_t *counts, size_t count, uint8_t lengths[17], uint8_t *symbols) {
  easel_jpeg_leaf leaves[EASEL_JPEG_SYMBOLS];
  int used = 0;
  // The reserved one is the rarest of all, so that it is among the deepest.
  leaves[used++] = (easel_jpeg_leaf){0, 256};
  for (size_t i = 0; i < count; i++) {
    if (counts[i]) leaves[used++] = (easel_jpeg_leaf){counts[i], (uint16_t)i};
  }
  memset(lengths, 0, 17);
  if (used == 1) return;
  qsort(leaves, (size_t)used, sizeof *leaves, easel_jpeg_compare_leaves);
  int leaves_at[EASEL_JPEG_SYMBOLS];
  // Rare symbols count for more until no code is too long.
  uint32_t least = 1;
  while (easel_jpeg_depths(leaves, used, least, leaves_at) > EASEL_JPEG_LONGEST) least *= 2;
  int next = used - 1, deepest = 0;
  for (int length = 1; length <= EASEL_JPEG_LONGEST; length++) {
    if (leaves_at[length]) deepest = length;
    lengths[length] = (uint8_t)leaves_at[length];
    for (int i = 0; i < leaves_at[length] && next > 0; i++) *symbols++ = (uint8_t)leaves[next--].symbol;
  }
  lengths[deepest]--;
}
