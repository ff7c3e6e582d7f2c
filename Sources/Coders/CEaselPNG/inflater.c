#include "inflater.h"

#if !__has_include(<isa-l/igzip_lib.h>)
#error "Install libisal-dev (Debian, Ubuntu) or isa-l-devel (Fedora)"
#endif
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

bool easel_png_inflater_open(easel_png_inflater *inflater, easel_png_inflater_kind kind) {
  memset(inflater, 0, sizeof *inflater);
  inflater->kind = kind;
  if (kind == EASEL_PNG_STRICT) return inflater->has_stream = inflateInit(&inflater->stream) == Z_OK;
  // The state is zeroed, so that old memory can never reach the output.
  inflater->state = calloc(1, sizeof *inflater->state);
  if (!inflater->state) return false;
  isal_inflate_init(inflater->state);
  inflater->state->crc_flag = ISAL_ZLIB_NO_HDR_VER;
  return true;
}

void easel_png_inflater_close(easel_png_inflater *inflater) {
  if (inflater->has_stream) inflateEnd(&inflater->stream);
  inflater->has_stream = false;
  free(inflater->state);
  inflater->state = NULL;
}

static uint32_t easel_png_at_most_uint32(size_t count) { return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX; }

// Takes the head here, because ISA-L loses it when it arrives in pieces, and never checks the window size.
static bool easel_png_take_head(easel_png_inflater *inflater, const uint8_t **bytes, size_t *bytes_left) {
  while (inflater->head_count < 2 && *bytes_left > 0) {
    inflater->head[inflater->head_count++] = *(*bytes)++;
    (*bytes_left)--;
  }
  if (inflater->head_count < 2) return true;
  const uint8_t *head = inflater->head;
  bool is_deflate = (head[0] & 0x0f) == 8 && head[0] >> 4 <= 7, needs_dictionary = head[1] & 0x20;
  return is_deflate && !needs_dictionary && (head[0] << 8 | head[1]) % 31 == 0;
}

static easel_png_step easel_png_step_fast(easel_png_inflater *inflater, const uint8_t **bytes, size_t *bytes_left,
                                          uint8_t *target, size_t room, size_t *count) {
  if (!easel_png_take_head(inflater, bytes, bytes_left)) return EASEL_PNG_STREAM_IS_BAD;
  if (inflater->head_count < 2) return EASEL_PNG_WANTS_MORE;
  struct inflate_state *state = inflater->state;
  uint32_t given = easel_png_at_most_uint32(*bytes_left), free_bytes = easel_png_at_most_uint32(room);
  state->next_in = (uint8_t *)*bytes;
  state->avail_in = given;
  state->next_out = target;
  state->avail_out = free_bytes;
  int result = isal_inflate(state);
  // After an error the counts are meaningless.
  if (result != ISAL_DECOMP_OK || state->avail_in > given || state->avail_out > free_bytes) {
    return EASEL_PNG_STREAM_IS_BAD;
  }
  size_t taken = given - state->avail_in;
  *count = free_bytes - state->avail_out;
  *bytes += taken;
  *bytes_left -= taken;
  state->next_in = state->next_out = NULL;
  if (state->block_state == ISAL_BLOCK_FINISH) return EASEL_PNG_STREAM_ENDS;
  bool is_stuck = taken == 0 && *count == 0;
  if (is_stuck && *bytes_left > 0) return EASEL_PNG_STREAM_IS_BAD;
  return is_stuck || (*bytes_left == 0 && *count < room) ? EASEL_PNG_WANTS_MORE : EASEL_PNG_GOES_ON;
}

static easel_png_step easel_png_step_strictly(easel_png_inflater *inflater, const uint8_t **bytes, size_t *bytes_left,
                                              uint8_t *target, size_t room, size_t *count) {
  z_stream *stream = &inflater->stream;
  uInt given = easel_png_at_most_uint32(*bytes_left), free_bytes = easel_png_at_most_uint32(room);
  stream->next_in = (Bytef *)*bytes;
  stream->avail_in = given;
  stream->next_out = target;
  stream->avail_out = free_bytes;
  int result = inflate(stream, Z_NO_FLUSH);
  *count = free_bytes - stream->avail_out;
  *bytes += given - stream->avail_in;
  *bytes_left -= given - stream->avail_in;
  stream->next_in = stream->next_out = NULL;
  switch (result) {
    case Z_STREAM_END: return EASEL_PNG_STREAM_ENDS;
    case Z_MEM_ERROR: return EASEL_PNG_HAS_NO_MEMORY;
    case Z_BUF_ERROR: return EASEL_PNG_WANTS_MORE;
    case Z_OK: return *bytes_left == 0 && *count < room ? EASEL_PNG_WANTS_MORE : EASEL_PNG_GOES_ON;
    default: return EASEL_PNG_STREAM_IS_BAD;
  }
}

easel_png_step easel_png_inflater_step(easel_png_inflater *inflater, const uint8_t **bytes, size_t *bytes_left,
                                       uint8_t *target, size_t room, size_t *count) {
  *count = 0;
  return inflater->kind == EASEL_PNG_FAST
             ? easel_png_step_fast(inflater, bytes, bytes_left, target, room, count)
             : easel_png_step_strictly(inflater, bytes, bytes_left, target, room, count);
}

const char *easel_png_inflater_message(const easel_png_inflater *inflater) {
  const char *message = inflater->has_stream ? inflater->stream.msg : NULL;
  return message ? message : "bad zlib data";
}
