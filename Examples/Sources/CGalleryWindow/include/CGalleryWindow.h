#pragma once

#include <stdint.h>

/// A window with a scrolling grid of pictures. Call its functions only on the thread that runs the loop.
typedef struct gallery_window gallery_window;

/// Opens a window with `count` empty places; NULL without a display.
gallery_window *gallery_window_open(const char *title, int count, int side);

/// Shows rows of straight RGBA8 in a place; the bytes are copied.
void gallery_window_show(gallery_window *window, int place, const uint8_t *rgba, int width, int height, int stride);

/// Empties a place.
void gallery_window_clear(gallery_window *window, int place);

/// Scrolls to a fraction of the whole height, 0 to 1.
void gallery_window_scroll(gallery_window *window, double part);

/// Closes the window and frees it.
void gallery_window_close(gallery_window *window);

/// Runs the loop until gallery_quit is called or a window is closed.
void gallery_run(void);

/// Ends the loop.
void gallery_quit(void);

/// Runs a callback once on the thread that runs the loop; may be called from any thread.
void gallery_post(void (*callback)(void *), void *context);
