#ifndef EASEL_JPEG_THRIFTY_WRITER_H
#define EASEL_JPEG_THRIFTY_WRITER_H

// The bridge between the library's compressor and the parts that make its coefficients. Included after jpeglib.h.

#include "include/CEaselJPEG.h"
#include "thrifty.h"

typedef struct easel_jpeg_thrifty easel_jpeg_thrifty;

easel_jpeg_thrifty *easel_jpeg_thrifty_create(const easel_jpeg_layout *layout);
void easel_jpeg_thrifty_destroy(easel_jpeg_thrifty *thrifty);
// These three are called inside the writer's setjmp.
void easel_jpeg_thrifty_begin(easel_jpeg_thrifty *thrifty, j_compress_ptr info, const easel_jpeg_layout *layout);
void easel_jpeg_thrifty_row(easel_jpeg_thrifty *thrifty, j_compress_ptr info, const uint8_t *pixels);
void easel_jpeg_thrifty_finish(easel_jpeg_thrifty *thrifty, j_compress_ptr info);

#endif
