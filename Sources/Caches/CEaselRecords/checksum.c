#include "CEaselRecords.h"

#include <string.h>

// XXH64, as its specification describes it.
static const uint64_t prime1 = 0x9E3779B185EBCA87u;
static const uint64_t prime2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t prime3 = 0x165667B19E3779F9u;
static const uint64_t prime4 = 0x85EBCA77C2B2AE63u;
static const uint64_t prime5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t value, int bits) { return (value << bits) | (value >> (64 - bits)); }

static uint64_t read64(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static uint64_t read32(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

static uint64_t advance(uint64_t lane, uint64_t input) { return rotate(lane + input * prime2, 31) * prime1; }

static uint64_t merge(uint64_t hash, uint64_t lane) { return (hash ^ advance(0, lane)) * prime1 + prime4; }

uint64_t easel_record_checksum(const void *start, size_t count, uint64_t seed) {
  const uint8_t *bytes = start;
  const uint8_t *end = bytes + count;
  uint64_t hash;
  if (count >= 32) {
    uint64_t lanes[4] = {seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
    for (; end - bytes >= 32; bytes += 32) {
      for (int i = 0; i < 4; i++) lanes[i] = advance(lanes[i], read64(bytes + 8 * i));
    }
    hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (int i = 0; i < 4; i++) hash = merge(hash, lanes[i]);
  } else {
    hash = seed + prime5;
  }
  hash += count;
  for (; end - bytes >= 8; bytes += 8) hash = rotate(hash ^ advance(0, read64(bytes)), 27) * prime1 + prime4;
  if (end - bytes >= 4) {
    hash = rotate(hash ^ (read32(bytes) * prime1), 23) * prime2 + prime3;
    bytes += 4;
  }
  for (; bytes < end; bytes++) hash = rotate(hash ^ (*bytes * prime5), 11) * prime1;
  hash = (hash ^ (hash >> 33)) * prime2;
  hash = (hash ^ (hash >> 29)) * prime3;
  return hash ^ (hash >> 32);
}
