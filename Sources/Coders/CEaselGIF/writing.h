#ifndef CEASEL_GIF_WRITING_H
#define CEASEL_GIF_WRITING_H

#include <gif_lib.h>

#include "include/CEaselGIF.h"

struct easel_gif_writer {
  GifFileType *gif;
  uint8_t *bytes;
  size_t count, capacity;
  bool has_failed;
};

#endif
