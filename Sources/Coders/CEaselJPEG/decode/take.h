#ifndef EASEL_JPEG_DECODER_TAKE_H
#define EASEL_JPEG_DECODER_TAKE_H

#include "../include/CEaselJPEG.h"
#include "parts.h"

struct jpeg_decompress_struct;

// A picture whose headers libjpeg-turbo has read, and whose rows the decoder reads in its place.
typedef struct {
  // Null if libjpeg-turbo is to read the rows. If the decoder gives up, it becomes null, and the call says OK and asks
  // for the bytes of the scan again; the rows that it has given are right.
  easel_jpeg_decoder *decoder;
  // How many bytes and rows it has read.
  size_t bytes;
  uint32_t rows;
} easel_jpeg_taken;

// Takes what the headers tell of the picture; false if libjpeg-turbo is to decode it.
bool easel_jpeg_take_frame(easel_jpeg_headers *headers, const struct jpeg_decompress_struct *info);
// Takes the picture if it can. `info` has read the headers, and the bytes of the scan come next.
void easel_jpeg_take(easel_jpeg_taken *taken, const struct jpeg_decompress_struct *info, int eighths);
easel_jpeg_status easel_jpeg_taken_rows(easel_jpeg_taken *taken, easel_jpeg_input *input, uint8_t *target,
                                        ptrdiff_t stride, uint32_t most, uint32_t *count);
easel_jpeg_status easel_jpeg_taken_end(easel_jpeg_taken *taken, easel_jpeg_input *input);

#endif
