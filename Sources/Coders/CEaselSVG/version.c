#include "CEaselSVG.h"
#include "librsvg.h"

const char *easel_svg_librsvg_version(void) {
  static char text[32];
  g_snprintf(text, sizeof text, "%u.%u.%u", rsvg_major_version, rsvg_minor_version, rsvg_micro_version);
  return text;
}

const char *easel_svg_cairo_version(void) { return cairo_version_string(); }
