#include "search.h"

#include <stdlib.h>
#include <string.h>

enum {
  EASEL_PNG_HASH_BITS = 15,
  EASEL_PNG_SMALL_HASH_BITS = 12,
  EASEL_PNG_SMALL_PART = 20 << 10,
  EASEL_PNG_MOST_LOOKED_UP = 8,
  EASEL_PNG_MISSES = 1024,
  EASEL_PNG_LONG = 32,
  EASEL_PNG_STEP = 8,
  EASEL_PNG_MOST_SKIPPED = 8,
  // Prices are computed again after each stretch of this length.
  EASEL_PNG_STRETCH = 1 << 15,
  EASEL_PNG_BLOCK_TOKENS = 1 << 15,
  EASEL_PNG_BLOCK_BYTES = 1 << 20,
  // The unit of prices is this fraction of a bit.
  EASEL_PNG_BIT = 16,
  // The weight of the assumed counts, in symbols.
  EASEL_PNG_GUESSES = 1024,
};

static const uint32_t easel_png_nowhere = UINT32_MAX;

struct easel_png_search {
  // The latest place of each hash, and for each place the previous place with the same hash.
  uint32_t latest[1 << EASEL_PNG_HASH_BITS], before[EASEL_PNG_FARTHEST];
  // The price of the stretch up to each of its bytes.
  uint32_t paid[EASEL_PNG_STRETCH + EASEL_PNG_LONGEST + 1];
  uint16_t literal_prices[256], length_prices[EASEL_PNG_LONGEST + 1], distance_prices[EASEL_PNG_DISTANCES];
  easel_png_counts counts;
  // The counts of the previous block, which have half the weight.
  easel_png_counts past;
  easel_png_token tokens[EASEL_PNG_BLOCK_TOKENS];
  size_t token_count;
  const uint8_t *bytes;
  size_t end;
  easel_png_effort effort;
  unsigned hash_bits;
  // The number of places without a repetition since the last one; earlier such places count half, still earlier ones a
  // quarter, and so on.
  size_t misses;
};

easel_png_search *easel_png_search_create(void) { return malloc(sizeof(easel_png_search)); }

void easel_png_search_destroy(easel_png_search *search) { free(search); }

size_t easel_png_search_bound(size_t count) { return count + count / 1024 + 64; }

// ---- Prices

// The logarithm in fractions of a bit, as an integer, so that it is the same on every processor.
static uint32_t easel_png_log2(uint32_t value) {
  unsigned top = 31u - (unsigned)__builtin_clz(value);
  uint64_t rest = ((uint64_t)value << 31) >> top;
  uint32_t log = top;
  for (unsigned part = 1; part < EASEL_PNG_BIT; part *= 2) {
    rest = rest * rest >> 31;
    log = 2 * log + (uint32_t)(rest >> 32);
    rest >>= rest >> 32;
  }
  return log;
}

// The price of a symbol. One that has not occurred yet may still occur, and counts as a third.
static uint16_t easel_png_price(uint32_t count, uint32_t total) {
  uint32_t price = easel_png_log2(3 * total + 3) - easel_png_log2(3 * count + 1);
  const uint32_t least = EASEL_PNG_BIT, most = 15 * EASEL_PNG_BIT;
  return (uint16_t)(price < least ? least : price > most ? most : price);
}

static uint32_t easel_png_add_up(uint32_t *sums, const uint32_t *counts, const uint32_t *past, unsigned count) {
  uint32_t total = 0;
  for (unsigned i = 0; i < count; i++) total += sums[i] = 2 * counts[i] + past[i];
  return total;
}

// Estimates prices from the output so far. While there is little output, it uses the bytes of the input, and one price
// for all kinds of repetitions.
static void easel_png_set_prices(easel_png_search *search, size_t start, size_t count) {
  uint32_t sums[EASEL_PNG_LITERALS], distances[EASEL_PNG_DISTANCES], coming[256] = {0};
  uint32_t total = easel_png_add_up(sums, search->counts.literals, search->past.literals, EASEL_PNG_LITERALS);
  uint32_t distance_total =
      easel_png_add_up(distances, search->counts.distances, search->past.distances, EASEL_PNG_DISTANCES);
  for (size_t i = 0; i < count; i++) coming[search->bytes[start + i]]++;
  for (int i = 0; i < 256; i++) {
    uint32_t guess = (uint32_t)((uint64_t)coming[i] * EASEL_PNG_GUESSES / count);
    sums[i] += guess;
    total += guess;
  }
  const uint32_t alike = EASEL_PNG_GUESSES / 256;
  for (unsigned i = EASEL_PNG_END + 1; i < EASEL_PNG_LITERALS; i++) sums[i] += alike;
  for (unsigned i = 0; i < EASEL_PNG_DISTANCES; i++) distances[i] += alike;
  total += alike * (EASEL_PNG_LITERALS - EASEL_PNG_END - 1);
  distance_total += alike * EASEL_PNG_DISTANCES;
  for (int i = 0; i < 256; i++) search->literal_prices[i] = easel_png_price(sums[i], total);
  for (unsigned length = EASEL_PNG_SHORTEST; length <= EASEL_PNG_LONGEST; length++) {
    unsigned kind = easel_png_length_class(length);
    search->length_prices[length] = (uint16_t)(easel_png_price(sums[EASEL_PNG_END + 1 + kind], total) +
                                               EASEL_PNG_BIT * easel_png_lengths[kind].bits);
  }
  for (unsigned kind = 0; kind < EASEL_PNG_DISTANCES; kind++) {
    search->distance_prices[kind] = (uint16_t)(easel_png_price(distances[kind], distance_total) +
                                               EASEL_PNG_BIT * easel_png_distances[kind].bits);
  }
}

static void easel_png_add_up_prices(easel_png_search *search, size_t start, size_t count) {
  uint32_t paid = 0;
  size_t left = search->end - start, reach = count + EASEL_PNG_LONGEST;
  for (size_t i = 0; i < reach && i < left; i++) {
    search->paid[i] = paid;
    paid += search->literal_prices[search->bytes[start + i]];
  }
  search->paid[reach < left ? reach : left] = paid;
}

// ---- Repetitions

typedef struct {
  unsigned length, distance;
  // The number of bits that the repetition saves, in fractions of a bit.
  int gain;
} easel_png_find;

static uint32_t easel_png_hash(const easel_png_search *search, size_t place) {
  uint64_t word;
  memcpy(&word, search->bytes + place, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word <<= 64 - 8 * search->effort.looked_up;
#else
  word >>= 64 - 8 * search->effort.looked_up;
#endif
  return (uint32_t)((word * 0x9E3779B97F4A7C15u) >> (64 - search->hash_bits));
}

static void easel_png_enter(easel_png_search *search, size_t place) {
  uint32_t hash = easel_png_hash(search, place);
  search->before[place % EASEL_PNG_FARTHEST] = search->latest[hash];
  search->latest[hash] = (uint32_t)place;
}

static unsigned easel_png_common(const uint8_t *a, const uint8_t *b, unsigned most) {
  unsigned length = 0;
  while (length + 8 <= most) {
    uint64_t left, right;
    memcpy(&left, a + length, 8);
    memcpy(&right, b + length, 8);
    if (left != right) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      return length + (unsigned)__builtin_ctzll(left ^ right) / 8;
#else
      return length + (unsigned)__builtin_clzll(left ^ right) / 8;
#endif
    }
    length += 8;
  }
  while (length < most && a[length] == b[length]) length++;
  return length;
}

// Finds the repetition at this place that saves the most bits, and enters the place.
static easel_png_find easel_png_find_at(easel_png_search *search, size_t place,
                                        const uint32_t *paid) {
  easel_png_find best = {0, 0, 0};
  size_t left = search->end - place;
  if (left < EASEL_PNG_MOST_LOOKED_UP) return best;
  const uint8_t *here = search->bytes + place;
  uint32_t hash = easel_png_hash(search, place), there = search->latest[hash];
  search->before[place % EASEL_PNG_FARTHEST] = there;
  search->latest[hash] = (uint32_t)place;
  unsigned most = left < EASEL_PNG_LONGEST ? (unsigned)left : EASEL_PNG_LONGEST;
  for (unsigned tries = search->effort.most_places; tries > 0 && there != easel_png_nowhere; tries--) {
    size_t distance = place - there;
    if (distance > EASEL_PNG_FARTHEST) break;
    const uint8_t *other = search->bytes + there;
    // Repetitions farther back cost more, so they must be longer.
    if (best.length == 0 || (best.length < most && here[best.length] == other[best.length])) {
      unsigned length = easel_png_common(here, other, most);
      if (length > best.length && length >= search->effort.looked_up) {
        unsigned kind = easel_png_distance_class((unsigned)distance);
        int price = search->length_prices[length] + search->distance_prices[kind];
        int gain = (int)(paid[length] - paid[0]) - price;
        if (gain > best.gain) best = (easel_png_find){length, (unsigned)distance, gain};
        if (length >= search->effort.enough || length == most) break;
      }
    }
    uint32_t next = search->before[there % EASEL_PNG_FARTHEST];
    if (next >= there) break;
    there = next;
  }
  return best;
}

// ---- Tokens

static void easel_png_add_literal(easel_png_search *search, uint8_t byte) {
  search->tokens[search->token_count++] = byte;
  search->counts.literals[byte]++;
}

static void easel_png_add_repetition(easel_png_search *search, easel_png_find find) {
  search->tokens[search->token_count++] = EASEL_PNG_IS_REPETITION | find.length << 16 | (find.distance - 1);
  search->counts.literals[EASEL_PNG_END + 1 + easel_png_length_class(find.length)]++;
  search->counts.distances[easel_png_distance_class(find.distance)]++;
}

// Processes a stretch; returns the place where it ends, which may be beyond the end of the last repetition.
static size_t easel_png_go_through(easel_png_search *search, size_t start, size_t count) {
  size_t place = start, end = start + count;
  easel_png_find find = {0, 0, 0};
  bool is_found = false;
  while (place < end && search->token_count < EASEL_PNG_BLOCK_TOKENS) {
    if (!is_found) find = easel_png_find_at(search, place, search->paid + (place - start));
    is_found = false;
    if (find.gain <= 0) {
      // If nothing repeats, fewer places are examined.
      size_t skipped = 1 + search->misses++ / EASEL_PNG_MISSES;
      if (skipped > EASEL_PNG_MOST_SKIPPED) skipped = EASEL_PNG_MOST_SKIPPED;
      while (skipped-- > 0 && place < end && search->token_count < EASEL_PNG_BLOCK_TOKENS) {
        easel_png_add_literal(search, search->bytes[place++]);
      }
      continue;
    }
    search->misses /= 2;
    size_t entered = place + 1;
    // A better repetition may begin a little later.
    bool may_wait = place + 1 < end && search->token_count + 1 < EASEL_PNG_BLOCK_TOKENS;
    if (may_wait && search->effort.is_patient && find.length < search->effort.enough) {
      easel_png_find later = easel_png_find_at(search, place + 1, search->paid + (place + 1 - start));
      entered = place + 2;
      if (later.gain > find.gain) {
        easel_png_add_literal(search, search->bytes[place++]);
        find = later;
        is_found = true;
        continue;
      }
    }
    easel_png_add_repetition(search, find);
    place += find.length;
    size_t last = search->end < EASEL_PNG_MOST_LOOKED_UP ? 0 : search->end - EASEL_PNG_MOST_LOOKED_UP + 1;
    if (last > place) last = place;
    // Inside a long repetition, a few places are as good as all.
    for (; find.length > EASEL_PNG_LONG && entered + EASEL_PNG_LONG / 2 < last; entered += EASEL_PNG_STEP) {
      easel_png_enter(search, entered);
    }
    for (; entered < last; entered++) easel_png_enter(search, entered);
  }
  return place;
}

// ---- Parts

static void easel_png_close_block(easel_png_search *search, easel_png_bit_writer *writer, size_t start, size_t end,
                                  bool is_last) {
  search->counts.literals[EASEL_PNG_END] = 1;
  easel_png_block block = {search->tokens, search->token_count, search->bytes + start, end - start, &search->counts};
  easel_png_write_block(writer, &block, is_last);
  search->past = search->counts;
  memset(&search->counts, 0, sizeof search->counts);
  search->token_count = 0;
}

size_t easel_png_search_run(easel_png_search *search, easel_png_effort effort, const uint8_t *bytes, size_t count,
                            bool is_last, uint8_t *target) {
  easel_png_bit_writer writer = {target, 0, 0};
  size_t place = 0, block_start = 0;
  if (effort.most_places == 0) {
    easel_png_write_stored(&writer, bytes, count, is_last);
    return (size_t)(writer.next - target);
  }
  search->bytes = bytes;
  search->end = count;
  search->effort = effort;
  search->misses = 0;
  memset(&search->past, 0, sizeof search->past);
  // Small parts need fewer hashes, and these are cleared faster.
  search->hash_bits = search->end < EASEL_PNG_SMALL_PART ? EASEL_PNG_SMALL_HASH_BITS : EASEL_PNG_HASH_BITS;
  memset(search->latest, 0xff, sizeof *search->latest << search->hash_bits);
  memset(&search->counts, 0, sizeof search->counts);
  search->token_count = 0;
  do {
    size_t left = search->end - place, stretch = left < EASEL_PNG_STRETCH ? left : EASEL_PNG_STRETCH;
    easel_png_set_prices(search, place, stretch);
    easel_png_add_up_prices(search, place, stretch);
    place = easel_png_go_through(search, place, stretch);
    bool is_end = place == search->end;
    bool is_full = search->token_count == EASEL_PNG_BLOCK_TOKENS || place - block_start >= EASEL_PNG_BLOCK_BYTES;
    if (!is_end && !is_full) continue;
    easel_png_close_block(search, &writer, block_start, place, is_last && is_end);
    block_start = place;
  } while (place < search->end);
  // An empty block makes the output end at a whole byte.
  if (!is_last) easel_png_write_stored(&writer, NULL, 0, false);
  if (writer.count > 0) *writer.next++ = (uint8_t)writer.bits;
  return (size_t)(writer.next - target);
}
