#ifndef EASEL_JPEG_DECODER_HAND_H
#define EASEL_JPEG_DECODER_HAND_H

#include <string.h>

#include "parts.h"

// The bits that are read now, in registers.
typedef struct {
  uint64_t bits, count;
  const uint8_t *position;
  // Positions beyond a block show here.
  int errors;
} easel_jpeg_hand;

EASEL_JPEG_ALWAYS void easel_jpeg_refill(easel_jpeg_hand *hand) {
  uint64_t next;
  memcpy(&next, hand->position, sizeof next);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  next = __builtin_bswap64(next);
#endif
  hand->bits |= next >> (hand->count & 63);
  hand->position += (~hand->count >> 3) & 7;
  hand->count |= 56;
}

EASEL_JPEG_ALWAYS int easel_jpeg_signed(uint64_t bits, int size) {
  int value = (int)(bits >> (64 - size));
  // Without a one in front, the value is negative.
  int below = (int)(bits >> 63) - 1;
  return value + (below & (1 - (1 << size)));
}

// Reads a code of more bits than the table has. Of no code, it makes an error.
static inline int easel_jpeg_long_code(const easel_jpeg_long_codes *longer, easel_jpeg_hand *hand, int length) {
  uint32_t top = (uint32_t)(hand->bits >> 48);
  while (top >= longer->limits[length]) length++;
  if (length > 16) {
    hand->errors |= 64;
    return 0;
  }
  hand->bits <<= length;
  hand->count -= (uint64_t)length;
  return longer->symbols[((int32_t)(top >> (16 - length)) + longer->offsets[length]) & 255];
}

static inline int easel_jpeg_long_difference(const easel_jpeg_dc_table *table, easel_jpeg_hand *hand) {
  int size = easel_jpeg_long_code(&table->longer, hand, 1);
  if (!size) return 0;
  int value = easel_jpeg_signed(hand->bits, size);
  hand->bits <<= size;
  hand->count -= (uint64_t)size;
  return value;
}

EASEL_JPEG_ALWAYS int easel_jpeg_difference(const easel_jpeg_dc_table *table, easel_jpeg_hand *hand) {
  uint32_t entry = table->entries[hand->bits >> (64 - EASEL_JPEG_DC_BITS)];
  if (EASEL_JPEG_RARELY(!(entry & 255))) return easel_jpeg_long_difference(table, hand);
  hand->bits <<= entry & 63;
  hand->count -= entry & 63;
  return (int32_t)entry >> 16;
}

EASEL_JPEG_ALWAYS easel_jpeg_hand easel_jpeg_pick_up(const easel_jpeg_bits *bits) {
  easel_jpeg_hand hand = {bits->bits, bits->count, bits->position, 0};
  return hand;
}

EASEL_JPEG_ALWAYS void easel_jpeg_put_down(easel_jpeg_bits *bits, const easel_jpeg_hand *hand) {
  bits->bits = hand->bits;
  bits->count = hand->count;
  bits->position = hand->position;
}

#endif
