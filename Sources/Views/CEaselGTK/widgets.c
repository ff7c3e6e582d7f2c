#include "gtk.h"

static gboolean quit(GtkWidget *window, void *data) {
  (void)window, (void)data;
  easel_gtk_quit();
  return false;
}

void easel_gtk_open_window(GtkWidget *child, const char *title, int width, int height) {
  GtkWidget *window = easel_gtk.gtk_window_new();
  easel_gtk.gtk_window_set_title(window, title);
  easel_gtk.gtk_window_set_default_size(window, width, height);
  easel_gtk.gtk_window_set_child(window, child);
  easel_gtk.g_signal_connect_data(window, "close-request", (void (*)(void))quit, NULL, NULL, 0);
  easel_gtk.gtk_window_present(window);
}

GtkWidget *easel_gtk_spinner_new(void) {
  GtkWidget *spinner = easel_gtk.gtk_spinner_new();
  easel_gtk.gtk_spinner_start(spinner);
  return spinner;
}

GtkWidget *easel_gtk_bar_new(void) { return easel_gtk.gtk_progress_bar_new(); }

void easel_gtk_bar_set(GtkWidget *bar, double fraction) {
  if (fraction < 0) easel_gtk.gtk_progress_bar_pulse(bar);
  else easel_gtk.gtk_progress_bar_set_fraction(bar, fraction > 1 ? 1 : fraction);
}

// The colours as GTK knows them; NULL if it does not.
static GdkColorState *color_state(easel_texture_colors colors) {
  if (!colors.transfer || !easel_gtk_has_colors()) return NULL;
  GdkCicpParams *params = easel_gtk.gdk_cicp_params_new();
  easel_gtk.gdk_cicp_params_set_color_primaries(params, colors.primaries);
  easel_gtk.gdk_cicp_params_set_transfer_function(params, colors.transfer);
  easel_gtk.gdk_cicp_params_set_matrix_coefficients(params, 0);
  easel_gtk.gdk_cicp_params_set_range(params, GDK_CICP_RANGE_FULL);
  GdkColorState *state = easel_gtk.gdk_cicp_params_build_color_state(params, NULL);
  easel_gtk.g_object_unref(params);
  return state;
}

static GdkTexture *color_texture(
  GBytes *bytes, int width, int height, size_t stride, easel_texture_format format, GdkColorState *state) {
  GdkMemoryTextureBuilder *builder = easel_gtk.gdk_memory_texture_builder_new();
  easel_gtk.gdk_memory_texture_builder_set_bytes(builder, bytes);
  easel_gtk.gdk_memory_texture_builder_set_width(builder, width);
  easel_gtk.gdk_memory_texture_builder_set_height(builder, height);
  easel_gtk.gdk_memory_texture_builder_set_stride(builder, stride);
  easel_gtk.gdk_memory_texture_builder_set_format(builder, (int)format);
  easel_gtk.gdk_memory_texture_builder_set_color_state(builder, state);
  GdkTexture *texture = easel_gtk.gdk_memory_texture_builder_build(builder);
  easel_gtk.g_object_unref(builder);
  easel_gtk.gdk_color_state_unref(state);
  return texture;
}

GdkTexture *easel_gtk_texture(
  const void *pixels, size_t count, int width, int height, size_t stride, easel_texture_format format,
  easel_texture_colors colors, void (*release)(void *owner), void *owner) {
  GBytes *bytes = easel_gtk.g_bytes_new_with_free_func(pixels, count, release, owner);
  GdkColorState *state = color_state(colors);
  GdkTexture *texture = state ? color_texture(bytes, width, height, stride, format, state)
                              : easel_gtk.gdk_memory_texture_new(width, height, (int)format, bytes, stride);
  easel_gtk.g_bytes_unref(bytes);
  return texture;
}

void easel_gtk_draw(
  GtkSnapshot *snapshot, GdkTexture *texture, easel_gtk_rect rect, int width, int height, double opacity,
  bool is_mirrored) {
  const graphene_rect_t all = {0, 0, (float)width, (float)height};
  const graphene_rect_t bounds = {(float)rect.x, (float)rect.y, (float)rect.width, (float)rect.height};
  bool is_cut = rect.x < 0 || rect.y < 0 || rect.x + rect.width > width || rect.y + rect.height > height;
  if (opacity < 1) easel_gtk.gtk_snapshot_push_opacity(snapshot, opacity > 0 ? opacity : 0);
  if (is_cut) easel_gtk.gtk_snapshot_push_clip(snapshot, &all);
  if (is_mirrored) {
    const graphene_point_t edge = {(float)width, 0};
    easel_gtk.gtk_snapshot_save(snapshot);
    easel_gtk.gtk_snapshot_translate(snapshot, &edge);
    easel_gtk.gtk_snapshot_scale(snapshot, -1, 1);
  }
  easel_gtk.gtk_snapshot_append_texture(snapshot, texture, &bounds);
  if (is_mirrored) easel_gtk.gtk_snapshot_restore(snapshot);
  if (is_cut) easel_gtk.gtk_snapshot_pop(snapshot);
  if (opacity < 1) easel_gtk.gtk_snapshot_pop(snapshot);
}
