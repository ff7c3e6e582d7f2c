#ifndef EASEL_SVG_QUIET_H
#define EASEL_SVG_QUIET_H

// libxml2's function that prints a message.
typedef void (*easel_svg_printer)(void *target, const char *format, ...);

// The place where libxml2 prints on a thread.
typedef struct {
  easel_svg_printer printer;
  void *target;
} easel_svg_output;

// Keeps pango and libxml2 from printing what they think of a document on this thread, until what this returns is given
// back. Messages of other threads go where they went before, since the program may draw text and read XML for itself.
easel_svg_output easel_svg_become_quiet(void);
void easel_svg_become_loud(easel_svg_output output);

#endif
