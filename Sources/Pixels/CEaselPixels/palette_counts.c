#include "palette_maker.h"

bool easel_palette_maker_create(easel_palette_maker **made) {
  easel_palette_maker *maker = calloc(1, sizeof *maker);
  if (maker) {
    maker->cells = malloc(EASEL_PALETTE_CELLS * sizeof *maker->cells);
    maker->slots = calloc(EASEL_PALETTE_SLOTS, sizeof *maker->slots);
    if (!maker->cells || !maker->slots) {
      easel_palette_maker_destroy(maker);
      maker = NULL;
    }
  }
  *made = maker;
  return maker;
}

void easel_palette_maker_destroy(easel_palette_maker *maker) {
  if (!maker) return;
  free(maker->cells);
  free(maker->slots);
  free(maker);
}

static easel_palette_cell *easel_palette_cell_of(easel_palette_maker *maker, uint32_t key) {
  uint32_t slot = (key * 2654435761u) >> 15;
  while (maker->slots[slot] != 0 && maker->cells[maker->slots[slot] - 1].key != key) {
    slot = (slot + 1) % EASEL_PALETTE_SLOTS;
  }
  if (maker->slots[slot] == 0) {
    if (maker->count == EASEL_PALETTE_CELLS) return NULL;
    maker->cells[maker->count++] = (easel_palette_cell){.key = key};
    maker->slots[slot] = (uint32_t)maker->count;
  }
  return &maker->cells[maker->slots[slot] - 1];
}

static uint32_t easel_palette_key(const uint8_t *pixel, unsigned shift) {
  if (pixel[3] == 0) return 0;
  return (uint32_t)(pixel[0] >> shift) << 24 | (uint32_t)(pixel[1] >> shift) << 16 |
         (uint32_t)(pixel[2] >> shift) << 8 | (uint32_t)(pixel[3] >> shift);
}

// Ignores one more bit, and joins cells that are now equal.
static void easel_palette_coarsen(easel_palette_maker *maker) {
  size_t count = maker->count;
  maker->shift++;
  maker->count = 0;
  memset(maker->slots, 0, EASEL_PALETTE_SLOTS * sizeof *maker->slots);
  // In this loop, cells only move towards the front.
  for (size_t i = 0; i < count; i++) {
    easel_palette_cell old = maker->cells[i], *cell = easel_palette_cell_of(maker, old.key >> 1 & 0x7f7f7f7f);
    cell->weight += old.weight;
    for (size_t k = 0; k < 4; k++) cell->sums[k] += old.sums[k];
  }
}

// An error that hides in an unrest weighs less.
static uint64_t easel_palette_weight(uint8_t unrest) { return 4096u / (64u + unrest); }

bool easel_palette_maker_add(easel_palette_maker *maker, const easel_palette_picture *picture, bool skips_clear,
                             easel_palette_caller caller) {
  uint8_t *unrest = easel_palette_unrest(picture);
  if (!unrest) return false;
  bool goes_on = true;
  for (size_t y = 0; y < picture->height && goes_on; y++) {
    goes_on = easel_palette_goes_on(caller);
    const uint8_t *pixel = (const uint8_t *)picture->pixels + (ptrdiff_t)y * picture->stride;
    const uint8_t *other =
        picture->before ? (const uint8_t *)picture->before + (ptrdiff_t)y * picture->before_stride : NULL;
    for (size_t x = 0; x < picture->width; x++, pixel += 4) {
      if ((skips_clear && pixel[3] == 0) || (other && memcmp(pixel, other + 4 * x, 4) == 0)) continue;
      easel_palette_cell *cell;
      while (!(cell = easel_palette_cell_of(maker, easel_palette_key(pixel, maker->shift)))) {
        easel_palette_coarsen(maker);
      }
      uint64_t weight = easel_palette_weight(unrest[y * picture->width + x]);
      cell->weight += weight;
      if (pixel[3] == 0) continue;
      for (size_t k = 0; k < 4; k++) cell->sums[k] += weight * pixel[k];
    }
  }
  free(unrest);
  return goes_on;
}
