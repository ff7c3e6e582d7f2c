#ifndef EASEL_SVG_QUIET_H
#define EASEL_SVG_QUIET_H

// The type of libxml2's function that prints a message.
typedef void (*easel_svg_printer)(void *target, const char *format, ...);

// The function and the target with which libxml2 prints on a thread.
typedef struct {
  easel_svg_printer printer;
  void *target;
} easel_svg_output;

// Keeps pango and libxml2 from printing messages about a document on this thread, until the result is passed to
// `easel_svg_become_loud`. Messages of other threads are printed as before, because the program itself may draw text
// and read XML.
easel_svg_output easel_svg_become_quiet(void);
void easel_svg_become_loud(easel_svg_output output);

#endif
