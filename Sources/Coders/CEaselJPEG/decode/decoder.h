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
} easel_jpeg_decoder_status;

typedef struct easel_jpeg_decoder easel_jpeg_decoder;

// Reads the headers. `bytes` must outlive the decoder. Returns null, and why in `status`, if it leaves the file to
// libjpeg-turbo.
easel_jpeg_decoder *easel_jpeg_decoder_create(const uint8_t *bytes, size_t count, easel_jpeg_decoder_status *status);
void easel_jpeg_decoder_destroy(easel_jpeg_decoder *decoder);

// The size of the picture at 8, 4, 2 or 1 eighths.
void easel_jpeg_decoder_size(const easel_jpeg_decoder *decoder, int eighths, uint32_t *width, uint32_t *height);

// For tests: decodes without the instructions that only some processors have.
void easel_jpeg_decoder_leave_vectors(easel_jpeg_decoder *decoder);

// Decodes the whole picture to RGBA on one or two threads. The pixels are of use only if it returns OK.
easel_jpeg_decoder_status easel_jpeg_decoder_pixels(easel_jpeg_decoder *decoder, int eighths, uint8_t *target,
                                                    ptrdiff_t stride, int threads);

#endif
