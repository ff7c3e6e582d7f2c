#ifndef CEASEL_JPEG_H
#define CEASEL_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// JPEG through libjpeg-turbo. Nothing here prints, and no `longjmp` leaves this code. Pointers to bytes and pixels are
// used only during the call.

typedef enum {
  EASEL_JPEG_OK = 0,
  // The call must be repeated with more bytes, beginning with those that were not consumed.
  EASEL_JPEG_NEEDS_BYTES = 1,
  // Nothing more will come.
  EASEL_JPEG_ENDED = 2,
  EASEL_JPEG_BAD_DATA = 3,
  // The library does not support this variant.
  EASEL_JPEG_UNSUPPORTED = 4,
  EASEL_JPEG_TOO_MANY_SCANS = 5,
  EASEL_JPEG_NO_MEMORY = 6,
  // All scans must be taken in again, from the bytes of the first one on.
  EASEL_JPEG_SCANS_AGAIN = 7,
} easel_jpeg_status;

// ---- Reading

typedef struct {
  const uint8_t *bytes;
  size_t count;
  // True when these are the last bytes of the file.
  bool is_end;
  // Set by the call: the number of bytes used. It exceeds `count` when bytes after these are to be skipped, and is below
  // zero when bytes before these are needed again.
  ptrdiff_t consumed;
} easel_jpeg_input;

typedef enum { EASEL_JPEG_GRAY = 0, EASEL_JPEG_COLOR = 1, EASEL_JPEG_INKS = 2 } easel_jpeg_kind;

typedef struct {
  uint32_t width, height;
  easel_jpeg_kind kind;
  // True when the pixels are spread over several scans, all of which are needed for the final rows.
  bool has_several_scans;
} easel_jpeg_info;

typedef struct easel_jpeg_reader easel_jpeg_reader;

easel_jpeg_reader *easel_jpeg_reader_create(void);
void easel_jpeg_reader_destroy(easel_jpeg_reader *reader);

// To be called until it returns OK.
easel_jpeg_status easel_jpeg_reader_header(easel_jpeg_reader *reader, easel_jpeg_input *input, easel_jpeg_info *info);
// Begins decoding at this many eighths of the full size.
easel_jpeg_status easel_jpeg_reader_begin(easel_jpeg_reader *reader, int eighths, uint32_t *width, uint32_t *height);
// To be called then: has a second thread read codes while this one makes pixels, if Easel's own decoder reads the picture
// and the system allows a thread. Of several scans only if the file is in memory.
void easel_jpeg_reader_read_ahead(easel_jpeg_reader *reader);
// Reads rows of RGBA, or of CMYK inverted as Adobe writes it. Ends after the last row, or before the first row whose
// data is missing.
easel_jpeg_status easel_jpeg_reader_rows(easel_jpeg_reader *reader, easel_jpeg_input *input, void *target,
                                         ptrdiff_t stride, uint32_t most, uint32_t *count);

// Looks for the end of a single-scan picture after its last row; to be called until it returns ENDED.
easel_jpeg_status easel_jpeg_reader_finish(easel_jpeg_reader *reader, easel_jpeg_input *input);

// For several scans: takes in the bytes of about this many rows of blocks; returns ENDED at the end of the last scan.
easel_jpeg_status easel_jpeg_reader_absorb(easel_jpeg_reader *reader, easel_jpeg_input *input, int most_block_rows,
                                           int most_scans);
// For several scans: restarts the rows, which then show everything taken in so far. During the first scan this works
// only once.
easel_jpeg_status easel_jpeg_reader_restart_rows(easel_jpeg_reader *reader);
// The bytes of a file so far: in memory, or to be read with the context.
typedef struct {
  const uint8_t *bytes;
  size_t count;
  void *context;
  bool (*read)(void *context, size_t at, uint8_t *to, size_t count);
} easel_jpeg_file;

// For several scans, before any is taken in: has their codes read while the bytes arrive. Otherwise all are read when rows
// are, which takes less memory.
easel_jpeg_status easel_jpeg_reader_keep_scans(easel_jpeg_reader *reader);
// Then, whenever bytes have been taken in: reads the codes of about this many rows of blocks. OK if there may be more.
easel_jpeg_status easel_jpeg_reader_read_scans(easel_jpeg_reader *reader, const easel_jpeg_file *file,
                                               int most_block_rows);
// For several scans: reads the next rows.
easel_jpeg_status easel_jpeg_reader_scan_rows(easel_jpeg_reader *reader, const easel_jpeg_file *file, void *target,
                                              ptrdiff_t stride, uint32_t most, uint32_t *count);
// For several scans: true while only the first has been taken in; its rows can be read as far as they go.
bool easel_jpeg_reader_is_in_first_scan(const easel_jpeg_reader *reader);
// Grows with everything taken in.
uint64_t easel_jpeg_reader_progress(const easel_jpeg_reader *reader);

// A description of damage in the pixels, null if there is none.
const char *easel_jpeg_reader_damage(const easel_jpeg_reader *reader);
// True if the file ended before its end marker. More scans may have followed.
bool easel_jpeg_reader_has_ended_early(const easel_jpeg_reader *reader);
// True if the headers of scans contradict each other about which bits come when.
bool easel_jpeg_reader_has_odd_scans(const easel_jpeg_reader *reader);
// True if the scans so far hold every bit of every coefficient, so that a picture needs no other.
bool easel_jpeg_reader_needs_no_scan(const easel_jpeg_reader *reader);
// True if the damage is of a kind that the library may overlook when given more bytes at a time.
bool easel_jpeg_reader_has_bad_code(const easel_jpeg_reader *reader);
// The message of the last error.
const char *easel_jpeg_reader_message(const easel_jpeg_reader *reader);

// ---- Writing

typedef struct {
  uint32_t width, height;
  bool is_gray;
  int quality;
  // The number of pixels in a row and in a column that share a colour sample.
  int columns_per_color, rows_per_color;
  bool is_progressive;
  // Optimizes the code tables for this picture: a smaller file, but slower.
  bool is_optimized;
  // Spends bits where they are seen: a smaller file that looks the same. All coefficients are in memory until the end,
  // two bytes each.
  bool is_thrifty;
  // With these two: the scans that make the smallest file, rather than those that show something soonest.
  bool is_smallest;
  // Lets readers begin anew after damage: markers behind each row of blocks.
  bool has_restarts;
  // Pixels per inch, 0 if unknown.
  uint16_t horizontal_density, vertical_density;
} easel_jpeg_layout;

typedef struct easel_jpeg_writer easel_jpeg_writer;

easel_jpeg_writer *easel_jpeg_writer_create(const easel_jpeg_layout *layout);
void easel_jpeg_writer_destroy(easel_jpeg_writer *writer);
easel_jpeg_status easel_jpeg_writer_begin(easel_jpeg_writer *writer);
// Called after begin and before the first row.
easel_jpeg_status easel_jpeg_writer_marker(easel_jpeg_writer *writer, int marker, const void *bytes, size_t count);
// Rows of RGBA, whose alpha is ignored, or of grey.
easel_jpeg_status easel_jpeg_writer_rows(easel_jpeg_writer *writer, const void *pixels, ptrdiff_t stride,
                                         uint32_t count);
easel_jpeg_status easel_jpeg_writer_finish(easel_jpeg_writer *writer);
// The bytes of the file, owned by the writer.
const void *easel_jpeg_writer_bytes(const easel_jpeg_writer *writer, size_t *count);
const char *easel_jpeg_writer_message(const easel_jpeg_writer *writer);

// Takes the grey values of RGBA pixels; returns false when a pixel is not grey.
bool easel_jpeg_take_gray(const void *pixels, ptrdiff_t stride, size_t width, size_t height, void *target);

// True for RGBA pixels whose colours change so much from pixel to pixel that a file that looks as good is smaller with
// all of them than with a quarter.
bool easel_jpeg_has_fine_colors(const void *pixels, ptrdiff_t stride, size_t width, size_t height);

// True if the processor has the instructions that Easel's own decoder needs; otherwise libjpeg-turbo reads all pictures.
bool easel_jpeg_has_own_decoder(void);

// The version of libjpeg-turbo that this was built with; the library does not tell its own.
const char *easel_jpeg_library_version(void);

// ---- Many pictures

// Has malloc keep 2 MiB that were freed, for programs that do nothing but convert pictures. libjpeg-turbo frees all of its
// memory after each picture; given back to the system, it costs the next one a page fault for each page.
void easel_jpeg_keep_freed_memory(void);

#ifdef __cplusplus
}
#endif

#endif
