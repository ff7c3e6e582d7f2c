#include "CGalleryWindow.h"

#include <gtk/gtk.h>

struct gallery_window {
  GtkWindow *window;
  GtkAdjustment *scroll;
  int count;
  GtkPicture *places[];
};

static gboolean closed(GtkWindow *window, gpointer unused) {
  (void)window;
  (void)unused;
  gallery_quit();
  // GTK must not destroy the window; the caller closes it.
  return TRUE;
}

gallery_window *gallery_window_open(const char *title, int count, int side) {
  if (!gtk_init_check()) return NULL;
  gallery_window *gallery = g_malloc0(sizeof(gallery_window) + (size_t)count * sizeof(GtkPicture *));
  gallery->count = count;
  gallery->window = GTK_WINDOW(gtk_window_new());
  gtk_window_set_title(gallery->window, title);
  gtk_window_set_default_size(gallery->window, side * 3 + 64, side * 2 + 48);

  GtkWidget *grid = gtk_flow_box_new();
  gtk_flow_box_set_min_children_per_line(GTK_FLOW_BOX(grid), 3);
  gtk_flow_box_set_max_children_per_line(GTK_FLOW_BOX(grid), 3);
  for (int place = 0; place < count; place++) {
    gallery->places[place] = GTK_PICTURE(gtk_picture_new());
    gtk_widget_set_size_request(GTK_WIDGET(gallery->places[place]), side, side);
    gtk_flow_box_insert(GTK_FLOW_BOX(grid), GTK_WIDGET(gallery->places[place]), -1);
  }
  GtkWidget *scrolled = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), grid);
  gallery->scroll = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
  gtk_window_set_child(gallery->window, scrolled);
  g_signal_connect(gallery->window, "close-request", G_CALLBACK(closed), NULL);
  gtk_window_present(gallery->window);
  return gallery;
}

void gallery_window_show(gallery_window *gallery, int place, const uint8_t *rgba, int width, int height, int stride) {
  if (place < 0 || place >= gallery->count) return;
  GBytes *bytes = g_bytes_new(rgba, (gsize)stride * (gsize)height);
  GdkTexture *texture = gdk_memory_texture_new(width, height, GDK_MEMORY_R8G8B8A8, bytes, (gsize)stride);
  gtk_picture_set_paintable(gallery->places[place], GDK_PAINTABLE(texture));
  g_object_unref(texture);
  g_bytes_unref(bytes);
}

void gallery_window_clear(gallery_window *gallery, int place) {
  if (place >= 0 && place < gallery->count) gtk_picture_set_paintable(gallery->places[place], NULL);
}

void gallery_window_scroll(gallery_window *gallery, double part) {
  double room = gtk_adjustment_get_upper(gallery->scroll) - gtk_adjustment_get_page_size(gallery->scroll);
  gtk_adjustment_set_value(gallery->scroll, part * room);
}

void gallery_window_close(gallery_window *gallery) {
  gtk_window_destroy(gallery->window);
  g_free(gallery);
}

static GMainLoop *loop(void) {
  static gsize made;
  if (g_once_init_enter(&made)) g_once_init_leave(&made, (gsize)g_main_loop_new(NULL, FALSE));
  return (GMainLoop *)made;
}

void gallery_run(void) { g_main_loop_run(loop()); }

void gallery_quit(void) { g_main_loop_quit(loop()); }

struct posted {
  void (*callback)(void *);
  void *context;
};

static gboolean call(gpointer posted) {
  struct posted *call = posted;
  call->callback(call->context);
  g_free(call);
  return G_SOURCE_REMOVE;
}

void gallery_post(void (*callback)(void *), void *context) {
  struct posted *posted = g_new(struct posted, 1);
  posted->callback = callback;
  posted->context = context;
  g_idle_add(call, posted);
}
