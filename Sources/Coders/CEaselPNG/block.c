#include "block.h"

#include <string.h>

enum { EASEL_PNG_MOST_STORED = 65535, EASEL_PNG_SMALL_CODES = 19 };

// ---- The lengths of codes, which are compressed themselves

typedef struct {
  uint8_t symbols[EASEL_PNG_LITERALS + EASEL_PNG_DISTANCES], extra[EASEL_PNG_LITERALS + EASEL_PNG_DISTANCES];
  unsigned count, literals, distances, small;
  easel_png_code code;
  size_t bits;
} easel_png_head;

static const uint8_t easel_png_small_order[EASEL_PNG_SMALL_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                                     11, 4,  12, 3, 13, 2, 14, 1, 15};

static unsigned easel_png_small_bits(unsigned symbol) {
  return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
}

static unsigned easel_png_run(const uint8_t *lengths, unsigned count) {
  unsigned run = 1;
  while (run < count && lengths[run] == lengths[0]) run++;
  return run;
}

static void easel_png_add_small(easel_png_head *head, unsigned symbol, unsigned extra) {
  head->symbols[head->count] = (uint8_t)symbol;
  head->extra[head->count++] = (uint8_t)extra;
}

static void easel_png_pack_lengths(easel_png_head *head, const uint8_t *lengths, unsigned count) {
  for (unsigned i = 0; i < count;) {
    unsigned run = easel_png_run(lengths + i, count - i), length = lengths[i];
    i += run;
    if (length != 0) {
      easel_png_add_small(head, length, 0);
      run--;
    }
    while (run >= 3) {
      unsigned most = length == 0 ? 138 : 6, taken = run < most ? run : most;
      if (length != 0) easel_png_add_small(head, 16, taken - 3);
      if (length == 0 && taken < 11) easel_png_add_small(head, 17, taken - 3);
      if (length == 0 && taken >= 11) easel_png_add_small(head, 18, taken - 11);
      run -= taken;
    }
    while (run-- > 0) easel_png_add_small(head, length, 0);
  }
}

static void easel_png_make_head(easel_png_head *head, const easel_png_code *literals, const easel_png_code *distances) {
  uint8_t lengths[EASEL_PNG_LITERALS + EASEL_PNG_DISTANCES];
  uint32_t counts[EASEL_PNG_SMALL_CODES] = {0};
  head->literals = EASEL_PNG_LITERALS;
  while (head->literals > 257 && literals->lengths[head->literals - 1] == 0) head->literals--;
  head->distances = EASEL_PNG_DISTANCES;
  while (head->distances > 1 && distances->lengths[head->distances - 1] == 0) head->distances--;
  memcpy(lengths, literals->lengths, head->literals);
  memcpy(lengths + head->literals, distances->lengths, head->distances);
  head->count = 0;
  easel_png_pack_lengths(head, lengths, head->literals + head->distances);
  for (unsigned i = 0; i < head->count; i++) counts[head->symbols[i]]++;
  easel_png_make_code(&head->code, counts, EASEL_PNG_SMALL_CODES, 7);
  head->small = EASEL_PNG_SMALL_CODES;
  while (head->small > 4 && head->code.lengths[easel_png_small_order[head->small - 1]] == 0) head->small--;
  head->bits = 14 + 3 * head->small;
  for (unsigned i = 0; i < EASEL_PNG_SMALL_CODES; i++) {
    head->bits += counts[i] * (head->code.lengths[i] + easel_png_small_bits(i));
  }
}

static void easel_png_write_head(easel_png_bit_writer *writer, const easel_png_head *head) {
  easel_png_put(writer, head->literals - 257, 5);
  easel_png_put(writer, head->distances - 1, 5);
  easel_png_put(writer, head->small - 4, 4);
  for (unsigned i = 0; i < head->small; i++) {
    easel_png_put(writer, head->code.lengths[easel_png_small_order[i]], 3);
    easel_png_flush(writer);
  }
  for (unsigned i = 0; i < head->count; i++) {
    unsigned symbol = head->symbols[i];
    easel_png_put(writer, head->code.codes[symbol], head->code.lengths[symbol]);
    easel_png_put(writer, head->extra[i], easel_png_small_bits(symbol));
    easel_png_flush(writer);
  }
}

// ---- The forms of a block

static size_t easel_png_bits_of(const easel_png_counts *counts, const easel_png_code *literals,
                                const easel_png_code *distances) {
  size_t bits = 0;
  for (unsigned i = 0; i < EASEL_PNG_LITERALS; i++) {
    unsigned extra = i > EASEL_PNG_END ? easel_png_lengths[i - EASEL_PNG_END - 1].bits : 0;
    bits += (size_t)counts->literals[i] * (literals->lengths[i] + extra);
  }
  for (unsigned i = 0; i < EASEL_PNG_DISTANCES; i++) {
    bits += (size_t)counts->distances[i] * (size_t)(distances->lengths[i] + easel_png_distances[i].bits);
  }
  return bits;
}

static void easel_png_make_fixed(easel_png_code *literals, easel_png_code *distances) {
  memset(literals->lengths, 8, 288);
  memset(literals->lengths + 144, 9, 112);
  memset(literals->lengths + 256, 7, 24);
  memset(distances->lengths, 5, 32);
  easel_png_number_code(literals, 288);
  easel_png_number_code(distances, 32);
}

static void easel_png_write_tokens(easel_png_bit_writer *writer, const easel_png_block *block,
                                   const easel_png_code *literals, const easel_png_code *distances) {
  for (size_t i = 0; i < block->token_count; i++) {
    easel_png_token token = block->tokens[i];
    if (!(token & EASEL_PNG_IS_REPETITION)) {
      easel_png_put(writer, literals->codes[token], literals->lengths[token]);
    } else {
      unsigned length = token >> 16 & 0x1ff, distance = (token & 0x7fff) + 1;
      unsigned kind = easel_png_length_class(length), symbol = EASEL_PNG_END + 1 + kind;
      easel_png_put(writer, literals->codes[symbol], literals->lengths[symbol]);
      easel_png_put(writer, length - easel_png_lengths[kind].base, easel_png_lengths[kind].bits);
      kind = easel_png_distance_class(distance);
      easel_png_put(writer, distances->codes[kind], distances->lengths[kind]);
      easel_png_put(writer, distance - easel_png_distances[kind].base, easel_png_distances[kind].bits);
    }
    easel_png_flush(writer);
  }
  easel_png_put(writer, literals->codes[EASEL_PNG_END], literals->lengths[EASEL_PNG_END]);
  easel_png_flush(writer);
}

void easel_png_write_stored(easel_png_bit_writer *writer, const uint8_t *bytes, size_t count, bool is_last) {
  do {
    size_t taken = count < EASEL_PNG_MOST_STORED ? count : EASEL_PNG_MOST_STORED;
    easel_png_put(writer, is_last && taken == count ? 1 : 0, 3);
    easel_png_put(writer, 0, (8 - writer->count % 8) % 8);
    easel_png_put(writer, taken | (~taken & 0xffff) << 16, 32);
    easel_png_flush(writer);
    if (taken > 0) memcpy(writer->next, bytes, taken);
    writer->next += taken;
    if (taken > 0) bytes += taken;
    count -= taken;
  } while (count > 0);
}

void easel_png_write_block(easel_png_bit_writer *writer, const easel_png_block *block, bool is_last) {
  easel_png_head head;
  easel_png_code literals, distances, fixed_literals, fixed_distances;
  easel_png_make_code(&literals, block->counts->literals, EASEL_PNG_LITERALS, 15);
  easel_png_make_code(&distances, block->counts->distances, EASEL_PNG_DISTANCES, 15);
  easel_png_make_head(&head, &literals, &distances);
  easel_png_make_fixed(&fixed_literals, &fixed_distances);
  size_t own = head.bits + easel_png_bits_of(block->counts, &literals, &distances);
  size_t fixed = easel_png_bits_of(block->counts, &fixed_literals, &fixed_distances);
  size_t stored = 8 * block->byte_count + 40 * (block->byte_count / EASEL_PNG_MOST_STORED + 1);
  if (stored <= own && stored <= fixed) {
    easel_png_write_stored(writer, block->bytes, block->byte_count, is_last);
  } else if (fixed <= own) {
    easel_png_put(writer, is_last ? 3 : 2, 3);
    easel_png_write_tokens(writer, block, &fixed_literals, &fixed_distances);
  } else {
    easel_png_put(writer, is_last ? 5 : 4, 3);
    easel_png_write_head(writer, &head);
    easel_png_write_tokens(writer, block, &literals, &distances);
  }
}
