#ifndef CEASEL_TIFF_H
#define CEASEL_TIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads and writes TIFF pictures with libtiff.

typedef enum {
  EASEL_TIFF_OK = 0,
  EASEL_TIFF_NO_MEMORY = 1,
  EASEL_TIFF_BAD_DATA = 2,
  EASEL_TIFF_UNSUPPORTED = 3,
  // Reading the pixels would take more memory than allowed.
  EASEL_TIFF_TOO_LARGE = 4,
} easel_tiff_status;

// ---- Reading

typedef struct easel_tiff_reader easel_tiff_reader;

// The bytes of a file: in memory, or read by a function that returns how many bytes it copied.
typedef struct {
  uint64_t count;
  const uint8_t *bytes;
  void *context;
  size_t (*read)(void *context, uint64_t offset, void *target, size_t count);
} easel_tiff_source;

typedef enum {
  EASEL_TIFF_GRAY = 0,
  EASEL_TIFF_RGB = 1,
  EASEL_TIFF_PALETTE = 2,
  EASEL_TIFF_INKS = 3,
  EASEL_TIFF_YCBCR = 4,
  EASEL_TIFF_LAB = 5,
} easel_tiff_kind;

typedef struct {
  uint32_t width, height;
  easel_tiff_kind kind;
  // The bits of a component as they are decoded.
  uint32_t bits;
  bool has_alpha;
  bool is_tiled;
  // The bytes of memory that reading needs besides those of the file.
  size_t working_bytes;
  // The columns that rows have: all of the picture, or those of the tiles that hold the wanted part.
  uint32_t first_column, columns;
} easel_tiff_layout;

// The bytes must stay where they are until the reader is destroyed. libtiff allocates at most `most_bytes` at once, and
// reading the pixels takes at most `most_working_bytes`. A reader is made even if the result is not OK, because it has
// the message.
easel_tiff_status easel_tiff_reader_create(const easel_tiff_source *source, size_t most_bytes,
                                           size_t most_working_bytes, easel_tiff_reader **reader);
void easel_tiff_reader_destroy(easel_tiff_reader *reader);
// The message of libtiff about the first failure; it may be empty.
const char *easel_tiff_reader_message(const easel_tiff_reader *reader);
// Lets the next directory be read from a row on, and of tiles only those that hold these columns; no columns are all.
void easel_tiff_reader_restrict(easel_tiff_reader *reader, uint32_t first_column, uint32_t columns, uint32_t first_row);
// Goes to the directory at an offset, and to the first row of its picture.
easel_tiff_status easel_tiff_reader_select(easel_tiff_reader *reader, uint64_t directory, easel_tiff_layout *layout);
// Reads the next rows as RGBA with straight alpha: 16-bit words if wide, else bytes. Inks are read as bytes of cyan,
// magenta, yellow and black, where 255 is full, and their alpha as separate bytes. Pixels that cannot be read become
// zero; `good` counts the rows of which at least a part could be read.
easel_tiff_status easel_tiff_reader_rows(easel_tiff_reader *reader, uint32_t most, bool is_wide, void *target,
                                         size_t stride, uint8_t *alpha, uint32_t *count, uint32_t *good);
// True when some pixels could not be read.
bool easel_tiff_reader_is_damaged(const easel_tiff_reader *reader);

// True when this libtiff can read a kind of compression.
bool easel_tiff_reads_compression(uint16_t compression);

// ---- Writing

typedef struct easel_tiff_writer easel_tiff_writer;

typedef enum {
  EASEL_TIFF_NONE = 0,
  EASEL_TIFF_LZW = 1,
  EASEL_TIFF_DEFLATE = 2,
} easel_tiff_compression;

typedef struct {
  uint32_t width, height;
  // The components of a pixel: 1 is grey, 2 grey and alpha, 3 colours, 4 colours and alpha.
  uint32_t components;
  // True for components of 16-bit words instead of bytes.
  bool is_wide;
  easel_tiff_compression compression;
  // From 0 to 9, for deflate.
  int level;
  // True to store the differences between neighbouring pixels.
  bool predicts;
  uint32_t rows_per_strip;
} easel_tiff_writing;

// Writes the strips of one picture into memory.
easel_tiff_status easel_tiff_writer_create(const easel_tiff_writing *writing, easel_tiff_writer **writer);
void easel_tiff_writer_destroy(easel_tiff_writer *writer);
// The message of libtiff about the first failure; it may be empty.
const char *easel_tiff_writer_message(const easel_tiff_writer *writer);
// Compresses the next strip: rows of RGBA pixels, or of grey ones if the picture is grey and `source_components` is 1.
easel_tiff_status easel_tiff_writer_strip(easel_tiff_writer *writer, const void *pixels, size_t stride,
                                          uint32_t source_components, uint32_t rows);
// Returns the strips one after another; they belong to the writer. The lengths of the strips are written to `counts`.
easel_tiff_status easel_tiff_writer_finish(easel_tiff_writer *writer, const uint8_t **bytes, size_t *count,
                                           uint32_t *counts, size_t strips);
// True when red, green and blue of all RGBA pixels are equal.
bool easel_tiff_is_gray(const void *pixels, size_t count, bool is_wide);

// The name of libtiff and the version that the process runs with, in the first line.
const char *easel_tiff_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
