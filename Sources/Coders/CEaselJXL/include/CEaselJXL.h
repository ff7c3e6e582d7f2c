#ifndef CEASEL_JXL_H
#define CEASEL_JXL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads and writes JPEG XL pictures with libjxl.

// Returns true if the work may go on. Several threads call it.
typedef bool (*easel_jxl_check)(void *context);

// ---- Reading

typedef struct easel_jxl_reader easel_jxl_reader;

typedef struct {
  // The number of threads that decode, including the caller's.
  int threads;
  bool reads_pixels;
  // True to collect EXIF and XMP.
  bool reads_boxes;
  // True to show each layer as a frame, instead of the picture that the layers make together. The layers' pixels can
  // only be skipped.
  bool shows_layers;
  // True to restore the JPEG that is packed in the file, instead of pixels.
  bool reads_jpeg;
  // The most bytes of EXIF, of XMP, and of the JPEG.
  size_t most_box_bytes, most_jpeg_bytes;
} easel_jxl_reading;

typedef enum {
  // Everything that was requested has been read.
  EASEL_JXL_END = 0,
  // More bytes are needed.
  EASEL_JXL_CUT_OFF = 1,
  EASEL_JXL_BAD_DATA = 2,
  EASEL_JXL_NO_MEMORY = 3,
  // The check function stopped the work.
  EASEL_JXL_STOPPED = 4,
  // A block of metadata or a JPEG has more bytes than the limit.
  EASEL_JXL_TOO_LARGE = 5,
  // The header can be read.
  EASEL_JXL_HEADER = 6,
  // The colours can be read.
  EASEL_JXL_COLORS = 7,
  // A frame begins.
  EASEL_JXL_FRAME = 8,
  // A target for the pixels of a frame must be set.
  EASEL_JXL_NEEDS_TARGET = 9,
  // The pixels of a frame are complete.
  EASEL_JXL_PIXELS = 10,
} easel_jxl_event;

typedef struct {
  // The size as stored, before the orientation is applied.
  uint32_t width, height;
  uint32_t depth, alpha_depth;
  bool is_gray, is_float;
  // The number of components besides colours, including alpha.
  uint32_t extra_count;
  // True if one of these components is the black of a picture in print colours.
  bool has_black;
  // The orientation as in EXIF, from 1 to 8.
  uint32_t orientation;
  bool moves;
  // The number of ticks per second, as a fraction.
  uint32_t ticks_above, ticks_below;
  // The number of plays; 0 means for ever.
  uint32_t plays;
} easel_jxl_header;

typedef struct {
  // False if only a profile describes the colours.
  bool is_known;
  bool is_gray;
  // The code points of ITU-T H.273, or libjxl's own numbers where those are none.
  uint32_t white, primaries, transfer;
} easel_jxl_colors;

typedef struct {
  uint32_t ticks;
  bool is_last;
  // The size of the layer, if layers are shown.
  uint32_t width, height;
} easel_jxl_frame;

easel_jxl_reader *easel_jxl_reader_create(const easel_jxl_reading *reading);
void easel_jxl_reader_destroy(easel_jxl_reader *reader);
// Continues until there is an event. The bytes are all known bytes of the file. In each call they begin with the bytes
// of the previous call, but may be elsewhere in memory.
easel_jxl_event easel_jxl_reader_next(easel_jxl_reader *reader, const uint8_t *bytes, size_t count,
                                      easel_jxl_check check, void *context);
// The number of bytes that were read.
size_t easel_jxl_reader_consumed(const easel_jxl_reader *reader);
bool easel_jxl_reader_header(const easel_jxl_reader *reader, easel_jxl_header *header);
// The colours of the pixels in the form in which they are read.
bool easel_jxl_reader_colors(const easel_jxl_reader *reader, easel_jxl_colors *colors);
// The number of bytes of the pixels' profile; 0 if there is none.
size_t easel_jxl_reader_profile_count(const easel_jxl_reader *reader);
bool easel_jxl_reader_profile(const easel_jxl_reader *reader, uint8_t *profile, size_t count);
bool easel_jxl_reader_frame(const easel_jxl_reader *reader, easel_jxl_frame *frame);
// The blocks belong to the reader; NULL if there is none. They are complete at the end of the file.
const uint8_t *easel_jxl_reader_exif(const easel_jxl_reader *reader, size_t *count);
const uint8_t *easel_jxl_reader_xmp(const easel_jxl_reader *reader, size_t *count);
const uint8_t *easel_jxl_reader_jpeg(const easel_jxl_reader *reader, size_t *count);

// Sets the memory for RGBA with straight alpha: 16-bit words if wide, else bytes. Rows have no gaps between them.
bool easel_jxl_reader_set_target(easel_jxl_reader *reader, bool is_wide, void *pixels, size_t count);
// Also keeps the black of a picture in print colours, a byte per pixel. Call it after the target is set; an incomplete
// frame can then not be shown. Returns false if there is no black, or no memory for it.
bool easel_jxl_reader_keep_black(easel_jxl_reader *reader);
// The black that was kept, which belongs to the reader; it is complete when the pixels are.
const uint8_t *easel_jxl_reader_black(const easel_jxl_reader *reader);
// Takes a row; returns false to stop the work. Calls never overlap, but may come from any thread.
typedef bool (*easel_jxl_take_row)(void *context, const void *row, size_t count);
// Passes rows of the same form to a function, from the first to the last, instead of writing them to memory.
bool easel_jxl_reader_set_rows(easel_jxl_reader *reader, bool is_wide, easel_jxl_take_row take, void *context);
// Writes the pixels that are known of an incomplete frame to its target; returns false if there are too few.
bool easel_jxl_reader_flush(easel_jxl_reader *reader);
// Decodes the pixels of the frame, but does not keep them.
bool easel_jxl_reader_discard(easel_jxl_reader *reader);
// Skips the pixels of a layer without decoding them, at the time when a target must be set. Returns EASEL_JXL_CUT_OFF
// if the bytes end within the last layer; for other layers, the next event tells this.
easel_jxl_event easel_jxl_reader_pass(easel_jxl_reader *reader, const uint8_t *bytes, size_t count);
// Restarts at the first byte and with the frame of this number.
void easel_jxl_reader_restart(easel_jxl_reader *reader, size_t frame);

// Replaces alpha by black; the alpha is kept elsewhere.
void easel_jxl_take_black(uint8_t *pixels, const uint8_t *black, uint8_t *alpha, size_t count);

// ---- Writing

typedef struct easel_jxl_writer easel_jxl_writer;

typedef enum {
  EASEL_JXL_WRITTEN = 0,
  EASEL_JXL_WRITER_NO_MEMORY = 1,
  EASEL_JXL_WRITER_FAILED = 2,
  EASEL_JXL_WRITER_STOPPED = 3,
  // The JPEG cannot be packed.
  EASEL_JXL_WRITER_BAD_JPEG = 4,
} easel_jxl_written;

typedef struct {
  uint32_t width, height;
  bool is_gray, has_alpha;
  // True for pixels of 16-bit words instead of bytes. Grey pixels have a single component, others are RGBA.
  bool is_wide;
  // The number of bits that are stored of a component.
  uint32_t depth;
  bool is_lossless;
  // From 0, which looks the same as the picture, to 25.
  float distance;
  // From 1, the fastest, to 9.
  int effort;
  int threads;
  // The orientation as in EXIF, from 1 to 8.
  uint32_t orientation;
  // The code points of ITU-T H.273, used if there is no profile.
  uint32_t white, primaries, transfer;
  const uint8_t *profile, *exif, *xmp;
  size_t profile_count, exif_count, xmp_count;
  bool moves;
  // The number of ticks in a second, and the number of plays; 0 plays means for ever.
  uint32_t ticks, plays;
} easel_jxl_writing;

// The description and its blocks are not needed after this call.
easel_jxl_written easel_jxl_writer_create(const easel_jxl_writing *writing, easel_jxl_writer **writer);
// Packs a JPEG without loss, so that it can be restored byte for byte.
easel_jxl_written easel_jxl_writer_pack(const uint8_t *jpeg, size_t count, int effort, int threads,
                                        easel_jxl_check check, void *context, easel_jxl_writer **writer);
void easel_jxl_writer_destroy(easel_jxl_writer *writer);
// Encodes a frame with straight alpha, whose rows have no gaps between them.
easel_jxl_written easel_jxl_writer_add(easel_jxl_writer *writer, const void *pixels, size_t count, uint32_t ticks,
                                       bool is_last, easel_jxl_check check, void *context);
// Returns the file, which belongs to the writer.
const uint8_t *easel_jxl_writer_file(const easel_jxl_writer *writer, size_t *count);

// The version of libjxl that the process runs with: a byte each for major, minor and patch.
uint32_t easel_jxl_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
