#ifndef CEASEL_LOTTIE_H
#define CEASEL_LOTTIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Draws frames of Lottie animations with rlottie.

typedef struct easel_lottie easel_lottie;

// Reads an animation from a text of JSON that ends with a zero; NULL if it is none. Pictures outside the text are not read.
easel_lottie *easel_lottie_open(const char *text);
void easel_lottie_close(easel_lottie *animation);

typedef struct {
  size_t width, height, frames;
  double rate;
} easel_lottie_facts;

easel_lottie_facts easel_lottie_facts_of(const easel_lottie *animation);

// Draws a frame at a size. The pixels are blue, green, red and alpha, premultiplied; they must be zero before.
void easel_lottie_draw(
  easel_lottie *animation, size_t frame, uint8_t *pixels, size_t stride, size_t columns, size_t rows);

// Unpacks a file of an archive (ZIP), whose bytes are compressed by deflate; returns false if they are not what they should
// be. `made` is exactly `room` then.
bool easel_lottie_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t room);

#ifdef __cplusplus
}
#endif

#endif
