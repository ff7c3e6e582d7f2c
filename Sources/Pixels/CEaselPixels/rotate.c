#include "floats.h"

typedef struct {
  easel_format format;
  easel_alpha alpha;
  const uint8_t *source;
  ptrdiff_t stride;
  ptrdiff_t width, height;
  bool cubic;
} easel_sampler;

// Reads a pixel; pixels outside the picture are transparent.
EASEL_INLINE easel_f4 easel_sample(const easel_sampler *p, easel_format format, ptrdiff_t x, ptrdiff_t y) {
  if (x < 0 || y < 0 || x >= p->width || y >= p->height) return easel_splat(0);
  const uint8_t *pixel = p->source + y * p->stride + x * (ptrdiff_t)easel_pixel_bytes(format);
  return easel_load_premultiplied(format, p->alpha, pixel);
}

EASEL_INLINE void easel_cubic_weights(float t, float *w) {
  w[0] = ((-0.5f * t + 1) * t - 0.5f) * t;
  w[1] = (1.5f * t - 2.5f) * t * t + 1;
  w[2] = ((-1.5f * t + 2) * t + 0.5f) * t;
  w[3] = (0.5f * t - 0.5f) * t * t;
}

EASEL_INLINE easel_f4 easel_sampled_at(const easel_sampler *p, easel_format format, double x, double y) {
  if (!(x > -2 && y > -2 && x < (double)p->width + 2 && y < (double)p->height + 2)) return easel_splat(0);
  double left = floor(x), top = floor(y);
  ptrdiff_t x0 = (ptrdiff_t)left, y0 = (ptrdiff_t)top;
  float u = (float)(x - left), v = (float)(y - top);
  if (!p->cubic) {
    easel_f4 upper = easel_sample(p, format, x0, y0) * (1 - u) + easel_sample(p, format, x0 + 1, y0) * u;
    easel_f4 lower = easel_sample(p, format, x0, y0 + 1) * (1 - u) + easel_sample(p, format, x0 + 1, y0 + 1) * u;
    return upper * (1 - v) + lower * v;
  }
  float wx[4], wy[4];
  easel_cubic_weights(u, wx);
  easel_cubic_weights(v, wy);
  easel_f4 sum = easel_splat(0);
  for (ptrdiff_t j = 0; j < 4; j++) {
    easel_f4 row = easel_splat(0);
    for (ptrdiff_t i = 0; i < 4; i++) row += easel_sample(p, format, x0 - 1 + i, y0 - 1 + j) * wx[i];
    sum += row * wy[j];
  }
  return sum;
}

// Vectors that hold two pixels of bytes.
typedef float easel_f8 __attribute__((vector_size(32)));
typedef uint8_t easel_u8x8 __attribute__((vector_size(8)));

// Computes the four weights of easel_cubic_weights at once.
EASEL_INLINE easel_f4 easel_cubic_weights4(float t) {
  const easel_f4 cubes = {-0.5f, 1.5f, -1.5f, 0.5f}, squares = {1, -2.5f, 2, -0.5f}, lines = {-0.5f, 0, 0.5f, 0};
  return ((cubes * t + squares) * t + lines) * t + (easel_f4){0, 1, 0, 0};
}

// Samples sixteen pixels of bytes from `first` on, which are all inside the picture; only their sum is scaled to 0 to
// 1.
EASEL_INLINE easel_f4 easel_sampled_inside8(const uint8_t *first, ptrdiff_t stride, easel_alpha alpha, float u,
                                            float v) {
  easel_f4 wx = easel_cubic_weights4(u), wy = easel_cubic_weights4(v);
  easel_f8 left = __builtin_shufflevector(wx, wx, 0, 0, 0, 0, 1, 1, 1, 1);
  easel_f8 right = __builtin_shufflevector(wx, wx, 2, 2, 2, 2, 3, 3, 3, 3), sum = {0};
  for (int j = 0; j < 4; j++, first += stride) {
    easel_u8x8 pixels[2];
    memcpy(pixels, first, 16);
    easel_f8 a = __builtin_convertvector(pixels[0], easel_f8), b = __builtin_convertvector(pixels[1], easel_f8);
    if (alpha == EASEL_ALPHA_STRAIGHT) {
      const easel_f8 full = {1, 1, 1, 255, 1, 1, 1, 255};
      a *= __builtin_shufflevector(a, full, 3, 3, 3, 11, 7, 7, 7, 15);
      b *= __builtin_shufflevector(b, full, 3, 3, 3, 11, 7, 7, 7, 15);
    }
    sum += (a * left + b * right) * wy[j];
  }
  easel_f4 both = __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
  if (alpha == EASEL_ALPHA_OPAQUE) return easel_with_alpha(both / 255.0f, easel_splat(1));
  return both / (alpha == EASEL_ALPHA_STRAIGHT ? 65025.0f : 255.0f);
}

EASEL_INLINE void easel_map_pixels(const easel_sampler *p, easel_format format, easel_alpha alpha,
                                   easel_alpha target_alpha, uint8_t *row, size_t first_column, size_t end,
                                   double x, double y, double dx, double dy) {
  size_t bytes = easel_pixel_bytes(format);
  for (size_t i = first_column; i < end; i++) {
    uint8_t *target = row + i * bytes;
    double sx = x + (double)i * dx, sy = y + (double)i * dy;
    bool is_inside = sx >= 1 && sy >= 1 && sx < (double)(p->width - 2) && sy < (double)(p->height - 2);
    if (format != EASEL_FORMAT_RGBA8 || !p->cubic || !is_inside) {
      easel_store_premultiplied(format, target_alpha, easel_sampled_at(p, format, sx, sy), target);
      continue;
    }
    ptrdiff_t left = (ptrdiff_t)sx, top = (ptrdiff_t)sy;
    const uint8_t *first = p->source + (top - 1) * p->stride + (left - 1) * 4;
    easel_f4 v = easel_sampled_inside8(first, p->stride, alpha, (float)(sx - (double)left), (float)(sy - (double)top));
    if (alpha == EASEL_ALPHA_OPAQUE) {
      easel_store_samples(format, v, target);
    } else {
      easel_store_premultiplied(format, target_alpha, v, target);
    }
  }
}

EASEL_INLINE void easel_map_row_body(const easel_sampler *p, easel_alpha target_alpha, uint8_t *row, size_t first,
                                     size_t end, double x, double y, double dx, double dy) {
  if (p->format != EASEL_FORMAT_RGBA8) {
    easel_map_pixels(p, p->format, p->alpha, target_alpha, row, first, end, x, y, dx, dy);
  } else if (p->alpha == EASEL_ALPHA_OPAQUE) {
    easel_map_pixels(p, EASEL_FORMAT_RGBA8, EASEL_ALPHA_OPAQUE, target_alpha, row, first, end, x, y, dx, dy);
  } else {
    easel_map_pixels(p, EASEL_FORMAT_RGBA8, p->alpha, target_alpha, row, first, end, x, y, dx, dy);
  }
}

EASEL_CLONES(easel_map_row,
             (const easel_sampler *p, easel_alpha target_alpha, uint8_t *row, size_t first, size_t end, double x,
              double y, double dx, double dy),
             (p, target_alpha, row, first, end, x, y, dx, dy))

// The number of columns that are processed together. Within such a tile, the pixels of many rows are close together in
// the source; those of a whole row are not.
enum { EASEL_TILE_COLUMNS = 64 };

void easel_rotate(easel_format format, easel_alpha alpha, bool cubic, const void *source, ptrdiff_t source_stride,
                  size_t source_width, size_t source_height, void *target, ptrdiff_t target_stride,
                  easel_alpha target_alpha, size_t width, size_t height, double radians, size_t first_row,
                  size_t rows) {
  easel_sampler sampler = {format,
                           alpha,
                           source,
                           source_stride,
                           (ptrdiff_t)source_width,
                           (ptrdiff_t)source_height,
                           cubic};
  double c = cos(radians), s = sin(radians);
  double source_x = (double)source_width / 2, source_y = (double)source_height / 2;
  for (size_t first = 0; first < width; first += EASEL_TILE_COLUMNS) {
    size_t end = width - first < EASEL_TILE_COLUMNS ? width : first + EASEL_TILE_COLUMNS;
    for (size_t row = first_row; row < first_row + rows && row < height; row++) {
      // Maps the centre of a target pixel back to the source. Because y points down, this direction is
      // counter-clockwise.
      double px = 0.5 - (double)width / 2, py = (double)row + 0.5 - (double)height / 2;
      double x = c * px - s * py + source_x - 0.5, y = s * px + c * py + source_y - 0.5;
      uint8_t *to = (uint8_t *)target + (ptrdiff_t)row * target_stride;
      easel_map_row(&sampler, target_alpha, to, first, end, x, y, c, s);
    }
  }
}
