#ifndef EASEL_SVG_LIBRSVG_H
#define EASEL_SVG_LIBRSVG_H

#if !__has_include(<librsvg-2.0/librsvg/rsvg.h>)
#error "Install librsvg2-dev (Debian, Ubuntu) or librsvg2-devel (Fedora)"
#endif

#include "../CEaselFonts/declarations.h"

// Easel's own declarations of the parts that it uses of librsvg's interface, version 2.46: see declarations.h.

typedef struct _RsvgHandle RsvgHandle;

typedef enum {
  RSVG_UNIT_PERCENT,
  RSVG_UNIT_PX,
  RSVG_UNIT_EM,
  RSVG_UNIT_EX,
  RSVG_UNIT_IN,
  RSVG_UNIT_CM,
  RSVG_UNIT_MM,
  RSVG_UNIT_PT,
  RSVG_UNIT_PC,
} RsvgUnit;

typedef struct {
  double length;
  RsvgUnit unit;
} RsvgLength;

typedef struct {
  double x, y, width, height;
} RsvgRectangle;

typedef enum { RSVG_HANDLE_FLAGS_NONE = 0, RSVG_HANDLE_FLAG_UNLIMITED = 1 } RsvgHandleFlags;

RsvgHandle *rsvg_handle_new_from_stream_sync(
  GInputStream *input, GFile *base, RsvgHandleFlags flags, GCancellable *cancellable, GError **error);
void rsvg_handle_set_dpi(RsvgHandle *handle, double dpi);
gboolean rsvg_handle_get_intrinsic_size_in_pixels(RsvgHandle *handle, double *width, double *height);
void rsvg_handle_get_intrinsic_dimensions(
  RsvgHandle *handle, gboolean *has_width, RsvgLength *width, gboolean *has_height, RsvgLength *height,
  gboolean *has_viewbox, RsvgRectangle *viewbox);
gboolean rsvg_handle_get_geometry_for_layer(
  RsvgHandle *handle, const char *id, const RsvgRectangle *viewport, RsvgRectangle *ink, RsvgRectangle *logical,
  GError **error);
gboolean rsvg_handle_render_document(
  RsvgHandle *handle, cairo_t *context, const RsvgRectangle *viewport, GError **error);

#endif
