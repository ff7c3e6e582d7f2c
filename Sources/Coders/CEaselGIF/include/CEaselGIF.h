#ifndef CEASEL_GIF_H
#define CEASEL_GIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pixels of GIF pictures. Reading uses Easel's own decoder, which can wait for bytes, be stopped and report its
// progress; writing uses giflib. The Swift code reads the blocks around the pixels. Nothing here prints.

typedef enum {
  EASEL_GIF_OK = 0,
  EASEL_GIF_NO_MEMORY = 1,
  EASEL_GIF_BAD_DATA = 2,
  EASEL_GIF_STOPPED = 3,
} easel_gif_status;

// ---- Blocks

// Skips sub-blocks. `pending` is the number of bytes left in the current sub-block, 0 at first. Returns the number of
// bytes that were used. `is_over` becomes true if the chain of sub-blocks ended with the last of these bytes.
// `short_blocks` grows by the number of sub-blocks that are shorter than the maximum.
size_t easel_gif_skip(const void *bytes, size_t count, size_t *pending, size_t *short_blocks, bool *is_over);

// ---- Reading the pixels of a frame

typedef struct {
  uint32_t width, height;
  // The size of the part of the frame that is on the canvas. The part begins at the frame's first row and column.
  uint32_t visible_width, visible_height;
  bool is_interlaced;
  // The index of transparent pixels, or -1.
  int16_t transparent;
  // Red, green, blue and alpha of each index.
  uint8_t colors[1024];
} easel_gif_layout;

typedef enum {
  EASEL_GIF_READING = 0,
  // All pixels were read; later bytes do not matter.
  EASEL_GIF_COMPLETE = 1,
  // The data ended before the last pixel.
  EASEL_GIF_ENDED = 2,
  // A code, or the initial code size, is invalid.
  EASEL_GIF_BROKEN = 3,
} easel_gif_state;

typedef struct easel_gif_reader easel_gif_reader;

easel_gif_status easel_gif_reader_create(easel_gif_reader **reader);
void easel_gif_reader_destroy(easel_gif_reader *reader);
// Prepares the reader for another frame.
void easel_gif_reader_begin(easel_gif_reader *reader, const easel_gif_layout *layout);
// Takes the next bytes of the frame, beginning with the initial code size, and draws the rows that are complete then.
// `target` is the place of the frame's first pixel on the canvas; it is used only during the call.
easel_gif_state easel_gif_reader_feed(easel_gif_reader *reader, const void *bytes, size_t count, void *target,
                                      ptrdiff_t stride);
// Draws the pixels of an incomplete row when no more bytes will come.
void easel_gif_reader_finish(easel_gif_reader *reader, void *target, ptrdiff_t stride);
// The number of rows drawn, in file order.
uint32_t easel_gif_reader_rows(const easel_gif_reader *reader);

// ---- Colours

// Collects the colours of pixels that differ from `before`, in the order of their first pixels. If `before` is null,
// all pixels count. Returns the number of colours, or `capacity` + 1 if there are more than `capacity` (256 or less).
// Every pixel must be opaque or have alpha 0; a pixel with alpha 0 has no colour.
size_t easel_gif_collect_colors(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                                size_t width, size_t height, size_t capacity, uint8_t *colors);
// Makes each pixel opaque or all zeros. Pixels that are at least half opaque are blended over the background. Returns
// true when a pixel is transparent.
bool easel_gif_make_binary(void *pixels, ptrdiff_t stride, size_t width, size_t height, const uint8_t background[3]);
// Finds the smallest part that holds all pixels that differ; returns false when none differs.
bool easel_gif_changed_part(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                            size_t width, size_t height, size_t part[4]);
// Finds the smallest part with all pixels that are transparent now but were opaque before; returns false if there are
// none.
bool easel_gif_vanished_part(const void *pixels, ptrdiff_t stride, const void *before, ptrdiff_t before_stride,
                             size_t width, size_t height, size_t part[4]);

typedef struct {
  size_t width, height;
  // 1 to 256 colours of three bytes.
  const uint8_t *colors;
  size_t count;
  // The index for transparent and unchanged pixels; -1 if there is none.
  int16_t transparent;
} easel_gif_mapping;

// Gives each pixel the index of its colour; the table holds all of them.
void easel_gif_map(const easel_gif_mapping *mapping, const void *pixels, ptrdiff_t stride, const void *before,
                   ptrdiff_t before_stride, uint8_t *indices);

// ---- Writing, over giflib

typedef struct easel_gif_writer easel_gif_writer;

// The colours are the table for frames that have no colours of their own.
easel_gif_status easel_gif_writer_create(size_t width, size_t height, const uint8_t *colors, size_t color_count,
                                         easel_gif_writer **writer);
void easel_gif_writer_destroy(easel_gif_writer *writer);
// `repeats` is the number of times that the frames are repeated; 0 means forever.
easel_gif_status easel_gif_writer_add_loop(easel_gif_writer *writer, uint16_t repeats);
// Adds an application block whose name has eleven letters. XMP is stored directly and with its trailer, other content
// in sub-blocks.
easel_gif_status easel_gif_writer_add_application(easel_gif_writer *writer, const char name[11], const uint8_t *content,
                                                  size_t count, bool is_xmp);

typedef struct {
  size_t x, y, width, height;
  // In hundredths of a second.
  uint16_t delay;
  // As stored: 1 keeps the frame, 2 clears it.
  uint8_t disposal;
  int16_t transparent;
  // The colours of this frame only, or null.
  const uint8_t *colors;
  size_t color_count;
} easel_gif_frame;

easel_gif_status easel_gif_writer_begin_frame(easel_gif_writer *writer, const easel_gif_frame *frame);
// Adds rows of the current frame, one index per pixel.
easel_gif_status easel_gif_writer_add_rows(easel_gif_writer *writer, const uint8_t *indices, size_t width,
                                           size_t count);

// A frame that may be drawn with other colours than its own, if that saves bytes.
typedef struct {
  // The pixels as they should look, in rows of this width.
  const void *pixels;
  ptrdiff_t stride;
  size_t width;
  // One index and one limit a pixel: the most that the square of the error of another colour may be, 0 for none.
  const uint8_t *indices;
  const uint32_t *limits;
  // The colours of the table that the frame uses, three bytes each, and the index that stays as it is, or -1.
  const uint8_t *colors;
  size_t color_count;
  int16_t transparent;
} easel_gif_lossy;

// Adds all pixels of the current frame. `may_go_on` is asked every few milliseconds, and may be null.
easel_gif_status easel_gif_writer_add_lossy(easel_gif_writer *writer, const easel_gif_lossy *picture, size_t count,
                                            bool (*may_go_on)(void *), void *context);
// Ends the file after the last row of the last frame. The bytes are a complete GIF, and stay valid as long as the
// writer.
easel_gif_status easel_gif_writer_finish(easel_gif_writer *writer, const uint8_t **bytes, size_t *count);

// The version of giflib with which this code was compiled; the library does not tell its own version.
const char *easel_gif_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
