#include "resample.h"

// Light as numbers of 16 bits with a sign: one is 16384, so that sums may go beyond white as far as below black.
enum { easel_light_bits = 14 };

EASEL_INLINE int16_t easel_light_of_sum(int32_t sum) {
  int32_t value = (sum + (1 << (easel_light_bits - 1))) >> easel_light_bits;
  return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

static void easel_light_row_scalar(const int16_t *source, const easel_axis *axis, const easel_light_weights *weights,
                                   int16_t *target) {
  for (size_t x = 0; x < axis->outputs; x++) {
    const int16_t *p = source + (size_t)axis->start[x] * 4, *k = weights->narrow + axis->phase[x] * axis->taps;
    int32_t sums[4] = {0, 0, 0, 0};
    for (size_t t = 0; t < axis->taps; t++) {
      for (size_t c = 0; c < 4; c++) sums[c] += p[t * 4 + c] * k[t];
    }
    for (size_t c = 0; c < 4; c++) target[x * 4 + c] = easel_light_of_sum(sums[c]);
  }
}

static void easel_light_column_scalar(const int16_t *const *rows, size_t count, const int16_t *weights, size_t from,
                                      size_t end, int16_t *target) {
  for (size_t i = from; i < end; i++) {
    int32_t sum = 0;
    for (size_t j = 0; j < count; j++) sum += rows[j][i] * weights[j];
    target[i] = easel_light_of_sum(sum);
  }
}

#if defined(EASEL_X86)
#include "resample_light_x86.h"
#elif defined(EASEL_NEON)
#include "resample_light_neon.h"
#endif

void easel_light_row(const int16_t *source, const easel_axis *axis, const easel_light_weights *weights,
                     int16_t *target) {
  EASEL_BEST(easel_light_row_avx2, easel_light_row_sse41, easel_light_row_neon, easel_light_row_scalar)
  (source, axis, weights, target);
}

void easel_light_column(const int16_t *const *rows, size_t count, const easel_light_weights *weights, size_t offset,
                        size_t from, size_t end, int16_t *target) {
  const int16_t *k = weights->narrow + offset;
  size_t done = from;
#if defined(EASEL_X86)
  int level = easel_pixels_level();
  if (level >= EASEL_LEVEL_AVX2) {
    done = easel_light_column_avx2(rows, count, k, from, end, target);
  } else if (level >= EASEL_LEVEL_SSE41) {
    done = easel_light_column_sse41(rows, count, k, from, end, target);
  }
#elif defined(EASEL_NEON)
  if (easel_pixels_level() >= EASEL_LEVEL_NEON) done = easel_light_column_neon(rows, count, k, from, end, target);
#endif
  easel_light_column_scalar(rows, count, k, done, end, target);
}

easel_status easel_light_weights_create(const easel_axis *axis, easel_light_weights *weights) {
  size_t taps = axis->taps, total = axis->phases * taps, wide;
  memset(weights, 0, sizeof *weights);
  if (!easel_multiply(total, 4, &wide)) return EASEL_TOO_LARGE;
  int32_t *whole = easel_allocate(taps, sizeof *whole);
  weights->narrow = easel_allocate(total, sizeof *weights->narrow);
  weights->wide = easel_allocate(wide, sizeof *weights->wide);
  if (!whole || !weights->narrow || !weights->wide) {
    free(whole);
    easel_light_weights_destroy(weights);
    return EASEL_NO_MEMORY;
  }
  int16_t *w = weights->wide;
  for (size_t offset = 0; offset < total; offset += taps) {
    easel_quantise_phase(axis->weights + offset, taps, 1 << easel_light_bits, whole);
    for (size_t t = 0; t < taps; t++) weights->narrow[offset + t] = (int16_t)whole[t];
    // Each pair of weights stands there for the four channels; taps are even in number only for rows.
    for (size_t t = 0; t < taps; t += 2) {
      for (size_t c = 0; c < 4 && t + 1 < taps; c++) {
        *w++ = (int16_t)whole[t];
        *w++ = (int16_t)whole[t + 1];
      }
    }
  }
  free(whole);
  return EASEL_OK;
}

void easel_light_weights_destroy(easel_light_weights *weights) {
  free(weights->narrow);
  free(weights->wide);
  memset(weights, 0, sizeof *weights);
}

easel_status easel_light_table_create(easel_light_table **table) {
  easel_light_table *t = *table = easel_allocate(1, sizeof *t);
  if (!t) return EASEL_NO_MEMORY;
  const float one = 1 << easel_light_bits;
  size_t from = 0;
  for (size_t value = 0; value < 256; value++) {
    uint64_t light = (uint64_t)(easel_srgb_decode((float)value / 255) * one + 0.5f);
    t->red[value] = light | (uint64_t)one << 48;
    t->green[value] = light << 16;
    t->blue[value] = light << 32;
    float edge = easel_srgb_decode(((float)value + 0.5f) / 255);
    size_t end = value == 255 ? (size_t)one + 1 : (size_t)(edge * one + 0.5f);
    for (; from < end; from++) t->encoded[from] = (uint8_t)value;
  }
  return EASEL_OK;
}

void easel_light_of_bytes(const easel_light_table *table, const uint8_t *row, int16_t *light, size_t pixels) {
  for (size_t x = 0; x < pixels; x++, row += 4, light += 4) {
    uint64_t pixel = table->red[row[0]] | table->green[row[1]] | table->blue[row[2]];
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(light, &pixel, sizeof pixel);
#else
    for (size_t c = 0; c < 4; c++) light[c] = (int16_t)(pixel >> (16 * c));
#endif
  }
}

void easel_floats_of_light(const int16_t *light, float *floats, size_t pixels) {
  for (size_t i = 0; i < pixels * 4; i++) floats[i] = (float)light[i] / (1 << easel_light_bits);
}

void easel_bytes_of_light(const easel_light_table *table, const int16_t *light, uint8_t *row, size_t pixels) {
  const int16_t one = 1 << easel_light_bits;
  for (size_t x = 0; x < pixels; x++, row += 4, light += 4) {
    for (size_t c = 0; c < 3; c++) row[c] = table->encoded[light[c] < 0 ? 0 : light[c] > one ? one : light[c]];
    row[3] = 255;
  }
}
