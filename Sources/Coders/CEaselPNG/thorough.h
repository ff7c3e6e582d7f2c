#ifndef CEASEL_PNG_THOROUGH_H
#define CEASEL_PNG_THOROUGH_H

#include "filtering.h"

// Levels above those that are fast.
enum { EASEL_PNG_THOROUGH = 10, EASEL_PNG_EXHAUSTIVE = 11 };

// Compresses the whole picture in one piece: every filter is tried, and libdeflate looks for the shortest form. When
// exhaustive, each row may have another filter, the one with which the row is compressed best.
easel_png_status easel_png_compress_thoroughly(const easel_png_source *source, bool is_exhaustive,
                                               bool (*may_go_on)(void *), void *context, easel_png_piece *piece);

#endif
