#include "floats.h"

typedef struct {
  double width, height;
  double radius;
  unsigned corners;
} easel_rounded;

// The share of the pixel centred at (x, y) that is inside the shape, after the shape is inset on all sides.
static float easel_rounded_coverage(const easel_rounded *shape, double inset, double x, double y) {
  double right = shape->width - inset, bottom = shape->height - inset;
  double radius = shape->radius - inset;
  if (radius < 0) radius = 0;
  bool is_right = x > shape->width / 2, is_bottom = y > shape->height / 2;
  unsigned corner = is_bottom ? (is_right ? 8 : 4) : (is_right ? 2 : 1);
  if (!(shape->corners & corner)) radius = 0;
  // The distances to the two nearest sides; positive inside.
  double dx = is_right ? right - x : x - inset, dy = is_bottom ? bottom - y : y - inset;
  double distance = dx < dy ? dx : dy;
  if (dx < radius && dy < radius) distance = radius - hypot(radius - dx, radius - dy);
  double coverage = distance + 0.5;
  return coverage <= 0 ? 0 : coverage >= 1 ? 1 : (float)coverage;
}

void easel_round_corners(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride,
                         void *target, ptrdiff_t target_stride, easel_alpha target_alpha, size_t width, size_t height,
                         size_t first_row, size_t rows, double radius, unsigned corners, double border,
                         const float border_color[4]) {
  if (format == EASEL_FORMAT_GRAY8) return;
  double shortest = (double)(width < height ? width : height);
  if (!(radius > 0)) radius = 0;
  if (radius > shortest / 2) radius = shortest / 2;
  if (!(border > 0) || !border_color) border = 0;
  easel_rounded shape = {(double)width, (double)height, radius, corners};
  easel_f4 ink = {0, 0, 0, 0};
  if (border > 0) {
    float a = border_color[3];
    ink = (easel_f4){border_color[0] * a, border_color[1] * a, border_color[2] * a, a};
  }
  size_t bytes = easel_pixel_bytes(format);
  double reach = radius > border + 1 ? radius : border + 1;
  size_t edge = reach >= (double)width ? width : (size_t)ceil(reach);
  bool same_alpha = alpha == target_alpha;
  for (size_t y = first_row; y < first_row + rows && y < height; y++) {
    const uint8_t *s = (const uint8_t *)source + (ptrdiff_t)y * source_stride;
    uint8_t *t = (uint8_t *)target + (ptrdiff_t)y * target_stride;
    double cy = (double)y + 0.5;
    bool is_edge_row = cy < reach || cy > (double)height - reach;
    bool is_border_row = border > 0 && (cy < border + 1 || cy > (double)height - border - 1);
    for (size_t x = 0; x < width; x++) {
      bool near_side = x < edge || x + edge >= width;
      if (!is_border_row && !(near_side && (is_edge_row || border > 0))) {
        // The pixels up to the right edge are only copied.
        size_t end = near_side || x + edge >= width ? x + 1 : width - edge;
        if (!(is_edge_row || border > 0)) end = width;
        if (same_alpha) {
          if (s != t) memmove(t + x * bytes, s + x * bytes, (end - x) * bytes);
        } else if (format == EASEL_FORMAT_RGBA8 && alpha == EASEL_ALPHA_OPAQUE) {
          memmove(t + x * bytes, s + x * bytes, (end - x) * bytes);
          easel_force_opaque8_row(t + x * bytes, end - x);
        } else {
          for (size_t i = x; i < end; i++) {
            easel_store_premultiplied(format, target_alpha, easel_load_premultiplied(format, alpha, s + i * bytes),
                                      t + i * bytes);
          }
        }
        x = end - 1;
        continue;
      }
      double cx = (double)x + 0.5;
      easel_f4 v = easel_load_premultiplied(format, alpha, s + x * bytes);
      float outer = easel_rounded_coverage(&shape, 0, cx, cy);
      if (border > 0) {
        easel_f4 stroke = ink * easel_splat(1 - easel_rounded_coverage(&shape, border, cx, cy));
        v = stroke + v * easel_splat(1 - stroke[3]);
      }
      if (outer == 1 && same_alpha && border == 0) {
        if (s != t) memcpy(t + x * bytes, s + x * bytes, bytes);
      } else {
        easel_store_premultiplied(format, target_alpha, v * easel_splat(outer), t + x * bytes);
      }
    }
  }
}
