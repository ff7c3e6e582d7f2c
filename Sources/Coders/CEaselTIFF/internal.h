#ifndef CEASEL_TIFF_INTERNAL_H
#define CEASEL_TIFF_INTERNAL_H

#if !__has_include(<tiffio.h>)
#error "Install libtiff-dev (Debian, Ubuntu) or libtiff-devel (Fedora)"
#endif
#include <tiffio.h>

#include "include/CEaselTIFF.h"

enum { EASEL_TIFF_MOST_CHANNELS = 5, EASEL_TIFF_MESSAGE_SIZE = 256 };

// The conversion of a picture's samples to pixels.
typedef struct {
  easel_tiff_kind kind;
  uint32_t bits;
  bool is_signed, is_float, is_inverted;
  // The number of samples from one pixel to the next, and the places of the samples that are used: the colours, then
  // the alpha.
  uint32_t step, channels, place[EASEL_TIFF_MOST_CHANNELS];
  bool has_alpha, is_premultiplied;
  // True if the samples of each channel are in a separate plane.
  bool has_planes;
  // The range of values of float and signed samples, if the file states one.
  bool has_range;
  double least, greatest;
  // Red, green and blue of each palette entry, and the number of entries.
  const uint16_t *palette[3];
  uint32_t palette_count;
  bool has_small_palette;
  // The kind of Lab: 8 CIELab, 9 ICCLab, 10 ITULab.
  uint16_t lab;
  float white[3];
  // The numbers for the conversion of YCbCr.
  float luma[3], range[6];
  // The subsampling of packed YCbCr; 0 when samples follow one another.
  uint32_t across, down;
} easel_tiff_form;

// Converts pixels of one row. Each plane begins with the first pixel. `channels` has room for `count` words of each
// channel. For packed YCbCr, the only plane is a row of blocks, from which `line` is converted.
void easel_tiff_convert(const easel_tiff_form *form, const uint8_t *const planes[EASEL_TIFF_MOST_CHANNELS],
                        uint32_t line, size_t count, bool is_wide, uint16_t *channels, void *target, uint8_t *alpha);

// Converts Lab, with L from 0 to 100, to red, green and blue of sRGB from 0 to 65535.
void easel_tiff_lab_to_rgb(const float white[3], float l, float a, float b, uint16_t rgb[3]);

// Keeps the first message for the caller, and prints nothing.
int easel_tiff_keep_message(TIFF *tiff, void *message, const char *module, const char *format, va_list arguments);
int easel_tiff_ignore_message(TIFF *tiff, void *message, const char *module, const char *format, va_list arguments);

#endif
