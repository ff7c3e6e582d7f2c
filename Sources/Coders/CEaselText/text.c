#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CEaselFonts.h"
#include "CEaselText.h"
#include "layout.h"

struct easel_text {
  PangoLayout *layout;
  double color[4], outline, outline_color[4];
};

// CSS defines lengths such as points by this number of pixels.
static const double DOTS_PER_INCH = 96, POINTS_PER_INCH = 72;

// MARK: Markup

// Letters may be this many times as large as those around them.
static const double MOST_SCALE = 2;

// True for an attribute without a bound: such as the distance of letters, or a size that is too large.
static gboolean is_unbounded(PangoAttribute *attribute, void *data) {
  double most = *(double *)data * PANGO_SCALE;
  // Sizes of descriptions are points; those of attributes too, unless they are absolute.
  double most_points = most * POINTS_PER_INCH / DOTS_PER_INCH;
  switch (attribute->klass->type) {
  case PANGO_ATTR_FAMILY:
  case PANGO_ATTR_STYLE:
  case PANGO_ATTR_WEIGHT:
  case PANGO_ATTR_VARIANT:
  case PANGO_ATTR_STRETCH:
  case PANGO_ATTR_FOREGROUND:
  case PANGO_ATTR_BACKGROUND:
  case PANGO_ATTR_UNDERLINE:
  case PANGO_ATTR_STRIKETHROUGH:
  case PANGO_ATTR_UNDERLINE_COLOR:
  case PANGO_ATTR_STRIKETHROUGH_COLOR:
  case PANGO_ATTR_FOREGROUND_ALPHA:
  case PANGO_ATTR_BACKGROUND_ALPHA: return false;
  case PANGO_ATTR_SIZE: return !(((PangoAttrSize *)attribute)->size <= most_points);
  case PANGO_ATTR_ABSOLUTE_SIZE: return !(((PangoAttrSize *)attribute)->size <= most);
  case PANGO_ATTR_SCALE: return !(((PangoAttrFloat *)attribute)->value <= MOST_SCALE);
  case PANGO_ATTR_FONT_DESC:
    return !(pango_font_description_get_size(((PangoAttrFontDesc *)attribute)->desc) <= most_points);
  default: return true;
  }
}

// Keeps the first line of a message, and frees the error.
static void keep_message(GError *error, char message[EASEL_TEXT_MESSAGE_BYTES]) {
  snprintf(message, EASEL_TEXT_MESSAGE_BYTES, "%s", error ? error->message : "pango does not say why");
  message[strcspn(message, "\r\n")] = 0;
  g_clear_error(&error);
}

static bool set_markup(
  PangoLayout *layout, const char *bytes, size_t count, double most_size, char message[EASEL_TEXT_MESSAGE_BYTES]) {
  PangoAttrList *attributes = NULL;
  char *plain = NULL;
  GError *error = NULL;
  if (!pango_parse_markup(bytes, (int)count, 0, &attributes, &plain, NULL, &error)) {
    keep_message(error, message);
    return false;
  }
  PangoAttrList *removed = pango_attr_list_filter(attributes, is_unbounded, &most_size);
  if (removed) pango_attr_list_unref(removed);
  pango_layout_set_text(layout, plain, -1);
  pango_layout_set_attributes(layout, attributes);
  pango_attr_list_unref(attributes);
  g_free(plain);
  return true;
}

// MARK: Lines

// The same edges and distances at every size and place, as other drawings of the same letters have them.
static void draw_without_hints(PangoContext *context) {
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(context, options);
  cairo_font_options_destroy(options);
  pango_context_set_round_glyph_positions(context, false);
  pango_cairo_context_set_resolution(context, DOTS_PER_INCH);
}

static void set_font(PangoLayout *layout, const easel_text_style *style) {
  PangoFontDescription *description = pango_font_description_new();
  pango_font_description_set_family(description, style->family);
  pango_font_description_set_absolute_size(description, style->size * PANGO_SCALE);
  pango_font_description_set_weight(description, style->weight);
  pango_font_description_set_style(description, style->is_italic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL);
  pango_layout_set_font_description(layout, description);
  pango_font_description_free(description);
}

static void set_lines(PangoContext *context, PangoLayout *layout, const easel_text_style *style) {
  bool is_automatic = style->direction == EASEL_TEXT_AUTOMATIC, is_rtl = style->direction == EASEL_TEXT_RIGHT_TO_LEFT;
  pango_context_set_base_dir(context, is_rtl ? PANGO_DIRECTION_RTL : PANGO_DIRECTION_LTR);
  pango_layout_set_auto_dir(layout, is_automatic);
  // Where the direction is found in the text, pango itself swaps left and right.
  int start = is_rtl ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT, end = is_rtl ? PANGO_ALIGN_LEFT : PANGO_ALIGN_RIGHT;
  int alignment = style->alignment == EASEL_TEXT_END ? end : start;
  if (style->alignment == EASEL_TEXT_CENTER) alignment = PANGO_ALIGN_CENTER;
  pango_layout_set_alignment(layout, alignment);
  pango_layout_set_justify(layout, style->alignment == EASEL_TEXT_JUSTIFY);
  pango_layout_set_line_spacing(layout, (float)style->line_spacing);
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_width(layout, style->width > 0 ? style->width * PANGO_SCALE : -1);
}

easel_text_status easel_text_open(
  const char *bytes, size_t count, bool is_markup, double most_size, const easel_text_style *style, easel_text **text,
  char message[EASEL_TEXT_MESSAGE_BYTES]) {
  message[0] = 0;
  easel_fonts_keep_quiet(true);
  PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
  draw_without_hints(context);
  PangoLayout *layout = pango_layout_new(context);
  set_font(layout, style);
  set_lines(context, layout, style);
  easel_text_status status = EASEL_TEXT_OK;
  if (!is_markup) {
    pango_layout_set_text(layout, bytes, (int)count);
  } else if (!set_markup(layout, bytes, count, most_size, message)) {
    status = EASEL_TEXT_BAD_MARKUP;
  }
  g_object_unref(context);
  easel_fonts_keep_quiet(false);
  if (status == EASEL_TEXT_OK) {
    *text = malloc(sizeof **text);
    if (*text) {
      (*text)->layout = layout;
      (*text)->outline = style->outline;
      memcpy((*text)->color, style->color, sizeof style->color);
      memcpy((*text)->outline_color, style->outline_color, sizeof style->outline_color);
      return EASEL_TEXT_OK;
    }
    status = EASEL_TEXT_NO_MEMORY;
  }
  g_object_unref(layout);
  return status;
}

void easel_text_close(easel_text *text) {
  if (!text) return;
  g_object_unref(text->layout);
  free(text);
}

int easel_text_line_count(const easel_text *text) { return pango_layout_get_line_count(text->layout); }

static int least(int a, int b) { return a < b ? a : b; }
static int greatest(int a, int b) { return a > b ? a : b; }

easel_text_box easel_text_box_of(const easel_text *text) {
  PangoRectangle ink, logical;
  easel_fonts_keep_quiet(true);
  pango_layout_get_pixel_extents(text->layout, &ink, &logical);
  easel_fonts_keep_quiet(false);
  int more = (int)ceil(text->outline);
  // Blanks have no ink.
  if (ink.width > 0 && ink.height > 0) {
    ink = (PangoRectangle){ink.x - more, ink.y - more, ink.width + 2 * more, ink.height + 2 * more};
  } else {
    ink = logical;
  }
  int left = least(ink.x, logical.x), top = least(ink.y, logical.y);
  int right = greatest(ink.x + ink.width, logical.x + logical.width);
  int bottom = greatest(ink.y + ink.height, logical.y + logical.height);
  return (easel_text_box){left, top, right - left, bottom - top};
}

// MARK: Drawing

static void set_color(cairo_t *context, const double color[4]) {
  cairo_set_source_rgba(context, color[0], color[1], color[2], color[3]);
}

easel_text_status easel_text_draw(
  const easel_text *text, uint8_t *pixels, size_t stride, int columns, int rows,
  char message[EASEL_TEXT_MESSAGE_BYTES]) {
  message[0] = 0;
  easel_text_box box = easel_text_box_of(text);
  // cairo keeps errors in the surface and the context until someone asks.
  cairo_surface_t *surface =
    cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, columns, rows, (int)stride);
  cairo_t *context = cairo_create(surface);
  easel_fonts_keep_quiet(true);
  cairo_translate(context, -box.x, -box.y);
  cairo_move_to(context, 0, 0);
  if (text->outline > 0) {
    pango_cairo_layout_path(context, text->layout);
    set_color(context, text->outline_color);
    // The letters cover the inner half of the line.
    cairo_set_line_width(context, 2 * text->outline);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(context);
    cairo_move_to(context, 0, 0);
  }
  set_color(context, text->color);
  pango_cairo_show_layout(context, text->layout);
  easel_fonts_keep_quiet(false);
  cairo_status_t status = cairo_status(context);
  if (status != CAIRO_STATUS_SUCCESS) {
    snprintf(message, EASEL_TEXT_MESSAGE_BYTES, "%s", cairo_status_to_string(status));
    // cairo refuses a font to all threads that have opened it once letters of it were too large.
    easel_fonts_renew();
  }
  cairo_destroy(context);
  cairo_surface_flush(surface);
  cairo_surface_destroy(surface);
  if (status == CAIRO_STATUS_SUCCESS) return EASEL_TEXT_OK;
  return status == CAIRO_STATUS_NO_MEMORY ? EASEL_TEXT_NO_MEMORY : EASEL_TEXT_TOO_MUCH;
}

const char *easel_text_pango_version(void) { return pango_version_string(); }
