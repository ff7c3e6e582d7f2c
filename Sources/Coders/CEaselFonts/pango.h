#ifndef EASEL_FONTS_PANGO_H
#define EASEL_FONTS_PANGO_H

#if !__has_include(<pango-1.0/pango/pango.h>)
#error "Install libpango1.0-dev (Debian, Ubuntu) or pango-devel (Fedora)"
#endif
#include <fontconfig/fontconfig.h>

#include "declarations.h"

// Easel's own declarations of the few functions of pango 1.48 that it uses: see declarations.h.

typedef struct _PangoFontMap PangoFontMap;
typedef struct _PangoContext PangoContext;
typedef struct _PangoFont PangoFont;
typedef struct _PangoFontDescription PangoFontDescription;

PangoFontMap *pango_cairo_font_map_new(void);
PangoFontMap *pango_cairo_font_map_get_default(void);
void pango_cairo_font_map_set_default(PangoFontMap *map);
PangoContext *pango_font_map_create_context(PangoFontMap *map);
PangoFont *pango_font_map_load_font(PangoFontMap *map, PangoContext *context, const PangoFontDescription *description);
PangoFontDescription *pango_fc_font_description_from_pattern(FcPattern *pattern, gboolean include_size);
void pango_font_description_free(PangoFontDescription *description);
struct hb_font_t *pango_font_get_hb_font(PangoFont *font);

#endif
