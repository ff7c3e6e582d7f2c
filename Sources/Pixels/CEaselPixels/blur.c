#include "internal.h"

double easel_gaussian_box_radius(double sigma, int passes) {
  if (!(sigma > 0) || passes < 1) return 0;
  // The box of this radius, taken `passes` times, has the variance of the Gaussian; its fraction weighs the outermost
  // samples.
  double variance = sigma * sigma / passes;
  double whole = floor((sqrt(12 * variance + 1) - 1) / 2);
  double part = (2 * whole + 1) * (whole * (whole + 1) - 3 * variance);
  return whole + part / (6 * (variance - (whole + 1) * (whole + 1)));
}

typedef struct {
  size_t radius;
  // Weights of the samples inside and of the two just outside, with 24 fractional bits.
  uint64_t inner, outer;
} easel_box;

static easel_box easel_box_of(double radius) {
  if (!(radius > 0)) radius = 0;
  if (radius > 1 << 20) radius = 1 << 20;
  easel_box box = {.radius = (size_t)radius};
  uint64_t one = 1 << 24, samples = box.radius * 2 + 1;
  // In single precision, as other libraries compute it: the last bits decide how samples round.
  box.inner = (uint64_t)((float)one / ((float)radius * 2 + 1));
  while (box.inner * samples > one) box.inner--;
  box.outer = (one - samples * box.inner) / 2;
  return box;
}

// One line of `count` pixels of four samples (or one), each at the nearest pixel's value beyond its ends.
#define EASEL_BOX_LINE(name, type, channels)                                                                           \
  EASEL_INLINE void name##_body(const type *s, type *t, size_t count, easel_box box) {                                 \
    uint64_t sum[channels] = {0};                                                                                      \
    size_t last = count - 1, radius = box.radius;                                                                      \
    for (size_t c = 0; c < channels; c++) {                                                                            \
      sum[c] = (uint64_t)s[c] * (radius + 1);                                                                          \
      size_t inside = radius < last ? radius : last;                                                                   \
      for (size_t x = 1; x <= inside; x++) sum[c] += s[x * channels + c];                                              \
      sum[c] += (uint64_t)s[last * channels + c] * (radius - inside);                                                  \
    }                                                                                                                  \
    for (size_t x = 0; x < count; x++) {                                                                               \
      size_t right = last - x > radius ? x + radius + 1 : last, left = x > radius ? x - radius - 1 : 0;                \
      size_t leaving = x >= radius ? x - radius : 0;                                                                   \
      for (size_t c = 0; c < channels; c++) {                                                                          \
        uint64_t far_samples = (uint64_t)s[left * channels + c] + s[right * channels + c];                             \
        t[x * channels + c] = (type)((sum[c] * box.inner + far_samples * box.outer + (1 << 23)) >> 24);                \
        sum[c] += (uint64_t)s[right * channels + c] - s[leaving * channels + c];                                       \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  EASEL_CLONES(name, (const type *s, type *t, size_t count, easel_box box), (s, t, count, box))

EASEL_BOX_LINE(easel_box_line8x1, uint8_t, 1)
EASEL_BOX_LINE(easel_box_line8x4, uint8_t, 4)
EASEL_BOX_LINE(easel_box_line16x4, uint16_t, 4)

// A strip of columns, 64 bytes wide, top to bottom.
enum { EASEL_STRIP_BYTES = 64 };

// 255 times the weights of a whole box stay below 2 to the 32nd, so bytes need no wider sums.
#define EASEL_BOX_STRIP(name, type, sum_type, samples)                                                                 \
  EASEL_INLINE void name##_body(const type *s, type *t, size_t count, easel_box box) {                                 \
    sum_type sum[samples], inner = (sum_type)box.inner, outer = (sum_type)box.outer;                                   \
    size_t last = count - 1, radius = box.radius, inside = radius < last ? radius : last;                              \
    for (size_t c = 0; c < samples; c++) {                                                                             \
      sum[c] = (sum_type)s[c] * (sum_type)(radius + 1) + (sum_type)s[last * samples + c] * (sum_type)(radius - inside); \
    }                                                                                                                  \
    for (size_t y = 1; y <= inside; y++) {                                                                             \
      for (size_t c = 0; c < samples; c++) sum[c] += s[y * samples + c];                                               \
    }                                                                                                                  \
    for (size_t y = 0; y < count; y++) {                                                                               \
      const type *right = s + (last - y > radius ? y + radius + 1 : last) * samples;                                   \
      const type *left = s + (y > radius ? y - radius - 1 : 0) * samples;                                              \
      const type *leaving = s + (y >= radius ? y - radius : 0) * samples;                                              \
      type *out = t + y * samples;                                                                                     \
      for (size_t c = 0; c < samples; c++) {                                                                           \
        sum_type far_samples = (sum_type)left[c] + right[c];                                                           \
        out[c] = (type)((sum[c] * inner + far_samples * outer + (1 << 23)) >> 24);                                     \
        sum[c] += (sum_type)right[c] - leaving[c];                                                                     \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  EASEL_CLONES(name, (const type *s, type *t, size_t count, easel_box box), (s, t, count, box))

EASEL_BOX_STRIP(easel_box_strip8, uint8_t, uint32_t, EASEL_STRIP_BYTES)
EASEL_BOX_STRIP(easel_box_strip16, uint16_t, uint64_t, EASEL_STRIP_BYTES / 2)

static void easel_box_line(easel_format format, const void *s, void *t, size_t count, easel_box box) {
  switch (format) {
    case EASEL_FORMAT_GRAY8: easel_box_line8x1(s, t, count, box); break;
    case EASEL_FORMAT_RGBA8: easel_box_line8x4(s, t, count, box); break;
    case EASEL_FORMAT_RGBA16: easel_box_line16x4(s, t, count, box); break;
  }
}

easel_status easel_blur_rows(easel_format format, easel_alpha alpha, double radius, int passes, const void *source,
                             ptrdiff_t source_stride, void *target, ptrdiff_t target_stride, size_t width,
                             size_t height) {
  if (width == 0 || height == 0) return EASEL_OK;
  if (passes < 1) return EASEL_BAD_ARGUMENT;
  size_t bytes;
  if (!easel_multiply(width, easel_pixel_bytes(format), &bytes)) return EASEL_TOO_LARGE;
  uint8_t *first = easel_allocate(bytes, 1), *second = easel_allocate(bytes, 1);
  if (!first || !second) {
    free(first);
    free(second);
    return EASEL_NO_MEMORY;
  }
  easel_box box = easel_box_of(radius);
  for (size_t y = 0; y < height; y++) {
    const uint8_t *s = (const uint8_t *)source + (ptrdiff_t)y * source_stride;
    uint8_t *t = (uint8_t *)target + (ptrdiff_t)y * target_stride, *from = first, *to = second;
    if (alpha == EASEL_ALPHA_STRAIGHT && format != EASEL_FORMAT_GRAY8) {
      easel_premultiply(format, s, 0, from, 0, width, 1);
    } else {
      memcpy(from, s, bytes);
    }
    for (int pass = 0; pass < passes; pass++) {
      easel_box_line(format, from, pass == passes - 1 ? t : to, width, box);
      uint8_t *other = from;
      from = to;
      to = other;
    }
  }
  free(first);
  free(second);
  return EASEL_OK;
}

easel_status easel_blur_columns(easel_format format, easel_alpha alpha, double radius, int passes, void *pixels,
                                ptrdiff_t stride, size_t width, size_t height, size_t first_column, size_t columns) {
  if (width == 0 || height == 0 || first_column >= width) return EASEL_OK;
  if (passes < 1) return EASEL_BAD_ARGUMENT;
  if (columns > width - first_column) columns = width - first_column;
  size_t pixel_bytes = easel_pixel_bytes(format), total;
  if (!easel_multiply(height, EASEL_STRIP_BYTES, &total)) return EASEL_TOO_LARGE;
  uint8_t *first = easel_allocate(total, 1), *second = easel_allocate(total, 1);
  if (!first || !second) {
    free(first);
    free(second);
    return EASEL_NO_MEMORY;
  }
  easel_box box = easel_box_of(radius);
  size_t end = (first_column + columns) * pixel_bytes;
  for (size_t x = first_column * pixel_bytes; x < end; x += EASEL_STRIP_BYTES) {
    size_t bytes = end - x < EASEL_STRIP_BYTES ? end - x : EASEL_STRIP_BYTES;
    uint8_t *from = first, *to = second;
    if (bytes < EASEL_STRIP_BYTES) memset(from, 0, total);
    for (size_t y = 0; y < height; y++) {
      memcpy(from + y * EASEL_STRIP_BYTES, (const uint8_t *)pixels + (ptrdiff_t)y * stride + x, bytes);
    }
    for (int pass = 0; pass < passes; pass++) {
      if (format == EASEL_FORMAT_RGBA16) {
        easel_box_strip16((const uint16_t *)(const void *)from, (uint16_t *)(void *)to, height, box);
      } else {
        easel_box_strip8(from, to, height, box);
      }
      uint8_t *other = from;
      from = to;
      to = other;
    }
    for (size_t y = 0; y < height; y++) {
      uint8_t *row = (uint8_t *)pixels + (ptrdiff_t)y * stride + x;
      memcpy(row, from + y * EASEL_STRIP_BYTES, bytes);
      if (alpha == EASEL_ALPHA_STRAIGHT) easel_unpremultiply(format, row, 0, row, 0, bytes / pixel_bytes, 1);
    }
  }
  free(first);
  free(second);
  return EASEL_OK;
}
