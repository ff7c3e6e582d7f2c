#include "floats.h"

typedef struct {
  easel_format format;
  easel_alpha alpha;
  const uint8_t *source;
  ptrdiff_t stride;
  ptrdiff_t width, height;
  bool cubic;
} easel_sampler;

// Outside the picture everything is transparent.
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

EASEL_INLINE void easel_map_row_body(const easel_sampler *p, easel_alpha target_alpha, uint8_t *target, size_t width,
                                     double x, double y, double dx, double dy) {
  size_t bytes = easel_pixel_bytes(p->format);
  for (size_t i = 0; i < width; i++) {
    double sx = x + (double)i * dx, sy = y + (double)i * dy;
    easel_f4 v = p->format == EASEL_FORMAT_RGBA8 ? easel_sampled_at(p, EASEL_FORMAT_RGBA8, sx, sy)
                                                 : easel_sampled_at(p, p->format, sx, sy);
    easel_store_premultiplied(p->format, target_alpha, v, target + i * bytes);
  }
}

EASEL_CLONES(easel_map_row,
             (const easel_sampler *p, easel_alpha target_alpha, uint8_t *target, size_t width, double x, double y,
              double dx, double dy),
             (p, target_alpha, target, width, x, y, dx, dy))

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
  for (size_t row = first_row; row < first_row + rows && row < height; row++) {
    // From the centre of a target pixel back to the source; y points down, so counter-clockwise is this way round.
    double px = 0.5 - (double)width / 2, py = (double)row + 0.5 - (double)height / 2;
    double x = c * px - s * py + source_x - 0.5, y = s * px + c * py + source_y - 0.5;
    easel_map_row(&sampler, target_alpha, (uint8_t *)target + (ptrdiff_t)row * target_stride, width, x, y, c, s);
  }
}
