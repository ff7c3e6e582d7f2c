#include <string.h>

#include "parts.h"

// The reference. Its sums wrap and saturate where those of libjpeg-turbo's vectors do, so that even levels that no
// picture has come out alike.

enum { EASEL_JPEG_FRACTION = 13, EASEL_JPEG_MORE = 2 };

static int16_t easel_jpeg_low(int32_t value) { return (int16_t)(uint16_t)(uint32_t)value; }

static int16_t easel_jpeg_product(int16_t level, uint16_t quantum) {
  return easel_jpeg_low((int32_t)((uint32_t)(int32_t)level * quantum));
}

static int16_t easel_jpeg_word(int32_t value) {
  return (int16_t)(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}

static uint8_t easel_jpeg_sample(int32_t value) {
  return (uint8_t)((value < -128 ? -128 : value > 127 ? 127 : value) + 128);
}

// Sums of products wrap.
static uint32_t easel_jpeg_dot(int16_t a, int32_t by, int16_t b, int32_t and) {
  return (uint32_t)a * (uint32_t)by + (uint32_t)b * (uint32_t)and;
}

static int32_t easel_jpeg_descale(uint32_t value, int bits) { return (int32_t)(value + (1u << (bits - 1))) >> bits; }

static void easel_jpeg_line_8(const int16_t in[8], int16_t out[8], int shift) {
  uint32_t t2 = easel_jpeg_dot(in[2], 4433, in[6], 4433 - 15137);
  uint32_t t3 = easel_jpeg_dot(in[2], 4433 + 6270, in[6], 4433);
  uint32_t t0 = (uint32_t)easel_jpeg_low(in[0] + in[4]) << EASEL_JPEG_FRACTION;
  uint32_t t1 = (uint32_t)easel_jpeg_low(in[0] - in[4]) << EASEL_JPEG_FRACTION;
  uint32_t even[4] = {t0 + t3, t1 + t2, t1 - t2, t0 - t3};
  int16_t s3 = easel_jpeg_low(in[7] + in[3]), s4 = easel_jpeg_low(in[5] + in[1]);
  uint32_t z3 = easel_jpeg_dot(s3, 9633 - 16069, s4, 9633), z4 = easel_jpeg_dot(s3, 9633, s4, 9633 - 3196);
  uint32_t odd[4] = {
      easel_jpeg_dot(in[7], -7373, in[1], 12299 - 7373) + z4,
      easel_jpeg_dot(in[5], -20995, in[3], 25172 - 20995) + z3,
      easel_jpeg_dot(in[5], 16819 - 20995, in[3], -20995) + z4,
      easel_jpeg_dot(in[7], 2446 - 7373, in[1], -7373) + z3,
  };
  for (int i = 0; i < 4; i++) {
    out[i] = easel_jpeg_word(easel_jpeg_descale(even[i] + odd[i], shift));
    out[7 - i] = easel_jpeg_word(easel_jpeg_descale(even[i] - odd[i], shift));
  }
}

// True if all levels are zero below the first row, in the rows of a set.
static bool easel_jpeg_is_one_row(const int16_t *levels, int rows) {
  for (int i = 8; i < 64; i++) {
    if ((rows >> (i >> 3)) & 1 && levels[i]) return false;
  }
  return true;
}

void easel_jpeg_block_8(const int16_t *levels, const uint16_t *quanta, uint8_t *to, ptrdiff_t stride) {
  int16_t work[64];
  bool is_one_row = easel_jpeg_is_one_row(levels, 0xFE);
  for (int x = 0; x < 8; x++) {
    int16_t in[8], out[8];
    for (int y = 0; y < 8; y++) in[y] = easel_jpeg_product(levels[8 * y + x], quanta[8 * y + x]);
    if (!is_one_row) easel_jpeg_line_8(in, out, EASEL_JPEG_FRACTION - EASEL_JPEG_MORE);
    for (int y = 0; y < 8; y++) work[8 * y + x] = is_one_row ? easel_jpeg_low(in[0] * 4) : out[y];
  }
  for (int y = 0; y < 8; y++) {
    int16_t out[8];
    easel_jpeg_line_8(work + 8 * y, out, EASEL_JPEG_FRACTION + EASEL_JPEG_MORE + 3);
    for (int x = 0; x < 8; x++) to[y * stride + x] = easel_jpeg_sample(out[x]);
  }
}

static void easel_jpeg_line_4(const int16_t in[8], int16_t out[4], int shift) {
  uint32_t o2 = easel_jpeg_dot(in[1], 20995, in[3], 7373) + easel_jpeg_dot(in[5], -4926, in[7], -4176);
  uint32_t o0 = easel_jpeg_dot(in[1], 8697, in[3], -17799) + easel_jpeg_dot(in[5], 11893, in[7], -1730);
  uint32_t mean = (uint32_t)in[0] << (EASEL_JPEG_FRACTION + 1);
  uint32_t even = easel_jpeg_dot(in[2], 15137, in[6], -6270);
  out[0] = easel_jpeg_word(easel_jpeg_descale(mean + even + o2, shift));
  out[3] = easel_jpeg_word(easel_jpeg_descale(mean + even - o2, shift));
  out[1] = easel_jpeg_word(easel_jpeg_descale(mean - even + o0, shift));
  out[2] = easel_jpeg_word(easel_jpeg_descale(mean - even - o0, shift));
}

void easel_jpeg_block_4(const int16_t *levels, const uint16_t *quanta, uint8_t *to, ptrdiff_t stride) {
  int16_t work[4][8];
  bool is_one_row = easel_jpeg_is_one_row(levels, 0xEE);
  for (int x = 0; x < 8; x++) {
    int16_t in[8], out[4];
    for (int y = 0; y < 8; y++) in[y] = easel_jpeg_product(levels[8 * y + x], quanta[8 * y + x]);
    if (!is_one_row) easel_jpeg_line_4(in, out, EASEL_JPEG_FRACTION - EASEL_JPEG_MORE + 1);
    for (int y = 0; y < 4; y++) work[y][x] = is_one_row ? easel_jpeg_low(in[0] * 4) : out[y];
  }
  for (int y = 0; y < 4; y++) {
    int16_t out[4];
    easel_jpeg_line_4(work[y], out, EASEL_JPEG_FRACTION + EASEL_JPEG_MORE + 4);
    for (int x = 0; x < 4; x++) to[y * stride + x] = easel_jpeg_sample(out[x]);
  }
}

void easel_jpeg_block_2(const int16_t *levels, const uint16_t *quanta, uint8_t *to, ptrdiff_t stride) {
  int32_t work[2][8];
  for (int x = 0; x < 8; x += x ? 2 : 1) {
    int16_t in[8];
    for (int y = 0; y < 8; y++) in[y] = easel_jpeg_product(levels[8 * y + x], quanta[8 * y + x]);
    uint32_t odd = easel_jpeg_dot(in[1], 29692, in[3], -10426) + easel_jpeg_dot(in[5], 6967, in[7], -5906);
    uint32_t mean = (uint32_t)in[0] << (EASEL_JPEG_FRACTION + 2);
    work[0][x] = easel_jpeg_descale(mean + odd, EASEL_JPEG_FRACTION - EASEL_JPEG_MORE + 2);
    work[1][x] = easel_jpeg_descale(mean - odd, EASEL_JPEG_FRACTION - EASEL_JPEG_MORE + 2);
  }
  for (int y = 0; y < 2; y++) {
    int16_t in[8];
    for (int x = 1; x < 8; x += 2) in[x] = easel_jpeg_word(work[y][x]);
    uint32_t odd = easel_jpeg_dot(in[1], 29692, in[3], -10426) + easel_jpeg_dot(in[5], 6967, in[7], -5906);
    uint32_t mean = (uint32_t)work[y][0] << (EASEL_JPEG_FRACTION + 2);
    int shift = EASEL_JPEG_FRACTION + EASEL_JPEG_MORE + 5;
    to[y * stride] = easel_jpeg_sample(easel_jpeg_word(easel_jpeg_descale(mean + odd, shift)));
    to[y * stride + 1] = easel_jpeg_sample(easel_jpeg_word(easel_jpeg_descale(mean - odd, shift)));
  }
}

static uint8_t easel_jpeg_mean(int level, uint16_t quantum) {
  // The library looks samples up by ten bits.
  int value = (((int16_t)level * (int16_t)quantum + 4) >> 3) & 1023;
  return value < 512 ? (uint8_t)(value < 128 ? value + 128 : 255) : (uint8_t)(value < 896 ? 0 : value - 896);
}

void easel_jpeg_block_1(const int16_t *levels, const uint16_t *quanta, uint8_t *to, ptrdiff_t stride) {
  (void)stride;
  to[0] = easel_jpeg_mean(levels[0], quanta[0]);
}

void easel_jpeg_flat_block(int size, int level, uint16_t quantum, uint8_t *to, ptrdiff_t stride) {
  if (size == 1) {
    to[0] = easel_jpeg_mean(level, quantum);
    return;
  }
  int16_t mean = easel_jpeg_product((int16_t)level, quantum);
  if (size == 2) {
    uint8_t sample = easel_jpeg_sample((int32_t)(((uint32_t)mean << 17) + (1u << 19)) >> 20);
    to[0] = to[1] = to[stride] = to[stride + 1] = sample;
    return;
  }
  uint64_t samples = easel_jpeg_sample((easel_jpeg_low(mean * 4) + 16) >> 5) * 0x0101010101010101u;
  for (int y = 0; y < size; y++) memcpy(to + y * stride, &samples, size == 8 ? 8 : 4);
}

// ---- Two at a time

#define EASEL_JPEG_TWICE(size)                                                                                  \
  static void easel_jpeg_blocks_##size(const int16_t *const levels[2], const uint16_t *quanta, uint8_t *const to[2], \
                                       ptrdiff_t stride) {                                                      \
    for (int i = 0; i < 2; i++) easel_jpeg_block_##size(levels[i], quanta, to[i], stride);                      \
  }

EASEL_JPEG_TWICE(8)
EASEL_JPEG_TWICE(4)
EASEL_JPEG_TWICE(2)
EASEL_JPEG_TWICE(1)

#if defined(__x86_64__) || defined(__aarch64__)
easel_jpeg_blocks_function easel_jpeg_blocks_8_narrow, easel_jpeg_corners_8_narrow, easel_jpeg_blocks_4_narrow,
    easel_jpeg_blocks_2_narrow;
#endif
#if defined(__x86_64__)
easel_jpeg_blocks_function easel_jpeg_blocks_8_avx2, easel_jpeg_corners_8_avx2, easel_jpeg_blocks_4_avx2,
    easel_jpeg_blocks_2_avx2;
#endif

easel_jpeg_block_kernels easel_jpeg_block_kernels_for(int size, easel_jpeg_vectors vectors) {
#if defined(__x86_64__)
  if (vectors == EASEL_JPEG_WIDE) {
    if (size == 8) return (easel_jpeg_block_kernels){easel_jpeg_blocks_8_avx2, easel_jpeg_corners_8_avx2};
    if (size == 4) return (easel_jpeg_block_kernels){easel_jpeg_blocks_4_avx2, easel_jpeg_blocks_4_avx2};
    if (size == 2) return (easel_jpeg_block_kernels){easel_jpeg_blocks_2_avx2, easel_jpeg_blocks_2_avx2};
  }
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  if (vectors != EASEL_JPEG_PLAIN) {
    if (size == 8) return (easel_jpeg_block_kernels){easel_jpeg_blocks_8_narrow, easel_jpeg_corners_8_narrow};
    if (size == 4) return (easel_jpeg_block_kernels){easel_jpeg_blocks_4_narrow, easel_jpeg_blocks_4_narrow};
    if (size == 2) return (easel_jpeg_block_kernels){easel_jpeg_blocks_2_narrow, easel_jpeg_blocks_2_narrow};
  }
#endif
  (void)vectors;
  easel_jpeg_blocks_function *function = size == 8   ? easel_jpeg_blocks_8
                                         : size == 4 ? easel_jpeg_blocks_4
                                         : size == 2 ? easel_jpeg_blocks_2
                                                     : easel_jpeg_blocks_1;
  return (easel_jpeg_block_kernels){function, function};
}
