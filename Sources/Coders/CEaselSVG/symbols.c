#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "symbols.h"

static void *library;

static void open_library(void) { library = dlopen("librsvg-2.so.2", RTLD_LAZY); }

void *easel_svg_symbol(const char *name) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return library ? dlsym(library, name) : NULL;
}
