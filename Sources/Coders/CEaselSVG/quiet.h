#ifndef EASEL_SVG_QUIET_H
#define EASEL_SVG_QUIET_H

#include <stdbool.h>

// libxml2's function that prints a message.
typedef void (*easel_svg_printer)(void *target, const char *format, ...);

// How loud a thread was.
typedef struct {
  bool is_quiet;
  easel_svg_printer printer;
  void *target;
} easel_svg_loudness;

// Keeps pango and libxml2 from printing what they think of a document on this thread. Messages of other threads go where
// they went before, since the program may draw text and read XML for itself.
easel_svg_loudness easel_svg_become_quiet(void);
void easel_svg_become(easel_svg_loudness loudness);

#endif
