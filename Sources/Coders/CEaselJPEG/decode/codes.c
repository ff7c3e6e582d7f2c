#include <string.h>

#include "parts.h"

// The position in rows of each position of a scan. Behind the block, the steps of its end and of bad codes lead to a
// place that is overwritten.
#define EASEL_JPEG_OUT16 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64
#define EASEL_JPEG_OUT64 EASEL_JPEG_OUT16, EASEL_JPEG_OUT16, EASEL_JPEG_OUT16, EASEL_JPEG_OUT16
const uint8_t easel_jpeg_places[256] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    EASEL_JPEG_OUT64, EASEL_JPEG_OUT64, EASEL_JPEG_OUT64};

// The value that `size` bits stand for.
static int easel_jpeg_value(uint32_t bits, int size) {
  return bits >> (size - 1) ? (int)bits : (int)bits - (1 << size) + 1;
}

// False if the lengths of codes contradict each other.
bool easel_jpeg_long_codes_make(easel_jpeg_long_codes *longer, const easel_jpeg_codes *codes) {
  uint32_t code = 0;
  int32_t symbol = 0;
  for (int length = 1; length <= 16; length++) {
    longer->offsets[length] = symbol - (int32_t)code;
    code += codes->counts[length];
    symbol += codes->counts[length];
    if (code > 1u << length) return false;
    longer->limits[length] = code << (16 - length);
    code <<= 1;
  }
  longer->limits[17] = UINT32_MAX;
  longer->offsets[17] = 0;
  memcpy(longer->symbols, codes->symbols, sizeof longer->symbols);
  return true;
}

bool easel_jpeg_dc_table_make(easel_jpeg_dc_table *table, const easel_jpeg_codes *codes) {
  if (!codes->is_there || !easel_jpeg_long_codes_make(&table->longer, codes)) return false;
  memset(table->entries, 0, sizeof table->entries);
  uint32_t at = 0;
  for (int length = 1, symbol = 0; length <= 16; length++) {
    for (int i = 0; i < codes->counts[length]; i++, symbol++) {
      int size = codes->symbols[symbol], all = length + size;
      if (size > 15) return false;
      if (length > EASEL_JPEG_DC_BITS) continue;
      uint32_t places = 1u << (EASEL_JPEG_DC_BITS - length);
      if (all <= EASEL_JPEG_DC_BITS) {
        uint32_t each = 1u << (EASEL_JPEG_DC_BITS - all);
        for (uint32_t j = 0; j < places; j++) {
          int value = size ? easel_jpeg_value(j / each, size) : 0;
          table->entries[at + j] = (uint32_t)all | (uint32_t)(uint16_t)value << 16;
        }
      }
      at += places;
    }
  }
  return true;
}

static uint64_t easel_jpeg_entry(int bits, int first_steps, int last_steps, int first, int last) {
  return (uint64_t)bits | (uint64_t)first_steps << 8 | (uint64_t)last_steps << 16 | (uint64_t)(uint16_t)first << 32 |
         (uint64_t)(uint16_t)last << 48;
}

static int easel_jpeg_steps(int symbol) {
  int run = symbol >> 4;
  return (symbol & 15) || run == 15 ? run + 1 : EASEL_JPEG_BLOCK_END;
}

static void easel_jpeg_singles_make(easel_jpeg_ac_table *table, const easel_jpeg_codes *codes) {
  memset(table->singles, 0, sizeof table->singles);
  uint32_t at = 0;
  for (int length = 1, next = 0; length <= EASEL_JPEG_AC_BITS; length++) {
    for (int i = 0; i < codes->counts[length]; i++, next++) {
      int symbol = codes->symbols[next], size = symbol & 15, all = length + size;
      int steps = easel_jpeg_steps(symbol);
      uint32_t places = 1u << (EASEL_JPEG_AC_BITS - length);
      for (uint32_t j = 0; j < places; j++) {
        uint64_t entry;
        if (all <= EASEL_JPEG_AC_BITS) {
          int value = size ? easel_jpeg_value(j >> (EASEL_JPEG_AC_BITS - all), size) : 0;
          entry = easel_jpeg_entry(all, steps, steps, value, 0);
        } else {
          entry = easel_jpeg_entry(0, length, symbol, 0, 0);
        }
        table->singles[at + j] = entry;
      }
      at += places;
    }
  }
}

static void easel_jpeg_pairs_make(easel_jpeg_ac_table *table) {
  for (uint32_t i = 0; i < 1u << EASEL_JPEG_AC_BITS; i++) {
    uint64_t first = table->singles[i], entry = first;
    int bits = first & 255, steps = (first >> 8) & 255;
    if (bits && steps < EASEL_JPEG_BLOCK_END) {
      uint64_t last = table->singles[(i << bits) & ((1u << EASEL_JPEG_AC_BITS) - 1)];
      int more = last & 255;
      if (more && bits + more <= EASEL_JPEG_AC_BITS) {
        entry = easel_jpeg_entry(bits + more, steps, steps + (int)((last >> 8) & 255), (int)(first >> 32),
                                 (int)(last >> 32));
      }
    }
    table->pairs[i] = entry;
  }
}

static void easel_jpeg_skips_make(easel_jpeg_ac_table *table, const easel_jpeg_codes *codes) {
  memset(table->single_skips, 0, sizeof table->single_skips);
  uint32_t at = 0;
  for (int length = 1, next = 0; length <= EASEL_JPEG_SKIP_BITS; length++) {
    for (int i = 0; i < codes->counts[length]; i++, next++) {
      int symbol = codes->symbols[next];
      int entry = (length + (symbol & 15)) | easel_jpeg_steps(symbol) << 8;
      uint32_t places = 1u << (EASEL_JPEG_SKIP_BITS - length);
      for (uint32_t j = 0; j < places; j++) table->single_skips[at + j] = (uint16_t)entry;
      at += places;
    }
  }
  for (uint32_t i = 0; i < 1u << EASEL_JPEG_SKIP_BITS; i++) {
    int bits = table->single_skips[i] & 255, steps = table->single_skips[i] >> 8;
    // The last code is in the block if those before it take few steps.
    while (bits && bits < EASEL_JPEG_SKIP_BITS && steps <= 16) {
      int next = table->single_skips[(i << bits) & ((1u << EASEL_JPEG_SKIP_BITS) - 1)];
      int left = EASEL_JPEG_SKIP_BITS - bits;
      // The code itself must be among the bits that are left; its value need not.
      int symbol_bits = next & 255;
      if (!symbol_bits || symbol_bits > left) break;
      bits += symbol_bits;
      steps += next >> 8;
    }
    table->skips[i] = (uint16_t)(bits | steps << 8);
  }
}

bool easel_jpeg_ac_table_make(easel_jpeg_ac_table *table, const easel_jpeg_codes *codes) {
  if (!codes->is_there || !easel_jpeg_long_codes_make(&table->longer, codes)) return false;
  easel_jpeg_singles_make(table, codes);
  easel_jpeg_pairs_make(table);
  easel_jpeg_skips_make(table, codes);
  return true;
}
