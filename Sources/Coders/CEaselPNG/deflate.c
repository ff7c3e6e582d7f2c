#if !__has_include(<libdeflate.h>)
#error "Install libdeflate-dev (Debian, Ubuntu) or libdeflate-devel (Fedora)"
#endif
#include <libdeflate.h>

#include "include/CEaselPNG.h"

size_t easel_png_deflate_bound(size_t count) { return libdeflate_zlib_compress_bound(NULL, count); }

easel_png_status easel_png_deflate(const void *bytes, size_t count, int level, void *target, size_t capacity,
                                   size_t *written) {
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
  if (!compressor) return EASEL_PNG_NO_MEMORY;
  *written = libdeflate_zlib_compress(compressor, bytes, count, target, capacity);
  libdeflate_free_compressor(compressor);
  return *written > 0 ? EASEL_PNG_OK : EASEL_PNG_BAD_DATA;
}
