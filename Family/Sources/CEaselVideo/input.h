#ifndef EASEL_VIDEO_INPUT_H
#define EASEL_VIDEO_INPUT_H

#include <libavformat/avformat.h>
#include <stddef.h>
#include <stdint.h>

// The bytes of a film, from which FFmpeg reads.
typedef struct {
  const uint8_t *bytes;
  size_t count, place;
} easel_video_input;

// Makes a context that reads nothing but these bytes; NULL without memory.
AVFormatContext *easel_video_input_context(easel_video_input *input);
void easel_video_input_close(AVFormatContext **context);

#endif
