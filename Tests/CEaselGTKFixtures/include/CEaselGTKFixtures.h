#ifndef CEASEL_GTK_FIXTURES_H
#define CEASEL_GTK_FIXTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CEaselGTK.h"

// What the tests of the widget need of GTK. All of it belongs on GTK's thread.

// Connects to one more display; NULL if there is none of this name.
void *fixture_display(const char *name);
// The name of the type of the display that a widget is on.
const char *fixture_display_type(GtkWidget *widget);

// A window of this size with a widget in it, on a display, or on the default one. The window holds the widget.
GtkWidget *fixture_window(GtkWidget *child, int width, int height, void *display);
// The same with a widget that begins with one pixel, and is as large as it wants afterwards.
GtkWidget *fixture_natural_window(GtkWidget *child);
void fixture_close(GtkWidget *window);
void fixture_set_visible(GtkWidget *widget, bool is_visible);
void fixture_set_size(GtkWidget *widget, int width, int height);
void fixture_set_right_to_left(GtkWidget *widget);
void fixture_measure(GtkWidget *widget, int orientation, int for_size, int *minimum, int *natural);

// A GtkPicture of an empty texture of this size, whose measures are compared.
GtkWidget *fixture_gtk_picture(int width, int height, int content_fit);

// Draws the widget as it is now: BGRA, multiplied. False if it is not as large as said.
bool fixture_draw(GtkWidget *widget, int width, int height, uint8_t *pixels);

// The first pixel of a texture of this size as cairo takes it: blue, green, red, alpha.
void fixture_first_pixel(GdkTexture *texture, int width, int height, uint8_t pixel[4]);

// The widget that a widget has inside; NULL if there is none.
GtkWidget *fixture_child(GtkWidget *widget);
bool fixture_has_class(GtkWidget *widget, const char *name);
// The name of the type of an object.
const char *fixture_type(void *object);

// Emits the signal of a click, and of a key; false if the widget does not listen.
bool fixture_click(GtkWidget *widget);
bool fixture_press(GtkWidget *widget, unsigned key);

int fixture_role(GtkWidget *widget);
bool fixture_has_label(GtkWidget *widget, const char *label);
bool fixture_is_busy(GtkWidget *widget, bool is_busy);

// The object of this name in the text of a file of GtkBuilder, which the caller owns.
GtkWidget *fixture_build(const char *text, const char *name);
void fixture_set_text(GtkWidget *widget, const char *property, const char *text);

#endif
