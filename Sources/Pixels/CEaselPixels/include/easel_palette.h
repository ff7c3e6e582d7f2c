#ifndef EASEL_PALETTE_H
#define EASEL_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Palettes for pictures of straight RGBA bytes, of 1 to 256 colours with alpha, and pictures drawn with them. Equal
// pictures have equal palettes on every processor.

// The room for the colours of a palette.
enum { EASEL_PALETTE_MOST = 256 };

// The pixels of a picture. Pixels that equal those of `before` need no colour; it may be null.
typedef struct {
  const void *pixels, *before;
  ptrdiff_t stride, before_stride;
  size_t width, height;
} easel_palette_picture;

// Asked every few milliseconds; the work ends early when it returns false. `may_go_on` may be null.
typedef struct {
  bool (*may_go_on)(void *context);
  void *context;
} easel_palette_caller;

typedef struct easel_palette_maker easel_palette_maker;

// Makes no palette with more colours than it was created for.
bool easel_palette_maker_create(easel_palette_maker **maker);
void easel_palette_maker_destroy(easel_palette_maker *maker);
// Counts the colours of a picture. If `skips_clear`, pixels without any alpha do not count. Returns false if it was
// stopped, or when memory runs out.
bool easel_palette_maker_add(easel_palette_maker *maker, const easel_palette_picture *picture, bool skips_clear,
                             easel_palette_caller caller);
// Chooses at most `most` colours of four bytes for the counted pixels, and fewer if those leave no more than the wanted
// mean squared error, in steps of brightness. Returns their number; 0 if no pixel was counted, if it was stopped, or
// when memory runs out. Sets the error that is left.
size_t easel_palette_choose(easel_palette_maker *maker, size_t most, double wanted_error, uint8_t *colors,
                            double *error, easel_palette_caller caller);

typedef struct {
  const uint8_t *colors;
  size_t count;
  // The index for pixels that are not drawn, those without alpha and those that equal `before`; -1 draws all.
  int skipped;
  // How much of the error of a pixel goes on to its neighbours, from 0 to 1.
  float diffusion;
  // An error below this length, in steps of brightness, hardly goes on: it is not seen, but makes files larger.
  float tolerance;
} easel_palette_drawing;

// Gives each pixel the index of a colour, one byte each, row after row. Returns false if it was stopped, or when memory
// runs out.
bool easel_palette_draw(const easel_palette_drawing *drawing, const easel_palette_picture *picture, uint8_t *indices,
                        easel_palette_caller caller);

// Writes for each pixel how much an error may be there: `even` in even parts, up to `restless` where errors hide. Returns
// false when memory runs out.
bool easel_palette_limits(const easel_palette_picture *picture, uint32_t even, uint32_t restless, uint32_t *limits);

#endif
