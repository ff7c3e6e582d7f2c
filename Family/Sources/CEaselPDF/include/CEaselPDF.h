#ifndef CEASEL_PDF_H
#define CEASEL_PDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Draws pages of PDF with poppler and cairo.

typedef enum {
  EASEL_PDF_OK = 0,
  EASEL_PDF_NO_MEMORY = 1,
  EASEL_PDF_BAD_DATA = 2,
  // The file can be read only with a password.
  EASEL_PDF_ENCRYPTED = 3,
} easel_pdf_status;

// The room for a sentence about an error.
enum { EASEL_PDF_MESSAGE_BYTES = 256 };

typedef struct easel_pdf_document easel_pdf_document;

// Reads a document, which uses the bytes until it is closed. Nothing besides the bytes is read: poppler follows no
// reference to another file, runs no script, and carries out no action.
easel_pdf_status easel_pdf_open(
  const uint8_t *bytes, size_t count, easel_pdf_document **document, char message[EASEL_PDF_MESSAGE_BYTES]);
void easel_pdf_close(easel_pdf_document *document);

int easel_pdf_page_count(const easel_pdf_document *document);

// The size of a page in points, of which an inch has 72. It is that of the crop box, turned as the page is.
easel_pdf_status easel_pdf_page_size(const easel_pdf_document *document, int page, double *width, double *height);

// Draws a page on white paper; a point becomes so many pixels. The pixels are blue, green, red and a byte without meaning.
easel_pdf_status easel_pdf_draw(
  const easel_pdf_document *document, int page, double x_scale, double y_scale, uint8_t *pixels, size_t stride,
  int columns, int rows, char message[EASEL_PDF_MESSAGE_BYTES]);

// The most pixels on one side of a picture that cairo draws on.
enum { EASEL_PDF_MOST_PIXELS_A_SIDE = 32767 };

// Limits what the libraries print and look for, for a process that does nothing but draw, and soon opens no more files.
// Calls `keep` with the path of each font of the system, and keeps a sample open, whose bytes must stay. Returns false if
// there are no fonts.
bool easel_pdf_prepare_for_lock_in(bool (*keep)(const char *path), const uint8_t *sample, size_t count);

#ifdef __cplusplus
}
#endif

#endif
