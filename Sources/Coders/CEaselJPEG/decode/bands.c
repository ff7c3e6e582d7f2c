#include "hand.h"
#include "layers.h"

// The positions from one to 63, or up to one.
EASEL_JPEG_ALWAYS uint64_t easel_jpeg_from(int place) { return ~(uint64_t)0 << place; }
EASEL_JPEG_ALWAYS uint64_t easel_jpeg_up_to(int place) { return ~(uint64_t)0 >> (63 - place); }

EASEL_JPEG_ALWAYS uint32_t easel_jpeg_take_bits(easel_jpeg_hand *hand, int count) {
  if (!count) return 0;
  uint32_t bits = (uint32_t)(hand->bits >> (64 - count));
  hand->bits <<= count;
  hand->count -= (uint64_t)count;
  return bits;
}

// Reads a code or a level that does not fit into the table's bits. Returns the position, or -1 behind
// the last level.
static inline int easel_jpeg_long_band(const easel_jpeg_band_table *table, easel_jpeg_hand *hand, uint32_t entry,
                                       int place, int16_t *level, uint32_t *run) {
  int length = (entry >> 8) & 255, symbol = (int)(entry >> 16);
  if (length) easel_jpeg_take_bits(hand, length);
  else symbol = easel_jpeg_long_code(&table->longer, hand, EASEL_JPEG_AC_BITS + 1);
  int size = symbol & 15, zeros = symbol >> 4;
  if (!size && zeros < 15) {
    *run = (1u << zeros) + easel_jpeg_take_bits(hand, zeros);
    return -1;
  }
  *level = 0;
  if (!size) return place + 16;
  *level = (int16_t)easel_jpeg_signed(hand->bits, size);
  hand->bits <<= size;
  hand->count -= (uint64_t)size;
  return place + zeros + 1;
}

// Reads the levels of a block for the first time.
EASEL_JPEG_ALWAYS void easel_jpeg_band_block(const easel_jpeg_layer *layer, easel_jpeg_hand *hand, int16_t *levels,
                                             uint64_t *mask, uint32_t *run) {
  const easel_jpeg_band_table *table = layer->band;
  int place = layer->scan->first - 1, last = layer->scan->last;
  uint64_t seen = 0;
  while (place < last) {
    easel_jpeg_refill(hand);
    // The bits at hand suffice for two entries and a long one.
    for (int i = 0; i < 3; i++) {
      uint32_t entry = table->entries[hand->bits >> (64 - EASEL_JPEG_AC_BITS)];
      int16_t level = (int16_t)(entry >> 16);
      if (EASEL_JPEG_RARELY(!(entry & 255))) {
        place = easel_jpeg_long_band(table, hand, entry, place, &level, run);
        if (place < 0) goto is_over;
        level = (int16_t)((uint32_t)level << layer->scan->low);
        i = 2;
      } else {
        hand->bits <<= entry & 63;
        hand->count -= entry & 63;
        int steps = (entry >> 8) & 255;
        if (steps == EASEL_JPEG_BLOCK_END) {
          *run = entry >> 16;
          goto is_over;
        }
        place += steps;
      }
      if (EASEL_JPEG_RARELY(place > last)) {
        hand->errors |= 64;
        goto is_over;
      }
      if (EASEL_JPEG_RARELY(!level)) continue;
      levels[easel_jpeg_places[place]] = level;
      seen |= (uint64_t)1 << place;
      if (place == last) break;
    }
  }
is_over:
  *mask |= seen;
}

// Reads the next bit of each of these levels, none of which is zero.
EASEL_JPEG_ALWAYS void easel_jpeg_band_correct(easel_jpeg_hand *hand, int16_t *levels, uint64_t places, int bit) {
  while (places) {
    easel_jpeg_refill(hand);
    uint64_t bits = hand->bits;
    int count = 0;
    for (; places && count < 56; places &= places - 1, count++) {
      int16_t *level = &levels[easel_jpeg_places[__builtin_ctzll(places)]];
      int sign = *level >> 15, has_bit = -(int)(bits >> 63);
      bits <<= 1;
      *level = (int16_t)(*level + (((bit ^ sign) - sign) & has_bit));
    }
    hand->bits = bits;
    hand->count -= (uint64_t)count;
  }
}

// Reads the next bit of the levels of a block.
EASEL_JPEG_ALWAYS void easel_jpeg_band_refine(const easel_jpeg_layer *layer, easel_jpeg_hand *hand, int16_t *levels,
                                              uint64_t *mask, uint32_t *run) {
  const easel_jpeg_band_table *table = layer->band;
  int place = layer->scan->first, last = layer->scan->last, bit = 1 << layer->scan->low;
  uint64_t all = *mask;
  while (!*run && place <= last) {
    easel_jpeg_refill(hand);
    uint32_t entry = table->entries[hand->bits >> (64 - EASEL_JPEG_AC_BITS)];
    int symbol = (int)(entry >> 16);
    if (EASEL_JPEG_RARELY(!entry)) symbol = easel_jpeg_long_code(&table->longer, hand, EASEL_JPEG_AC_BITS + 1);
    else easel_jpeg_take_bits(hand, entry & 63);
    int zeros = symbol >> 4, size = symbol & 15, level = 0;
    if (size) {
      level = easel_jpeg_take_bits(hand, 1) ? bit : -bit;
    } else if (zeros < 15) {
      *run = (1u << zeros) + easel_jpeg_take_bits(hand, zeros);
      break;
    }
    uint64_t rest = easel_jpeg_from(place) & easel_jpeg_up_to(last), open = ~all & rest;
    for (int i = 0; i < zeros; i++) open &= open - 1;
    if (EASEL_JPEG_RARELY(!open || size > 1)) {
      hand->errors |= 64;
      return;
    }
    place = __builtin_ctzll(open);
    easel_jpeg_band_correct(hand, levels, all & rest & (((uint64_t)1 << place) - 1), bit);
    if (level) {
      levels[easel_jpeg_places[place]] = (int16_t)level;
      *mask |= (uint64_t)1 << place;
    }
    place++;
  }
  if (*run && place <= last)
    easel_jpeg_band_correct(hand, levels, all & easel_jpeg_from(place) & easel_jpeg_up_to(last), bit);
}

// The number of blocks, from the next one on, that have no code of their own.
EASEL_JPEG_ALWAYS uint32_t easel_jpeg_band_idle(const easel_jpeg_layer *layer, uint32_t left) {
  uint32_t count = layer->run < left ? layer->run : left;
  return layer->scan->restart && layer->until_restart < count ? layer->until_restart : count;
}

EASEL_JPEG_ALWAYS easel_jpeg_state easel_jpeg_band_body(easel_jpeg_layer *layer, const easel_jpeg_file *file,
                                                        const easel_jpeg_block_row *row, bool refines) {
  uint64_t band = easel_jpeg_from(layer->scan->first) & easel_jpeg_up_to(layer->scan->last);
  int bit = 1 << layer->scan->low;
  easel_jpeg_hand hand = easel_jpeg_pick_up(&layer->bits);
  uint32_t has_restarts = layer->scan->restart != 0;
  for (uint32_t x = layer->done; x < row->count;) {
    layer->done = x;
    if (EASEL_JPEG_RARELY(has_restarts && !layer->until_restart)) {
      easel_jpeg_put_down(&layer->bits, &hand);
      easel_jpeg_state state = easel_jpeg_layer_restart(layer, file);
      if (state != EASEL_JPEG_SOUND) return state;
      hand = easel_jpeg_pick_up(&layer->bits);
    }
    if (layer->run && !refines) {
      uint32_t idle = easel_jpeg_band_idle(layer, row->count - x);
      layer->run -= idle;
      x += idle;
      if (has_restarts) layer->until_restart -= idle;
      continue;
    }
    uint64_t *mask = easel_jpeg_mask_of(row, x);
    if (!layer->run || *mask & band) {
      if (EASEL_JPEG_RARELY(hand.position >= layer->bits.limit)) {
        easel_jpeg_put_down(&layer->bits, &hand);
        easel_jpeg_state state = easel_jpeg_layer_fill(layer, file);
        if (state != EASEL_JPEG_SOUND) return hand.errors & 64 ? EASEL_JPEG_WRONG : state;
        hand = easel_jpeg_pick_up(&layer->bits);
      }
      int16_t *levels = easel_jpeg_levels_of(row, x);
      if (!refines) easel_jpeg_band_block(layer, &hand, levels, mask, &layer->run);
      else if (layer->run) easel_jpeg_band_correct(&hand, levels, *mask & band, bit);
      else easel_jpeg_band_refine(layer, &hand, levels, mask, &layer->run);
      if (EASEL_JPEG_RARELY(hand.errors & 64)) return EASEL_JPEG_WRONG;
    }
    if (layer->run) layer->run--;
    x++;
    if (has_restarts) layer->until_restart--;
  }
  layer->done = 0;
  easel_jpeg_put_down(&layer->bits, &hand);
  return EASEL_JPEG_SOUND;
}

#if defined(__x86_64__)
static EASEL_JPEG_AVX2 easel_jpeg_state easel_jpeg_band_avx2(easel_jpeg_layer *layer,
                                                             const easel_jpeg_file *file,
                                                             const easel_jpeg_block_row *row) {
  return layer->scan->high ? easel_jpeg_band_body(layer, file, row, true)
                           : easel_jpeg_band_body(layer, file, row, false);
}
#endif

easel_jpeg_state easel_jpeg_band_read(easel_jpeg_layer *layer, const easel_jpeg_file *file,
                                      const easel_jpeg_block_row *row) {
#if defined(__x86_64__)
  if (layer->vectors == EASEL_JPEG_WIDE) return easel_jpeg_band_avx2(layer, file, row);
#endif
  return layer->scan->high ? easel_jpeg_band_body(layer, file, row, true)
                           : easel_jpeg_band_body(layer, file, row, false);
}
