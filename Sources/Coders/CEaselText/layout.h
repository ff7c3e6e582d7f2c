#ifndef EASEL_TEXT_LAYOUT_H
#define EASEL_TEXT_LAYOUT_H

#include "../CEaselFonts/pango.h"

// Easel's own declarations of the functions of pango 1.48 and cairo 1.16 that lay text out and draw it: see
// declarations.h beside the included file.

// MARK: GLib

void g_free(void *memory);

// MARK: cairo

typedef struct _cairo_font_options cairo_font_options_t;
enum { CAIRO_ANTIALIAS_GRAY = 2, CAIRO_HINT_STYLE_NONE = 1, CAIRO_HINT_METRICS_OFF = 1, CAIRO_LINE_JOIN_ROUND = 1 };

cairo_font_options_t *cairo_font_options_create(void);
void cairo_font_options_destroy(cairo_font_options_t *options);
void cairo_font_options_set_antialias(cairo_font_options_t *options, int antialias);
void cairo_font_options_set_hint_style(cairo_font_options_t *options, int style);
void cairo_font_options_set_hint_metrics(cairo_font_options_t *options, int metrics);
void cairo_translate(cairo_t *context, double x, double y);
void cairo_move_to(cairo_t *context, double x, double y);
void cairo_stroke(cairo_t *context);
void cairo_set_line_width(cairo_t *context, double width);
void cairo_set_line_join(cairo_t *context, int join);
void cairo_set_source_rgba(cairo_t *context, double red, double green, double blue, double alpha);

// MARK: pango

typedef struct _PangoLayout PangoLayout;
typedef struct _PangoAttrList PangoAttrList;

// Lengths of pango are these parts of a pixel or a point.
enum { PANGO_SCALE = 1024 };
enum { PANGO_ALIGN_LEFT = 0, PANGO_ALIGN_CENTER = 1, PANGO_ALIGN_RIGHT = 2 };
enum { PANGO_DIRECTION_LTR = 0, PANGO_DIRECTION_RTL = 1 };
enum { PANGO_STYLE_NORMAL = 0, PANGO_STYLE_ITALIC = 2 };
enum { PANGO_WRAP_WORD_CHAR = 2 };

typedef struct {
  int x, y, width, height;
} PangoRectangle;

// The kinds of attributes that markup can make and that have a bound.
typedef enum {
  PANGO_ATTR_FAMILY = 2,
  PANGO_ATTR_STYLE = 3,
  PANGO_ATTR_WEIGHT = 4,
  PANGO_ATTR_VARIANT = 5,
  PANGO_ATTR_STRETCH = 6,
  PANGO_ATTR_SIZE = 7,
  PANGO_ATTR_FONT_DESC = 8,
  PANGO_ATTR_FOREGROUND = 9,
  PANGO_ATTR_BACKGROUND = 10,
  PANGO_ATTR_UNDERLINE = 11,
  PANGO_ATTR_STRIKETHROUGH = 12,
  PANGO_ATTR_SCALE = 15,
  PANGO_ATTR_UNDERLINE_COLOR = 18,
  PANGO_ATTR_STRIKETHROUGH_COLOR = 19,
  PANGO_ATTR_ABSOLUTE_SIZE = 20,
  PANGO_ATTR_FOREGROUND_ALPHA = 24,
  PANGO_ATTR_BACKGROUND_ALPHA = 25,
} PangoAttrType;

typedef struct {
  const struct {
    PangoAttrType type;
  } *klass;
  unsigned start_index, end_index;
} PangoAttribute;

typedef struct {
  PangoAttribute attribute;
  int size;
} PangoAttrSize;

typedef struct {
  PangoAttribute attribute;
  double value;
} PangoAttrFloat;

typedef struct {
  PangoAttribute attribute;
  PangoFontDescription *desc;
} PangoAttrFontDesc;

gboolean pango_parse_markup(
  const char *markup, int length, uint32_t accelerator, PangoAttrList **attributes, char **text, uint32_t *found,
  GError **error);
PangoAttrList *pango_attr_list_filter(
  PangoAttrList *list, gboolean (*is_removed)(PangoAttribute *attribute, void *data), void *data);
void pango_attr_list_unref(PangoAttrList *list);

PangoFontDescription *pango_font_description_new(void);
void pango_font_description_set_family(PangoFontDescription *description, const char *family);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);
int pango_font_description_get_size(const PangoFontDescription *description);
void pango_font_description_set_weight(PangoFontDescription *description, int weight);
void pango_font_description_set_style(PangoFontDescription *description, int style);

void pango_context_set_base_dir(PangoContext *context, int direction);
void pango_context_set_round_glyph_positions(PangoContext *context, gboolean rounds);
void pango_cairo_context_set_font_options(PangoContext *context, const cairo_font_options_t *options);
void pango_cairo_context_set_resolution(PangoContext *context, double dots_per_inch);

PangoLayout *pango_layout_new(PangoContext *context);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *attributes);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *description);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_wrap(PangoLayout *layout, int wrap);
void pango_layout_set_alignment(PangoLayout *layout, int alignment);
void pango_layout_set_justify(PangoLayout *layout, gboolean justify);
void pango_layout_set_auto_dir(PangoLayout *layout, gboolean is_automatic);
void pango_layout_set_line_spacing(PangoLayout *layout, float factor);
int pango_layout_get_line_count(PangoLayout *layout);
void pango_layout_get_pixel_extents(PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);
void pango_cairo_show_layout(cairo_t *context, PangoLayout *layout);
void pango_cairo_layout_path(cairo_t *context, PangoLayout *layout);
const char *pango_version_string(void);

#endif
