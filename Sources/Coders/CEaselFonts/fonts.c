#define _GNU_SOURCE
#if !__has_include(<fontconfig/fontconfig.h>)
#error "Install libfontconfig-dev (Debian, Ubuntu) or fontconfig-devel (Fedora)"
#endif
#include <fontconfig/fontconfig.h>
#include <malloc.h>
#include <stdio.h>

#include "CEaselFonts.h"
#include "declarations.h"
#include "pango.h"

// Declared here, because the header with this function needs the headers of FreeType.
FcBool FcPatternAddFTFace(FcPattern *pattern, const char *object, const FT_Face face);

// The most fonts that are opened. Each takes about 50 KB, and some pages of its file.
enum { MOST_FONTS = 64 };

// MARK: The choice

// Puts a font into the next place of the chosen fonts, unless it is already among them.
static void choose(FcFontSet *fonts, int *chosen, FcPattern *font) {
  for (int i = *chosen; i < fonts->nfont && *chosen < MOST_FONTS; i++) {
    if (fonts->fonts[i] != font) continue;
    fonts->fonts[i] = fonts->fonts[*chosen];
    fonts->fonts[(*chosen)++] = font;
    return;
  }
}

// The generic families of CSS, which also replace fonts that are not installed.
static const char *const families[] = {"sans-serif", "serif", "monospace", "cursive", "fantasy", "system-ui"};
static const char *const styles[] = {"", ":bold", ":italic", ":bold:italic"};
enum { FAMILIES = sizeof families / sizeof families[0], STYLES = sizeof styles / sizeof styles[0] };

// The best font for a family in a style, followed by fonts with characters that the earlier ones lack; may be NULL.
static FcFontSet *sorted_fonts(FcConfig *config, const char *family, const char *style) {
  char name[32];
  snprintf(name, sizeof name, "%s%s", family, style);
  FcPattern *wish = FcNameParse((const FcChar8 *)name);
  if (!wish) return NULL;
  FcConfigSubstitute(config, wish, FcMatchPattern);
  FcDefaultSubstitute(wish);
  FcResult result;
  FcFontSet *sorted = FcFontSort(config, wish, FcTrue, NULL, &result);
  FcPatternDestroy(wish);
  return sorted;
}

// Moves the fonts of these families to the front. The fonts of other scripts, of which there can be hundreds, follow
// them.
static int choose_fonts(FcConfig *config, FcFontSet *fonts) {
  FcFontSet *sorted[FAMILIES * STYLES];
  int chosen = 0;
  for (size_t i = 0; i < FAMILIES * STYLES; i++) {
    sorted[i] = sorted_fonts(config, families[i / STYLES], styles[i % STYLES]);
    if (sorted[i] && sorted[i]->nfont > 0) choose(fonts, &chosen, sorted[i]->fonts[0]);
  }
  for (size_t i = 0; i < FAMILIES * STYLES; i++) {
    for (int font = 1; sorted[i] && font < sorted[i]->nfont; font++) choose(fonts, &chosen, sorted[i]->fonts[font]);
    if (sorted[i]) FcFontSetDestroy(sorted[i]);
  }
  return fonts->nfont < MOST_FONTS ? fonts->nfont : MOST_FONTS;
}

// MARK: Opening

// Returns the font with its open file, so that cairo need not open it; NULL if that fails.
static FcPattern *opened(FT_Library library, FcPattern *font) {
  FcChar8 *file;
  int index = 0;
  FT_Face face;
  if (FcPatternGetString(font, FC_FILE, 0, &file) != FcResultMatch) return NULL;
  FcPatternGetInteger(font, FC_INDEX, 0, &index);
  if (FT_New_Face(library, (const char *)file, index, &face)) return NULL;
  FcPattern *result = FcPatternDuplicate(font);
  FcPatternAddFTFace(result, FC_FT_FACE, face);
  return result;
}

// Makes pango open the file too, for the shapes of neighbouring letters.
static void open_in_pango(PangoFontMap *map, PangoContext *context, FcPattern *font) {
  PangoFontDescription *description = pango_fc_font_description_from_pattern(font, false);
  PangoFont *loaded = pango_font_map_load_font(map, context, description);
  if (loaded) {
    pango_font_get_hb_font(loaded);
    g_object_unref(loaded);
  }
  pango_font_description_free(description);
}

// True if the threads that pango starts for its fonts end by themselves. The threads of later versions wait for more
// work.
static bool has_passing_threads(bool (*threads_end)(void)) {
  PangoFontMap *map = pango_cairo_font_map_new();
  bool have_ended = threads_end();
  g_object_unref(map);
  return have_ended;
}

static easel_fonts_readiness open_fonts(FcConfig *config, bool (*threads_end)(void)) {
  FT_Library library;
  FcFontSet *fonts = FcConfigGetFonts(config, FcSetSystem);
  if (!fonts || FT_Init_FreeType(&library)) return EASEL_FONTS_NOT_READY;
  int chosen = choose_fonts(config, fonts), kept = 0;
  for (int i = 0; i < fonts->nfont; i++) {
    FcPattern *font = fonts->fonts[i], *open = i < chosen ? opened(library, font) : NULL;
    if (open) fonts->fonts[kept++] = open;
    FcPatternDestroy(font);
  }
  // Fonts that are not open could not be opened later, so they are removed from the set.
  bool has_lost_all = kept == 0 && fonts->nfont > 0;
  fonts->nfont = kept;
  if (has_lost_all) return EASEL_FONTS_NOT_READY;
  if (!has_passing_threads(threads_end)) return EASEL_FONTS_WITHOUT_TEXT;
  PangoFontMap *map = pango_cairo_font_map_get_default();
  PangoContext *context = map ? pango_font_map_create_context(map) : NULL;
  if (!context) return EASEL_FONTS_NOT_READY;
  for (int i = 0; i < kept; i++) open_in_pango(map, context, fonts->fonts[i]);
  g_object_unref(context);
  return EASEL_FONTS_READY;
}

// MARK: Opening anew

static bool is_locked_in = false, has_fonts = true;

bool easel_fonts_draw_text(void) { return has_fonts; }

bool easel_fonts_renew(void) {
  if (is_locked_in) return false;
  pango_cairo_font_map_set_default(NULL);
  return true;
}

// MARK: The process

static void ignore(const char *domain, GLogLevelFlags level, const char *message, void *data) {
  (void)domain, (void)level, (void)message, (void)data;
}

static GLogWriterOutput write_nothing(GLogLevelFlags level, const GLogField *fields, size_t count, void *data) {
  (void)level, (void)fields, (void)count, (void)data;
  return G_LOG_WRITER_HANDLED;
}

static easel_fonts_readiness prepare(bool (*threads_end)(void)) {
  // Writing a warning would need calls that are not allowed later.
  g_log_set_default_handler(ignore, NULL);
  g_log_set_writer_func(write_nothing, NULL, NULL);
  mallopt(M_ARENA_MAX, 1);
  FcConfig *config = FcInit() ? FcConfigGetCurrent() : NULL;
  if (!config) return EASEL_FONTS_NOT_READY;
  // Fontconfig would look for new fonts every half minute, find none, and forget everything that it knows.
  FcConfigSetRescanInterval(config, 0);
  is_locked_in = true;
  return open_fonts(config, threads_end);
}

easel_fonts_readiness easel_fonts_prepare_for_lock_in(bool (*threads_end)(void)) {
  static bool is_prepared = false;
  static easel_fonts_readiness readiness;
  if (is_prepared) return readiness;
  is_prepared = true;
  readiness = prepare(threads_end);
  has_fonts = readiness == EASEL_FONTS_READY;
  return readiness;
}
