#include "shrink.h"

void easel_webp_add_row_plainly(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums) {
  const size_t most = axis->most;
  // The previous box leaves this to the next one: its share of the sample at the border, and the whole sample if the
  // fixed number of samples reaches one too far back.
  uint32_t left = 0;
  for (size_t x = 0; x < axis->target; x++) {
    const uint8_t *end = row + axis->end[x];
    uint32_t sum = left;
    // The number of samples is always the same, so that the processor can predict the end of the loop.
    for (size_t i = 1; i <= most; i++) sum += end[-(ptrdiff_t)i];
    uint32_t part = (uint32_t)end[-1] * axis->rest[x];
    sums[x] += sum * axis->target - part;
    left = (uint32_t)(((uint64_t)part * axis->reciprocal + easel_webp_half) >> 32);
    left -= (uint32_t)end[-1] & axis->is_short[x];
  }
}

void easel_webp_end_boxes_plainly(uint32_t *sums, uint32_t *last, uint32_t later_part, uint32_t scale, size_t from,
                                  size_t width, uint8_t *samples) {
  for (size_t x = from; x < width; x++) {
    uint32_t later = (uint32_t)(((uint64_t)last[x] * later_part) >> 32);
    uint32_t sum = sums[x] + last[x] - later;
    uint32_t sample = (uint32_t)(((uint64_t)sum * scale + easel_webp_half) >> 32);
    samples[x] = sample > 255 ? 255 : (uint8_t)sample;
    sums[x] = later;
    last[x] = 0;
  }
}

#if defined(__x86_64__)
#include "shrink_x86.h"
#elif defined(__aarch64__)
#include "shrink_neon.h"
#else
void easel_webp_add_row(const easel_webp_axis *axis, const uint8_t *row, uint32_t *sums) {
  easel_webp_add_row_plainly(axis, row, sums);
}

void easel_webp_end_boxes(uint32_t *sums, uint32_t *last, uint32_t later_part, uint32_t scale, size_t width,
                          uint8_t *samples) {
  easel_webp_end_boxes_plainly(sums, last, later_part, scale, 0, width, samples);
}
#endif

// Converts a value with six fractional bits to a byte.
static uint8_t easel_webp_clamped(int value) { return value < 0 ? 0 : value >= 256 << 6 ? 255 : (uint8_t)(value >> 6); }

void easel_webp_mix(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t width, uint8_t *pixels) {
  // The matrix of BT.601 for samples from 16 to 235, with 14 fractional bits.
  for (size_t x = 0; x < width; x++, pixels += 4) {
    int light = (y[x] * 19077) >> 8;
    pixels[0] = easel_webp_clamped(light + ((v[x] * 26149) >> 8) - 14234);
    pixels[1] = easel_webp_clamped(light - ((u[x] * 6419) >> 8) - ((v[x] * 13320) >> 8) + 8708);
    pixels[2] = easel_webp_clamped(light + ((u[x] * 33050) >> 8) - 17685);
    pixels[3] = 255;
  }
}
