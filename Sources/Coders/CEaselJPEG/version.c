#include "CEaselJPEG.h"

#include <stdio.h>

#include <jpeglib.h>

#define EASEL_TEXT(words) #words
#define EASEL_WORDS(words) EASEL_TEXT(words)

const char *easel_jpeg_library_version(void) { return EASEL_WORDS(LIBJPEG_TURBO_VERSION); }
