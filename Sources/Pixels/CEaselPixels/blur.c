#include "internal.h"

double easel_gaussian_box_radius(double sigma, int passes) {
  if (!(sigma > 0) || passes < 1) return 0;
  // A box of this radius, applied `passes` times, has the variance of the Gaussian. The fraction of the radius is the
  // weight of the outermost samples.
  double variance = sigma * sigma / passes;
  double whole = floor((sqrt(12 * variance + 1) - 1) / 2);
  double part = (2 * whole + 1) * (whole * (whole + 1) - 3 * variance);
  return whole + part / (6 * (variance - (whole + 1) * (whole + 1)));
}

typedef struct {
  size_t radius;
  // The weights of the inner samples and of the two samples just outside, with 24 fractional bits.
  uint64_t inner, outer;
} easel_box;

static easel_box easel_box_of(double radius) {
  if (!(radius > 0)) radius = 0;
  if (radius > 1 << 20) radius = 1 << 20;
  easel_box box = {.radius = (size_t)radius};
  uint64_t one = 1 << 24, samples = box.radius * 2 + 1;
  // Computed in single precision, as in other libraries, because the last bits decide how samples round.
  box.inner = (uint64_t)((float)one / ((float)radius * 2 + 1));
  while (box.inner * samples > one) box.inner--;
  box.outer = (one - samples * box.inner) / 2;
  return box;
}

// A strip has adjacent columns, 64 bytes wide, from top to bottom. Rows are transposed to columns before they are
// blurred, because many parallel sums are much faster than one.
enum { EASEL_STRIP_BYTES = 64 };

// Vectors of eight bytes of a strip, and of their sums.
typedef uint8_t easel_box_in8 __attribute__((vector_size(8)));
typedef uint16_t easel_box_in16 __attribute__((vector_size(8)));
typedef uint32_t easel_box_sum8 __attribute__((vector_size(32)));
typedef uint64_t easel_box_sum16 __attribute__((vector_size(32)));

// 255 times the weights of a whole box is less than 2 to the 32nd, so bytes need no wider sums. The vectors are
// explicit, because compilers otherwise keep the sums in memory.
#define EASEL_BOX_STRIP(name, in, sum_type, lane)                                                                      \
  EASEL_INLINE sum_type *name##_load(sum_type *sum, const uint8_t *s) {                                                \
    in v;                                                                                                              \
    memcpy(&v, s, 8);                                                                                                  \
    *sum = __builtin_convertvector(v, sum_type);                                                                       \
    return sum;                                                                                                        \
  }                                                                                                                    \
  EASEL_INLINE void name##_body(const uint8_t *s, uint8_t *t, size_t count, easel_box box) {                           \
    sum_type sum[8], a, b;                                                                                             \
    lane inner = (lane)box.inner, outer = (lane)box.outer;                                                             \
    size_t last = count - 1, radius = box.radius, inside = radius < last ? radius : last;                              \
    _Pragma("clang loop unroll(full)") for (int i = 0; i < 8; i++) {                                                                                      \
      const uint8_t *column = s + i * 8;                                                                               \
      name##_load(&a, column), name##_load(&b, column + last * EASEL_STRIP_BYTES);                                     \
      sum[i] = a * (lane)(radius + 1) + b * (lane)(radius - inside);                                                   \
    }                                                                                                                  \
    for (size_t y = 1; y <= inside; y++) {                                                                             \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < 8; i++) sum[i] += *name##_load(&a, s + y * EASEL_STRIP_BYTES + i * 8);                       \
    }                                                                                                                  \
    for (size_t y = 0; y < count; y++) {                                                                               \
      const uint8_t *right = s + (last - y > radius ? y + radius + 1 : last) * EASEL_STRIP_BYTES;                      \
      const uint8_t *left = s + (y > radius ? y - radius - 1 : 0) * EASEL_STRIP_BYTES;                                 \
      const uint8_t *leaving = s + (y >= radius ? y - radius : 0) * EASEL_STRIP_BYTES;                                 \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < 8; i++) {                                                                                    \
        name##_load(&a, right + i * 8), name##_load(&b, left + i * 8);                                                 \
        in out = __builtin_convertvector((sum[i] * inner + (a + b) * outer + (1 << 23)) >> 24, in);                    \
        memcpy(t + y * EASEL_STRIP_BYTES + i * 8, &out, 8);                                                            \
        sum[i] += a - *name##_load(&b, leaving + i * 8);                                                               \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  EASEL_CLONES(name, (const uint8_t *s, uint8_t *t, size_t count, easel_box box), (s, t, count, box))

EASEL_BOX_STRIP(easel_box_strip8, easel_box_in8, easel_box_sum8, uint32_t)
EASEL_BOX_STRIP(easel_box_strip16, easel_box_in16, easel_box_sum16, uint64_t)

// The two buffers, which passes read and write in turn.
typedef struct {
  uint8_t *from, *to;
} easel_strips;

static bool easel_strips_allocate(easel_strips *strips, size_t count) {
  size_t bytes;
  if (!easel_multiply(count, EASEL_STRIP_BYTES, &bytes)) return false;
  // The buffers are zeroed, because a strip may be narrower than they are.
  strips->from = easel_allocate(bytes, 1), strips->to = easel_allocate(bytes, 1);
  if (strips->from) memset(strips->from, 0, bytes);
  return strips->from && strips->to;
}

static void easel_strips_free(easel_strips *strips) {
  free(strips->from);
  free(strips->to);
}

static void easel_blur_strip(easel_format format, int passes, size_t count, easel_box box, easel_strips *strips) {
  for (int pass = 0; pass < passes; pass++) {
    if (format == EASEL_FORMAT_RGBA16) {
      easel_box_strip16(strips->from, strips->to, count, box);
    } else {
      easel_box_strip8(strips->from, strips->to, count, box);
    }
    uint8_t *other = strips->from;
    strips->from = strips->to;
    strips->to = other;
  }
}

easel_status easel_blur_rows(easel_format format, easel_alpha alpha, double radius, int passes, const void *source,
                             ptrdiff_t source_stride, void *target, ptrdiff_t target_stride, size_t width,
                             size_t height) {
  if (width == 0 || height == 0) return EASEL_OK;
  if (passes < 1) return EASEL_BAD_ARGUMENT;
  easel_strips strips;
  if (!easel_strips_allocate(&strips, width)) {
    easel_strips_free(&strips);
    return EASEL_NO_MEMORY;
  }
  easel_box box = easel_box_of(radius);
  size_t most = EASEL_STRIP_BYTES / easel_pixel_bytes(format);
  for (size_t y = 0; y < height; y += most) {
    size_t rows = height - y < most ? height - y : most;
    const uint8_t *s = (const uint8_t *)source + (ptrdiff_t)y * source_stride;
    easel_orient(format, 5, s, source_stride, width, rows, strips.from, EASEL_STRIP_BYTES);
    if (alpha == EASEL_ALPHA_STRAIGHT) {
      easel_premultiply(format, strips.from, 0, strips.from, 0, width * most, 1);
    }
    easel_blur_strip(format, passes, width, box, &strips);
    uint8_t *t = (uint8_t *)target + (ptrdiff_t)y * target_stride;
    easel_orient(format, 5, strips.from, EASEL_STRIP_BYTES, rows, width, t, target_stride);
  }
  easel_strips_free(&strips);
  return EASEL_OK;
}

easel_status easel_blur_columns(easel_format format, easel_alpha alpha, double radius, int passes, void *pixels,
                                ptrdiff_t stride, size_t width, size_t height, size_t first_column, size_t columns) {
  if (width == 0 || height == 0 || first_column >= width) return EASEL_OK;
  if (passes < 1) return EASEL_BAD_ARGUMENT;
  if (columns > width - first_column) columns = width - first_column;
  easel_strips strips;
  if (!easel_strips_allocate(&strips, height)) {
    easel_strips_free(&strips);
    return EASEL_NO_MEMORY;
  }
  easel_box box = easel_box_of(radius);
  size_t pixel_bytes = easel_pixel_bytes(format), end = (first_column + columns) * pixel_bytes;
  for (size_t x = first_column * pixel_bytes; x < end; x += EASEL_STRIP_BYTES) {
    size_t bytes = end - x < EASEL_STRIP_BYTES ? end - x : EASEL_STRIP_BYTES;
    for (size_t y = 0; y < height; y++) {
      memcpy(strips.from + y * EASEL_STRIP_BYTES, (const uint8_t *)pixels + (ptrdiff_t)y * stride + x, bytes);
    }
    easel_blur_strip(format, passes, height, box, &strips);
    for (size_t y = 0; y < height; y++) {
      uint8_t *row = (uint8_t *)pixels + (ptrdiff_t)y * stride + x;
      memcpy(row, strips.from + y * EASEL_STRIP_BYTES, bytes);
      if (alpha == EASEL_ALPHA_STRAIGHT) easel_unpremultiply(format, row, 0, row, 0, bytes / pixel_bytes, 1);
    }
  }
  easel_strips_free(&strips);
  return EASEL_OK;
}
