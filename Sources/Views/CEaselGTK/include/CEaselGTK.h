#ifndef CEASEL_GTK_H
#define CEASEL_GTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "EaselRemotePicture.h"

typedef struct _GtkSnapshot GtkSnapshot;
typedef struct _GdkTexture GdkTexture;

// MARK: The library

// Loads GTK; the sentence that says why there is none, or NULL. Any thread may call it, again and again.
const char *easel_gtk_load(void);

// True if textures may have other colours than those of sRGB, which is so since GTK 4.16.
bool easel_gtk_has_colors(void);

// The address of a function of GTK or of a library that it brings along; NULL if there is none.
void *easel_gtk_symbol(const char *name);

// Connects to a display; false if there is none. The caller's thread becomes that of GTK.
bool easel_gtk_start(void);
// Says the same of a thread on which the program has started GTK itself.
void easel_gtk_note_thread(void);
bool easel_gtk_is_on_thread(void);

// MARK: The loop

// Calls `run` on the thread of the loop until it returns false, among the other work that is due before the screen is drawn.
void easel_gtk_post(bool (*run)(void *), void *data);

// Runs the loop of the default context until `easel_gtk_quit`.
void easel_gtk_run(void);
void easel_gtk_quit(void);

// MARK: Objects

void easel_gtk_retain(void *object);
// Also takes over the reference of a new widget that nobody holds yet.
void easel_gtk_adopt(void *object);
void easel_gtk_release(void *object);

// MARK: The widget

typedef enum {
  EASEL_PICTURE_URI = 1,
  EASEL_PICTURE_CONTENT_FIT,
  EASEL_PICTURE_ALTERNATIVE_TEXT,
} easel_picture_property;

// Those of GtkContentFit.
typedef enum { EASEL_FIT_FILL, EASEL_FIT_CONTAIN, EASEL_FIT_COVER, EASEL_FIT_SCALE_DOWN } easel_content_fit;

// The calls that the widget passes on. All come on the thread of the loop; `owner` is what `create` returned.
typedef struct {
  void *(*create)(GtkWidget *widget);
  // The widget lets go of all it holds; it may still be called afterwards.
  void (*dispose)(void *owner);
  void (*destroy)(void *owner);
  void (*map)(void *owner);
  void (*unmap)(void *owner);
  void (*allocate)(void *owner, int width, int height);
  void (*measure)(void *owner, bool is_vertical, int for_size, int *natural);
  void (*snapshot)(void *owner, GtkSnapshot *snapshot, int width, int height);
  void (*scale_changed)(void *owner);
  void (*changed)(void *owner, easel_picture_property property);
  // A click, or a key that stands for one; false if nothing is to be done.
  bool (*activate)(void *owner);
  // A frame of the screen, at a time in microseconds; false when no more of them are wanted.
  bool (*tick)(void *owner, int64_t time);
} easel_picture_hooks;

// Registers the type once; later calls change nothing.
void easel_picture_set_hooks(const easel_picture_hooks *hooks);

GtkWidget *easel_picture_new(void);
// What `create` returned for a widget; NULL for widgets of other types.
void *easel_picture_owner(GtkWidget *widget);

const char *easel_picture_uri(GtkWidget *widget);
void easel_picture_set_uri(GtkWidget *widget, const char *uri);
easel_content_fit easel_picture_content_fit(GtkWidget *widget);
void easel_picture_set_content_fit(GtkWidget *widget, easel_content_fit fit);
const char *easel_picture_alternative_text(GtkWidget *widget);
void easel_picture_set_alternative_text(GtkWidget *widget, const char *text);

bool easel_picture_is_mapped(GtkWidget *widget);
bool easel_picture_is_right_to_left(GtkWidget *widget);
bool easel_picture_moves_allowed(GtkWidget *widget);
int easel_picture_width(GtkWidget *widget);
int easel_picture_height(GtkWidget *widget);
int easel_picture_scale(GtkWidget *widget);

// True if the processor draws the widget, not a graphics card.
bool easel_picture_is_drawn_by_cairo(GtkWidget *widget);

void easel_picture_redraw(GtkWidget *widget);
void easel_picture_resize(GtkWidget *widget);
void easel_picture_set_busy(GtkWidget *widget, bool is_busy);
void easel_picture_set_class(GtkWidget *widget, const char *name, bool is_on);
// Asks for ticks until `tick` returns false.
void easel_picture_start_ticks(GtkWidget *widget);
// Begins to listen to clicks and keys, or ends it.
void easel_picture_set_clickable(GtkWidget *widget, bool is_clickable);

// Puts a widget over the middle of the picture, which takes `share` of its width if that is not 0; NULL removes the last one.
void easel_picture_set_overlay(GtkWidget *widget, GtkWidget *overlay, double share);

// MARK: Other widgets

// A window with a widget, at whose end the loop ends.
void easel_gtk_open_window(GtkWidget *child, const char *title, int width, int height);

GtkWidget *easel_gtk_spinner_new(void);
GtkWidget *easel_gtk_bar_new(void);
// The part that is done; a negative number if that is not known.
void easel_gtk_bar_set(GtkWidget *bar, double fraction);

// MARK: Drawing

typedef enum {
  EASEL_BGRA8_PREMULTIPLIED = 0,
  EASEL_RGBA8_PREMULTIPLIED = 2,
  EASEL_BGRA8 = 3,
  EASEL_RGBA8 = 5,
  EASEL_RGBA16_PREMULTIPLIED = 10,
  EASEL_RGBA16 = 11,
} easel_texture_format;

// What pixels mean, by the code points of ITU-T H.273; all 0 for sRGB.
typedef struct {
  unsigned primaries, transfer;
} easel_texture_colors;

// Borrows the pixels until `release` is called with `owner`, on any thread. A GTK that does not know the colours takes them
// for those of sRGB.
GdkTexture *easel_gtk_texture(
  const void *pixels, size_t count, int width, int height, size_t stride, easel_texture_format format,
  easel_texture_colors colors, void (*release)(void *owner), void *owner);

typedef struct {
  double x, y, width, height;
} easel_gtk_rect;

// Draws into a rectangle, of which nothing outside of 0, 0, `width`, `height` is shown.
void easel_gtk_draw(
  GtkSnapshot *snapshot, GdkTexture *texture, easel_gtk_rect rect, int width, int height, double opacity,
  bool is_mirrored);

#endif
