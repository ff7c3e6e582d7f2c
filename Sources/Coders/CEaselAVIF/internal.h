#ifndef CEASEL_AVIF_INTERNAL_H
#define CEASEL_AVIF_INTERNAL_H

#if !__has_include(<avif/avif.h>)
#error "Install libavif-dev (Debian, Ubuntu) or libavif-devel (Fedora)"
#endif
#include <avif/avif.h>

#include "include/CEaselAVIF.h"

easel_avif_status easel_avif_status_of(avifResult result);

// Since libavif 1.0, calls that copy data report when memory runs out, and the direction of a mirror has another name.
#if AVIF_VERSION >= 1000000
#define EASEL_AVIF_RESULT(call) (call)
#define EASEL_AVIF_MIRROR axis
#else
#define EASEL_AVIF_RESULT(call) ((call), AVIF_RESULT_OK)
#define EASEL_AVIF_MIRROR mode
#endif

struct easel_avif_reader {
  avifDecoder *decoder;
  // The image whose rows are converted; it is a part of the decoder's image.
  avifImage *part;
  // Rows with the neighbouring rows that the conversion needs.
  uint8_t *rows;
  size_t room;
};

#endif
