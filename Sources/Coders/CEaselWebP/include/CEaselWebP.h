#ifndef CEASEL_WEBP_H
#define CEASEL_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pixels of WebP pictures over libwebp. The chunks around them are read and written elsewhere.

typedef enum {
  EASEL_WEBP_OK = 0,
  EASEL_WEBP_NO_MEMORY = 1,
  EASEL_WEBP_BAD_DATA = 2,
  EASEL_WEBP_NEEDS_MORE = 3,
  EASEL_WEBP_STOPPED = 4,
} easel_webp_status;

// What the first bytes of a VP8 or VP8L chunk say.
typedef struct {
  uint32_t width, height;
  bool is_lossless, has_alpha;
} easel_webp_features;

// Takes the head of the chunk and what follows; EASEL_WEBP_HEAD_BYTES of both are enough.
easel_webp_status easel_webp_read_features(const void *bytes, size_t count, easel_webp_features *features);
enum { EASEL_WEBP_HEAD_BYTES = 32 };

// ---- Reading

typedef struct easel_webp_decoder easel_webp_decoder;

typedef struct {
  // The size of the pixels to be made: that of the picture, or another one to scale it while it is read.
  uint32_t width, height;
  bool is_scaled;
  bool uses_threads;
} easel_webp_output;

easel_webp_status easel_webp_decoder_create(const easel_webp_output *output, easel_webp_decoder **decoder);
void easel_webp_decoder_destroy(easel_webp_decoder *decoder);
// Takes all bytes from the first chunk of the picture on, as far as they are there, of which only the new ones are
// looked at. They and the target may be elsewhere each time; the target then has the rows that were made before.
easel_webp_status easel_webp_decoder_feed(easel_webp_decoder *decoder, const void *bytes, size_t count, void *target,
                                          ptrdiff_t target_stride);
// The rows that are finished.
uint32_t easel_webp_decoder_rows(const easel_webp_decoder *decoder);
// For a picture that says that it has no alpha: without loss its pixels may contain some all the same.
void easel_webp_make_opaque(void *rows, ptrdiff_t stride, size_t width, size_t height);

// Lays the pixels of a frame over those of the canvas, both straight, rounding as libwebp's own player does.
void easel_webp_blend(const void *frame, ptrdiff_t frame_stride, void *canvas, ptrdiff_t canvas_stride, size_t width,
                      size_t height);

// ---- Writing

typedef struct {
  ptrdiff_t x, y, width, height;
} easel_webp_rect;

// The smallest part that holds all pixels in which two RGBA pictures differ, empty when they do not.
easel_webp_rect easel_webp_differing_part(const void *pixels, ptrdiff_t stride, const void *others,
                                          ptrdiff_t other_stride, size_t width, size_t height);

typedef struct {
  bool is_lossless;
  // 0 to 100, when not lossless.
  float quality;
  // 0 to 9, when lossless.
  int effort;
  bool has_alpha;
} easel_webp_encoding;

// Called now and then; false stops the work.
typedef bool (*easel_webp_progress)(void *context);

// Makes a whole file of straight RGBA pixels; it must be freed.
easel_webp_status easel_webp_encode(const easel_webp_encoding *encoding, const void *pixels, ptrdiff_t stride,
                                    uint32_t width, uint32_t height, easel_webp_progress progress, void *context,
                                    uint8_t **file, size_t *count);
void easel_webp_free(void *file);
// The longest side that the format can store.
enum { EASEL_WEBP_LONGEST_SIDE = 16383 };

#ifdef __cplusplus
}
#endif

#endif
