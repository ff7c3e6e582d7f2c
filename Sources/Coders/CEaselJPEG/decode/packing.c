#include <string.h>

#include "store.h"

// A block is its mask and then its levels. The first bit of the mask, which no level has, tells that each is a byte.

size_t easel_jpeg_pack(const easel_jpeg_block_row *row, uint8_t *to) {
  uint8_t *start = to;
  uint64_t all = 0;
  for (uint32_t x = 0; x < row->count; x++) {
    int16_t *levels = easel_jpeg_levels_of(row, x), values[64];
    uint64_t *mask = easel_jpeg_mask_of(row, x), places = *mask;
    int count = 0, wide = 0;
    all |= places;
    for (uint64_t left = places; left; left &= left - 1) {
      int16_t *level = &levels[easel_jpeg_places[__builtin_ctzll(left)]];
      wide |= *level ^ (int8_t)*level;
      values[count++] = *level;
      *level = 0;
    }
    *mask = 0;
    places |= !wide;
    memcpy(to, &places, sizeof places);
    to += sizeof places;
    if (wide) {
      memcpy(to, values, 2 * (size_t)count);
      to += 2 * count;
    } else {
      for (int i = 0; i < count; i++) *to++ = (uint8_t)values[i];
    }
  }
  return all ? (size_t)(to - start) : 0;
}

void easel_jpeg_unpack(const easel_jpeg_block_row *row, const uint8_t *from) {
  for (uint32_t x = 0; x < row->count; x++) {
    int16_t *levels = easel_jpeg_levels_of(row, x);
    uint64_t places;
    memcpy(&places, from, sizeof places);
    from += sizeof places;
    bool is_narrow = places & 1;
    places &= ~(uint64_t)1;
    *easel_jpeg_mask_of(row, x) = places;
    for (; places; places &= places - 1) {
      int16_t level;
      if (is_narrow) {
        level = (int8_t)*from++;
      } else {
        memcpy(&level, from, sizeof level);
        from += sizeof level;
      }
      levels[easel_jpeg_places[__builtin_ctzll(places)]] = level;
    }
  }
}
