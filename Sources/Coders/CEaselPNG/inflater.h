#ifndef CEASEL_PNG_INFLATER_H
#define CEASEL_PNG_INFLATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

// Inflates a zlib stream a piece at a time.
//
// FAST is ISA-L, for streams with nothing wrong about them: it takes some that zlib does not, and before it notices an
// error it may have handed out bytes that are not in the stream. STRICT is zlib.
typedef enum { EASEL_PNG_FAST, EASEL_PNG_STRICT } easel_png_inflater_kind;

typedef struct {
  easel_png_inflater_kind kind;
  // Of STRICT.
  z_stream stream;
  bool has_stream;
  // Of FAST, with the two bytes before the compressed data, which are looked at here.
  struct inflate_state *state;
  uint8_t head[2];
  size_t head_count;
} easel_png_inflater;

typedef enum {
  // The room is full, or not yet.
  EASEL_PNG_GOES_ON,
  // All of the bytes are used up.
  EASEL_PNG_WANTS_MORE,
  // The end, and the check sum is right.
  EASEL_PNG_STREAM_ENDS,
  EASEL_PNG_STREAM_IS_BAD,
  EASEL_PNG_HAS_NO_MEMORY,
} easel_png_step;

// False when there is no memory. Whoever opens it closes it, then too.
bool easel_png_inflater_open(easel_png_inflater *inflater, easel_png_inflater_kind kind);
void easel_png_inflater_close(easel_png_inflater *inflater);
// Moves the start of the bytes over those that it has taken, and says how many it has written. Keeps no pointer.
easel_png_step easel_png_inflater_step(easel_png_inflater *inflater, const uint8_t **bytes, size_t *bytes_left,
                                       uint8_t *target, size_t room, size_t *count);
// What was wrong, valid until it is closed.
const char *easel_png_inflater_message(const easel_png_inflater *inflater);

#endif
