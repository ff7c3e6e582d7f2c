#include "CEaselColor.h"

#include <lcms2.h>

int easel_color_library_version(void) { return cmsGetEncodedCMMversion(); }
