#include <pthread.h>
#include <stdbool.h>

#include "CEaselFonts.h"
#include "quiet.h"
#include "symbols.h"

// MARK: libxml2

// libxml2 has one function for each thread. It comes with librsvg; these are its functions for errors without a
// document.
static struct {
  easel_svg_printer *(*printer)(void);
  void **(*target)(void);
  void (*set)(void *target, easel_svg_printer printer);
} xml;

static void print_nothing(void *target, const char *format, ...) { (void)target, (void)format; }

static void prepare(void) {
  *(void **)&xml.printer = easel_svg_symbol("__xmlGenericError");
  *(void **)&xml.target = easel_svg_symbol("__xmlGenericErrorContext");
  *(void **)&xml.set = easel_svg_symbol("xmlSetGenericErrorFunc");
}

static bool has_xml(void) { return xml.printer && xml.target && xml.set; }

// MARK: Both

easel_svg_output easel_svg_become_quiet(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
  easel_fonts_keep_quiet(true);
  easel_svg_output output = {0};
  if (has_xml()) {
    output = (easel_svg_output){*xml.printer(), *xml.target()};
    xml.set(NULL, print_nothing);
  }
  return output;
}

void easel_svg_become_loud(easel_svg_output output) {
  easel_fonts_keep_quiet(false);
  if (has_xml()) xml.set(output.target, output.printer);
}
