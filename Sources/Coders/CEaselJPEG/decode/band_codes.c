#include <string.h>

#include "parts.h"

static uint32_t easel_jpeg_band_entry(int length, int symbol, uint32_t rest, int low) {
  int size = symbol & 15, run = symbol >> 4, room = EASEL_JPEG_AC_BITS - length;
  uint32_t is_long = (uint32_t)length << 8 | (uint32_t)symbol << 16;
  // Sixteen zeros are rare, and no level.
  if (!size && run == 15) return is_long;
  int more = size ? size : run;
  if (more > room) return is_long;
  uint32_t bits = rest >> (room - more), all = (uint32_t)(length + more);
  if (!size) return all | (uint32_t)EASEL_JPEG_BLOCK_END << 8 | (bits + (1u << run)) << 16;
  int value = bits >> (size - 1) ? (int)bits : (int)bits - (1 << size) + 1;
  return all | (uint32_t)(run + 1) << 8 | (uint32_t)(uint16_t)(value * (1 << low)) << 16;
}

bool easel_jpeg_band_table_make(easel_jpeg_band_table *table, const easel_jpeg_codes *codes, int low, bool refines) {
  if (!codes->is_there || !easel_jpeg_long_codes_make(&table->longer, codes)) return false;
  memset(table->entries, 0, sizeof table->entries);
  uint32_t at = 0;
  for (int length = 1, next = 0; length <= EASEL_JPEG_AC_BITS; length++) {
    for (int i = 0; i < codes->counts[length]; i++, next++) {
      int symbol = codes->symbols[next];
      uint32_t places = 1u << (EASEL_JPEG_AC_BITS - length);
      for (uint32_t j = 0; j < places; j++)
        table->entries[at + j] = refines ? (uint32_t)length | (uint32_t)symbol << 16
                                         : easel_jpeg_band_entry(length, symbol, j, low);
      at += places;
    }
  }
  return true;
}
