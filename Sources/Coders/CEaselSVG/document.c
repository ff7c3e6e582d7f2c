#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CEaselFonts.h"
#include "CEaselSVG.h"
#include "librsvg.h"
#include "quiet.h"

// A separate type, so that users see no type of librsvg.
struct easel_svg_document {
  RsvgHandle *handle;
};

// CSS defines lengths such as inches by this number of pixels.
static const double DOTS_PER_INCH = 96;

// Keeps the first line of librsvg's message, and frees the error.
static void keep_message(GError *error, char message[EASEL_SVG_MESSAGE_BYTES]) {
  snprintf(message, EASEL_SVG_MESSAGE_BYTES, "%s", error ? error->message : "librsvg does not say why");
  message[strcspn(message, "\r\n")] = 0;
  g_clear_error(&error);
}

easel_svg_status easel_svg_open(
  const uint8_t *bytes, size_t count, bool has_long_values, easel_svg_document **document,
  char message[EASEL_SVG_MESSAGE_BYTES]) {
  // The stream uses the bytes without a copy, and ends before they do.
  GInputStream *stream = g_memory_input_stream_new_from_data(bytes, (intptr_t)count, NULL);
  GError *error = NULL;
  easel_svg_output output = easel_svg_become_quiet();
  RsvgHandleFlags flags = has_long_values ? RSVG_HANDLE_FLAG_UNLIMITED : RSVG_HANDLE_FLAGS_NONE;
  RsvgHandle *handle = rsvg_handle_new_from_stream_sync(stream, NULL, flags, NULL, &error);
  easel_svg_become_loud(output);
  g_object_unref(stream);
  if (!handle) {
    keep_message(error, message);
    return EASEL_SVG_BAD_DATA;
  }
  *document = malloc(sizeof **document);
  if (!*document) {
    g_object_unref(handle);
    return EASEL_SVG_NO_MEMORY;
  }
  rsvg_handle_set_dpi(handle, DOTS_PER_INCH);
  (*document)->handle = handle;
  return EASEL_SVG_OK;
}

void easel_svg_close(easel_svg_document *document) {
  if (!document) return;
  g_object_unref(document->handle);
  free(document);
}

// MARK: Size

// The pixels of a length; 0 if it is a share of an unknown area. Lengths in units of the font use the size of a
// document without text.
static double pixels_of(RsvgLength length) {
  static const double font_size = 12;
  double unit = 0;
  switch (length.unit) {
  case RSVG_UNIT_PERCENT: break;
  case RSVG_UNIT_PX: unit = 1; break;
  case RSVG_UNIT_EM: unit = font_size; break;
  case RSVG_UNIT_EX: unit = font_size / 2; break;
  case RSVG_UNIT_IN: unit = DOTS_PER_INCH; break;
  case RSVG_UNIT_CM: unit = DOTS_PER_INCH / 2.54; break;
  case RSVG_UNIT_MM: unit = DOTS_PER_INCH / 25.4; break;
  case RSVG_UNIT_PT: unit = DOTS_PER_INCH / 72; break;
  case RSVG_UNIT_PC: unit = DOTS_PER_INCH / 6; break;
  }
  return length.length * unit;
}

static bool is_size(double width, double height) {
  return isfinite(width) && isfinite(height) && width > 0 && height > 0;
}

static bool stated_size(RsvgHandle *handle, double *width, double *height) {
  // librsvg knows the size of the font, which CSS may set.
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle, width, height)) return isfinite(*width) && isfinite(*height);
  gboolean has_width, has_height, has_box;
  RsvgLength stated_width, stated_height;
  RsvgRectangle box;
  rsvg_handle_get_intrinsic_dimensions(
    handle, &has_width, &stated_width, &has_height, &stated_height, &has_box, &box);
  if (!has_box || !is_size(box.width, box.height)) return false;
  double fixed_width = has_width ? pixels_of(stated_width) : 0, fixed_height = has_height ? pixels_of(stated_height) : 0;
  if (fixed_width > 0) {
    *width = fixed_width;
    *height = fixed_width / box.width * box.height;
  } else if (fixed_height > 0) {
    *width = fixed_height / box.height * box.width;
    *height = fixed_height;
  } else {
    *width = box.width;
    *height = box.height;
  }
  return is_size(*width, *height);
}

easel_svg_size_origin easel_svg_size(const easel_svg_document *document, double *width, double *height) {
  if (stated_size(document->handle, width, height)) return EASEL_SVG_SIZE_STATED;
  // The area to which shares refer, which CSS defines for pictures without a size.
  const RsvgRectangle area = {.width = 300, .height = 150};
  RsvgRectangle ink;
  easel_svg_output output = easel_svg_become_quiet();
  bool is_known = rsvg_handle_get_geometry_for_layer(document->handle, NULL, &area, &ink, NULL, NULL);
  easel_svg_become_loud(output);
  if (!is_known) return EASEL_SVG_SIZE_UNKNOWN;
  *width = ink.x + ink.width;
  *height = ink.y + ink.height;
  return is_size(*width, *height) ? EASEL_SVG_SIZE_OF_CONTENT : EASEL_SVG_SIZE_UNKNOWN;
}

// MARK: Drawing

static easel_svg_status status_of(cairo_status_t status, char message[EASEL_SVG_MESSAGE_BYTES]) {
  if (status == CAIRO_STATUS_SUCCESS) return EASEL_SVG_OK;
  snprintf(message, EASEL_SVG_MESSAGE_BYTES, "%s", cairo_status_to_string(status));
  return status == CAIRO_STATUS_NO_MEMORY ? EASEL_SVG_NO_MEMORY : EASEL_SVG_TOO_MUCH;
}

static easel_svg_status draw(
  const easel_svg_document *document, double width, double height, uint8_t *pixels, size_t stride, int columns, int rows,
  char message[EASEL_SVG_MESSAGE_BYTES]) {
  // The surface and the context are destroyed before the pixels. cairo keeps errors in them until someone asks.
  cairo_surface_t *surface =
    cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, columns, rows, (int)stride);
  cairo_t *context = cairo_create(surface);
  cairo_scale(context, columns / width, rows / height);
  GError *error = NULL;
  const RsvgRectangle area = {.width = width, .height = height};
  easel_svg_output output = easel_svg_become_quiet();
  easel_svg_status status = status_of(cairo_status(context), message);
  if (status == EASEL_SVG_OK && !rsvg_handle_render_document(document->handle, context, &area, &error)) {
    // If a document could be read, drawing fails only for too many elements, for letters, or for lack of memory.
    keep_message(error, message);
    status = EASEL_SVG_TOO_MUCH;
  }
  easel_svg_become_loud(output);
  if (status == EASEL_SVG_OK) status = status_of(cairo_status(context), message);
  cairo_destroy(context);
  cairo_surface_flush(surface);
  cairo_surface_destroy(surface);
  return status;
}

easel_svg_status easel_svg_draw(
  const easel_svg_document *document, double width, double height, uint8_t *pixels, size_t stride, int columns, int rows,
  char message[EASEL_SVG_MESSAGE_BYTES]) {
  easel_svg_status status = draw(document, width, height, pixels, stride, columns, rows, message);
  // Letters of 65,536 pixels or more fail. cairo then refuses their font, in any size, to all threads that have opened
  // it. A thread that draws text afterwards must open the font again.
  if (status != EASEL_SVG_TOO_MUCH || !strcasestr(message, "freetype") || !easel_fonts_renew()) return status;
  for (int row = 0; row < rows; row++) memset(pixels + (size_t)row * stride, 0, (size_t)columns * 4);
  return draw(document, width, height, pixels, stride, columns, rows, message);
}
