#ifndef CEASEL_COLOR_H
#define CEASEL_COLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Colour conversion between ICC profiles. Nothing is printed; messages of Little CMS are returned to the caller.

typedef enum {
  EASEL_COLOR_GRAY8 = 0,
  EASEL_COLOR_RGB8 = 1,
  EASEL_COLOR_RGBA8 = 2,
  EASEL_COLOR_BGRA8 = 3,
  EASEL_COLOR_CMYK8 = 4,
  // CMYK as Adobe writes it into JPEG: 255 is no ink.
  EASEL_COLOR_INVERTED_CMYK8 = 5,
  EASEL_COLOR_GRAY16 = 6,
  EASEL_COLOR_RGB16 = 7,
  EASEL_COLOR_RGBA16 = 8,
} easel_color_layout;

typedef enum {
  EASEL_COLOR_OK = 0,
  EASEL_COLOR_BAD_PROFILE = 1,
  // The profile is valid, but for another kind of pixels than the layout's.
  EASEL_COLOR_WRONG_SPACE = 2,
  EASEL_COLOR_FAILED = 3,
} easel_color_status;

enum { EASEL_COLOR_MESSAGE_SIZE = 160 };

// The kinds of profile on either side of a transform.
typedef enum { EASEL_COLOR_EMBEDDED = 0, EASEL_COLOR_SRGB = 1 } easel_color_profile_kind;

// The bytes are used only during the call, and ignored unless the kind is EMBEDDED.
typedef struct {
  easel_color_profile_kind kind;
  const void *bytes;
  size_t count;
  easel_color_layout layout;
} easel_color_end;

typedef struct easel_color_transform easel_color_transform;

// Perceptual intent with black point compensation. The message is always terminated, and empty if there is none.
easel_color_status easel_color_transform_create(const easel_color_end *source, const easel_color_end *destination,
                                                char message[EASEL_COLOR_MESSAGE_SIZE],
                                                easel_color_transform **transform);
void easel_color_transform_destroy(easel_color_transform *transform);
// The largest change, out of 65535, that the transform makes to a component of a grid of colours; 65535 if source and
// destination have different components.
uint32_t easel_color_transform_largest_change(const easel_color_transform *transform);
// Several threads may call this at once. Source and destination must not overlap, but they may be the same if their
// pixels have the same size. Alpha is copied; if the source has none, it becomes the maximum.
void easel_color_transform_apply(const easel_color_transform *transform, const void *source, void *destination,
                                 size_t pixel_count);

#ifdef __cplusplus
}
#endif

#endif
