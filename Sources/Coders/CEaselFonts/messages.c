#include <pthread.h>

#include "CEaselFonts.h"
#include "declarations.h"

static _Thread_local bool is_silent;

// For messages that are not structured, GLib has one function for all threads. If a program later sets its own function
// for pango's messages, that one is used first. Structured messages, such as those about too large letters, go to a
// function that only the program may set, and only once.
static void print_unless_quiet(const char *domain, GLogLevelFlags level, const char *message, void *data) {
  (void)data;
  if (!is_silent) g_log_default_handler(domain, level, message, NULL);
}

static void prepare(void) { g_log_set_handler("Pango", G_LOG_LEVEL_MASK, print_unless_quiet, NULL); }

void easel_fonts_keep_quiet(bool is_quiet) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
  is_silent = is_quiet;
}
