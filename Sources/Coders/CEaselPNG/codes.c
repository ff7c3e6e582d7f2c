#include "codes.h"

#include <stdlib.h>
#include <string.h>

const easel_png_class easel_png_lengths[29] = {
    {3, 0},  {4, 0},  {5, 0},  {6, 0},  {7, 0},  {8, 0},  {9, 0},  {10, 0},  {11, 1},  {13, 1},
    {15, 1}, {17, 1}, {19, 2}, {23, 2}, {27, 2}, {31, 2}, {35, 3}, {43, 3},  {51, 3},  {59, 3},
    {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0},
};

const easel_png_class easel_png_distances[EASEL_PNG_DISTANCES] = {
    {1, 0},     {2, 0},     {3, 0},     {4, 0},     {5, 1},      {7, 1},      {9, 2},     {13, 2},
    {17, 3},    {25, 3},    {33, 4},    {49, 4},    {65, 5},     {97, 5},     {129, 6},   {193, 6},
    {257, 7},   {385, 7},   {513, 8},   {769, 8},   {1025, 9},   {1537, 9},   {2049, 10}, {3073, 10},
    {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13},
};

unsigned easel_png_length_class(unsigned length) {
  unsigned from = length - 3;
  if (from < 8) return from;
  if (length == 258) return 28;
  unsigned top = 31u - (unsigned)__builtin_clz(from);
  return 4 * (top - 1) + (from >> (top - 2) & 3);
}

unsigned easel_png_distance_class(unsigned distance) {
  unsigned from = distance - 1;
  if (from < 4) return from;
  unsigned top = 31u - (unsigned)__builtin_clz(from);
  return 2 * top + (from >> (top - 1) & 1);
}

// ---- Codes

typedef struct {
  uint32_t count;
  uint16_t symbol;
} easel_png_leaf;

static int easel_png_compare_leaves(const void *a, const void *b) {
  const easel_png_leaf *left = a, *right = b;
  if (left->count != right->count) return left->count < right->count ? -1 : 1;
  return (int)left->symbol - (int)right->symbol;
}

// Counts the symbols of each length in the best code without a limit. The leaves are sorted by rising counts.
static void easel_png_count_lengths(const easel_png_leaf *leaves, unsigned used, unsigned of_length[64]) {
  uint64_t weights[288];
  uint16_t parents[288];
  uint8_t depths[288];
  unsigned leaf = 0, node = 0;
  for (unsigned made = 0; made + 1 < used; made++) {
    weights[made] = 0;
    for (int child = 0; child < 2; child++) {
      if (leaf < used && (node >= made || leaves[leaf].count <= weights[node])) {
        weights[made] += leaves[leaf++].count;
      } else {
        weights[made] += weights[node];
        parents[node++] = (uint16_t)made;
      }
    }
  }
  // Nodes come after their children. The leaves at a depth are the places that are not nodes.
  unsigned nodes = used - 1, places = 1;
  depths[nodes - 1] = 0;
  for (unsigned i = nodes - 1; i-- > 0;) depths[i] = (uint8_t)(depths[parents[i]] + 1);
  unsigned next = nodes;
  for (unsigned depth = 0; next > 0 || places > 0; depth++) {
    unsigned inner = 0;
    while (next > 0 && depths[next - 1] == depth) next--, inner++;
    of_length[depth < 63 ? depth : 63] += places - inner;
    places = 2 * inner;
  }
}

static void easel_png_limit_lengths(unsigned of_length[64], unsigned longest) {
  // Used space, in units of the longest code.
  uint64_t used = 0;
  for (unsigned length = longest + 1; length < 64; length++) {
    of_length[longest] += of_length[length];
    of_length[length] = 0;
  }
  for (unsigned length = 1; length <= longest; length++) used += (uint64_t)of_length[length] << (longest - length);
  while (used > (uint64_t)1 << longest) {
    // One code becomes longer, and one of the longest codes takes the place beside it.
    unsigned length = longest - 1;
    while (of_length[length] == 0) length--;
    of_length[length]--;
    of_length[length + 1] += 2;
    of_length[longest]--;
    used--;
  }
}

void easel_png_number_code(easel_png_code *code, unsigned symbols) {
  unsigned of_length[17] = {0}, next[17] = {0};
  for (unsigned symbol = 0; symbol < symbols; symbol++) of_length[code->lengths[symbol]]++;
  of_length[0] = 0;
  for (unsigned length = 1; length < 17; length++) next[length] = (next[length - 1] + of_length[length - 1]) << 1;
  for (unsigned symbol = 0; symbol < symbols; symbol++) {
    unsigned length = code->lengths[symbol], value = next[length]++, mirrored = 0;
    for (unsigned bit = 0; bit < length; bit++) mirrored |= (value >> bit & 1) << (length - 1 - bit);
    code->codes[symbol] = (uint16_t)mirrored;
  }
}

void easel_png_make_code(easel_png_code *code, const uint32_t *counts, unsigned symbols, unsigned longest) {
  easel_png_leaf leaves[288];
  unsigned used = 0, of_length[64] = {0};
  memset(code->lengths, 0, sizeof code->lengths);
  for (unsigned symbol = 0; symbol < symbols; symbol++) {
    if (counts[symbol] > 0) leaves[used++] = (easel_png_leaf){counts[symbol], (uint16_t)symbol};
  }
  if (used > 1) {
    qsort(leaves, used, sizeof *leaves, easel_png_compare_leaves);
    easel_png_count_lengths(leaves, used, of_length);
    easel_png_limit_lengths(of_length, longest);
    unsigned leaf = 0;
    for (unsigned length = longest; length > 0; length--) {
      for (unsigned i = 0; i < of_length[length]; i++) code->lengths[leaves[leaf++].symbol] = (uint8_t)length;
    }
  } else {
    // Some readers refuse a code with fewer than two symbols.
    unsigned symbol = used == 1 ? leaves[0].symbol : 0;
    code->lengths[symbol] = code->lengths[symbol == 0 ? 1 : 0] = 1;
  }
  easel_png_number_code(code, symbols);
}
