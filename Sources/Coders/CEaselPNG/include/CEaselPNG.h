#ifndef CEASEL_PNG_H
#define CEASEL_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Rows of PNG pictures: read over ISA-L, zlib and libdeflate, written over libpng. The chunks around them are read and written elsewhere.
// Nothing here prints, and no error leaves a function by a jump.

typedef enum {
  EASEL_PNG_OK = 0,
  EASEL_PNG_NO_MEMORY = 1,
  EASEL_PNG_BAD_DATA = 2,
} easel_png_status;

uint32_t easel_png_crc(uint32_t crc, const void *bytes, size_t count);

// What IHDR, PLTE and tRNS say.
typedef struct {
  uint32_t width, height;
  uint8_t bit_depth, color_type;
  bool is_interlaced;
  // Pixels are 4 samples of 16 bits in host order instead of 8. Only for a depth of 16.
  bool is_wide;
  uint8_t palette[768];
  size_t palette_count;
  uint8_t transparency[256];
  size_t transparency_bytes;
} easel_png_layout;

size_t easel_png_bytes_per_pixel(const easel_png_layout *layout);
// The bytes of one row as it is compressed, its filter included.
size_t easel_png_filtered_row_bytes(const easel_png_layout *layout);

// ---- Rows while the compressed data arrives

typedef struct easel_png_rows easel_png_rows;

// Called with each row of a picture that is not interlaced, in order. The row is valid during the call.
typedef void (*easel_png_row_handler)(void *context, const void *row, uint32_t number);

// ISA-L inflates, which is fast, but what it says of damaged data is not to be relied on: the rows of a picture that
// turns out to be damaged are worth nothing until they have been read strictly.
easel_png_status easel_png_rows_create(const easel_png_layout *layout, easel_png_rows **rows);
void easel_png_rows_destroy(easel_png_rows *rows);
// Forgets all rows. From here on zlib inflates, and all compressed data has to come again.
easel_png_status easel_png_rows_restart_strictly(easel_png_rows *rows);
bool easel_png_rows_are_strict(const easel_png_rows *rows);
// Takes the next piece of compressed data. Rows go to the target, which must be there for interlaced pictures, or to
// the handler. Neither is kept.
easel_png_status easel_png_rows_feed(easel_png_rows *rows, const void *bytes, size_t count, void *target,
                                     ptrdiff_t target_stride, easel_png_row_handler handler, void *context);
// How often something was added: grows with every row of every pass.
uint64_t easel_png_rows_progress(const easel_png_rows *rows);
bool easel_png_rows_are_complete(const easel_png_rows *rows);
// What was wrong, valid as long as the rows.
const char *easel_png_rows_message(const easel_png_rows *rows);

// ---- Rows of a whole picture at once

// Only for data that inflates to exactly this many bytes with the right check sum.
easel_png_status easel_png_inflate(const void *compressed, size_t compressed_bytes, void *filtered,
                                   size_t filtered_bytes);
// Undoes the filters, in place, of the rows first ..< first + count of a picture that is not interlaced, and writes
// their pixels. The rows before must have been done.
easel_png_status easel_png_expand_rows(const easel_png_layout *layout, void *filtered, uint32_t first, uint32_t count,
                                       void *target, ptrdiff_t target_stride);
// Inflates something small, such as a profile, that takes at most `capacity` bytes.
easel_png_status easel_png_inflate_small(const void *compressed, size_t compressed_bytes, void *target,
                                         size_t capacity, size_t *count);

// ---- Pixels

// ---- Writing

// The colours of an RGBA picture, transparent ones first, or 0 when there are more than 256. Indices are one byte each,
// row after row.
size_t easel_png_make_palette(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t palette[1024],
                              uint8_t *indices);

// The grey of RGBA pixels, with their alpha or without; false when one of them is not grey.
bool easel_png_take_gray(bool is_wide, bool has_alpha, const void *pixels, ptrdiff_t stride, size_t width,
                         size_t height, void *target);

typedef struct easel_png_writer easel_png_writer;

// Rows are of samples as the colour type has them: grey, grey with alpha, RGBA whose alpha is dropped for colour type
// 2, RGBA, or one byte per index. 16-bit samples are in host order.
easel_png_status easel_png_writer_create(const easel_png_layout *layout, int level, easel_png_writer **writer);
void easel_png_writer_destroy(easel_png_writer *writer);
easel_png_status easel_png_writer_add_rows(easel_png_writer *writer, const void *rows, ptrdiff_t stride,
                                           size_t count);
// After the last row. The bytes are a whole PNG, valid as long as the writer.
easel_png_status easel_png_writer_finish(easel_png_writer *writer, const uint8_t **bytes, size_t *count);
// The bytes so far, to stop early.
size_t easel_png_writer_count(const easel_png_writer *writer);
easel_png_status easel_png_deflate(const void *bytes, size_t count, int level, void *target, size_t capacity,
                                   size_t *written);
size_t easel_png_deflate_bound(size_t count);

#ifdef __cplusplus
}
#endif

#endif
