#ifndef CEASEL_TEXT_H
#define CEASEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Draws text with pango and cairo.

typedef enum {
  EASEL_TEXT_OK = 0,
  EASEL_TEXT_NO_MEMORY = 1,
  // The markup is not that of pango.
  EASEL_TEXT_BAD_MARKUP = 2,
  // The letters are more or larger than the libraries can draw.
  EASEL_TEXT_TOO_MUCH = 3,
} easel_text_status;

// The room for a sentence about an error.
enum { EASEL_TEXT_MESSAGE_BYTES = 256 };

typedef enum {
  EASEL_TEXT_START = 0,
  EASEL_TEXT_CENTER = 1,
  EASEL_TEXT_END = 2,
  EASEL_TEXT_JUSTIFY = 3,
} easel_text_alignment;

typedef enum {
  EASEL_TEXT_AUTOMATIC = 0,
  EASEL_TEXT_LEFT_TO_RIGHT = 1,
  EASEL_TEXT_RIGHT_TO_LEFT = 2,
} easel_text_direction;

// Colours are red, green, blue and alpha from 0 to 1, straight.
typedef struct {
  // Names of families with commas between, the first one first.
  const char *family;
  // The size of the letters in pixels, and their weight from 100 to 1000.
  double size;
  int weight;
  bool is_italic;
  double color[4];
  // The pixels by which the outline surrounds the letters; 0 for none.
  double outline;
  double outline_color[4];
  // The most pixels of a line; 0 to break lines only where the text does.
  int width;
  easel_text_alignment alignment;
  easel_text_direction direction;
  // The distance of lines, in heights of a line.
  double line_spacing;
} easel_text_style;

typedef struct easel_text easel_text;

// Breaks a text of UTF-8 into lines. Lengths of pango are whole numbers: the bytes times the largest letters must be less
// than 250,000 pixels, and the distance of lines at most 3. Of markup, only what is bounded has an effect: families, sizes up to `most_size`
// pixels, weights, styles, colours and lines through or under letters.
easel_text_status easel_text_open(const char *bytes, size_t count, bool is_markup, double most_size,
                                  const easel_text_style *style, easel_text **text,
                                  char message[EASEL_TEXT_MESSAGE_BYTES]);
void easel_text_close(easel_text *text);

int easel_text_line_count(const easel_text *text);

// The pixels that hold all letters, their outline and the whole height of the lines; from the place of the first line.
typedef struct {
  int x, y, width, height;
} easel_text_box;

easel_text_box easel_text_box_of(const easel_text *text);

// Draws the letters so that the left and top of the box are those of the picture. The pixels are blue, green, red and
// alpha, premultiplied; they must be zero before.
easel_text_status easel_text_draw(const easel_text *text, uint8_t *pixels, size_t stride, int columns, int rows,
                                  char message[EASEL_TEXT_MESSAGE_BYTES]);

// The most pixels on one side of a picture that cairo draws on.
enum { EASEL_TEXT_MOST_PIXELS_A_SIDE = 32767 };

// The version of pango.
const char *easel_text_pango_version(void);

#ifdef __cplusplus
}
#endif

#endif
