#include "CEaselPNG.h"

#include <png.h>
#include <zlib.h>

const char *easel_png_libpng_version(void) { return png_get_libpng_ver(NULL); }

const char *easel_png_zlib_version(void) { return zlibVersion(); }
