#include <stdio.h>

#include "CEaselSVG.h"
#include "librsvg.h"
#include "symbols.h"

static unsigned value_of(const char *name) {
  const unsigned *value = easel_svg_symbol(name);
  return value ? *value : 0;
}

const char *easel_svg_librsvg_version(void) {
  static char text[32];
  snprintf(text, sizeof text, "%u.%u.%u", value_of("rsvg_major_version"), value_of("rsvg_minor_version"),
           value_of("rsvg_micro_version"));
  return text;
}

const char *easel_svg_cairo_version(void) { return cairo_version_string(); }
