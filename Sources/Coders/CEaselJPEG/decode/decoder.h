#ifndef EASEL_JPEG_DECODER_H
#define EASEL_JPEG_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A decoder of JPEG that gives the pixels of libjpeg-turbo with its slow integer transform and fancy upsampling. It
// takes what most files are: 8 bits, Huffman codes, one scan, grey or YCbCr. It leaves every other kind, and every
// damaged file, to libjpeg-turbo, and says so.

typedef enum {
  EASEL_JPEG_DECODER_OK = 0,
  EASEL_JPEG_DECODER_UNSUPPORTED = 1,
  EASEL_JPEG_DECODER_DAMAGED = 2,
  EASEL_JPEG_DECODER_NO_MEMORY = 3,
  // The call must be repeated with more bytes, beginning with those that were not consumed.
  EASEL_JPEG_DECODER_NEEDS_BYTES = 4,
  // All rows have been read.
  EASEL_JPEG_DECODER_ENDED = 5,
} easel_jpeg_decoder_status;

typedef struct easel_jpeg_decoder easel_jpeg_decoder;

// Reads the headers, of which none may be missing. Returns null, and why in `status`, if it leaves the file to
// libjpeg-turbo.
easel_jpeg_decoder *easel_jpeg_decoder_create(const uint8_t *bytes, size_t count, easel_jpeg_decoder_status *status);
void easel_jpeg_decoder_destroy(easel_jpeg_decoder *decoder);

// The size of the picture at 8, 4, 2 or 1 eighths.
void easel_jpeg_decoder_size(const easel_jpeg_decoder *decoder, int eighths, uint32_t *width, uint32_t *height);

// For tests: decodes without vectors (0), with those of 128 bits at most (1), or with all that the processor has (2).
void easel_jpeg_decoder_limit_vectors(easel_jpeg_decoder *decoder, int most);

// Decodes the whole picture to RGBA on one or two threads, from the same bytes. The pixels are of use only if it
// returns OK.
easel_jpeg_decoder_status easel_jpeg_decoder_pixels(easel_jpeg_decoder *decoder, int eighths, const uint8_t *bytes,
                                                    size_t count, uint8_t *target, ptrdiff_t stride, int threads);

// ---- Rows while bytes arrive

// The number of bytes of the headers, behind which `easel_jpeg_decoder_rows` begins.
size_t easel_jpeg_decoder_header_size(const easel_jpeg_decoder *decoder);

typedef struct {
  const uint8_t *bytes;
  size_t count;
  // True when these are the last bytes of the file.
  bool is_end;
  // Set by the call: the number of bytes used; below zero when bytes before these are needed again.
  ptrdiff_t consumed;
} easel_jpeg_decoder_input;

easel_jpeg_decoder_status easel_jpeg_decoder_begin(easel_jpeg_decoder *decoder, int eighths);
// To be called then: a second thread reads codes, if the system allows one. It uses the bytes of a call after that.
void easel_jpeg_decoder_read_ahead(easel_jpeg_decoder *decoder);
// Reads some rows. All rows that it gives are right, even if the file turns out to be damaged behind them; then
// libjpeg-turbo must begin with the first row again.
easel_jpeg_decoder_status easel_jpeg_decoder_rows(easel_jpeg_decoder *decoder, easel_jpeg_decoder_input *input,
                                                  uint8_t *target, ptrdiff_t stride, uint32_t most, uint32_t *count);
// Behind the last row: ended at the end marker of the file, before which stray bytes may stand; damaged if another
// marker comes first, or none.
easel_jpeg_decoder_status easel_jpeg_decoder_finish(easel_jpeg_decoder *decoder, easel_jpeg_decoder_input *input);

#endif
