#ifndef EASEL_THUMBNAIL_BASELINE_H
#define EASEL_THUMBNAIL_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

/// Makes a JPEG of quality 80 that fits in a square from a JPEG, a PNG or a WebP, as a C program would with the
/// libraries alone: libjpeg-turbo's scaling, libpng row by row and libwebp's scaling, then averages over boxes.
///
/// The caller frees the returned memory with free(). libwebp may use a second thread for one picture.
bool easel_baseline_thumbnail(
    const void *bytes, size_t count, int side, bool uses_threads, unsigned char **jpeg, unsigned long *jpeg_count);

/// Does the same for files, on this many threads.
bool easel_baseline_thumbnails(
    const char *const *inputs, const char *const *outputs, size_t count, int side, int threads);

#endif
