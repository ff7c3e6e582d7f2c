#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "gtk.h"

struct easel_gtk easel_gtk;

static void *library;
static char message[160];

static void find(void **function, const char *name) {
  *function = dlsym(library, name);
  if (*function || *message) return;
  snprintf(
    message, sizeof message, "GTK has no function %s: it is older than 4.8. Install libgtk-4-1 of Debian 12 or later.", name);
}

static bool has_colors = true;

static void find_color(void **function, const char *name) {
  *function = dlsym(library, name);
  if (!*function) has_colors = false;
}

static void open_library(void) {
  // It stays loaded, because its types do.
  library = dlopen("libgtk-4.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    snprintf(message, sizeof message, "There is no GTK 4. Install libgtk-4-1 (Debian, Ubuntu) or gtk4 (Fedora).");
    return;
  }
#define EASEL_GTK_FIND(result, name, arguments) find((void **)&easel_gtk.name, #name);
  EASEL_GTK_FUNCTIONS(EASEL_GTK_FIND)
#undef EASEL_GTK_FIND
#define EASEL_GTK_FIND(result, name, arguments) find_color((void **)&easel_gtk.name, #name);
  EASEL_GTK_COLOR_FUNCTIONS(EASEL_GTK_FIND)
#undef EASEL_GTK_FIND
}

const char *easel_gtk_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return *message ? message : NULL;
}

bool easel_gtk_has_colors(void) { return !easel_gtk_load() && has_colors; }

void *easel_gtk_symbol(const char *name) {
  easel_gtk_load();
  return library ? dlsym(library, name) : NULL;
}

// The one thread that may touch widgets.
static pthread_t gtk_thread;
static atomic_bool has_thread;

void easel_gtk_note_thread(void) {
  if (atomic_load(&has_thread)) return;
  gtk_thread = pthread_self();
  atomic_store(&has_thread, true);
}

bool easel_gtk_is_on_thread(void) { return atomic_load(&has_thread) && pthread_equal(gtk_thread, pthread_self()); }

bool easel_gtk_start(void) {
  if (easel_gtk_load() || !easel_gtk.gtk_init_check()) return false;
  easel_gtk_note_thread();
  return true;
}

// MARK: The loop

struct post {
  bool (*run)(void *);
  void *data;
};

static gboolean run_post(void *data) {
  struct post *post = data;
  return post->run(post->data);
}

void easel_gtk_post(bool (*run)(void *), void *data) {
  struct post *post = malloc(sizeof *post);
  if (!post) abort();
  *post = (struct post){run, data};
  // As urgent as drawing: neither keeps the other from its turn.
  easel_gtk.g_idle_add_full(GDK_PRIORITY_REDRAW, run_post, post, free);
}

static GMainLoop *main_loop(void) {
  static GMainLoop *loop;
  if (!loop) loop = easel_gtk.g_main_loop_new(NULL, false);
  return loop;
}

void easel_gtk_run(void) { easel_gtk.g_main_loop_run(main_loop()); }
void easel_gtk_quit(void) { easel_gtk.g_main_loop_quit(main_loop()); }

// MARK: Objects

void easel_gtk_retain(void *object) { easel_gtk.g_object_ref(object); }
void easel_gtk_adopt(void *object) { easel_gtk.g_object_ref_sink(object); }

static bool release(void *object) {
  easel_gtk.g_object_unref(object);
  return false;
}

void easel_gtk_release(void *object) {
  // Widgets end on their own thread.
  if (easel_gtk_is_on_thread()) release(object);
  else easel_gtk_post(release, object);
}
