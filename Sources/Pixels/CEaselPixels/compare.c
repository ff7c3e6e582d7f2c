#include "internal.h"

// ---- Differences of components

// Rows are read as bytes or words; the meaning of the components does not matter.
EASEL_INLINE void easel_compare8_body(const uint8_t *a, const uint8_t *b, size_t pixels, size_t samples,
                                      easel_differences *sum) {
  for (size_t i = 0; i < pixels; i++, a += samples, b += samples) {
    // Most pixels of two similar pictures are equal.
    if (samples == 4 && memcmp(a, b, 4) == 0) continue;
    bool differs = false;
    for (size_t k = 0; k < samples; k++) {
      int d = abs((int)a[k] - (int)b[k]);
      if (d == 0) continue;
      differs = true;
      sum->squares += (uint64_t)(d * d);
      if ((uint32_t)d > sum->largest) sum->largest = (uint32_t)d;
    }
    sum->pixels += differs;
  }
}

EASEL_INLINE void easel_compare16_body(const uint16_t *a, const uint16_t *b, size_t pixels, easel_differences *sum) {
  for (size_t i = 0; i < pixels; i++, a += 4, b += 4) {
    if (memcmp(a, b, 8) == 0) continue;
    sum->pixels++;
    for (size_t k = 0; k < 4; k++) {
      uint32_t d = (uint32_t)abs((int)a[k] - (int)b[k]);
      sum->squares += (uint64_t)d * d;
      if (d > sum->largest) sum->largest = d;
    }
  }
}

void easel_compare(const void *a, ptrdiff_t a_stride, const void *b, ptrdiff_t b_stride, size_t width, size_t height,
                   easel_format format, easel_differences *sum) {
  size_t bytes = width * easel_pixel_bytes(format);
  for (size_t y = 0; y < height; y++) {
    const uint8_t *left = (const uint8_t *)a + (ptrdiff_t)y * a_stride;
    const uint8_t *right = (const uint8_t *)b + (ptrdiff_t)y * b_stride;
    if (memcmp(left, right, bytes) == 0) continue;
    if (format == EASEL_FORMAT_RGBA16) {
      easel_compare16_body((const uint16_t *)(const void *)left, (const uint16_t *)(const void *)right, width, sum);
    } else {
      easel_compare8_body(left, right, width, easel_pixel_bytes(format), sum);
    }
  }
}

// ---- Structural similarity

enum { EASEL_BLOCK = 4 };

// The sums over a block: of each luma, of the squares of both lumas together, and of their products.
typedef struct {
  uint64_t a, b, squares, products;
  uint32_t count;
} easel_block;

// The weights are those of ITU-R BT.601, in parts of 65,536. Over white, the transparent part of a pixel adds its share
// of white.
EASEL_INLINE void easel_luma8_body(const uint8_t *p, size_t width, bool over_white, uint16_t *luma) {
  for (size_t x = 0; x < width; x++, p += 4) {
    uint32_t value = (19595u * p[0] + 38470u * p[1] + 7471u * p[2] + 32768u) >> 16;
    luma[x] = (uint16_t)(over_white ? value + 255u - p[3] : value);
  }
}

EASEL_INLINE void easel_luma16_body(const uint16_t *p, size_t width, bool over_white, uint16_t *luma) {
  for (size_t x = 0; x < width; x++, p += 4) {
    uint32_t value = (uint32_t)((19595ull * p[0] + 38470ull * p[1] + 7471ull * p[2] + 32768u) >> 16);
    value += over_white ? 65535u - p[3] : 0;
    luma[x] = (uint16_t)(value > 65535 ? 65535 : value);
  }
}

static void easel_luma_row(const void *row, size_t width, easel_format format, bool over_white, uint16_t *luma) {
  switch (format) {
  case EASEL_FORMAT_GRAY8:
    for (size_t x = 0; x < width; x++) luma[x] = ((const uint8_t *)row)[x];
    break;
  case EASEL_FORMAT_RGBA8: easel_luma8_body(row, width, over_white, luma); break;
  case EASEL_FORMAT_RGBA16: easel_luma16_body(row, width, over_white, luma); break;
  }
}

// The number of blocks along a side. The last block also takes the pixels that are too few for another block.
EASEL_INLINE size_t easel_blocks(size_t side) { return side < EASEL_BLOCK ? 1 : side / EASEL_BLOCK; }

EASEL_INLINE size_t easel_block_end(size_t index, size_t count, size_t side) {
  return index + 1 == count ? side : (index + 1) * EASEL_BLOCK;
}

// Adds a row to the sums of its blocks.
static void easel_add_row(const uint16_t *a, const uint16_t *b, size_t width, easel_block *blocks) {
  size_t count = easel_blocks(width);
  size_t x = 0;
  for (size_t i = 0; i < count; i++) {
    size_t end = easel_block_end(i, count, width);
    blocks[i].count += (uint32_t)(end - x);
    uint64_t sum_a = 0, sum_b = 0, squares = 0, products = 0;
    for (; x < end; x++) {
      uint64_t p = a[x], q = b[x];
      sum_a += p;
      sum_b += q;
      squares += p * p + q * q;
      products += p * q;
    }
    blocks[i].a += sum_a;
    blocks[i].b += sum_b;
    blocks[i].squares += squares;
    blocks[i].products += products;
  }
}

EASEL_INLINE easel_block easel_joined(easel_block p, easel_block q) {
  return (easel_block){p.a + q.a, p.b + q.b, p.squares + q.squares, p.products + q.products, p.count + q.count};
}

static double easel_window_similarity(easel_block w, double peak) {
  double n = w.count;
  double c1 = 0.01 * peak * (0.01 * peak), c2 = 0.03 * peak * (0.03 * peak);
  double a = (double)w.a / n, b = (double)w.b / n;
  // Written so that equal pictures give exactly 1. The variances are those of a sample, divided by the number of pixels
  // minus one; a single pixel has none.
  double scale = w.count > 1 ? 1 / (n - 1) : 0;
  double variances = ((double)w.squares - n * (a * a + b * b)) * scale;
  double covariance = ((double)w.products - n * (a * b)) * scale;
  return (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (variances + c2));
}

easel_status easel_similarity(const void *a, ptrdiff_t a_stride, const void *b, ptrdiff_t b_stride, size_t width,
                              size_t height, easel_format format, bool over_white, double *similarity) {
  if (width == 0 || height == 0) return EASEL_BAD_ARGUMENT;
  size_t columns = easel_blocks(width), rows = easel_blocks(height);
  uint16_t *lumas = easel_allocate(width, 2 * sizeof *lumas);
  easel_block *blocks = easel_allocate(columns, 2 * sizeof *blocks);
  if (!lumas || !blocks) {
    free(lumas);
    free(blocks);
    return EASEL_NO_MEMORY;
  }
  easel_block *above = blocks, *below = blocks + columns;
  double peak = format == EASEL_FORMAT_RGBA16 ? 65535 : 255, sum = 0;
  size_t windows = 0, y = 0;
  for (size_t row = 0; row < rows; row++) {
    memset(below, 0, columns * sizeof *below);
    for (size_t end = easel_block_end(row, rows, height); y < end; y++) {
      easel_luma_row((const uint8_t *)a + (ptrdiff_t)y * a_stride, width, format, over_white, lumas);
      easel_luma_row((const uint8_t *)b + (ptrdiff_t)y * b_stride, width, format, over_white, lumas + width);
      easel_add_row(lumas, lumas + width, width, below);
    }
    // A window is two blocks wide and two high; on a side with a single block, it is one.
    if (row > 0 || rows == 1) {
      for (size_t i = columns == 1 ? 0 : 1; i < columns; i++) {
        easel_block window = rows == 1 ? below[i] : easel_joined(above[i], below[i]);
        if (columns > 1) {
          easel_block left = rows == 1 ? below[i - 1] : easel_joined(above[i - 1], below[i - 1]);
          window = easel_joined(window, left);
        }
        sum += easel_window_similarity(window, peak);
        windows++;
      }
    }
    easel_block *swap = above;
    above = below;
    below = swap;
  }
  free(lumas);
  free(blocks);
  *similarity = sum / (double)windows;
  return EASEL_OK;
}

// ---- A picture of the differences

// Small differences are amplified, so that even a single step is visible: first red, then yellow, then white.
static void easel_draw_difference(unsigned difference, unsigned luma, uint8_t *out) {
  unsigned heat = difference == 0 ? 0 : 96 + difference * 8;
  out[0] = (uint8_t)(difference == 0 ? luma / 3 : heat > 255 ? 255 : heat);
  out[1] = (uint8_t)(difference == 0 ? luma / 3 : heat <= 255 ? 0 : heat - 255 > 255 ? 255 : heat - 255);
  out[2] = (uint8_t)(difference == 0 ? luma / 3 : heat <= 510 ? 0 : heat - 510 > 255 ? 255 : heat - 510);
  out[3] = 255;
}

void easel_draw_differences(const void *a, ptrdiff_t a_stride, const void *b, ptrdiff_t b_stride, size_t width,
                            size_t height, easel_format format, uint8_t *out, ptrdiff_t out_stride) {
  bool is_wide = format == EASEL_FORMAT_RGBA16;
  size_t samples = easel_pixel_bytes(format) / (is_wide ? 2 : 1);
  for (size_t y = 0; y < height; y++) {
    const void *left = (const uint8_t *)a + (ptrdiff_t)y * a_stride;
    const void *right = (const uint8_t *)b + (ptrdiff_t)y * b_stride;
    uint8_t *target = out + (ptrdiff_t)y * out_stride;
    for (size_t x = 0; x < width; x++, target += 4) {
      unsigned values[4] = {0}, most = 0;
      for (size_t k = 0; k < samples; k++) {
        size_t i = x * samples + k;
        unsigned p = is_wide ? ((const uint16_t *)left)[i] : ((const uint8_t *)left)[i];
        unsigned q = is_wide ? ((const uint16_t *)right)[i] : ((const uint8_t *)right)[i];
        unsigned d = p > q ? p - q : q - p;
        if (d > most) most = d;
        values[k] = is_wide ? p >> 8 : p;
      }
      // A difference of less than one step of 8 bits still counts as one step.
      if (is_wide) most = (most + 256) / 257;
      unsigned luma = samples == 1 ? values[0] : (19595u * values[0] + 38470u * values[1] + 7471u * values[2]) >> 16;
      easel_draw_difference(most, luma, target);
    }
  }
}
