#ifndef EASEL_GTK_LIBRARY_H
#define EASEL_GTK_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "CEaselGTK.h"

// Own declarations of what is used of GTK, GLib and Graphene. Their headers lie in folders in which a compiler looks only if
// pkg-config names them, and SwiftPM would ask everyone for that who depends on Easel. None of it has changed since 4.8.
//
// The functions are found when the program runs, so that a program and its tests can be built and started without GTK.

typedef int gboolean;
typedef size_t GType;
typedef struct _GObject GObject;
typedef struct _GParamSpec GParamSpec;
typedef struct _GMainLoop GMainLoop;
typedef struct _GMainContext GMainContext;
typedef struct _GBytes GBytes;
typedef struct _GdkFrameClock GdkFrameClock;
typedef struct _GdkMemoryTextureBuilder GdkMemoryTextureBuilder;
typedef struct _GdkCicpParams GdkCicpParams;
typedef struct _GdkColorState GdkColorState;
typedef struct _GError GError;
typedef struct _GtkEventController GtkEventController;

typedef struct {
  GType type;
  uint64_t data[2];
} GValue;

typedef struct {
  GType type;
  const char *name;
  unsigned class_size, instance_size;
} GTypeQuery;

typedef struct {
  GType type;
  void *construct_properties, *constructor;
  void (*set_property)(GObject *object, unsigned property, const GValue *value, GParamSpec *spec);
  void (*get_property)(GObject *object, unsigned property, GValue *value, GParamSpec *spec);
  void (*dispose)(GObject *object);
  void (*finalize)(GObject *object);
  void *dispatch_properties_changed, *notify, *constructed;
  size_t flags, construct_count;
  void *specs;
  size_t spec_count;
  void *padding[3];
} GObjectClass;

typedef struct {
  GObjectClass object;
  void *show, *hide;
  void (*map)(GtkWidget *widget);
  void (*unmap)(GtkWidget *widget);
  void *realize, *unrealize, *root, *unroot;
  void (*size_allocate)(GtkWidget *widget, int width, int height, int baseline);
  void *state_flags_changed;
  void (*direction_changed)(GtkWidget *widget, int previous);
  int (*get_request_mode)(GtkWidget *widget);
  void (*measure)(
    GtkWidget *widget, int orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline);
  void *mnemonic_activate, *grab_focus, *focus, *set_focus_child, *move_focus, *keynav_failed, *query_tooltip,
    *compute_expand, *css_changed, *system_setting_changed;
  void (*snapshot)(GtkWidget *widget, GtkSnapshot *snapshot);
  void *contains, *priv, *padding[8];
} GtkWidgetClass;

typedef struct {
  float x, y;
} graphene_point_t;

typedef struct {
  float x, y, width, height;
} graphene_rect_t;

enum {
  G_TYPE_ENUM = 12 << 2,
  G_PARAM_FLAGS = 3 | 1 << 30 | 224, // read, written, notified by us, with names that stay
  GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH = 0,
  GTK_TEXT_DIR_RTL = 2,
  GTK_ACCESSIBLE_ROLE_IMG = 20,
  GTK_ACCESSIBLE_PROPERTY_LABEL = 4,
  GTK_ACCESSIBLE_STATE_BUSY = 0,
  GDK_PRIORITY_REDRAW = 120,
  GDK_CICP_RANGE_FULL = 1,
};

#define EASEL_GTK_FUNCTIONS(F)                                                                                         \
  F(void, g_free, (void *))                                                                                            \
  F(char *, g_strdup, (const char *))                                                                                  \
  F(unsigned, g_idle_add_full, (int, gboolean (*)(void *), void *, void (*)(void *)))                                  \
  F(GMainLoop *, g_main_loop_new, (GMainContext *, gboolean))                                                          \
  F(void, g_main_loop_run, (GMainLoop *))                                                                              \
  F(void, g_main_loop_quit, (GMainLoop *))                                                                             \
  F(GBytes *, g_bytes_new_with_free_func, (const void *, size_t, void (*)(void *), void *))                            \
  F(void, g_bytes_unref, (GBytes *))                                                                                   \
  F(void *, g_object_ref, (void *))                                                                                    \
  F(void *, g_object_ref_sink, (void *))                                                                               \
  F(void, g_object_unref, (void *))                                                                                    \
  F(void *, g_object_new, (GType, const char *, ...))                                                                  \
  F(void, g_object_get, (void *, const char *, ...))                                                                   \
  F(void, g_object_notify_by_pspec, (void *, GParamSpec *))                                                            \
  F(void, g_object_class_install_property, (GObjectClass *, unsigned, GParamSpec *))                                   \
  F(GParamSpec *, g_param_spec_string, (const char *, const char *, const char *, const char *, unsigned))             \
  F(GParamSpec *, g_param_spec_enum, (const char *, const char *, const char *, GType, int, unsigned))                 \
  F(const char *, g_value_get_string, (const GValue *))                                                                \
  F(void, g_value_set_string, (GValue *, const char *))                                                                \
  F(int, g_value_get_enum, (const GValue *))                                                                           \
  F(void, g_value_set_enum, (GValue *, int))                                                                           \
  F(void, g_type_query, (GType, GTypeQuery *))                                                                         \
  F(GType, g_type_register_static_simple,                                                                              \
    (GType, const char *, unsigned, void (*)(void *, void *), unsigned, void (*)(void *, void *), unsigned))           \
  F(gboolean, g_type_check_instance_is_a, (void *, GType))                                                             \
  F(void *, g_type_class_peek_parent, (void *))                                                                        \
  F(unsigned long, g_signal_connect_data, (void *, const char *, void (*)(void), void *, void *, unsigned))            \
  F(gboolean, gtk_init_check, (void))                                                                                  \
  F(GType, gtk_widget_get_type, (void))                                                                                \
  F(GType, gtk_content_fit_get_type, (void))                                                                           \
  F(void, gtk_widget_class_set_css_name, (GtkWidgetClass *, const char *))                                             \
  F(void, gtk_widget_class_set_accessible_role, (GtkWidgetClass *, int))                                               \
  F(void, gtk_widget_queue_draw, (GtkWidget *))                                                                        \
  F(void, gtk_widget_queue_resize, (GtkWidget *))                                                                      \
  F(void, gtk_widget_queue_allocate, (GtkWidget *))                                                                    \
  F(void *, gtk_widget_get_native, (GtkWidget *))                                                                      \
  F(void *, gtk_native_get_renderer, (void *))                                                                         \
  F(const char *, g_type_name_from_instance, (void *))                                                                 \
  F(gboolean, gtk_widget_get_mapped, (GtkWidget *))                                                                    \
  F(int, gtk_widget_get_direction, (GtkWidget *))                                                                      \
  F(int, gtk_widget_get_width, (GtkWidget *))                                                                          \
  F(int, gtk_widget_get_height, (GtkWidget *))                                                                         \
  F(int, gtk_widget_get_scale_factor, (GtkWidget *))                                                                   \
  F(void *, gtk_widget_get_settings, (GtkWidget *))                                                                    \
  F(void, gtk_widget_add_css_class, (GtkWidget *, const char *))                                                       \
  F(void, gtk_widget_remove_css_class, (GtkWidget *, const char *))                                                    \
  F(void, gtk_widget_set_parent, (GtkWidget *, GtkWidget *))                                                           \
  F(void, gtk_widget_unparent, (GtkWidget *))                                                                          \
  F(void, gtk_widget_measure, (GtkWidget *, int, int, int *, int *, int *, int *))                                     \
  F(void, gtk_widget_size_allocate, (GtkWidget *, const int *, int))                                                   \
  F(void, gtk_widget_snapshot_child, (GtkWidget *, GtkWidget *, GtkSnapshot *))                                        \
  F(void, gtk_widget_set_focusable, (GtkWidget *, gboolean))                                                           \
  F(void, gtk_widget_add_controller, (GtkWidget *, GtkEventController *))                                              \
  F(void, gtk_widget_remove_controller, (GtkWidget *, GtkEventController *))                                           \
  F(unsigned, gtk_widget_add_tick_callback,                                                                            \
    (GtkWidget *, gboolean (*)(GtkWidget *, GdkFrameClock *, void *), void *, void (*)(void *)))                       \
  F(int64_t, gdk_frame_clock_get_frame_time, (GdkFrameClock *))                                                        \
  F(GtkEventController *, gtk_gesture_click_new, (void))                                                               \
  F(GtkEventController *, gtk_event_controller_key_new, (void))                                                        \
  F(void, gtk_accessible_update_property, (void *, int, ...))                                                          \
  F(void, gtk_accessible_update_state, (void *, int, ...))                                                             \
  F(GtkWidget *, gtk_window_new, (void))                                                                               \
  F(void, gtk_window_set_title, (GtkWidget *, const char *))                                                           \
  F(void, gtk_window_set_default_size, (GtkWidget *, int, int))                                                        \
  F(void, gtk_window_set_child, (GtkWidget *, GtkWidget *))                                                            \
  F(void, gtk_window_present, (GtkWidget *))                                                                           \
  F(GtkWidget *, gtk_spinner_new, (void))                                                                              \
  F(void, gtk_spinner_start, (GtkWidget *))                                                                            \
  F(GtkWidget *, gtk_progress_bar_new, (void))                                                                         \
  F(void, gtk_progress_bar_set_fraction, (GtkWidget *, double))                                                        \
  F(void, gtk_progress_bar_pulse, (GtkWidget *))                                                                       \
  F(GdkTexture *, gdk_memory_texture_new, (int, int, int, GBytes *, size_t))                                           \
  F(void, gtk_snapshot_save, (GtkSnapshot *))                                                                          \
  F(void, gtk_snapshot_restore, (GtkSnapshot *))                                                                       \
  F(void, gtk_snapshot_translate, (GtkSnapshot *, const graphene_point_t *))                                           \
  F(void, gtk_snapshot_scale, (GtkSnapshot *, float, float))                                                           \
  F(void, gtk_snapshot_push_opacity, (GtkSnapshot *, double))                                                          \
  F(void, gtk_snapshot_push_clip, (GtkSnapshot *, const graphene_rect_t *))                                            \
  F(void, gtk_snapshot_pop, (GtkSnapshot *))                                                                           \
  F(void, gtk_snapshot_append_texture, (GtkSnapshot *, GdkTexture *, const graphene_rect_t *))

// Textures in other colours than sRGB, which GTK has since 4.16. All or none of them are there.
#define EASEL_GTK_COLOR_FUNCTIONS(F)                                                                                   \
  F(GdkMemoryTextureBuilder *, gdk_memory_texture_builder_new, (void))                                                 \
  F(void, gdk_memory_texture_builder_set_bytes, (GdkMemoryTextureBuilder *, GBytes *))                                 \
  F(void, gdk_memory_texture_builder_set_width, (GdkMemoryTextureBuilder *, int))                                      \
  F(void, gdk_memory_texture_builder_set_height, (GdkMemoryTextureBuilder *, int))                                     \
  F(void, gdk_memory_texture_builder_set_stride, (GdkMemoryTextureBuilder *, size_t))                                  \
  F(void, gdk_memory_texture_builder_set_format, (GdkMemoryTextureBuilder *, int))                                     \
  F(void, gdk_memory_texture_builder_set_color_state, (GdkMemoryTextureBuilder *, GdkColorState *))                    \
  F(GdkTexture *, gdk_memory_texture_builder_build, (GdkMemoryTextureBuilder *))                                       \
  F(GdkCicpParams *, gdk_cicp_params_new, (void))                                                                      \
  F(void, gdk_cicp_params_set_color_primaries, (GdkCicpParams *, unsigned))                                            \
  F(void, gdk_cicp_params_set_transfer_function, (GdkCicpParams *, unsigned))                                          \
  F(void, gdk_cicp_params_set_matrix_coefficients, (GdkCicpParams *, unsigned))                                        \
  F(void, gdk_cicp_params_set_range, (GdkCicpParams *, int))                                                           \
  F(GdkColorState *, gdk_cicp_params_build_color_state, (GdkCicpParams *, GError **))                                  \
  F(void, gdk_color_state_unref, (GdkColorState *))

struct easel_gtk {
#define EASEL_GTK_FIELD(result, name, arguments) result(*name) arguments;
  EASEL_GTK_FUNCTIONS(EASEL_GTK_FIELD)
  EASEL_GTK_COLOR_FUNCTIONS(EASEL_GTK_FIELD)
#undef EASEL_GTK_FIELD
};

// All functions, once `easel_gtk_load` has found them.
extern struct easel_gtk easel_gtk;

#endif
