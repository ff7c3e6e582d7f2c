#include <stdlib.h>
#include <string.h>

#include "include/CEaselGIF.h"

enum {
  EASEL_GIF_CODES = 4096,
  EASEL_GIF_COLORS = 256,
  EASEL_GIF_STAGED = 4096,
  // Strings are written eight bytes at a time, so a write may go beyond the end of the string.
  EASEL_GIF_CHUNK = 8,
  EASEL_GIF_INDICES = 64 << 10,
  EASEL_GIF_SUB_BLOCK = 255,
  // With a larger initial size, codes would have more than twelve bits, which GIF does not allow.
  EASEL_GIF_LONGEST_SIZE = 11,
};

struct easel_gif_reader {
  easel_gif_layout layout;
  easel_gif_state state;

  // ---- Codes. The string of a code is stored in chunks of eight bytes from its start. The code itself has the last
  // chunk, which may not be full; the code in `prefix` has the chunks before.
  uint8_t chunks[EASEL_GIF_CODES][EASEL_GIF_CHUNK];
  uint16_t prefix[EASEL_GIF_CODES];
  // The length of the string, minus one.
  uint16_t last[EASEL_GIF_CODES];
  unsigned first_size, size, next, previous;
  bool has_size, has_previous;
  uint64_t bits;
  unsigned bit_count;

  // ---- Sub-blocks
  size_t pending;
  uint8_t staged[EASEL_GIF_STAGED + EASEL_GIF_CHUNK];

  // ---- Pixels
  uint8_t *indices;
  size_t capacity, start, end;
  uint64_t missing;
  uint32_t row, drawn;
  unsigned pass;
};

easel_gif_status easel_gif_reader_create(easel_gif_reader **made) {
  *made = calloc(1, sizeof **made);
  return *made ? EASEL_GIF_OK : EASEL_GIF_NO_MEMORY;
}

void easel_gif_reader_destroy(easel_gif_reader *reader) {
  if (!reader) return;
  free(reader->indices);
  free(reader);
}

static void easel_gif_clear_codes(easel_gif_reader *reader) {
  reader->size = reader->first_size + 1;
  reader->next = (1u << reader->first_size) + 2;
  reader->has_previous = false;
}

void easel_gif_reader_begin(easel_gif_reader *reader, const easel_gif_layout *layout) {
  reader->layout = *layout;
  reader->missing = (uint64_t)layout->width * layout->height;
  reader->has_size = false;
  reader->bits = 0;
  reader->bit_count = 0;
  reader->pending = 0;
  reader->start = 0;
  reader->end = 0;
  reader->row = 0;
  reader->drawn = 0;
  reader->pass = 0;
  // There is room for a row, for the longest string after it, and for the rest of a chunk.
  size_t needed = (size_t)layout->width + EASEL_GIF_CODES + EASEL_GIF_CHUNK;
  size_t capacity = needed > EASEL_GIF_INDICES ? needed : EASEL_GIF_INDICES;
  if (capacity > reader->capacity) {
    free(reader->indices);
    reader->indices = malloc(capacity);
    reader->capacity = reader->indices ? capacity : 0;
  }
  reader->state = reader->indices ? EASEL_GIF_READING : EASEL_GIF_BROKEN;
}

static void easel_gif_set_size(easel_gif_reader *reader, unsigned size) {
  reader->has_size = true;
  reader->first_size = size;
  if (size < 1 || size > EASEL_GIF_LONGEST_SIZE) {
    reader->state = EASEL_GIF_BROKEN;
    return;
  }
  // Some programs begin with longer codes than the number of colours needs.
  for (unsigned i = 0; i < 1u << size && i < EASEL_GIF_COLORS; i++) {
    reader->chunks[i][0] = (uint8_t)i;
    reader->last[i] = 0;
  }
  easel_gif_clear_codes(reader);
}

// ---- Rows

static void easel_gif_draw(const easel_gif_layout *layout, const uint8_t *indices, size_t count, uint8_t *target) {
  const uint8_t *colors = layout->colors;
  if (layout->transparent < 0) {
    for (size_t x = 0; x < count; x++) memcpy(target + 4 * x, colors + 4 * (size_t)indices[x], 4);
    return;
  }
  uint8_t transparent = (uint8_t)layout->transparent;
  for (size_t x = 0; x < count; x++) {
    if (indices[x] != transparent) memcpy(target + 4 * x, colors + 4 * (size_t)indices[x], 4);
  }
}

static void easel_gif_next_row(easel_gif_reader *reader) {
  static const uint8_t starts[4] = {0, 4, 2, 1}, steps[4] = {8, 8, 4, 2};
  reader->drawn++;
  if (!reader->layout.is_interlaced) {
    reader->row++;
    return;
  }
  reader->row += steps[reader->pass];
  while (reader->row >= reader->layout.height && reader->pass < 3) {
    reader->pass++;
    reader->row = starts[reader->pass];
  }
}

static void easel_gif_draw_row(easel_gif_reader *reader, size_t count, uint8_t *target, ptrdiff_t stride) {
  const easel_gif_layout *layout = &reader->layout;
  if (reader->row >= layout->visible_height) return;
  if (count > layout->visible_width) count = layout->visible_width;
  easel_gif_draw(layout, reader->indices + reader->start, count, target + (ptrdiff_t)reader->row * stride);
}

// Draws the complete rows and moves the rest to the front.
static void easel_gif_flush(easel_gif_reader *reader, uint8_t *target, ptrdiff_t stride) {
  size_t width = reader->layout.width;
  while (reader->end - reader->start >= width && reader->drawn < reader->layout.height) {
    easel_gif_draw_row(reader, width, target, stride);
    reader->start += width;
    easel_gif_next_row(reader);
  }
  if (reader->start == 0) return;
  memmove(reader->indices, reader->indices + reader->start, reader->end - reader->start);
  reader->end -= reader->start;
  reader->start = 0;
}

void easel_gif_reader_finish(easel_gif_reader *reader, void *target, ptrdiff_t stride) {
  if (!reader->indices || reader->end == reader->start || reader->drawn >= reader->layout.height) return;
  easel_gif_draw_row(reader, reader->end - reader->start, target, stride);
  reader->end = reader->start;
  reader->drawn++;
}

uint32_t easel_gif_reader_rows(const easel_gif_reader *reader) { return reader->drawn; }

// ---- Codes

// Adds a code whose string is the string of the code `before` and one byte.
static inline void easel_gif_add_code(easel_gif_reader *reader, unsigned code, unsigned before, uint8_t byte) {
  unsigned last = reader->last[before] + 1u;
  reader->last[code] = (uint16_t)last;
  if (last % EASEL_GIF_CHUNK == 0) {
    reader->prefix[code] = (uint16_t)before;
    reader->chunks[code][0] = byte;
  } else {
    reader->prefix[code] = reader->prefix[before];
    memcpy(reader->chunks[code], reader->chunks[before], EASEL_GIF_CHUNK);
    reader->chunks[code][last % EASEL_GIF_CHUNK] = byte;
  }
}

// Writes the string of a code and returns its length.
static inline size_t easel_gif_write_code(const easel_gif_reader *reader, unsigned code, uint8_t *target) {
  size_t last = reader->last[code];
  uint8_t *chunk = target + (last & ~(size_t)(EASEL_GIF_CHUNK - 1));
  memcpy(chunk, reader->chunks[code], EASEL_GIF_CHUNK);
  while (chunk != target) {
    code = reader->prefix[code];
    chunk -= EASEL_GIF_CHUNK;
    memcpy(chunk, reader->chunks[code], EASEL_GIF_CHUNK);
  }
  return last + 1;
}

// Decodes staged bytes until they are used up, or until there is no room for another string; returns how many were
// used.
static size_t easel_gif_decode(easel_gif_reader *reader, const uint8_t *bytes, size_t count) {
  uint64_t bits = reader->bits;
  unsigned bit_count = reader->bit_count, size = reader->size, next = reader->next, previous = reader->previous;
  bool has_previous = reader->has_previous;
  const unsigned clear = 1u << reader->first_size;
  // The codes from `special` to the end code have no string. These are the clear code, the end code, and codes beyond
  // 256 colours, which are invalid.
  const unsigned special = clear < EASEL_GIF_COLORS ? clear : EASEL_GIF_COLORS;
  const unsigned specials = clear + 2 - special;
  size_t used = 0, end = reader->end;
  const size_t most = reader->capacity - EASEL_GIF_CODES - EASEL_GIF_CHUNK;
  const size_t enough = reader->missing > most ? SIZE_MAX : (size_t)reader->missing;
  easel_gif_state state = EASEL_GIF_READING;
  while (end <= most) {
    if (end >= enough) {
      state = EASEL_GIF_COMPLETE;
      break;
    }
    if (bit_count < size) {
      if (count - used >= 8) {
        uint64_t more;
        memcpy(&more, bytes + used, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        more = __builtin_bswap64(more);
#endif
        unsigned taken = (63 - bit_count) / 8;
        bits |= more << bit_count;
        used += taken;
        bit_count += taken * 8;
        bits &= ((uint64_t)1 << bit_count) - 1;
      } else if (used < count) {
        bits |= (uint64_t)bytes[used++] << bit_count;
        bit_count += 8;
        continue;
      } else {
        break;
      }
    }
    unsigned code = (unsigned)bits & ((1u << size) - 1);
    bits >>= size;
    bit_count -= size;
    if (code - special < specials) {
      if (code == clear) {
        size = reader->first_size + 1;
        next = clear + 2;
        has_previous = false;
        continue;
      }
      state = code == clear + 1 ? EASEL_GIF_ENDED : EASEL_GIF_BROKEN;
      break;
    }
    if (!has_previous) {
      if (code > clear) {
        state = EASEL_GIF_BROKEN;
        break;
      }
      reader->indices[end++] = (uint8_t)code;
      previous = code;
      has_previous = true;
      continue;
    }
    uint8_t *target = reader->indices + end;
    if (code < next) {
      end += easel_gif_write_code(reader, code, target);
      if (next < EASEL_GIF_CODES) easel_gif_add_code(reader, next, previous, target[0]);
    } else if (code == next && next < EASEL_GIF_CODES) {
      // This is the code that is just being added: the previous string, followed by the first byte of that string.
      size_t length = easel_gif_write_code(reader, previous, target);
      easel_gif_add_code(reader, next, previous, target[0]);
      target[length] = target[0];
      end += length + 1;
    } else {
      state = EASEL_GIF_BROKEN;
      break;
    }
    if (next < EASEL_GIF_CODES && ++next == 1u << size && size < 12) size++;
    previous = code;
  }
  reader->bits = bits;
  reader->bit_count = bit_count;
  reader->size = size;
  reader->next = next;
  reader->previous = previous;
  reader->has_previous = has_previous;
  reader->end = end;
  reader->state = state;
  return used;
}

// Decodes staged bytes and draws the resulting rows, repeating as room becomes free.
static void easel_gif_decode_staged(easel_gif_reader *reader, size_t count, uint8_t *target, ptrdiff_t stride) {
  size_t used = 0;
  do {
    used += easel_gif_decode(reader, reader->staged + used, count - used);
    // Pixels beyond the end of the frame are dropped.
    if (reader->state == EASEL_GIF_COMPLETE) reader->end = (size_t)reader->missing;
    uint32_t drawn = reader->drawn;
    easel_gif_flush(reader, target, stride);
    reader->missing -= (uint64_t)(reader->drawn - drawn) * reader->layout.width;
  } while (reader->state == EASEL_GIF_READING && (used < count || reader->bit_count >= reader->size));
}

// ---- Sub-blocks

easel_gif_state easel_gif_reader_feed(easel_gif_reader *reader, const void *start, size_t count, void *target,
                                      ptrdiff_t stride) {
  const uint8_t *bytes = start;
  size_t used = 0;
  if (reader->state == EASEL_GIF_READING && !reader->has_size && count > 0) easel_gif_set_size(reader, bytes[used++]);
  while (used < count && reader->state == EASEL_GIF_READING) {
    size_t staged = 0;
    bool is_over = false;
    while (used < count && staged < EASEL_GIF_STAGED && !is_over) {
      if (reader->pending == 0) {
        reader->pending = bytes[used++];
        is_over = reader->pending == 0;
        continue;
      }
      size_t part = reader->pending;
      if (part > count - used) part = count - used;
      if (part > EASEL_GIF_STAGED - staged) part = EASEL_GIF_STAGED - staged;
      memcpy(reader->staged + staged, bytes + used, part);
      staged += part;
      used += part;
      reader->pending -= part;
    }
    easel_gif_decode_staged(reader, staged, target, stride);
    if (is_over && reader->state == EASEL_GIF_READING) reader->state = EASEL_GIF_ENDED;
  }
  return reader->state;
}

size_t easel_gif_skip(const void *start, size_t count, size_t *pending, size_t *short_blocks, bool *is_over) {
  const uint8_t *bytes = start;
  size_t used = 0;
  *is_over = false;
  while (used < count) {
    if (*pending > 0) {
      size_t part = *pending < count - used ? *pending : count - used;
      used += part;
      *pending -= part;
      continue;
    }
    *pending = bytes[used++];
    if (*pending == 0) {
      *is_over = true;
      break;
    }
    if (*pending < EASEL_GIF_SUB_BLOCK) ++*short_blocks;
  }
  return used;
}
