#ifndef CEASEL_SVG_H
#define CEASEL_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Draws SVG with librsvg and cairo.

typedef enum {
  EASEL_SVG_OK = 0,
  EASEL_SVG_NO_MEMORY = 1,
  EASEL_SVG_BAD_DATA = 2,
  // Drawing needs more elements or larger surfaces than the libraries allow.
  EASEL_SVG_TOO_MUCH = 3,
} easel_svg_status;

// The room for a sentence about an error.
enum { EASEL_SVG_MESSAGE_BYTES = 256 };

// ---- Documents

typedef struct easel_svg_document easel_svg_document;

// Reads a document; after this returns, it does not use the bytes any more. The document has no address, so that
// nothing besides the bytes is read: a reference by an address is ignored, unless it is a `data:` URL. Attributes
// longer than ten million bytes are allowed only with `has_long_values`, which also removes libxml2's limits for
// entities.
easel_svg_status easel_svg_open(const uint8_t *bytes, size_t count, bool has_long_values,
                                easel_svg_document **document, char message[EASEL_SVG_MESSAGE_BYTES]);
void easel_svg_close(easel_svg_document *document);

// The way in which a size was found.
typedef enum {
  // The document states both sides, or one side and the ratio.
  EASEL_SVG_SIZE_STATED = 0,
  // The size reaches to the right and the lower end of the drawing.
  EASEL_SVG_SIZE_OF_CONTENT = 1,
  // The document has no size.
  EASEL_SVG_SIZE_UNKNOWN = 2,
} easel_svg_size_origin;

// The size in pixels, with 96 pixels per inch. It may be huge, but is never negative, and always a number.
easel_svg_size_origin easel_svg_size(const easel_svg_document *document, double *width, double *height);

// Draws the document so that the area from the origin to `width` and `height` fills the whole picture. The pixels are
// blue, green, red and alpha, premultiplied; they must be zero before.
easel_svg_status easel_svg_draw(const easel_svg_document *document, double width, double height, uint8_t *pixels,
                                size_t stride, int columns, int rows, char message[EASEL_SVG_MESSAGE_BYTES]);

// The most pixels on one side of a picture that cairo draws on.
enum { EASEL_SVG_MOST_PIXELS_A_SIDE = 32767 };

// ---- Cost

// The numbers of a document's parts, counted in its text alone; this takes about a millisecond for each megabyte.
typedef struct {
  // All bytes, and those in `data:` URLs.
  uint64_t bytes, url_bytes;
  // The number of elements, the greatest depth, and the sum over all elements of the number of elements around each.
  uint64_t elements, depth, ancestors;
  // The number of rules in style sheets, of their selectors, and of those selectors that also examine the elements
  // around an element. Each selector is compared with each element.
  uint64_t rules, selectors, descents;
  // The numbers of elements that repeat others, of texts, and of elements with a filter.
  uint64_t uses, texts, effects;
  // The number of references in parts that are drawn again themselves: each may multiply the others.
  uint64_t nested_references;
  // The number of pixels of the pictures in `data:` URLs.
  uint64_t picture_pixels;
  // True if the document may have much more than could be counted.
  bool is_unclear;
} easel_svg_survey;

void easel_svg_look_over(const uint8_t *bytes, size_t count, easel_svg_survey *survey);

// ---- Packed documents

typedef enum {
  EASEL_SVG_UNPACKED = 0,
  // There was no room for all bytes.
  EASEL_SVG_UNPACKED_TOO_MUCH = 1,
  // The packed bytes are damaged, or end too early.
  EASEL_SVG_NOT_UNPACKED = 2,
} easel_svg_unpacking;

// Unpacks bytes of gzip, and tells how many bytes were made, even if that was not all.
easel_svg_unpacking easel_svg_unpack(const uint8_t *bytes, size_t count, uint8_t *target, size_t room, size_t *made);

// ---- The library

// The versions of librsvg and of cairo.
const char *easel_svg_librsvg_version(void);
const char *easel_svg_cairo_version(void);

#ifdef __cplusplus
}
#endif

#endif
