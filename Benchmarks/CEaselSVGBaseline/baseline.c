#include "CEaselSVGBaseline.h"

#include <string.h>

// The compiler does not find the headers of librsvg and cairo, as declarations.h of CEaselFonts explains.
typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
enum { CAIRO_FORMAT_ARGB32 = 0 };
cairo_surface_t *cairo_image_surface_create_for_data(unsigned char *pixels, int format, int width, int height, int stride);
void cairo_surface_flush(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);
cairo_t *cairo_create(cairo_surface_t *surface);
void cairo_destroy(cairo_t *context);
void g_object_unref(void *object);
typedef struct _RsvgHandle RsvgHandle;
typedef struct {
  double x, y, width, height;
} RsvgRectangle;
RsvgHandle *rsvg_handle_new_from_data(const uint8_t *data, size_t count, void **error);
void rsvg_handle_set_dpi(RsvgHandle *handle, double dpi);
int rsvg_handle_render_document(
  RsvgHandle *handle, cairo_t *context, const RsvgRectangle *viewport, void **error);

static void easel_baseline_straighten(uint8_t *pixels, size_t count) {
  for (uint8_t *pixel = pixels; pixel < pixels + 4 * count; pixel += 4) {
    unsigned blue = pixel[0], green = pixel[1], red = pixel[2], alpha = pixel[3];
    if (alpha != 0 && alpha != 255) {
      blue = (blue * 255 + alpha / 2) / alpha;
      green = (green * 255 + alpha / 2) / alpha;
      red = (red * 255 + alpha / 2) / alpha;
    }
    pixel[0] = (uint8_t)red;
    pixel[1] = (uint8_t)green;
    pixel[2] = (uint8_t)blue;
  }
}

bool easel_baseline_draw_svg(const uint8_t *bytes, size_t count, int width, int height, uint8_t *pixels) {
  RsvgHandle *handle = rsvg_handle_new_from_data(bytes, count, NULL);
  if (!handle) return false;
  rsvg_handle_set_dpi(handle, 96);
  memset(pixels, 0, 4 * (size_t)width * (size_t)height);
  cairo_surface_t *surface =
    cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, width, height, 4 * width);
  cairo_t *context = cairo_create(surface);
  RsvgRectangle area = {.width = width, .height = height};
  bool is_drawn = rsvg_handle_render_document(handle, context, &area, NULL);
  cairo_destroy(context);
  cairo_surface_flush(surface);
  cairo_surface_destroy(surface);
  g_object_unref(handle);
  easel_baseline_straighten(pixels, (size_t)width * (size_t)height);
  return is_drawn;
}
