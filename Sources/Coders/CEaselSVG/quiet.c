#include <pthread.h>
#include <stdbool.h>

#include "declarations.h"
#include "quiet.h"
#include "symbols.h"

static _Thread_local bool is_quiet;

// MARK: pango

// For messages that are not structured, GLib has one function for all threads. If a program later sets its own function
// for pango's messages, that one is used first. Structured messages, such as those about too large letters, go to a
// function that only the program may set, and only once.
static void print_unless_quiet(const char *domain, GLogLevelFlags level, const char *message, void *data) {
  (void)data;
  if (!is_quiet) g_log_default_handler(domain, level, message, NULL);
}

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
  g_log_set_handler("Pango", G_LOG_LEVEL_MASK, print_unless_quiet, NULL);
  *(void **)&xml.printer = easel_svg_symbol("__xmlGenericError");
  *(void **)&xml.target = easel_svg_symbol("__xmlGenericErrorContext");
  *(void **)&xml.set = easel_svg_symbol("xmlSetGenericErrorFunc");
}

static bool has_xml(void) { return xml.printer && xml.target && xml.set; }

// MARK: Both

easel_svg_output easel_svg_become_quiet(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
  is_quiet = true;
  easel_svg_output output = {0};
  if (has_xml()) {
    output = (easel_svg_output){*xml.printer(), *xml.target()};
    xml.set(NULL, print_nothing);
  }
  return output;
}

void easel_svg_become_loud(easel_svg_output output) {
  is_quiet = false;
  if (has_xml()) xml.set(output.target, output.printer);
}
