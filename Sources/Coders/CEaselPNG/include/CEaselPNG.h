#ifndef CEASEL_PNG_H
#define CEASEL_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Rows of PNG pictures, read with ISA-L, zlib and libdeflate, and written. The Swift code reads and writes the chunks
// around them. Nothing here prints.

typedef enum {
  EASEL_PNG_OK = 0,
  EASEL_PNG_NO_MEMORY = 1,
  EASEL_PNG_BAD_DATA = 2,
  EASEL_PNG_STOPPED = 3,
} easel_png_status;

uint32_t easel_png_crc(uint32_t crc, const void *bytes, size_t count);

// The content of IHDR, PLTE and tRNS.
typedef struct {
  uint32_t width, height;
  uint8_t bit_depth, color_type;
  bool is_interlaced;
  // True for pixels of four 16-bit samples in host order instead of 8-bit samples; only for a depth of 16.
  bool is_wide;
  uint8_t palette[768];
  size_t palette_count;
  uint8_t transparency[256];
  size_t transparency_bytes;
} easel_png_layout;

size_t easel_png_bytes_per_pixel(const easel_png_layout *layout);
// The number of bytes of one row before compression, including its filter byte.
size_t easel_png_filtered_row_bytes(const easel_png_layout *layout);

// ---- Rows as the compressed data arrives

typedef struct easel_png_rows easel_png_rows;

// Called in order for each row of a picture that is not interlaced. The row is valid during the call.
typedef void (*easel_png_row_handler)(void *context, const void *row, uint32_t number);

// Reads rows that ISA-L inflates; it is fast, but does not report all damage. If a picture turns out to be damaged,
// call `easel_png_rows_restart_strictly`, and use only the rows that come after that.
easel_png_status easel_png_rows_create(const easel_png_layout *layout, easel_png_rows **rows);
void easel_png_rows_destroy(easel_png_rows *rows);
// Drops all rows and changes to zlib; all compressed data must be passed again.
easel_png_status easel_png_rows_restart_strictly(easel_png_rows *rows);
bool easel_png_rows_are_strict(const easel_png_rows *rows);
// Takes the next piece of compressed data. Rows go to the target, which interlaced pictures need, or to the handler.
// Both are used only during the call.
easel_png_status easel_png_rows_feed(easel_png_rows *rows, const void *bytes, size_t count, void *target,
                                     ptrdiff_t target_stride, easel_png_row_handler handler, void *context);
// A number that grows with every row of every pass.
uint64_t easel_png_rows_progress(const easel_png_rows *rows);
bool easel_png_rows_are_complete(const easel_png_rows *rows);
// A description of the damage, which is valid as long as the rows.
const char *easel_png_rows_message(const easel_png_rows *rows);

// ---- Rows of a whole picture at once

// Inflates all rows; succeeds only if there are exactly this many bytes with the right checksum.
easel_png_status easel_png_inflate(const void *compressed, size_t compressed_bytes, void *filtered,
                                   size_t filtered_bytes);
// Undoes the filters of the rows first ..< first + count in place, and writes their pixels; the picture must not be
// interlaced. The rows before these must already be done.
easel_png_status easel_png_expand_rows(const easel_png_layout *layout, void *filtered, uint32_t first, uint32_t count,
                                       void *target, ptrdiff_t target_stride);
// Inflates small data, such as a profile, of at most `capacity` bytes.
easel_png_status easel_png_inflate_small(const void *compressed, size_t compressed_bytes, void *target,
                                         size_t capacity, size_t *count);

// ---- Writing

// Collects the colours of an RGBA picture, those with alpha first; returns 0 if there are more than 256. Each index is
// one byte, row after row.
size_t easel_png_make_palette(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t palette[1024],
                              uint8_t *indices);

// Puts the colours with alpha first, and of each kind those with the most pixels; drops colours without pixels. Returns the
// number of colours.
size_t easel_png_arrange_palette(uint8_t palette[1024], size_t count, uint8_t *indices, size_t index_count);

// Takes the grey of RGBA pixels, with or without alpha; returns false when a pixel is not grey.
bool easel_png_take_gray(bool is_wide, bool has_alpha, const void *pixels, ptrdiff_t stride, size_t width,
                         size_t height, void *target);

// A part of the compressed data, which the caller must free.
typedef struct {
  uint8_t *bytes;
  size_t count;
} easel_png_piece;

typedef struct {
  size_t count;
  // Together, the pieces are the content of IDAT.
  easel_png_piece *pieces;
} easel_png_stream;

// Filters and compresses a picture with up to this many threads. The samples of the rows must fit the colour type:
// grey, grey with alpha, RGBA (colour type 2 drops the alpha), or one byte per index. 16-bit samples are in host order.
// The level is from 0 to 9, or 10 and 11 for the smallest file in one piece, on one thread. `may_go_on` is called every few milliseconds by any of the threads. If it returns false,
// the status says that the work was stopped.
easel_png_status easel_png_compress(const easel_png_layout *layout, const void *rows, ptrdiff_t stride, int level,
                                    int threads, bool (*may_go_on)(void *), void *context, easel_png_stream *stream);
void easel_png_stream_destroy(easel_png_stream *stream);
easel_png_status easel_png_deflate(const void *bytes, size_t count, int level, void *target, size_t capacity,
                                   size_t *written);
size_t easel_png_deflate_bound(size_t count);

// The version with which this code was compiled.
const char *easel_png_libdeflate_version(void);
// The version that the process runs with.
const char *easel_png_zlib_version(void);

#ifdef __cplusplus
}
#endif

#endif
