#include "CEaselTIFF.h"

#include <tiffio.h>

const char *easel_tiff_library_version(void) { return TIFFGetVersion(); }
