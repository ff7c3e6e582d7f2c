#include <string.h>

#include "input.h"

static int read_bytes(void *opaque, uint8_t *target, int most) {
  easel_video_input *input = opaque;
  size_t rest = input->count - input->place, count = (size_t)most < rest ? (size_t)most : rest;
  if (!count) return AVERROR_EOF;
  memcpy(target, input->bytes + input->place, count);
  input->place += count;
  return (int)count;
}

static int64_t seek(void *opaque, int64_t offset, int from) {
  easel_video_input *input = opaque;
  int64_t base = 0;
  switch (from & ~AVSEEK_FORCE) {
  case AVSEEK_SIZE: return (int64_t)input->count;
  case SEEK_SET: break;
  case SEEK_CUR: base = (int64_t)input->place; break;
  case SEEK_END: base = (int64_t)input->count; break;
  default: return AVERROR(EINVAL);
  }
  int64_t place;
  if (__builtin_add_overflow(base, offset, &place) || place < 0 || place > (int64_t)input->count) return AVERROR(EINVAL);
  input->place = (size_t)place;
  return place;
}

// Playlists, references to other files and addresses are parts of some formats: none is opened.
static int refuse(AVFormatContext *context, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
  (void)context, (void)io, (void)url, (void)flags, (void)options;
  return AVERROR(EPERM);
}

AVFormatContext *easel_video_input_context(easel_video_input *input) {
  enum { BUFFER_BYTES = 1 << 16 };
  AVFormatContext *context = avformat_alloc_context();
  uint8_t *buffer = av_malloc(BUFFER_BYTES);
  if (context && buffer) context->pb = avio_alloc_context(buffer, BUFFER_BYTES, 0, input, read_bytes, NULL, seek);
  if (!context || !context->pb) {
    av_free(buffer);
    avformat_free_context(context);
    return NULL;
  }
  context->flags |= AVFMT_FLAG_CUSTOM_IO;
  context->io_open = refuse;
  return context;
}

void easel_video_input_close(AVFormatContext **context) {
  if (!*context) return;
  AVIOContext *io = (*context)->pb;
  avformat_close_input(context);
  if (io) av_freep(&io->buffer);
  avio_context_free(&io);
}
