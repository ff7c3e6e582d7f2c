#ifndef CEASEL_WEBP_H
#define CEASEL_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads and writes the pixels of WebP pictures with libwebp. The Swift code reads and writes the chunks around them.

typedef enum {
  EASEL_WEBP_OK = 0,
  EASEL_WEBP_NO_MEMORY = 1,
  EASEL_WEBP_BAD_DATA = 2,
  EASEL_WEBP_NEEDS_MORE = 3,
  EASEL_WEBP_STOPPED = 4,
} easel_webp_status;

// The features stated in the first bytes of a VP8 or VP8L chunk.
typedef struct {
  uint32_t width, height;
  bool is_lossless, has_alpha;
} easel_webp_features;

// Reads the start of the chunk, including its head; EASEL_WEBP_HEAD_BYTES are enough.
easel_webp_status easel_webp_read_features(const void *bytes, size_t count, easel_webp_features *features);
enum { EASEL_WEBP_HEAD_BYTES = 32 };

// ---- Reading

typedef struct easel_webp_decoder easel_webp_decoder;

typedef struct {
  // The size of the decoded pixels: that of the picture, or another size to which it is scaled during decoding.
  uint32_t width, height;
  bool is_scaled;
  bool uses_threads;
  // True if the picture is decoded to planes of its own size, for a shrinker.
  bool is_planar;
} easel_webp_output;

easel_webp_status easel_webp_decoder_create(const easel_webp_output *output, easel_webp_decoder **decoder);
void easel_webp_decoder_destroy(easel_webp_decoder *decoder);
// Takes all bytes received so far, beginning with the picture's first chunk, and reads only the new ones. The bytes and
// the target may move between calls. Finished rows are neither read nor written again, so only the other rows need
// memory.
easel_webp_status easel_webp_decoder_feed(easel_webp_decoder *decoder, const void *bytes, size_t count, void *target,
                                          ptrdiff_t target_stride);
// Takes only the bytes that follow those of earlier calls, and keeps only bytes that libwebp still needs. For a
// decoder, use either this function or `easel_webp_decoder_feed`.
easel_webp_status easel_webp_decoder_append(easel_webp_decoder *decoder, const void *bytes, size_t count, void *target,
                                            ptrdiff_t target_stride);
// The number of finished rows.
uint32_t easel_webp_decoder_rows(const easel_webp_decoder *decoder);
// Makes rows opaque, for a picture that declares no alpha: the pixels of a lossless one may still contain some.
void easel_webp_make_opaque(void *rows, ptrdiff_t stride, size_t width, size_t height);

// ---- Shrinking

// Lossy pictures without alpha may also be decoded to planes, which a shrinker makes smaller. The pixels are exactly
// those that libwebp gives when it scales, but take less time.

// The layout of three planes in one block of memory. Each row has samples of light, then half as many samples of
// colour. Even rows have one plane of colour, odd rows the other.
typedef struct {
  uint32_t width, height;
  // The offsets in a row at which light and colour begin.
  size_t light, color;
  size_t stride;
  // The number of bytes of all rows; the number of rows is even.
  size_t bytes;
} easel_webp_planes;

easel_webp_planes easel_webp_planes_of(uint32_t width, uint32_t height);

typedef struct easel_webp_shrinker easel_webp_shrinker;

// True for sizes at which both light and colour become smaller in both directions.
bool easel_webp_can_shrink(uint32_t width, uint32_t height, uint32_t target_width, uint32_t target_height);
easel_webp_status easel_webp_shrinker_create(uint32_t width, uint32_t height, uint32_t target_width,
                                             uint32_t target_height, easel_webp_shrinker **shrinker);
void easel_webp_shrinker_destroy(easel_webp_shrinker *shrinker);
// From now on, uses the code for processors without vectors, so that tests can compare the results.
void easel_webp_shrinker_be_plain(easel_webp_shrinker *shrinker);
// Continues until the next row of the small picture is complete, writes its RGBA pixels, and returns true. Returns
// false once it has used up the given rows; until then, each call must get the same rows. Their number must be even,
// except at the end of the picture.
bool easel_webp_shrinker_next(easel_webp_shrinker *shrinker, const void *rows, size_t count, void *pixels);

// Blends the pixels of a frame over the canvas. Both have straight alpha, and the rounding is that of libwebp's own
// player.
void easel_webp_blend(const void *frame, ptrdiff_t frame_stride, void *canvas, ptrdiff_t canvas_stride, size_t width,
                      size_t height);

// ---- Writing

typedef struct {
  ptrdiff_t x, y, width, height;
} easel_webp_rect;

// The smallest part with all pixels in which two RGBA pictures differ; empty if the pictures are equal.
easel_webp_rect easel_webp_differing_part(const void *pixels, ptrdiff_t stride, const void *others,
                                          ptrdiff_t other_stride, size_t width, size_t height);

typedef struct {
  bool is_lossless;
  // From 0 to 100, for lossy pictures.
  float quality;
  // From 0 to 9, for lossless pictures.
  int effort;
  // From 0 to 6, for lossy pictures.
  int method;
  bool has_alpha;
} easel_webp_encoding;

// Called from time to time; returns false to stop the work.
typedef bool (*easel_webp_progress)(void *context);

// Makes a complete file from RGBA pixels with straight alpha; the caller must free the file.
easel_webp_status easel_webp_encode(const easel_webp_encoding *encoding, const void *pixels, ptrdiff_t stride,
                                    uint32_t width, uint32_t height, easel_webp_progress progress, void *context,
                                    uint8_t **file, size_t *count);
void easel_webp_free(void *file);
// The longest side that the format can store.
enum { EASEL_WEBP_LONGEST_SIDE = 16383 };

// The version of libwebp that the process runs with: a byte each for major, minor and patch.
uint32_t easel_webp_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
