#include "CEaselHEIF.h"

#include <libde265/de265.h>

const char *easel_heif_library_version(void) { return de265_get_version(); }
