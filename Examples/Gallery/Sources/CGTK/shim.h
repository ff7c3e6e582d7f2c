#pragma once
#include <gtk/gtk.h>

// Swift has neither casts of GObject nor functions with any number of arguments.
static inline void gtk_shim_set_flag(void *object, const char *property, gboolean value) {
  g_object_set(object, property, value, NULL);
}
