#ifndef EASEL_FONTS_DECLARATIONS_H
#define EASEL_FONTS_DECLARATIONS_H

#include <stddef.h>
#include <stdint.h>

// Easel's own declarations of the few functions of GLib, cairo and FreeType that it uses. The compiler finds the
// headers of these libraries only with pkg-config, and SwiftPM would then require them from everyone who depends on
// Easel, even without drawing. These functions have not changed since the first versions of the libraries.

// MARK: GLib

typedef int gboolean;

typedef struct {
  uint32_t domain;
  int code;
  char *message;
} GError;

typedef struct _GInputStream GInputStream;
typedef struct _GFile GFile;
typedef struct _GCancellable GCancellable;
typedef struct _GLogField GLogField;

// A set of flags: bit 0 is recursion, bit 1 is a fatal error, and each further bit is a level.
typedef unsigned GLogLevelFlags;
#define G_LOG_LEVEL_MASK (~3u)

typedef enum { G_LOG_WRITER_HANDLED = 1, G_LOG_WRITER_UNHANDLED = 0 } GLogWriterOutput;

typedef void (*GLogFunc)(const char *domain, GLogLevelFlags level, const char *message, void *data);
typedef GLogWriterOutput (*GLogWriterFunc)(GLogLevelFlags level, const GLogField *fields, size_t count, void *data);

void g_log_default_handler(const char *domain, GLogLevelFlags level, const char *message, void *data);
GLogFunc g_log_set_default_handler(GLogFunc handler, void *data);
unsigned g_log_set_handler(const char *domain, GLogLevelFlags levels, GLogFunc handler, void *data);
void g_log_set_writer_func(GLogWriterFunc writer, void *data, void (*free_data)(void *));

GInputStream *g_memory_input_stream_new_from_data(const void *bytes, intptr_t count, void (*free_bytes)(void *));
void g_object_unref(void *object);
void g_clear_error(GError **error);

// MARK: cairo

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef enum { CAIRO_STATUS_SUCCESS = 0, CAIRO_STATUS_NO_MEMORY = 1 } cairo_status_t;
typedef enum { CAIRO_FORMAT_ARGB32 = 0 } cairo_format_t;

cairo_surface_t *cairo_image_surface_create_for_data(
  unsigned char *pixels, cairo_format_t format, int width, int height, int stride);
void cairo_surface_flush(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);
cairo_t *cairo_create(cairo_surface_t *surface);
void cairo_destroy(cairo_t *context);
void cairo_scale(cairo_t *context, double x, double y);
cairo_status_t cairo_status(cairo_t *context);
const char *cairo_status_to_string(cairo_status_t status);
const char *cairo_version_string(void);

// MARK: FreeType

typedef struct FT_LibraryRec_ *FT_Library;
typedef struct FT_FaceRec_ *FT_Face;

int FT_Init_FreeType(FT_Library *library);
int FT_New_Face(FT_Library library, const char *path, long index, FT_Face *face);

#endif
