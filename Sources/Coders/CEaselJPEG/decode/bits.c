#include <string.h>

#include "parts.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Copies bytes up to a marker, the end or about `room` of them, and leaves out the zeros behind bytes of 0xFF. There is
// room for 32 bytes more.
static size_t easel_jpeg_unstuff(easel_jpeg_bits *bits, uint8_t *to, size_t room) {
  const uint8_t *from = bits->next, *end = bits->end;
  uint8_t *start = to, *full = to + room;
  while (to < full) {
#if defined(__x86_64__)
    if (end - from > 32) {
      __m128i low = _mm_loadu_si128((const __m128i *)from), high = _mm_loadu_si128((const __m128i *)(from + 16));
      __m128i ones = _mm_set1_epi8(-1);
      uint32_t found = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, ones)) |
                       (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, ones)) << 16;
      _mm_storeu_si128((__m128i *)to, low);
      _mm_storeu_si128((__m128i *)(to + 16), high);
      if (!found) {
        from += 32;
        to += 32;
        continue;
      }
      int sound = __builtin_ctz(found);
      from += sound;
      to += sound;
    }
#endif
    if (from == end) break;
    if (*from != 0xFF) {
      *to++ = *from++;
      continue;
    }
    if (end - from < 2 || from[1]) break;
    *to++ = 0xFF;
    from += 2;
  }
  bits->is_at_marker = to < full && (bits->is_end || end - from > 1);
  bits->next = from;
  return (size_t)(to - start);
}

static void easel_jpeg_bits_clear(easel_jpeg_bits *bits) {
  bits->position = bits->limit = bits->window;
  bits->bits = bits->count = 0;
  bits->filled = 0;
  bits->is_at_marker = false;
}

void easel_jpeg_bits_begin(easel_jpeg_bits *bits, uint8_t *window) {
  memset(bits, 0, sizeof *bits);
  bits->window = window;
  easel_jpeg_bits_clear(bits);
}

void easel_jpeg_bits_open(easel_jpeg_bits *bits, const uint8_t *next, const uint8_t *end, bool is_end) {
  bits->next = next;
  bits->end = end;
  bits->is_end = is_end;
}

static size_t easel_jpeg_bits_read(const easel_jpeg_bits *bits) {
  return (size_t)(bits->position - bits->window) * 8 - (bits->count & 63);
}

bool easel_jpeg_bits_are_sound(const easel_jpeg_bits *bits) { return easel_jpeg_bits_read(bits) <= bits->filled * 8; }

// Reads on up to the marker, the end of the window or that of the bytes at hand.
static void easel_jpeg_bits_go_on(easel_jpeg_bits *bits) {
  // Whole bytes that were read ahead go back, because they may be zeros that only stand behind what was filled. Of the
  // byte that was read in part, bits are at hand.
  bits->position -= (bits->count & 63) / 8;
  bits->count &= 7;
  bits->bits &= bits->count ? ~(uint64_t)0 << (64 - bits->count) : 0;
  const uint8_t *start = bits->position - (bits->count ? 1 : 0);
  size_t kept = (size_t)(bits->window + bits->filled - start);
  bits->position = bits->window + (bits->position - start);
  memmove(bits->window, start, kept);
  size_t room = kept < EASEL_JPEG_WINDOW ? EASEL_JPEG_WINDOW - kept : 0;
  bits->filled = kept + easel_jpeg_unstuff(bits, bits->window + kept, room);
  // What lies behind is read ahead in any case, so it must be defined.
  memset(bits->window + bits->filled, 0, bits->is_at_marker ? EASEL_JPEG_MOST_GROUP + 32 : 16);
  bits->limit = bits->window;
  if (bits->is_at_marker) bits->limit += bits->filled + 9;
  else if (bits->filled > EASEL_JPEG_MOST_GROUP) bits->limit += bits->filled - EASEL_JPEG_MOST_GROUP;
}

easel_jpeg_state easel_jpeg_bits_fill(easel_jpeg_bits *bits) {
  if (!easel_jpeg_bits_are_sound(bits)) return EASEL_JPEG_WRONG;
  if (bits->is_at_marker) return EASEL_JPEG_SOUND;
  easel_jpeg_bits_go_on(bits);
  return bits->position < bits->limit ? EASEL_JPEG_SOUND : EASEL_JPEG_HUNGRY;
}

void easel_jpeg_bits_stretch(easel_jpeg_bits *bits) {
  memset(bits->window + bits->filled, 0, EASEL_JPEG_MOST_GROUP + 32);
  bits->limit = bits->window + bits->filled + 9;
}

easel_jpeg_state easel_jpeg_bits_pass(easel_jpeg_bits *bits, int marker) {
  if (!easel_jpeg_bits_are_sound(bits)) return EASEL_JPEG_WRONG;
  if (!bits->is_at_marker) {
    easel_jpeg_bits_go_on(bits);
    if (!bits->is_at_marker) return bits->position < bits->limit ? EASEL_JPEG_WRONG : EASEL_JPEG_HUNGRY;
  }
  if (bits->filled * 8 - easel_jpeg_bits_read(bits) > 7) return EASEL_JPEG_WRONG;
  const uint8_t *next = bits->next;
  while (bits->end - next > 2 && next[1] == 0xFF) next++;
  if (bits->end - next < 2) return EASEL_JPEG_WRONG;
  if (next[1] == 0xFF && !bits->is_end) return EASEL_JPEG_HUNGRY;
  if (next[0] != 0xFF || next[1] != marker) return EASEL_JPEG_WRONG;
  bits->next = next + 2;
  easel_jpeg_bits_clear(bits);
  return EASEL_JPEG_SOUND;
}

easel_jpeg_state easel_jpeg_bits_end(easel_jpeg_bits *bits) {
  if (!easel_jpeg_bits_are_sound(bits)) return EASEL_JPEG_WRONG;
  for (;;) {
    while (!bits->is_at_marker) {
      const uint8_t *before = bits->next;
      easel_jpeg_bits_clear(bits);
      easel_jpeg_unstuff(bits, bits->window, EASEL_JPEG_WINDOW);
      if (!bits->is_at_marker && bits->next == before) return EASEL_JPEG_HUNGRY;
    }
    const uint8_t *next = bits->next;
    while (bits->end - next > 2 && next[1] == 0xFF) next++;
    if (bits->end - next < 2 || next[1] == 0xFF) return bits->is_end ? EASEL_JPEG_WRONG : EASEL_JPEG_HUNGRY;
    bool is_alone = next[1] == 1 || (next[1] >= 0xD0 && next[1] <= 0xD7);
    if (!is_alone && next[1] != 0xD9) return EASEL_JPEG_WRONG;
    bits->next = next + 2;
    easel_jpeg_bits_clear(bits);
    if (!is_alone) return EASEL_JPEG_SOUND;
  }
}
