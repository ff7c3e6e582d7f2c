#include "CEaselWebP.h"

#include <webp/decode.h>

uint32_t easel_webp_library_version(void) { return (uint32_t)WebPGetDecoderVersion(); }
