#include <malloc.h>

#include "CEaselJPEG.h"

void easel_jpeg_keep_freed_memory(void) { mallopt(M_TOP_PAD, 2 << 20); }
