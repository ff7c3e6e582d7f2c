#ifndef NOISE_H
#define NOISE_H

#include <stddef.h>
#include <stdint.h>

// Random numbers that are the same in every run and on every processor.
typedef struct {
  uint64_t state;
} noise;

static inline noise noise_of(uint64_t seed) { return (noise){seed * 0x9E3779B97F4A7C15u | 1}; }

static inline uint64_t next(noise *n) {
  n->state ^= n->state << 13;
  n->state ^= n->state >> 7;
  n->state ^= n->state << 17;
  return n->state * 0x2545F4914F6CDD1Du;
}

// From 0 up to but not including the limit.
static inline size_t below(noise *n, size_t limit) { return (size_t)((next(n) >> 16) % limit); }

// From 0 to 1.
static inline double fraction(noise *n) { return (double)(next(n) >> 40) / 16777216.0; }

// The FNV-1a sum of bytes, continued from the sum of those before.
static inline uint64_t sum_of(uint64_t sum, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u;
  return sum;
}

#define EMPTY_SUM 0xCBF29CE484222325u

#endif
