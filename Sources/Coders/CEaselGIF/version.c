#include "CEaselGIF.h"

#include <gif_lib.h>

#define EASEL_TEXT(words) #words
#define EASEL_NUMBERS(a, b, c) EASEL_TEXT(a) "." EASEL_TEXT(b) "." EASEL_TEXT(c)

const char *easel_gif_library_version(void) { return EASEL_NUMBERS(GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE); }
