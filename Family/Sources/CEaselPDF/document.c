#define _GNU_SOURCE
#if !__has_include(<poppler.h>)
#error "Install libpoppler-glib-dev (Debian, Ubuntu) or poppler-glib-devel (Fedora)"
#endif
#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <malloc.h>
#include <math.h>
#include <poppler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CEaselPDF.h"

// A separate type, so that users see no type of poppler.
struct easel_pdf_document {
  PopplerDocument *document;
};

// Keeps the first line of a message, and frees the error.
static void keep_message(GError *error, char message[EASEL_PDF_MESSAGE_BYTES]) {
  snprintf(message, EASEL_PDF_MESSAGE_BYTES, "%s", error ? error->message : "poppler does not say why");
  message[strcspn(message, "\r\n")] = 0;
  g_clear_error(&error);
}

easel_pdf_status easel_pdf_open(
  const uint8_t *bytes, size_t count, easel_pdf_document **document, char message[EASEL_PDF_MESSAGE_BYTES]) {
  GError *error = NULL;
  GBytes *held = g_bytes_new_static(bytes, count);
  PopplerDocument *opened = poppler_document_new_from_bytes(held, NULL, &error);
  g_bytes_unref(held);
  if (!opened) {
    bool is_encrypted = error && g_error_matches(error, POPPLER_ERROR, POPPLER_ERROR_ENCRYPTED);
    keep_message(error, message);
    return is_encrypted ? EASEL_PDF_ENCRYPTED : EASEL_PDF_BAD_DATA;
  }
  *document = malloc(sizeof **document);
  if (!*document) {
    g_object_unref(opened);
    return EASEL_PDF_NO_MEMORY;
  }
  (*document)->document = opened;
  return EASEL_PDF_OK;
}

void easel_pdf_close(easel_pdf_document *document) {
  if (!document) return;
  g_object_unref(document->document);
  free(document);
}

int easel_pdf_page_count(const easel_pdf_document *document) {
  return poppler_document_get_n_pages(document->document);
}

easel_pdf_status easel_pdf_page_size(const easel_pdf_document *document, int page, double *width, double *height) {
  PopplerPage *found = poppler_document_get_page(document->document, page);
  if (!found) return EASEL_PDF_BAD_DATA;
  poppler_page_get_size(found, width, height);
  g_object_unref(found);
  return isfinite(*width) && isfinite(*height) ? EASEL_PDF_OK : EASEL_PDF_BAD_DATA;
}

// MARK: Drawing

static easel_pdf_status status_of(cairo_status_t status, char message[EASEL_PDF_MESSAGE_BYTES]) {
  if (status == CAIRO_STATUS_SUCCESS) return EASEL_PDF_OK;
  snprintf(message, EASEL_PDF_MESSAGE_BYTES, "%s", cairo_status_to_string(status));
  return status == CAIRO_STATUS_NO_MEMORY ? EASEL_PDF_NO_MEMORY : EASEL_PDF_BAD_DATA;
}

easel_pdf_status easel_pdf_draw(
  const easel_pdf_document *document, int page, double x_scale, double y_scale, uint8_t *pixels, size_t stride,
  int columns, int rows, char message[EASEL_PDF_MESSAGE_BYTES]) {
  PopplerPage *found = poppler_document_get_page(document->document, page);
  if (!found) {
    snprintf(message, EASEL_PDF_MESSAGE_BYTES, "the page is missing");
    return EASEL_PDF_BAD_DATA;
  }
  cairo_surface_t *surface =
    cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_RGB24, columns, rows, (int)stride);
  cairo_t *context = cairo_create(surface);
  cairo_set_source_rgb(context, 1, 1, 1);
  cairo_paint(context);
  cairo_scale(context, x_scale, y_scale);
  poppler_page_render(found, context);
  easel_pdf_status status = status_of(cairo_status(context), message);
  cairo_destroy(context);
  cairo_surface_flush(surface);
  cairo_surface_destroy(surface);
  g_object_unref(found);
  return status;
}

// MARK: The process

static GLogWriterOutput write_nothing(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
  (void)level, (void)fields, (void)count, (void)data;
  return G_LOG_WRITER_HANDLED;
}

static void ignore(const char *domain, GLogLevelFlags level, const char *message, gpointer data) {
  (void)domain, (void)level, (void)message, (void)data;
}

bool easel_pdf_prepare_for_lock_in(bool (*keep)(const char *path), const uint8_t *sample, size_t count) {
  // Writing a warning would need calls that are not allowed later.
  g_log_set_default_handler(ignore, NULL);
  g_log_set_writer_func(write_nothing, NULL, NULL);
  mallopt(M_ARENA_MAX, 1);
  FcConfig *config = FcInit() ? FcConfigGetCurrent() : NULL;
  if (!config) return false;
  // Fontconfig would look for new fonts every half minute, find none, and forget everything that it knows.
  FcConfigSetRescanInterval(config, 0);
  FcFontSet *fonts = FcConfigGetFonts(config, FcSetSystem);
  int kept = 0;
  for (int i = 0; fonts && i < fonts->nfont; i++) {
    FcChar8 *path;
    if (FcPatternGetString(fonts->fonts[i], FC_FILE, 0, &path) != FcResultMatch) continue;
    if (keep((const char *)path)) kept++;
  }
  // poppler lists the tables of characters anew for a document unless another is open, and could not list them later.
  static easel_pdf_document *open;
  char message[EASEL_PDF_MESSAGE_BYTES];
  return kept > 0 && (open || easel_pdf_open(sample, count, &open, message) == EASEL_PDF_OK);
}
