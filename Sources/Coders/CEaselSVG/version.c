#include "CEaselSVG.h"
#include "librsvg.h"
#include "symbols.h"

static guint value_of(const char *name) {
  const guint *value = easel_svg_symbol(name);
  return value ? *value : 0;
}

const char *easel_svg_librsvg_version(void) {
  static char text[32];
  g_snprintf(text, sizeof text, "%u.%u.%u", value_of("rsvg_major_version"), value_of("rsvg_minor_version"),
             value_of("rsvg_micro_version"));
  return text;
}

const char *easel_svg_cairo_version(void) { return cairo_version_string(); }
