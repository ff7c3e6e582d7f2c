#include "CEaselPNG.h"

#include <libdeflate.h>
#include <zlib.h>

const char *easel_png_libdeflate_version(void) { return LIBDEFLATE_VERSION_STRING; }

const char *easel_png_zlib_version(void) { return zlibVersion(); }
