#include "store.h"

// While a picture arrives, its blocks have means long before they have levels. What the means of the blocks around one
// tell of its lowest levels is in section K.8 of ITU-T T.81.

enum { EASEL_JPEG_SLOPE = 292, EASEL_JPEG_BEND = 71, EASEL_JPEG_TWIST = 42, EASEL_JPEG_SMOOTH_BITS = 11 };

// The positions from one to five of which no scan has told anything in this row.
static uint64_t easel_jpeg_untold(const easel_jpeg_store *store, const easel_jpeg_scans *scans, int component,
                                  uint32_t row) {
  uint64_t untold = 0x3E;
  int count = store->scan < scans->count && row < store->row ? store->scan + 1 : store->scan;
  for (int i = 0; i < count; i++) {
    const easel_jpeg_scan *scan = &scans->scans[i];
    if (!scan->first || scan->components[0] != component) continue;
    for (int k = scan->first; k <= scan->last && k < 6; k++) untold &= ~((uint64_t)1 << k);
  }
  return untold;
}

static int16_t easel_jpeg_guess(int factor, int difference, const uint16_t *quanta, int place) {
  int64_t quantum = quanta[easel_jpeg_places[place]], half = quantum << (EASEL_JPEG_SMOOTH_BITS - 1);
  if (!quantum) return 0;
  int64_t product = (int64_t)factor * difference * quanta[0];
  int64_t level = (product < 0 ? product - half : product + half) / (2 * half);
  return (int16_t)(level < -1023 ? -1023 : level > 1023 ? 1023 : level);
}

static void easel_jpeg_smooth_blocks(const easel_jpeg_block_row *row, const int16_t *const means[3], uint32_t count,
                                     const uint16_t *quanta, uint64_t untold) {
  for (uint32_t x = 0; x < count; x++) {
    uint32_t left = x ? x - 1 : x, right = x + 1 < count ? x + 1 : x;
    int above = means[0][x], below = means[2][x], before = means[1][left], behind = means[1][right];
    int16_t guesses[6] = {
        0,
        easel_jpeg_guess(EASEL_JPEG_SLOPE, before - behind, quanta, 1),
        easel_jpeg_guess(EASEL_JPEG_SLOPE, above - below, quanta, 2),
        easel_jpeg_guess(EASEL_JPEG_BEND, above + below - 2 * means[1][x], quanta, 3),
        easel_jpeg_guess(EASEL_JPEG_TWIST, means[0][left] - means[0][right] - means[2][left] + means[2][right], quanta,
                         4),
        easel_jpeg_guess(EASEL_JPEG_BEND, before + behind - 2 * means[1][x], quanta, 5),
    };
    int16_t *levels = easel_jpeg_levels_of(row, x);
    uint64_t *mask = easel_jpeg_mask_of(row, x);
    for (int k = 1; k < 6; k++) {
      if (!((untold >> k) & 1) || !guesses[k]) continue;
      levels[easel_jpeg_places[k]] = guesses[k];
      *mask |= (uint64_t)1 << k;
    }
  }
}

void easel_jpeg_store_smooth(const easel_jpeg_store *store, const easel_jpeg_scans *scans,
                             const easel_jpeg_row_levels *levels, uint32_t row) {
  const easel_jpeg_headers *headers = levels->grid->headers;
  for (int i = 0; i < headers->components; i++) {
    const easel_jpeg_kept *part = &store->parts[i];
    uint64_t untold = easel_jpeg_untold(store, scans, i, row);
    if (!untold) continue;
    uint32_t h = headers->component[i].h, v = headers->component[i].v;
    uint32_t across = easel_jpeg_parts((uint64_t)headers->width * h, 8u * headers->component[0].h);
    uint32_t down = easel_jpeg_parts((uint64_t)headers->height * v, 8u * headers->component[0].v);
    if (!store->scan && store->row * v < down) down = store->row * v;
    for (uint32_t y = row * v; y < (row + 1) * v && y < down; y++) {
      easel_jpeg_block_row blocks = easel_jpeg_blocks_of(levels, i, y - row * v);
      const int16_t *means[3] = {part->means + (size_t)(y ? y - 1 : y) * part->across,
                                 part->means + (size_t)y * part->across,
                                 part->means + (size_t)(y + 1 < down ? y + 1 : y) * part->across};
      easel_jpeg_smooth_blocks(&blocks, means, across, headers->quanta[headers->component[i].quanta], untold);
    }
  }
}
