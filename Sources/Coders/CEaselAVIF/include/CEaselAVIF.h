#ifndef CEASEL_AVIF_H
#define CEASEL_AVIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads and writes AVIF pictures with libavif, with dav1d as decoder and libaom as encoder.

typedef enum {
  EASEL_AVIF_OK = 0,
  EASEL_AVIF_NO_MEMORY = 1,
  EASEL_AVIF_BAD_DATA = 2,
  EASEL_AVIF_CUT_OFF = 3,
  EASEL_AVIF_UNSUPPORTED = 4,
  EASEL_AVIF_BAD_METADATA = 5,
  EASEL_AVIF_NO_CODEC = 6,
} easel_avif_status;

// ---- Reading

typedef struct easel_avif_reader easel_avif_reader;

typedef struct {
  // The most pixels of a frame, the most pixels of a side, and the most frames.
  uint32_t most_pixels, most_side, most_frames;
  int threads;
  bool ignores_metadata;
  // True to read the layers of a progressive picture as frames.
  bool shows_layers;
} easel_avif_reading;

// A fraction: one number over another.
typedef struct {
  uint32_t above, below;
} easel_avif_fraction;

typedef struct {
  // The size of the coded picture, before it is cropped and turned.
  uint32_t width, height;
  uint32_t depth;
  bool has_alpha, is_monochrome, is_full_range;
  uint16_t primaries, transfer, matrix;
  bool is_cropped;
  // The size of the part that is shown, and the distance of its centre from the centre of the picture.
  easel_avif_fraction crop_width, crop_height, crop_x, crop_y;
  // Quarter turns counter-clockwise, applied after the crop.
  uint8_t turns;
  // Mirrors, which are applied after the turns.
  bool swaps_left_and_right, swaps_top_and_bottom;
  uint32_t frame_count;
  bool is_sequence;
  const uint8_t *profile, *exif, *xmp;
  size_t profile_count, exif_count, xmp_count;
} easel_avif_header;

// Reads everything except the pixels. The bytes must stay where they are until the reader is destroyed. A reader is
// made even if the result is not OK, because it has the message.
easel_avif_status easel_avif_reader_create(const void *bytes, size_t count, const easel_avif_reading *reading,
                                           easel_avif_reader **reader);
void easel_avif_reader_destroy(easel_avif_reader *reader);
// The message of libavif about the last failure; it may be empty.
const char *easel_avif_reader_message(const easel_avif_reader *reader);
// The blocks belong to the reader. The colours may change with the first frame, which states them in its own bytes.
void easel_avif_reader_header(const easel_avif_reader *reader, easel_avif_header *header);
// Lowers the most pixels of each decoded picture: a whole picture, or a cell of a grid.
void easel_avif_reader_limit(easel_avif_reader *reader, uint32_t most_pixels);
// The display time of a frame in units of 1 / scale seconds.
bool easel_avif_reader_duration(const easel_avif_reader *reader, uint32_t index, uint64_t *duration, uint64_t *scale);
// Decodes a frame. If it is out of order, all frames from the last key frame on are decoded.
easel_avif_status easel_avif_reader_decode(easel_avif_reader *reader, uint32_t index);
// Converts rows of the decoded frame to RGBA with straight alpha: 16-bit words if wide, else bytes. Rows are the same
// whether they are read together or separately; the first must be even. If the target is in a picture, it has the rows
// above, which were read before, and room for the rows below, which are spoilt; this saves a copy.
easel_avif_status easel_avif_reader_read_rows(easel_avif_reader *reader, uint32_t first, uint32_t count, bool is_wide,
                                              bool is_in_picture, void *target, size_t target_stride);

// Makes a decoded frame smaller before its planes become pixels, so that only the pixels of the result are converted.
typedef struct easel_avif_reducer easel_avif_reducer;

typedef struct {
  // The part of the coded picture that is read.
  uint32_t x, y, width, height;
  // The size of the result.
  size_t target_width, target_height;
  // True for a result of 16-bit words instead of bytes.
  bool is_wide;
} easel_avif_reduction;

// Makes a reducer for the frame that the reader has decoded. The reader must not decode another frame until the reducer
// is destroyed. Returns EASEL_AVIF_UNSUPPORTED for colours that can only be read in whole rows.
easel_avif_status easel_avif_reducer_create(const easel_avif_reader *reader, const easel_avif_reduction *reduction,
                                            easel_avif_reducer **reducer);
void easel_avif_reducer_destroy(easel_avif_reducer *reducer);
// Writes the next rows of the result as RGBA with straight alpha.
void easel_avif_reducer_read_rows(easel_avif_reducer *reducer, size_t count, void *target, size_t target_stride);

// Copies the red of other pixels into the alpha of RGBA pixels; the rows of the source have no gaps between them.
void easel_avif_take_alpha(void *target, size_t target_stride, const void *source, size_t width, size_t height,
                           bool is_wide);

// ---- Writing

typedef struct easel_avif_writer easel_avif_writer;

typedef enum {
  EASEL_AVIF_444 = 0,
  EASEL_AVIF_422 = 1,
  EASEL_AVIF_420 = 2,
  EASEL_AVIF_GRAY = 3,
} easel_avif_chroma;

typedef struct {
  uint32_t width, height;
  // 8, 10 or 12 bits.
  uint32_t depth;
  easel_avif_chroma chroma;
  bool has_alpha;
  // True for pixels of 16-bit words instead of bytes. Grey pixels have a single component, others are RGBA.
  bool is_wide;
  // From 0, which loses nothing, to 63.
  int quantizer, alpha_quantizer;
  // From 0, the slowest, to 10.
  int speed;
  int threads;
  uint16_t primaries, transfer, matrix;
  // The quarter turns counter-clockwise, and then the mirrors, that set the picture upright.
  uint8_t turns;
  bool swaps_left_and_right, swaps_top_and_bottom;
  const uint8_t *profile, *exif, *xmp;
  size_t profile_count, exif_count, xmp_count;
  // True for a picture that does not move.
  bool is_still;
  // The number of units of time in a second.
  uint64_t scale;
} easel_avif_writing;

// The description and its blocks are not needed after this call.
easel_avif_status easel_avif_writer_create(const easel_avif_writing *writing, easel_avif_writer **writer);
void easel_avif_writer_destroy(easel_avif_writer *writer);
// The message of libavif about the last failure; it may be empty.
const char *easel_avif_writer_message(const easel_avif_writer *writer);
// Encodes a frame with straight alpha, which is shown for this many units of time.
easel_avif_status easel_avif_writer_add(easel_avif_writer *writer, const void *pixels, size_t stride,
                                        uint64_t duration);
// Returns the file, which belongs to the writer.
easel_avif_status easel_avif_writer_finish(easel_avif_writer *writer, const uint8_t **file, size_t *count);

// The versions of the libraries that the process runs with.
const char *easel_avif_libavif_version(void);
const char *easel_avif_dav1d_version(void);

#ifdef __cplusplus
}
#endif

#endif
