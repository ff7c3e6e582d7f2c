#include <zlib.h>

#include "CEaselSVG.h"

easel_svg_unpacking easel_svg_unpack(const uint8_t *bytes, size_t count, uint8_t *target, size_t room, size_t *made) {
  *made = 0;
  // Both are far below what a number of zlib holds; a longer input would only be read in part.
  z_stream stream = {
    .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = count > UINT32_MAX ? UINT32_MAX : (uInt)count, .next_out = target,
    .avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room};
  // The largest window, and a header of gzip only.
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return EASEL_SVG_NOT_UNPACKED;
  int end = inflate(&stream, Z_FINISH);
  *made = stream.total_out;
  bool is_full = stream.avail_out == 0;
  inflateEnd(&stream);
  if (end == Z_STREAM_END) return EASEL_SVG_UNPACKED;
  return is_full && end == Z_BUF_ERROR ? EASEL_SVG_UNPACKED_TOO_MUCH : EASEL_SVG_NOT_UNPACKED;
}
