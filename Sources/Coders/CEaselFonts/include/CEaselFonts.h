#ifndef CEASEL_FONTS_H
#define CEASEL_FONTS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// The fonts of the system, for coders that draw text with pango and cairo.

// ---- Processes that can open no files

typedef enum {
  // Text can be drawn.
  EASEL_FONTS_READY = 0,
  // No text can be drawn: this version of pango opens fonts only with a thread that does not end.
  EASEL_FONTS_WITHOUT_TEXT = 1,
  // The fonts could not be opened this time.
  EASEL_FONTS_NOT_READY = 2,
} easel_fonts_readiness;

// Opens fonts, so that text can be drawn when files can no longer be opened, and limits what the libraries print and
// use. This is for a process that does nothing else; it must have one thread, and has one thread afterwards.
// `threads_end` waits until all other threads have ended, and returns false if one never will. Later calls return what
// the first one has found.
easel_fonts_readiness easel_fonts_prepare_for_lock_in(bool (*threads_end)(void));

// False in a process that would draw boxes instead of letters.
bool easel_fonts_draw_text(void);

// Makes this thread open its fonts again when it draws text. Returns false if no file can be opened.
bool easel_fonts_renew(void);

// ---- Messages

// Keeps pango from printing on this thread, or lets it print again. Messages of other threads are printed as before,
// because the program itself may draw text.
void easel_fonts_keep_quiet(bool is_quiet);

#ifdef __cplusplus
}
#endif

#endif
