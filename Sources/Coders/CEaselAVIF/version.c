#include "CEaselAVIF.h"

#include <avif/avif.h>
#include <dav1d/dav1d.h>

const char *easel_avif_libavif_version(void) { return avifVersion(); }

const char *easel_avif_dav1d_version(void) { return dav1d_version(); }
