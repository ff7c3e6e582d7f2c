#include "CEaselCurl.h"

#if !__has_include(<brotli/decode.h>)
#error "Install libbrotli-dev (Debian, Ubuntu) or brotli-devel (Fedora)"
#endif
#include <brotli/decode.h>
#include <stdlib.h>
#include <string.h>
#if !__has_include(<zlib.h>)
#error "Install zlib1g-dev (Debian, Ubuntu) or zlib-devel (Fedora)"
#endif
#include <zlib.h>
#if !__has_include(<zstd.h>)
#error "Install libzstd-dev (Debian, Ubuntu) or libzstd-devel (Fedora)"
#endif
#include <zstd.h>

// The largest window of zstd that a response may use, 8 MB (RFC 9659); the packed bytes decide how large it is.
enum { zstd_window_bits = 23 };

struct easel_unpacker {
  enum easel_packing packing;
  z_stream zlib;
  BrotliDecoderState *brotli;
  ZSTD_DCtx *zstd;
  // The first bytes of a deflated body, which show whether it has zlib's frame.
  uint8_t beginning[2];
  size_t beginning_count;
  bool is_open; // true while zlib is open
  bool has_ended;
  bool has_begun; // true when bytes of a zstd frame came
  bool has_padding; // null bytes came after the end
};

void easel_unpacker_destroy(easel_unpacker *unpacker) {
  if (unpacker->brotli) BrotliDecoderDestroyInstance(unpacker->brotli);
  ZSTD_freeDCtx(unpacker->zstd);
  if (unpacker->is_open) inflateEnd(&unpacker->zlib);
  free(unpacker);
}

easel_unpacker *easel_unpacker_create(enum easel_packing packing) {
  easel_unpacker *unpacker = calloc(1, sizeof *unpacker);
  if (!unpacker) return NULL;
  unpacker->packing = packing;
  bool is_ready = true;
  if (packing == easel_packing_brotli) {
    unpacker->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    is_ready = unpacker->brotli;
  } else if (packing == easel_packing_zstd) {
    ZSTD_DCtx *zstd = unpacker->zstd = ZSTD_createDCtx();
    is_ready = zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, zstd_window_bits));
  } else if (packing == easel_packing_gzip) {
    is_ready = unpacker->is_open = inflateInit2(&unpacker->zlib, MAX_WBITS + 16) == Z_OK;
  }
  if (is_ready) return unpacker;
  easel_unpacker_destroy(unpacker);
  return NULL;
}

bool easel_unpacker_is_complete(const easel_unpacker *unpacker) { return unpacker->has_ended; }

static enum easel_unpacking brotli_step(
    easel_unpacker *unpacker, const uint8_t **source, size_t *count, uint8_t *target, size_t *room) {
  if (unpacker->has_ended) return *count == 0 ? easel_unpacking_hungry : easel_unpacking_broken;
  uint8_t *end = target;
  BrotliDecoderResult result = BrotliDecoderDecompressStream(unpacker->brotli, count, source, room, &end, NULL);
  unpacker->has_ended = result == BROTLI_DECODER_RESULT_SUCCESS;
  if (result == BROTLI_DECODER_RESULT_ERROR) return easel_unpacking_broken;
  if (unpacker->has_ended && *count > 0) return easel_unpacking_broken;
  return result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT ? easel_unpacking_full : easel_unpacking_hungry;
}

static enum easel_unpacking inflate_step(
    easel_unpacker *unpacker, const uint8_t **source, size_t *count, uint8_t *target, size_t *room) {
  z_stream *zlib = &unpacker->zlib;
  zlib->next_in = (Bytef *)*source;
  zlib->avail_in = (uInt)*count;
  zlib->next_out = target;
  zlib->avail_out = (uInt)*room;
  int result = inflate(zlib, Z_NO_FLUSH);
  *source = zlib->next_in;
  *count = zlib->avail_in;
  *room = zlib->avail_out;
  if (result == Z_STREAM_END) {
    unpacker->has_ended = true;
    return *count > 0 ? easel_unpacking_full : easel_unpacking_hungry;
  }
  // Z_BUF_ERROR only means that zlib needs more input, or more room for its output.
  if (result != Z_OK && result != Z_BUF_ERROR) return easel_unpacking_broken;
  return zlib->avail_out == 0 ? easel_unpacking_full : easel_unpacking_hungry;
}

static enum easel_unpacking gzip_step(
    easel_unpacker *unpacker, const uint8_t **source, size_t *count, uint8_t *target, size_t *room) {
  if (unpacker->has_ended) {
    if (*count == 0) return easel_unpacking_hungry;
    // Null bytes after the end are padding, and no other bytes may follow them. Without padding, the next bytes begin
    // another member.
    while (*count > 0 && **source == 0) {
      *source += 1;
      *count -= 1;
      unpacker->has_padding = true;
    }
    if (*count == 0) return easel_unpacking_hungry;
    if (unpacker->has_padding) return easel_unpacking_broken;
    if (inflateReset(&unpacker->zlib) != Z_OK) return easel_unpacking_broken;
    unpacker->has_ended = false;
  }
  return inflate_step(unpacker, source, count, target, room);
}

// The standard wants deflate with zlib's frame, but some servers send it without the frame.
static bool is_framed(const uint8_t *beginning) {
  return (beginning[0] & 15) == 8 && beginning[0] >> 4 <= 7 && (beginning[0] << 8 | beginning[1]) % 31 == 0;
}

static enum easel_unpacking deflate_step(
    easel_unpacker *unpacker, const uint8_t **source, size_t *count, uint8_t *target, size_t *room) {
  if (unpacker->has_ended) return *count == 0 ? easel_unpacking_hungry : easel_unpacking_broken;
  if (!unpacker->is_open) {
    while (unpacker->beginning_count < 2 && *count > 0) {
      unpacker->beginning[unpacker->beginning_count++] = *(*source)++;
      *count -= 1;
    }
    if (unpacker->beginning_count < 2) return easel_unpacking_hungry;
    int bits = is_framed(unpacker->beginning) ? MAX_WBITS : -MAX_WBITS;
    unpacker->is_open = inflateInit2(&unpacker->zlib, bits) == Z_OK;
    if (!unpacker->is_open) return easel_unpacking_broken;
    // Two bytes never unpack to more than the room.
    const uint8_t *beginning = unpacker->beginning;
    size_t left = 2, room_before = *room;
    enum easel_unpacking result = inflate_step(unpacker, &beginning, &left, target, room);
    if (result == easel_unpacking_broken || left > 0) return easel_unpacking_broken;
    target += room_before - *room;
    if (unpacker->has_ended) return *count == 0 ? easel_unpacking_hungry : easel_unpacking_broken;
  }
  enum easel_unpacking result = inflate_step(unpacker, source, count, target, room);
  return unpacker->has_ended && *count > 0 ? easel_unpacking_broken : result;
}

// The library also reads formats from before the standard, which this name does not mean. A standard frame begins with
// 28, and a frame to be skipped begins with 50 to 5F.
static bool begins_zstd_frame(uint8_t byte) { return byte == 0x28 || byte >> 4 == 5; }

static enum easel_unpacking zstd_step(
    easel_unpacker *unpacker, const uint8_t **source, size_t *count, uint8_t *target, size_t *room) {
  bool is_between_frames = unpacker->has_ended || !unpacker->has_begun;
  if (is_between_frames && *count == 0) return easel_unpacking_hungry;
  if (is_between_frames && !begins_zstd_frame(**source)) return easel_unpacking_broken;
  unpacker->has_begun = true;
  ZSTD_inBuffer input = {*source, *count, 0};
  ZSTD_outBuffer output = {target, *room, 0};
  size_t rest = ZSTD_decompressStream(unpacker->zstd, &output, &input);
  *source += input.pos;
  *count -= input.pos;
  *room -= output.pos;
  if (ZSTD_isError(rest)) return easel_unpacking_broken;
  unpacker->has_ended = rest == 0;
  return *count > 0 || (*room == 0 && !unpacker->has_ended) ? easel_unpacking_full : easel_unpacking_hungry;
}

enum easel_unpacking easel_unpacker_step(
    easel_unpacker *unpacker, const uint8_t **source, size_t *count, uint8_t *target, size_t *room) {
  switch (unpacker->packing) {
  case easel_packing_brotli: return brotli_step(unpacker, source, count, target, room);
  case easel_packing_deflate: return deflate_step(unpacker, source, count, target, room);
  case easel_packing_zstd: return zstd_step(unpacker, source, count, target, room);
  default: return gzip_step(unpacker, source, count, target, room);
  }
}

uint32_t easel_checksum(uint32_t checksum, const void *bytes, size_t count) {
  return (uint32_t)crc32_z(checksum, bytes, count);
}
