#ifndef CEASEL_AVIF_INTERNAL_H
#define CEASEL_AVIF_INTERNAL_H

#if !__has_include(<avif/avif.h>)
#error "Install libavif-dev (Debian, Ubuntu) or libavif-devel (Fedora)"
#endif
#include <avif/avif.h>

#include "include/CEaselAVIF.h"

easel_avif_status easel_avif_status_of(avifResult result);

struct easel_avif_reader {
  avifDecoder *decoder;
  // The image whose rows are converted: a part of the decoder's image.
  avifImage *part;
  // Rows with their neighbours, which the conversion needs.
  uint8_t *rows;
  size_t room;
};

#endif
