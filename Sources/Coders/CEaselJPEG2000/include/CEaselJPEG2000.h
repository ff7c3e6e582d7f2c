#ifndef CEASEL_JPEG2000_H
#define CEASEL_JPEG2000_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Codestreams of JPEG 2000, over OpenJPEG. The boxes around a codestream are read elsewhere, and its header is checked
// there before.

typedef enum {
  EASEL_JPEG2000_OK = 0,
  EASEL_JPEG2000_NO_MEMORY = 1,
  EASEL_JPEG2000_BAD_DATA = 2,
  // There is a picture, of which a part is wrong or missing.
  EASEL_JPEG2000_DAMAGED = 3,
  EASEL_JPEG2000_STOPPED = 4,
} easel_jpeg2000_status;

// The only form of a picture that is accepted; another one is bad data, and no memory is taken for it.
typedef struct {
  uint32_t left, top, right, bottom;
  uint32_t components;
} easel_jpeg2000_form;

// The samples of a component, row by row.
typedef struct {
  const int32_t *samples;
  uint32_t width, height;
} easel_jpeg2000_plane;

typedef struct easel_jpeg2000_picture easel_jpeg2000_picture;

// Decodes a codestream, made smaller by so many halvings. With `shows_parts`, what cannot be read is left out. The
// function is asked between pieces of the codestream, and the end comes early once it returns false. A picture is made
// whatever the status is, for its message, unless there is no memory for it.
easel_jpeg2000_status easel_jpeg2000_picture_decode(const uint8_t *bytes, size_t count,
                                                    const easel_jpeg2000_form *form, uint32_t halvings,
                                                    bool shows_parts, bool (*may_go_on)(void *), void *context,
                                                    easel_jpeg2000_picture **picture);
// False if the picture has no such plane.
bool easel_jpeg2000_picture_plane(const easel_jpeg2000_picture *picture, uint32_t component,
                                  easel_jpeg2000_plane *plane);
// The words of OpenJPEG about the first failure; they may be an empty text.
const char *easel_jpeg2000_picture_message(const easel_jpeg2000_picture *picture);
void easel_jpeg2000_picture_destroy(easel_jpeg2000_picture *picture);

// The way from the samples of a plane to components of pixels.
typedef struct {
  easel_jpeg2000_plane plane;
  // The number of pixels for which a sample stands.
  uint32_t x_step, y_step;
  // Is added to a sample, after which so many of the lowest bits are left out.
  int32_t offset;
  uint32_t shift;
  // The component of a pixel for each number then; larger numbers count as the largest.
  const uint16_t *table;
  uint32_t table_count;
} easel_jpeg2000_channel;

typedef enum {
  EASEL_JPEG2000_RGB = 0,
  // Brightness and both colours of sYCC.
  EASEL_JPEG2000_YCC = 1,
  // Cyan, magenta, yellow and black, of which the largest number is full.
  EASEL_JPEG2000_INKS = 2,
} easel_jpeg2000_kind;

// Writes rows of pixels with four components: bytes, or words of 16 bits if wide. Without a fourth channel, it has the
// largest number.
void easel_jpeg2000_write_rows(const easel_jpeg2000_channel channels[4], easel_jpeg2000_kind kind, bool has_fourth,
                               uint32_t width, uint32_t first, uint32_t rows, bool is_wide, void *target,
                               size_t stride);

// The version of OpenJPEG that the process runs with.
const char *easel_jpeg2000_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
