#ifndef CEASEL_VIDEO_H
#define CEASEL_VIDEO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads single frames of films with FFmpeg.

typedef enum {
  EASEL_VIDEO_OK = 0,
  EASEL_VIDEO_NO_MEMORY = 1,
  EASEL_VIDEO_BAD_DATA = 2,
  // The file is no film, or in a format or a coding that is not read.
  EASEL_VIDEO_UNKNOWN = 3,
  // There is no further frame.
  EASEL_VIDEO_END = 4,
} easel_video_status;

// The room for a sentence about an error, and for a name.
enum { EASEL_VIDEO_MESSAGE_BYTES = 256, EASEL_VIDEO_NAME_BYTES = 48 };

typedef struct easel_video easel_video;

// Reads the header of a film, which uses the bytes until it is closed. Nothing besides the bytes is read: no other file, and
// no address. Frames of more pixels than `most_pixels` are refused.
easel_video_status easel_video_open(
  const uint8_t *bytes, size_t count, int64_t most_pixels, easel_video **video,
  char message[EASEL_VIDEO_MESSAGE_BYTES]);
void easel_video_close(easel_video *video);

typedef struct {
  // The size of the stored pixels, and the ratio of the sides of one.
  int width, height;
  double pixel_ratio;
  // The degrees by which the picture is turned clockwise to stand upright: 0, 90, 180 or 270.
  int turn;
  // 0 if the file does not tell.
  double seconds;
  bool has_sound;
  // The names that FFmpeg has for the container and the coding.
  char container[EASEL_VIDEO_NAME_BYTES], coding[EASEL_VIDEO_NAME_BYTES];
} easel_video_facts;

easel_video_facts easel_video_facts_of(const easel_video *video);

// Moves to the last frame that can be decoded alone at or before a time. In files without an index, the frame found may be
// a later one, unless the time is 0.
easel_video_status easel_video_seek(easel_video *video, double seconds);

// Decodes the next frame, whose time is then known.
easel_video_status easel_video_advance(easel_video *video);
double easel_video_time(const easel_video *video);

// The mean of the brightness of the frame, its deviation, and the mean difference of neighbours, each from 0 to 255.
typedef struct {
  double mean, deviation, sharpness;
} easel_video_looks;

easel_video_status easel_video_look(easel_video *video, easel_video_looks *looks);

// Draws the frame at a size, as red, green, blue and a byte of 255; it is not turned.
easel_video_status easel_video_draw(easel_video *video, uint8_t *pixels, size_t stride, int columns, int rows);

#ifdef __cplusplus
}
#endif

#endif
