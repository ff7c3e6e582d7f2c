#include "CEaselGTKFixtures.h"

#include <stdlib.h>
#include <string.h>

// A function of GTK with the type that it has there.
#define CALL(result, name, arguments) ((result(*) arguments)easel_gtk_symbol(#name))

typedef void *Object;

void *fixture_display(const char *name) { return CALL(Object, gdk_display_open, (const char *))(name); }

const char *fixture_display_type(GtkWidget *widget) {
  return fixture_type(CALL(Object, gtk_widget_get_display, (Object))(widget));
}

GtkWidget *fixture_window(GtkWidget *child, int width, int height, void *display) {
  GtkWidget *window = CALL(GtkWidget *, gtk_window_new, (void))();
  if (display) CALL(void, gtk_window_set_display, (Object, Object))(window, display);
  // Without the bar of a title the child has all of the window.
  CALL(void, gtk_window_set_decorated, (Object, int))(window, 0);
  CALL(void, gtk_window_set_default_size, (Object, int, int))(window, width, height);
  CALL(void, gtk_window_set_child, (Object, Object))(window, child);
  CALL(void, gtk_window_present, (Object))(window);
  return window;
}

GtkWidget *fixture_natural_window(GtkWidget *child) {
  GtkWidget *box = CALL(GtkWidget *, gtk_box_new, (int, int))(1, 0);
  GtkWidget *other = CALL(GtkWidget *, gtk_label_new, (const char *))("Below it");
  CALL(void, gtk_box_append, (Object, Object))(box, child);
  CALL(void, gtk_box_append, (Object, Object))(box, other);
  // A box gives nothing to a child that wants nothing, and a child without room would not load.
  CALL(void, gtk_widget_set_halign, (Object, int))(child, 3);
  return fixture_window(box, 100, 100, NULL);
}

void fixture_close(GtkWidget *window) { CALL(void, gtk_window_destroy, (Object))(window); }

void fixture_set_visible(GtkWidget *widget, bool is_visible) {
  CALL(void, gtk_widget_set_visible, (Object, int))(widget, is_visible);
}

void fixture_set_size(GtkWidget *widget, int width, int height) {
  CALL(void, gtk_widget_set_size_request, (Object, int, int))(widget, width, height);
}

void fixture_set_right_to_left(GtkWidget *widget) { CALL(void, gtk_widget_set_direction, (Object, int))(widget, 2); }

void fixture_measure(GtkWidget *widget, int orientation, int for_size, int *minimum, int *natural) {
  CALL(void, gtk_widget_measure, (Object, int, int, int *, int *, int *, int *))
  (widget, orientation, for_size, minimum, natural, NULL, NULL);
}

static void forget(void *owner) { (void)owner; }

GtkWidget *fixture_gtk_picture(int width, int height, int content_fit) {
  static uint8_t pixels[1 << 20];
  GdkTexture *texture =
    easel_gtk_texture(pixels, sizeof pixels, width, height, (size_t)width * 4, EASEL_RGBA8, (easel_texture_colors){0}, forget, NULL);
  GtkWidget *picture = CALL(GtkWidget *, gtk_picture_new_for_paintable, (Object))(texture);
  CALL(void, gtk_picture_set_content_fit, (Object, int))(picture, content_fit);
  easel_gtk_adopt(picture);
  easel_gtk_release(texture);
  return picture;
}

// The place of `snapshot` in GtkWidgetClass: behind GObjectClass and 23 functions.
typedef void (*snapshot_function)(GtkWidget *, GtkSnapshot *);
enum { SNAPSHOT = 320 };

bool fixture_draw(GtkWidget *widget, int width, int height, uint8_t *pixels) {
  if (easel_picture_width(widget) != width || easel_picture_height(widget) != height) return false;
  memset(pixels, 0, (size_t)width * (size_t)height * 4);
  Object snapshot = CALL(Object, gtk_snapshot_new, (void))();
  char *class = *(char **)widget;
  (*(snapshot_function *)(class + SNAPSHOT))(widget, snapshot);
  Object node = CALL(Object, gtk_snapshot_free_to_node, (Object))(snapshot);
  if (!node) return true;
  Object renderer = CALL(Object, gsk_cairo_renderer_new, (void))();
  CALL(int, gsk_renderer_realize, (Object, Object, Object))(renderer, NULL, NULL);
  const float all[4] = {0, 0, (float)width, (float)height};
  Object texture = CALL(Object, gsk_renderer_render_texture, (Object, Object, const float *))(renderer, node, all);
  CALL(void, gdk_texture_download, (Object, uint8_t *, size_t))(texture, pixels, (size_t)width * 4);
  easel_gtk_release(texture);
  CALL(void, gsk_renderer_unrealize, (Object))(renderer);
  easel_gtk_release(renderer);
  CALL(void, gsk_render_node_unref, (Object))(node);
  return true;
}

void fixture_first_pixel(GdkTexture *texture, int width, int height, uint8_t pixel[4]) {
  uint8_t *pixels = malloc((size_t)width * (size_t)height * 4);
  if (!pixels) abort();
  CALL(void, gdk_texture_download, (Object, uint8_t *, size_t))(texture, pixels, (size_t)width * 4);
  memcpy(pixel, pixels, 4);
  free(pixels);
}

GtkWidget *fixture_child(GtkWidget *widget) { return CALL(GtkWidget *, gtk_widget_get_first_child, (Object))(widget); }

bool fixture_has_class(GtkWidget *widget, const char *name) {
  return CALL(int, gtk_widget_has_css_class, (Object, const char *))(widget, name);
}

const char *fixture_type(void *object) {
  return CALL(const char *, g_type_name_from_instance, (Object))(object);
}

// The listener of a type that the widget has; the caller owns it.
static Object controller(GtkWidget *widget, const char *type) {
  Object list = CALL(Object, gtk_widget_observe_controllers, (Object))(widget), found = NULL;
  unsigned count = CALL(unsigned, g_list_model_get_n_items, (Object))(list);
  for (unsigned i = 0; i < count && !found; i++) {
    Object item = CALL(Object, g_list_model_get_item, (Object, unsigned))(list, i);
    if (!strcmp(fixture_type(item), type)) found = item;
    else easel_gtk_release(item);
  }
  easel_gtk_release(list);
  return found;
}

bool fixture_click(GtkWidget *widget) {
  Object gesture = controller(widget, "GtkGestureClick");
  if (!gesture) return false;
  CALL(void, g_signal_emit_by_name, (Object, const char *, ...))(gesture, "released", 1, 1.0, 1.0);
  easel_gtk_release(gesture);
  return true;
}

bool fixture_press(GtkWidget *widget, unsigned key) {
  Object keys = controller(widget, "GtkEventControllerKey");
  if (!keys) return false;
  int is_handled = 0;
  CALL(void, g_signal_emit_by_name, (Object, const char *, ...))(keys, "key-pressed", key, 0, 0, &is_handled);
  easel_gtk_release(keys);
  return is_handled;
}

int fixture_role(GtkWidget *widget) { return CALL(int, gtk_accessible_get_accessible_role, (Object))(widget); }

bool fixture_has_label(GtkWidget *widget, const char *label) {
  char *fault = CALL(char *, gtk_test_accessible_check_property, (Object, int, ...))(widget, 4, label);
  return !fault;
}

bool fixture_is_busy(GtkWidget *widget, bool is_busy) {
  char *fault = CALL(char *, gtk_test_accessible_check_state, (Object, int, ...))(widget, 0, (int)is_busy);
  return !fault;
}

GtkWidget *fixture_build(const char *text, const char *name) {
  Object builder = CALL(Object, gtk_builder_new_from_string, (const char *, intptr_t))(text, -1);
  GtkWidget *widget = CALL(GtkWidget *, gtk_builder_get_object, (Object, const char *))(builder, name);
  if (widget) easel_gtk_retain(widget);
  easel_gtk_release(builder);
  return widget;
}

void fixture_set_text(GtkWidget *widget, const char *property, const char *text) {
  CALL(void, g_object_set, (Object, const char *, ...))(widget, property, text, NULL);
}
