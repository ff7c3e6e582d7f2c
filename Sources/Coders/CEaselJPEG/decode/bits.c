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
  bits->is_at_marker = to < full;
  bits->next = from;
  return (size_t)(to - start);
}

static void easel_jpeg_bits_load(easel_jpeg_bits *bits, size_t kept) {
  bits->filled = kept + easel_jpeg_unstuff(bits, bits->window + kept, EASEL_JPEG_WINDOW - kept);
  bits->position = bits->window;
  // What lies behind is read ahead in any case, so it must be defined.
  memset(bits->window + bits->filled, 0, bits->is_at_marker ? EASEL_JPEG_MOST_GROUP + 32 : 16);
  bits->safe = bits->window + bits->filled;
  if (bits->is_at_marker) bits->safe += 8;
  else bits->safe -= EASEL_JPEG_MOST_GROUP;
}

void easel_jpeg_bits_begin(easel_jpeg_bits *bits, const uint8_t *next, const uint8_t *end, uint8_t *window) {
  bits->next = next;
  bits->end = end;
  bits->window = window;
  bits->bits = bits->count = 0;
  easel_jpeg_bits_load(bits, 0);
}

bool easel_jpeg_bits_are_sound(const easel_jpeg_bits *bits) {
  size_t read = (size_t)(bits->position - bits->window) * 8 - (bits->count & 63);
  return read <= bits->filled * 8;
}

bool easel_jpeg_bits_fill(easel_jpeg_bits *bits) {
  if (bits->is_at_marker) return easel_jpeg_bits_are_sound(bits);
  size_t kept = (size_t)(bits->window + bits->filled - bits->position);
  memmove(bits->window, bits->position, kept);
  easel_jpeg_bits_load(bits, kept);
  return true;
}

bool easel_jpeg_bits_restart(easel_jpeg_bits *bits, int number) {
  if (!bits->is_at_marker || !easel_jpeg_bits_are_sound(bits)) return false;
  size_t read = (size_t)(bits->position - bits->window) * 8 - (bits->count & 63);
  if (bits->filled * 8 - read > 7) return false;
  const uint8_t *next = bits->next;
  while (bits->end - next > 2 && next[1] == 0xFF) next++;
  if (bits->end - next < 2 || next[0] != 0xFF || next[1] != 0xD0 + number) return false;
  easel_jpeg_bits_begin(bits, next + 2, bits->end, bits->window);
  return true;
}
