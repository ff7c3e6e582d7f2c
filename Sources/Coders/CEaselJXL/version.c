#include "CEaselJXL.h"

#include <jxl/decode.h>

uint32_t easel_jxl_library_version(void) {
  // Three decimal digits for minor and patch each.
  uint32_t version = JxlDecoderVersion();
  return version / 1000000 << 16 | version / 1000 % 1000 << 8 | version % 1000;
}
