#ifndef CEASEL_GIF_H
#define CEASEL_GIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pixels of GIF pictures: read by a decoder of our own, which can wait for bytes, be stopped and say how far it came;
// written over giflib. The blocks around them are read elsewhere. Nothing here prints.

typedef enum {
  EASEL_GIF_OK = 0,
  EASEL_GIF_NO_MEMORY = 1,
  EASEL_GIF_BAD_DATA = 2,
} easel_gif_status;

// ---- Blocks

// Steps over sub-blocks. `pending` is what is left of the one that is stepped over, 0 at first. Returns the bytes that
// were used; `is_over` tells whether the last of them was the end of the chain, and those that are shorter than the longest
// there can be are added to `short_blocks`.
size_t easel_gif_skip(const void *bytes, size_t count, size_t *pending, size_t *short_blocks, bool *is_over);

// ---- Reading the pixels of a frame

typedef struct {
  uint32_t width, height;
  // What is on the canvas, from the frame's first row and column on.
  uint32_t visible_width, visible_height;
  bool is_interlaced;
  // The index of transparent pixels, or -1.
  int16_t transparent;
  // Red, green, blue and alpha of each index.
  uint8_t colors[1024];
} easel_gif_layout;

typedef enum {
  EASEL_GIF_READING = 0,
  // Every pixel was read; what follows does not matter.
  EASEL_GIF_COMPLETE = 1,
  // The data ended before the last pixel.
  EASEL_GIF_ENDED = 2,
  // A code means nothing, or their first size does not exist.
  EASEL_GIF_BROKEN = 3,
} easel_gif_state;

typedef struct easel_gif_reader easel_gif_reader;

easel_gif_status easel_gif_reader_create(easel_gif_reader **reader);
void easel_gif_reader_destroy(easel_gif_reader *reader);
// Ready for another frame.
void easel_gif_reader_begin(easel_gif_reader *reader, const easel_gif_layout *layout);
// Takes the next bytes of the frame, from that with the first code size on, and draws the rows that they complete.
// `target` is where the frame's first pixel is on the canvas; it is not kept.
easel_gif_state easel_gif_reader_feed(easel_gif_reader *reader, const void *bytes, size_t count, void *target,
                                      ptrdiff_t stride);
// Draws what there is of a row that will not be completed.
void easel_gif_reader_finish(easel_gif_reader *reader, void *target, ptrdiff_t stride);
// The rows that were drawn, in the order of the file.
uint32_t easel_gif_reader_rows(const easel_gif_reader *reader);

// ---- Colours

// The colours of the pixels of a part that differ from a picture before, or of all where there is none: at most
// `capacity` of 256 or less, in the order of their first pixel; the number is one more when there are more. Pixels are
// opaque, or of alpha 0, which is no colour.
size_t easel_gif_collect_colors(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                                size_t width, size_t height, size_t capacity, uint8_t *colors);
// Makes each pixel opaque or four zeros; what is half seen and more is laid over a background. Returns whether some
// pixel is transparent.
bool easel_gif_make_binary(void *pixels, ptrdiff_t stride, size_t width, size_t height, const uint8_t background[3]);
// The smallest part that holds all pixels that differ; false when none does.
bool easel_gif_changed_part(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                            size_t width, size_t height, size_t part[4]);
// The smallest part that holds all pixels that are transparent here and opaque before; false when none is.
bool easel_gif_vanished_part(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                             size_t width, size_t height, size_t part[4]);

typedef struct easel_gif_quantizer easel_gif_quantizer;

easel_gif_status easel_gif_quantizer_create(easel_gif_quantizer **quantizer);
void easel_gif_quantizer_destroy(easel_gif_quantizer *quantizer);
// Counts the colours of pixels that differ from a picture before, or of all where there is none.
void easel_gif_quantizer_add(easel_gif_quantizer *quantizer, const void *pixels, ptrdiff_t stride, const void *before,
                             ptrdiff_t before_stride, size_t width, size_t height);
// Chooses colours for what was counted; returns how many, at most `capacity` and 256.
size_t easel_gif_quantizer_choose(easel_gif_quantizer *quantizer, size_t capacity, uint8_t *colors);

typedef struct {
  size_t width, height;
  // 1 to 256 colours of three bytes.
  const uint8_t *colors;
  size_t count;
  // What transparent pixels, and those that are as before, become; -1 where there are none.
  int16_t transparent;
  // Whether the error of a pixel is carried on to its neighbours.
  bool diffuses;
} easel_gif_mapping;

// Gives each pixel the index of the nearest colour.
easel_gif_status easel_gif_map(const easel_gif_mapping *mapping, const void *pixels, ptrdiff_t stride,
                               const void *before, ptrdiff_t before_stride, uint8_t *indices);

// ---- Writing, over giflib

typedef struct easel_gif_writer easel_gif_writer;

// The colours are a table for all frames that have none of their own.
easel_gif_status easel_gif_writer_create(size_t width, size_t height, const uint8_t *colors, size_t color_count,
                                         easel_gif_writer **writer);
void easel_gif_writer_destroy(easel_gif_writer *writer);
// How often the frames are repeated, 0 for ever.
easel_gif_status easel_gif_writer_add_loop(easel_gif_writer *writer, uint16_t repeats);
// An application block of eleven letters. Its content is cut in pieces, or stored as it is with the trailer of XMP.
easel_gif_status easel_gif_writer_add_application(easel_gif_writer *writer, const char name[11], const uint8_t *content,
                                                  size_t count, bool is_xmp);

typedef struct {
  size_t x, y, width, height;
  // Hundredths of a second.
  uint16_t delay;
  // As stored: 1 keeps the frame, 2 clears it.
  uint8_t disposal;
  int16_t transparent;
  // A table of its own, or none.
  const uint8_t *colors;
  size_t color_count;
} easel_gif_frame;

easel_gif_status easel_gif_writer_begin_frame(easel_gif_writer *writer, const easel_gif_frame *frame);
// Rows of the frame that was begun, one index a pixel.
easel_gif_status easel_gif_writer_add_rows(easel_gif_writer *writer, const uint8_t *indices, size_t width,
                                           size_t count);
// After the last row of the last frame. The bytes are a whole GIF, valid as long as the writer.
easel_gif_status easel_gif_writer_finish(easel_gif_writer *writer, const uint8_t **bytes, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
