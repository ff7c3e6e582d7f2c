#ifndef CEASEL_JXL_H
#define CEASEL_JXL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pictures of JPEG XL files over libjxl.

// Tells whether the work may go on. It is called from several threads.
typedef bool (*easel_jxl_check)(void *context);

// ---- Reading

typedef struct easel_jxl_reader easel_jxl_reader;

typedef struct {
  // Threads that decode, with the caller's own.
  int threads;
  bool reads_pixels;
  // True to collect EXIF and XMP.
  bool reads_boxes;
  // True to show each layer as a frame, instead of what they make together. Their pixels can only be passed.
  bool shows_layers;
  // True to restore the JPEG that was packed into the file, instead of pixels.
  bool reads_jpeg;
  // The most bytes of EXIF, of XMP, and of the JPEG.
  size_t most_box_bytes, most_jpeg_bytes;
} easel_jxl_reading;

typedef enum {
  // All that was asked for is read.
  EASEL_JXL_END = 0,
  // More bytes are needed.
  EASEL_JXL_CUT_OFF = 1,
  EASEL_JXL_BAD_DATA = 2,
  EASEL_JXL_NO_MEMORY = 3,
  // The check forbade more.
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
  // The number of components besides colours, among them alpha.
  uint32_t extra_count;
  // True if one of them is the black of a picture in print colours.
  bool has_black;
  // As in EXIF, from 1 to 8.
  uint32_t orientation;
  bool moves;
  // A second has this many ticks: a number over another.
  uint32_t ticks_above, ticks_below;
  // The number of plays; 0 is for ever.
  uint32_t plays;
} easel_jxl_header;

typedef struct {
  // False if only a profile describes the colours.
  bool is_known;
  bool is_gray;
  // Code points of ITU-T H.273, where libjxl's numbers are none of their own.
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
// Continues until something happens. The bytes are all of the file that are known; each call's begin with those of the
// call before, which may be elsewhere in memory.
easel_jxl_event easel_jxl_reader_next(easel_jxl_reader *reader, const uint8_t *bytes, size_t count,
                                      easel_jxl_check check, void *context);
// The number of bytes that are read.
size_t easel_jxl_reader_consumed(const easel_jxl_reader *reader);
bool easel_jxl_reader_header(const easel_jxl_reader *reader, easel_jxl_header *header);
// The colours of the pixels as they are read.
bool easel_jxl_reader_colors(const easel_jxl_reader *reader, easel_jxl_colors *colors);
// The number of bytes of the profile of the pixels, 0 if there is none.
size_t easel_jxl_reader_profile_count(const easel_jxl_reader *reader);
bool easel_jxl_reader_profile(const easel_jxl_reader *reader, uint8_t *profile, size_t count);
bool easel_jxl_reader_frame(const easel_jxl_reader *reader, easel_jxl_frame *frame);
// The blocks belong to the reader; NULL if there is none. They are complete at the end of the file.
const uint8_t *easel_jxl_reader_exif(const easel_jxl_reader *reader, size_t *count);
const uint8_t *easel_jxl_reader_xmp(const easel_jxl_reader *reader, size_t *count);
const uint8_t *easel_jxl_reader_jpeg(const easel_jxl_reader *reader, size_t *count);

// Gives the memory for RGBA with straight alpha: words of 16 bits if wide, else bytes. Rows have no gaps between them.
bool easel_jxl_reader_set_target(easel_jxl_reader *reader, bool is_wide, void *pixels, size_t count);
// Also keeps the black of a picture in print colours, a byte per pixel; called after the target is set. Nothing is known
// of an incomplete frame then. False if there is no black, or no memory for it.
bool easel_jxl_reader_keep_black(easel_jxl_reader *reader);
// The black that is kept, which belongs to the reader and is complete when the pixels are.
const uint8_t *easel_jxl_reader_black(const easel_jxl_reader *reader);
// Takes a row; returns false to stop. Calls never overlap, but come from any thread.
typedef bool (*easel_jxl_take_row)(void *context, const void *row, size_t count);
// Gives rows of the same form, from the first to the last, instead of writing them to memory.
bool easel_jxl_reader_set_rows(easel_jxl_reader *reader, bool is_wide, easel_jxl_take_row take, void *context);
// Writes what is known of an incomplete frame to its target; false if that is too little.
bool easel_jxl_reader_flush(easel_jxl_reader *reader);
// Decodes the pixels of the frame for nobody.
bool easel_jxl_reader_discard(easel_jxl_reader *reader);
// Passes the pixels of a layer without decoding them, when a target must be set. Returns EASEL_JXL_CUT_OFF if the bytes end
// within the last layer; within another, the next event tells.
easel_jxl_event easel_jxl_reader_pass(easel_jxl_reader *reader, const uint8_t *bytes, size_t count);
// Starts anew at the first byte, and with the frame of this number.
void easel_jxl_reader_restart(easel_jxl_reader *reader, size_t frame);

// Puts black in place of alpha, which is kept elsewhere.
void easel_jxl_take_black(uint8_t *pixels, const uint8_t *black, uint8_t *alpha, size_t count);

// ---- Writing

typedef struct easel_jxl_writer easel_jxl_writer;

typedef enum {
  EASEL_JXL_WRITTEN = 0,
  EASEL_JXL_WRITER_NO_MEMORY = 1,
  EASEL_JXL_WRITER_FAILED = 2,
  EASEL_JXL_WRITER_STOPPED = 3,
  // A JPEG that cannot be packed.
  EASEL_JXL_WRITER_BAD_JPEG = 4,
} easel_jxl_written;

typedef struct {
  uint32_t width, height;
  bool is_gray, has_alpha;
  // Pixels are words of 16 bits instead of bytes. Grey ones have a single component, others are RGBA.
  bool is_wide;
  // The bits that are stored of a component.
  uint32_t depth;
  bool is_lossless;
  // From 0, which cannot be told from the picture, to 25.
  float distance;
  // From 1, the fastest, to 9.
  int effort;
  int threads;
  // As in EXIF, from 1 to 8.
  uint32_t orientation;
  // Code points of ITU-T H.273, if there is no profile.
  uint32_t white, primaries, transfer;
  const uint8_t *profile, *exif, *xmp;
  size_t profile_count, exif_count, xmp_count;
  bool moves;
  // The number of ticks in a second, and of plays; 0 is for ever.
  uint32_t ticks, plays;
} easel_jxl_writing;

// The description may be dropped afterwards, its blocks too.
easel_jxl_written easel_jxl_writer_create(const easel_jxl_writing *writing, easel_jxl_writer **writer);
// Packs a JPEG without loss, so that it can be restored byte for byte.
easel_jxl_written easel_jxl_writer_pack(const uint8_t *jpeg, size_t count, int effort, int threads,
                                        easel_jxl_check check, void *context, easel_jxl_writer **writer);
void easel_jxl_writer_destroy(easel_jxl_writer *writer);
// Encodes a frame with straight alpha, whose rows have no gaps between them.
easel_jxl_written easel_jxl_writer_add(easel_jxl_writer *writer, const void *pixels, size_t count, uint32_t ticks,
                                       bool is_last, easel_jxl_check check, void *context);
// The file, which belongs to the writer.
const uint8_t *easel_jxl_writer_file(const easel_jxl_writer *writer, size_t *count);

// The version of libjxl that the process runs with: a byte each for major, minor and patch.
uint32_t easel_jxl_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
