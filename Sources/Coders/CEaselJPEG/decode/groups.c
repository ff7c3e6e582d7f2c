#include "hand.h"

// Reads the code of a level that is longer than the table's bits.
static __attribute__((noinline)) easel_jpeg_hand easel_jpeg_long_symbol(const easel_jpeg_ac_table *table,
                                                                        easel_jpeg_hand hand, int *symbol) {
  *symbol = easel_jpeg_long_code(&table->longer, &hand, EASEL_JPEG_AC_BITS + 1);
  return hand;
}

// Reads a level whose code or value does not fit into the table's bits.
EASEL_JPEG_ALWAYS int easel_jpeg_long_level(const easel_jpeg_ac_table *table, easel_jpeg_hand *hand, uint64_t entry,
                                            int place, int16_t *levels) {
  easel_jpeg_refill(hand);
  int length = (entry >> 8) & 255, symbol = (entry >> 16) & 255;
  if (EASEL_JPEG_RARELY(!length)) *hand = easel_jpeg_long_symbol(table, *hand, &symbol);
  hand->bits <<= length;
  hand->count -= (uint64_t)length;
  int size = symbol & 15, run = symbol >> 4;
  if (EASEL_JPEG_RARELY(!size)) return place + (run == 15 ? 16 : EASEL_JPEG_BLOCK_END);
  place += run + 1;
  if (levels) levels[easel_jpeg_places[place]] = (int16_t)easel_jpeg_signed(hand->bits, size);
  hand->bits <<= size;
  hand->count -= (uint64_t)size;
  return place;
}

// Takes what an entry tells, which has bits.
EASEL_JPEG_ALWAYS int easel_jpeg_step(easel_jpeg_hand *hand, uint64_t entry, int place, int16_t *levels) {
  hand->bits <<= entry & 63;
  hand->count -= entry;
  int first = place + (int)((entry >> 8) & 255);
  place += (int)((entry >> 16) & 255);
  levels[easel_jpeg_places[place]] = (int16_t)(entry >> 48);
  levels[easel_jpeg_places[first]] = (int16_t)(entry >> 32);
  return place;
}

EASEL_JPEG_ALWAYS uint64_t easel_jpeg_look(const uint64_t *entries, const easel_jpeg_hand *hand) {
  return entries[hand->bits >> (64 - EASEL_JPEG_AC_BITS)];
}

// Reads all levels but the first, and returns the last position that is not zero.
EASEL_JPEG_ALWAYS int easel_jpeg_levels(const easel_jpeg_ac_table *table, easel_jpeg_hand *hand, int16_t *levels) {
  int place = 0;
  while (place < EASEL_JPEG_PAIR_END) {
    easel_jpeg_refill(hand);
    uint64_t entry = easel_jpeg_look(table->pairs, hand);
    // The bits at hand suffice for four entries.
    if (EASEL_JPEG_RARELY(!(entry & 255))) goto is_long;
    place = easel_jpeg_step(hand, entry, place, levels);
    if (place >= EASEL_JPEG_PAIR_END) break;
    entry = easel_jpeg_look(table->pairs, hand);
    if (EASEL_JPEG_RARELY(!(entry & 255))) goto is_long;
    place = easel_jpeg_step(hand, entry, place, levels);
    if (place >= EASEL_JPEG_PAIR_END) break;
    entry = easel_jpeg_look(table->pairs, hand);
    if (EASEL_JPEG_RARELY(!(entry & 255))) goto is_long;
    place = easel_jpeg_step(hand, entry, place, levels);
    if (place >= EASEL_JPEG_PAIR_END) break;
    entry = easel_jpeg_look(table->pairs, hand);
    if (EASEL_JPEG_RARELY(!(entry & 255))) goto is_long;
    place = easel_jpeg_step(hand, entry, place, levels);
    continue;
  is_long:
    place = easel_jpeg_long_level(table, hand, entry, place, levels);
  }
  while (place < 63) {
    easel_jpeg_refill(hand);
    uint64_t entry = easel_jpeg_look(table->singles, hand);
    if (EASEL_JPEG_RARELY(!(entry & 255))) place = easel_jpeg_long_level(table, hand, entry, place, levels);
    else place = easel_jpeg_step(hand, entry, place, levels);
  }
  hand->errors |= place;
  return place & 63;
}

EASEL_JPEG_ALWAYS void easel_jpeg_skip_levels(const easel_jpeg_ac_table *table, easel_jpeg_hand *hand) {
  int place = 0;
  while (place < 63) {
    easel_jpeg_refill(hand);
    const uint16_t *entries = place < EASEL_JPEG_PAIR_END ? table->skips : table->single_skips;
    uint32_t entry = entries[hand->bits >> (64 - EASEL_JPEG_SKIP_BITS)];
    if (EASEL_JPEG_RARELY(!entry)) {
      place = easel_jpeg_long_level(table, hand, 0, place, NULL);
      continue;
    }
    hand->bits <<= entry & 63;
    hand->count -= entry & 63;
    place += (int)(entry >> 8);
  }
  hand->errors |= place;
}

EASEL_JPEG_ALWAYS easel_jpeg_state easel_jpeg_groups_body(easel_jpeg_groups *groups, easel_jpeg_bits *bits,
                                                          uint32_t *count, int16_t *levels, uint8_t *lasts) {
  easel_jpeg_hand hand = easel_jpeg_pick_up(bits);
  const uint8_t *limit = bits->limit;
  int blocks = groups->blocks;
  uint32_t wanted = *count;
  for (*count = 0; *count < wanted; ++*count) {
    if (EASEL_JPEG_RARELY(hand.position >= limit)) {
      easel_jpeg_put_down(bits, &hand);
      easel_jpeg_state state = easel_jpeg_bits_fill(bits);
      if (state != EASEL_JPEG_SOUND) return hand.errors & 64 ? EASEL_JPEG_WRONG : state;
      hand.bits = bits->bits;
      hand.count = bits->count;
      hand.position = bits->position;
      limit = bits->limit;
    }
    for (int j = 0; j < blocks; j++) {
      const easel_jpeg_block_kind *kind = &groups->kinds[j];
      easel_jpeg_refill(&hand);
      uint32_t mean = groups->means[kind->component] += (uint32_t)easel_jpeg_difference(kind->dc, &hand);
      levels[0] = (int16_t)mean;
      if (kind->only_mean) {
        easel_jpeg_skip_levels(kind->ac, &hand);
        levels += 1;
      } else {
        *lasts++ = (uint8_t)easel_jpeg_levels(kind->ac, &hand, levels);
        levels += 64;
      }
    }
  }
  easel_jpeg_put_down(bits, &hand);
  return hand.errors & 64 ? EASEL_JPEG_WRONG : EASEL_JPEG_SOUND;
}

#if defined(__x86_64__)
static EASEL_JPEG_AVX2 easel_jpeg_state easel_jpeg_groups_avx2(easel_jpeg_groups *groups, easel_jpeg_bits *bits,
                                                               uint32_t *count, int16_t *levels, uint8_t *lasts) {
  return easel_jpeg_groups_body(groups, bits, count, levels, lasts);
}
#endif

static easel_jpeg_state easel_jpeg_groups_some(easel_jpeg_groups *groups, easel_jpeg_bits *bits, uint32_t *count,
                                               int16_t *levels, uint8_t *lasts) {
#if defined(__x86_64__)
  if (groups->vectors == EASEL_JPEG_WIDE) return easel_jpeg_groups_avx2(groups, bits, count, levels, lasts);
#endif
  return easel_jpeg_groups_body(groups, bits, count, levels, lasts);
}

// Reads a group that may not be there as a whole; if it is not, leaves everything as it was.
static easel_jpeg_state easel_jpeg_group_try(easel_jpeg_groups *groups, easel_jpeg_bits *bits, int16_t *levels,
                                             uint8_t *lasts) {
  easel_jpeg_bits before = *bits;
  uint32_t means[3], one = 1;
  memcpy(means, groups->means, sizeof means);
  easel_jpeg_bits_stretch(bits);
  easel_jpeg_state state = easel_jpeg_groups_some(groups, bits, &one, levels, lasts);
  bool is_there = easel_jpeg_bits_are_sound(bits);
  bits->limit = before.limit;
  if (is_there) return state;
  *bits = before;
  memcpy(groups->means, means, sizeof means);
  memset(levels, 0, (size_t)groups->levels * sizeof *levels);
  return EASEL_JPEG_HUNGRY;
}

easel_jpeg_state easel_jpeg_groups_read(easel_jpeg_groups *groups, easel_jpeg_bits *bits, uint32_t *count,
                                        int16_t *levels, uint8_t *lasts) {
  uint32_t wanted = *count;
  easel_jpeg_state state = easel_jpeg_groups_some(groups, bits, count, levels, lasts);
  while (state == EASEL_JPEG_HUNGRY) {
    state = easel_jpeg_group_try(groups, bits, levels + *count * (size_t)groups->levels,
                                 lasts + *count * (size_t)groups->lasts);
    if (state != EASEL_JPEG_SOUND) break;
    if (++*count < wanted) state = EASEL_JPEG_HUNGRY;
  }
  return state;
}
