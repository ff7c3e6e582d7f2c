#ifndef CEASEL_PNG_INFLATER_H
#define CEASEL_PNG_INFLATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if !__has_include(<zlib.h>)
#error "Install zlib1g-dev (Debian, Ubuntu) or zlib-devel (Fedora)"
#endif
#include <zlib.h>

// Inflates a zlib stream piece by piece.
//
// FAST is ISA-L, for intact streams: it accepts some streams that zlib rejects, and may write wrong bytes before it
// notices an error. STRICT is zlib.
typedef enum { EASEL_PNG_FAST, EASEL_PNG_STRICT } easel_png_inflater_kind;

typedef struct {
  easel_png_inflater_kind kind;
  // Used only by STRICT.
  z_stream stream;
  bool has_stream;
  // Used only by FAST, with the two bytes of the zlib head, which this code checks itself.
  struct inflate_state *state;
  uint8_t head[2];
  size_t head_count;
} easel_png_inflater;

typedef enum {
  // There may be more output.
  EASEL_PNG_GOES_ON,
  // All input bytes are used.
  EASEL_PNG_WANTS_MORE,
  // The stream has ended, and its checksum is right.
  EASEL_PNG_STREAM_ENDS,
  EASEL_PNG_STREAM_IS_BAD,
  EASEL_PNG_HAS_NO_MEMORY,
} easel_png_step;

// Returns false when there is no memory. The caller must close the inflater in either case.
bool easel_png_inflater_open(easel_png_inflater *inflater, easel_png_inflater_kind kind);
void easel_png_inflater_close(easel_png_inflater *inflater);
// Moves `bytes` past the used input, and sets `count` to the number of bytes that were written. Keeps no pointer.
easel_png_step easel_png_inflater_step(easel_png_inflater *inflater, const uint8_t **bytes, size_t *bytes_left,
                                       uint8_t *target, size_t room, size_t *count);
// A description of the damage, valid until the inflater is closed.
const char *easel_png_inflater_message(const easel_png_inflater *inflater);

#endif
