#ifndef CEASEL_JPEG_H
#define CEASEL_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// JPEG through libjpeg-turbo. Nothing jumps out of these functions and nothing is printed. Pointers to bytes and pixels
// are used during the call only.

typedef enum {
  EASEL_JPEG_OK = 0,
  // It goes on when there are more bytes; those that were not consumed must be given again.
  EASEL_JPEG_NEEDS_BYTES = 1,
  // There is nothing more to come.
  EASEL_JPEG_ENDED = 2,
  EASEL_JPEG_BAD_DATA = 3,
  // The library cannot do this variant.
  EASEL_JPEG_UNSUPPORTED = 4,
  EASEL_JPEG_TOO_MANY_SCANS = 5,
  EASEL_JPEG_NO_MEMORY = 6,
} easel_jpeg_status;

// ---- Reading

typedef struct {
  const uint8_t *bytes;
  size_t count;
  // Whether these are the last bytes of the file.
  bool is_end;
  // Set by the call: how many of them are done with. More than there are when some that follow are of no interest.
  size_t consumed;
} easel_jpeg_input;

typedef enum { EASEL_JPEG_GRAY = 0, EASEL_JPEG_COLOR = 1, EASEL_JPEG_INKS = 2 } easel_jpeg_kind;

typedef struct {
  uint32_t width, height;
  easel_jpeg_kind kind;
  // Whether the pixels are spread over several scans, so that all of them are needed for the first row.
  bool has_several_scans;
} easel_jpeg_info;

typedef struct easel_jpeg_reader easel_jpeg_reader;

easel_jpeg_reader *easel_jpeg_reader_create(void);
void easel_jpeg_reader_destroy(easel_jpeg_reader *reader);

// To be called until it says OK.
easel_jpeg_status easel_jpeg_reader_header(easel_jpeg_reader *reader, easel_jpeg_input *input, easel_jpeg_info *info);
// Decodes at this many eighths of the size from here on.
easel_jpeg_status easel_jpeg_reader_begin(easel_jpeg_reader *reader, int eighths, uint32_t *width, uint32_t *height);
// Rows of RGBA, or of four inks that are inverted as Adobe writes them. Ends after the last row, or before the first one
// whose data is missing.
easel_jpeg_status easel_jpeg_reader_rows(easel_jpeg_reader *reader, easel_jpeg_input *input, void *target,
                                         ptrdiff_t stride, uint32_t most, uint32_t *count);

// Of one scan, after its last row: looks for the end of the picture, to be called until it says ended.
easel_jpeg_status easel_jpeg_reader_finish(easel_jpeg_reader *reader, easel_jpeg_input *input);

// Of several scans: takes in bytes, as many as make about so many rows of blocks; ended at the end of the last scan.
easel_jpeg_status easel_jpeg_reader_absorb(easel_jpeg_reader *reader, easel_jpeg_input *input, int most_block_rows,
                                           int most_scans);
// Of several scans: starts over with the rows, which show what was taken in so far; not while in the first scan when they
// were started before.
easel_jpeg_status easel_jpeg_reader_restart_rows(easel_jpeg_reader *reader);
// Of several scans: whether nothing but the first one was taken in; its rows can be read as far as they go.
bool easel_jpeg_reader_is_in_first_scan(const easel_jpeg_reader *reader);
// Grows with everything that is taken in.
uint64_t easel_jpeg_reader_progress(const easel_jpeg_reader *reader);

// What is wrong with the pixels, null when nothing is.
const char *easel_jpeg_reader_damage(const easel_jpeg_reader *reader);
// Whether something is wrong that the library may overlook when it is given more bytes at a time.
bool easel_jpeg_reader_has_bad_code(const easel_jpeg_reader *reader);
// The last error.
const char *easel_jpeg_reader_message(const easel_jpeg_reader *reader);

// Inverted inks to opaque RGBA, without a profile.
void easel_jpeg_inks_to_rgba(const void *inks, void *target, size_t pixels);

// ---- Writing

typedef struct {
  uint32_t width, height;
  bool is_gray;
  int quality;
  // How many pixels of a row and of a column share a colour.
  int columns_per_color, rows_per_color;
  bool is_progressive;
  // Tables made for the picture: smaller, and slower.
  bool is_optimized;
  // Pixels to the inch, 0 when unknown.
  uint16_t horizontal_density, vertical_density;
} easel_jpeg_layout;

typedef struct easel_jpeg_writer easel_jpeg_writer;

easel_jpeg_writer *easel_jpeg_writer_create(const easel_jpeg_layout *layout);
void easel_jpeg_writer_destroy(easel_jpeg_writer *writer);
easel_jpeg_status easel_jpeg_writer_begin(easel_jpeg_writer *writer);
// After begin and before the first row.
easel_jpeg_status easel_jpeg_writer_marker(easel_jpeg_writer *writer, int marker, const void *bytes, size_t count);
// Rows of RGBA, whose alpha is not looked at, or of grey.
easel_jpeg_status easel_jpeg_writer_rows(easel_jpeg_writer *writer, const void *pixels, ptrdiff_t stride,
                                         uint32_t count);
easel_jpeg_status easel_jpeg_writer_finish(easel_jpeg_writer *writer);
// The file, which is the writer's.
const void *easel_jpeg_writer_bytes(const easel_jpeg_writer *writer, size_t *count);
const char *easel_jpeg_writer_message(const easel_jpeg_writer *writer);

// The grey of RGBA pixels; false when one of them is not grey.
bool easel_jpeg_take_gray(const void *pixels, ptrdiff_t stride, size_t width, size_t height, void *target);

#ifdef __cplusplus
}
#endif

#endif
