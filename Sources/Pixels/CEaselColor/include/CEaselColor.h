#ifndef CEASEL_COLOR_H
#define CEASEL_COLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Colour conversion between ICC profiles, and from code points to sRGB. Nothing is printed; messages of Little CMS are
// returned to the caller.

typedef enum {
  EASEL_COLOR_GRAY8 = 0,
  EASEL_COLOR_RGB8 = 1,
  EASEL_COLOR_RGBA8 = 2,
  EASEL_COLOR_BGRA8 = 3,
  EASEL_COLOR_CMYK8 = 4,
  // CMYK in the form that Adobe writes into JPEG: 255 is no ink.
  EASEL_COLOR_INVERTED_CMYK8 = 5,
  EASEL_COLOR_GRAY16 = 6,
  EASEL_COLOR_RGB16 = 7,
  EASEL_COLOR_RGBA16 = 8,
} easel_color_layout;

typedef enum {
  EASEL_COLOR_OK = 0,
  EASEL_COLOR_BAD_PROFILE = 1,
  // The profile is valid, but for another kind of pixels than those of the layout.
  EASEL_COLOR_WRONG_SPACE = 2,
  EASEL_COLOR_FAILED = 3,
} easel_color_status;

enum { EASEL_COLOR_MESSAGE_SIZE = 160 };

// The kinds of profile on either side of a transform.
typedef enum { EASEL_COLOR_EMBEDDED = 0, EASEL_COLOR_SRGB = 1 } easel_color_profile_kind;

// One end of a transform. The bytes are used only during the call, and only if the kind is EMBEDDED.
typedef struct {
  easel_color_profile_kind kind;
  const void *bytes;
  size_t count;
  easel_color_layout layout;
} easel_color_end;

typedef struct easel_color_transform easel_color_transform;

// Creates a transform with perceptual intent and black point compensation. The message is always terminated, and empty
// if there is none.
easel_color_status easel_color_transform_create(const easel_color_end *source, const easel_color_end *destination,
                                                char message[EASEL_COLOR_MESSAGE_SIZE],
                                                easel_color_transform **transform);
void easel_color_transform_destroy(easel_color_transform *transform);
// The largest change of a component, out of 65535, that the transform makes to a grid of colours; 65535 if source and
// destination have different components.
uint32_t easel_color_transform_largest_change(const easel_color_transform *transform);
// Converts pixels. Several threads may call this at once. Source and destination must not overlap, but may be the same
// if their pixels have the same size. Alpha is copied; if the source has none, it becomes the maximum.
void easel_color_transform_apply(const easel_color_transform *transform, const void *source, void *destination,
                                 size_t pixel_count);

// ---- Code points of ITU-T H.273

// Colours that are described by code points. Unknown code points are treated as those of sRGB; with PQ and HLG, unknown
// primaries are treated as those of BT.2020.
typedef struct {
  int primaries, transfer;
  // The luminance of the brightest pixel in candela per square metre; only PQ uses it.
  double peak;
} easel_coding;

enum { EASEL_TRANSFER_PQ = 16, EASEL_TRANSFER_HLG = 18 };

// True if the numbers are already sRGB, or are treated as sRGB.
bool easel_coding_is_srgb(const easel_coding *coding);
// Converts one colour with components from 0 to 1, without tables; it is the reference for the transform below.
void easel_coding_to_srgb(const easel_coding *coding, const double color[3], double srgb[3]);
// Converts one colour from sRGB, in order to draw it into a picture. The white of sRGB has 203 candela per square metre
// in PQ and HLG. Components that the coding cannot hold are clipped.
void easel_coding_from_srgb(const easel_coding *coding, const double srgb[3], double color[3]);
// Converts a row of RGBA16 with straight alpha from sRGB, in place.
void easel_coding_row_from_srgb(const easel_coding *coding, uint16_t *pixels, size_t count);

typedef struct easel_coding_transform easel_coding_transform;

// Creates a transform to sRGB; returns null if there is no memory.
easel_coding_transform *easel_coding_transform_create(const easel_coding *coding);
void easel_coding_transform_destroy(easel_coding_transform *transform);
// Converts a row of RGBA8, BGRA8 or RGBA16 to any of these. Alpha is straight, and is kept. Several threads may call
// this at once. From 16 bits to 8, the row is dithered in a fixed pattern of 8 by 8 pixels, and `y` is the number of
// the row. Source and destination may be the same if their pixels have the same size.
void easel_coding_transform_apply(const easel_coding_transform *transform, easel_color_layout source_layout,
                                  const void *source, easel_color_layout destination_layout, void *destination,
                                  size_t pixel_count, size_t y);

// The version of Little CMS that the process runs with, such as 2140 for 2.14.
int easel_color_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
