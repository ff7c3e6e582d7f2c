#ifndef CEASEL_AVIF_INTERNAL_H
#define CEASEL_AVIF_INTERNAL_H

#include <avif/avif.h>

#include "include/CEaselAVIF.h"

easel_avif_status easel_avif_status_of(avifResult result);

#endif
