#define _GNU_SOURCE
#include <dlfcn.h>

#include "CEaselSVG.h"
#include "librsvg.h"

// A value of librsvg. A program that loads librsvg late, when it calls one of its functions, cannot refer to its values.
static guint value_of(const char *name) {
  static void *library;
  if (!library) library = dlopen("librsvg-2.so.2", RTLD_LAZY);
  const guint *value = library ? dlsym(library, name) : NULL;
  return value ? *value : 0;
}

const char *easel_svg_librsvg_version(void) {
  static char text[32];
  g_snprintf(text, sizeof text, "%u.%u.%u", value_of("rsvg_major_version"), value_of("rsvg_minor_version"),
             value_of("rsvg_micro_version"));
  return text;
}

const char *easel_svg_cairo_version(void) { return cairo_version_string(); }
