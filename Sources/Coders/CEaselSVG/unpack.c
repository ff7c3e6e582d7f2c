#if !__has_include(<zlib.h>)
#error "Install zlib1g-dev (Debian, Ubuntu) or zlib-devel (Fedora)"
#endif
#include <zlib.h>

#include "CEaselSVG.h"

// True if another packed file follows: a file may consist of several.
static int goes_on(z_stream *stream) {
  return stream->avail_in >= 2 && stream->next_in[0] == 0x1F && stream->next_in[1] == 0x8B &&
         inflateReset(stream) == Z_OK;
}

easel_svg_unpacking easel_svg_unpack(const uint8_t *bytes, size_t count, uint8_t *target, size_t room, size_t *made) {
  *made = 0;
  // Both numbers are far below the largest one of zlib; only a part of a longer input would be read.
  uInt most = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
  z_stream stream = {
    .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = count > UINT32_MAX ? UINT32_MAX : (uInt)count, .next_out = target,
    .avail_out = most};
  // The largest window, and only headers of gzip.
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return EASEL_SVG_NOT_UNPACKED;
  int end;
  do end = inflate(&stream, Z_FINISH);
  while (end == Z_STREAM_END && goes_on(&stream));
  *made = most - stream.avail_out;
  bool is_full = stream.avail_out == 0;
  inflateEnd(&stream);
  if (end == Z_STREAM_END) return EASEL_SVG_UNPACKED;
  return is_full && end == Z_BUF_ERROR ? EASEL_SVG_UNPACKED_TOO_MUCH : EASEL_SVG_NOT_UNPACKED;
}
