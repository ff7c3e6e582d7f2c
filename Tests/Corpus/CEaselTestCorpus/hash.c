#include "include/CEaselTestCorpus.h"

#include <string.h>

typedef struct {
  uint32_t state[8];
  uint8_t block[64];
  size_t filled;
  uint64_t total;
} easel_corpus_sha256;

static const uint32_t easel_corpus_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t easel_corpus_turn(uint32_t value, int bits) { return value >> bits | value << (32 - bits); }

static void easel_corpus_compress(easel_corpus_sha256 *hash) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++) {
    const uint8_t *p = hash->block + 4 * i;
    w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (easel_corpus_turn(a, 7) ^ easel_corpus_turn(a, 18) ^ a >> 3) +
           (easel_corpus_turn(b, 17) ^ easel_corpus_turn(b, 19) ^ b >> 10);
  }
  memcpy(v, hash->state, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t e = v[4], a = v[0];
    uint32_t first = v[7] + (easel_corpus_turn(e, 6) ^ easel_corpus_turn(e, 11) ^ easel_corpus_turn(e, 25)) +
                     ((e & v[5]) ^ (~e & v[6])) + easel_corpus_rounds[i] + w[i];
    uint32_t second = (easel_corpus_turn(a, 2) ^ easel_corpus_turn(a, 13) ^ easel_corpus_turn(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first;
    v[0] = first + second;
  }
  for (int i = 0; i < 8; i++) hash->state[i] += v[i];
}

static void easel_corpus_update(easel_corpus_sha256 *hash, const uint8_t *bytes, size_t count) {
  hash->total += count;
  while (count > 0) {
    size_t part = 64 - hash->filled < count ? 64 - hash->filled : count;
    memcpy(hash->block + hash->filled, bytes, part);
    hash->filled += part;
    bytes += part;
    count -= part;
    if (hash->filled == 64) {
      easel_corpus_compress(hash);
      hash->filled = 0;
    }
  }
}

static void easel_corpus_finish(easel_corpus_sha256 *hash, uint8_t digest[32]) {
  uint64_t bits = hash->total * 8;
  const uint8_t one = 0x80, zero = 0;
  easel_corpus_update(hash, &one, 1);
  while (hash->filled != 56) easel_corpus_update(hash, &zero, 1);
  uint8_t length[8];
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  easel_corpus_update(hash, length, 8);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void easel_corpus_hash(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t digest[32]) {
  easel_corpus_sha256 hash = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                               0x5be0cd19},
                              {0},
                              0,
                              0};
  uint8_t part[256];
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = (const uint8_t *)pixels + (ptrdiff_t)y * stride;
    for (size_t x = 0; x < width; x += 64) {
      size_t count = width - x < 64 ? width - x : 64;
      memcpy(part, row + 4 * x, 4 * count);
      for (size_t i = 0; i < count; i++) {
        if (part[4 * i + 3] == 0) memset(part + 4 * i, 0, 4);
      }
      easel_corpus_update(&hash, part, 4 * count);
    }
  }
  easel_corpus_finish(&hash, digest);
}
