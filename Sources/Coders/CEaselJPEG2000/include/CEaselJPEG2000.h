#ifndef CEASEL_JPEG2000_H
#define CEASEL_JPEG2000_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Codestreams of JPEG 2000, decoded by OpenJPEG. The boxes around a codestream are read elsewhere, and its header is
// checked there first.

typedef enum {
  EASEL_JPEG2000_OK = 0,
  EASEL_JPEG2000_NO_MEMORY = 1,
  EASEL_JPEG2000_BAD_DATA = 2,
  // There is a picture, but a part of it is wrong or missing.
  EASEL_JPEG2000_DAMAGED = 3,
  EASEL_JPEG2000_STOPPED = 4,
} easel_jpeg2000_status;

// The only form of a picture that is accepted; other forms are bad data, and no memory is allocated for them.
typedef struct {
  uint32_t left, top, right, bottom;
  uint32_t components;
} easel_jpeg2000_form;

// The area of the reference grid that is decoded. Its last column and row are outside of it.
typedef struct {
  uint32_t left, top, right, bottom;
} easel_jpeg2000_area;

// The bytes of a codestream.
typedef struct {
  // Copies bytes from a place on into memory, and returns how many; 0 ends the work early.
  size_t (*read)(void *context, size_t place, void *target, size_t count);
  void *context;
  size_t count;
} easel_jpeg2000_bytes;

// The samples of a component, row by row.
typedef struct {
  const int32_t *samples;
  uint32_t width, height;
} easel_jpeg2000_plane;

typedef struct easel_jpeg2000_picture easel_jpeg2000_picture;

// Decodes an area of a codestream and halves its size `halvings` times. With `shows_parts`, parts that cannot be read
// are left out. Tiles outside of the area are neither read nor decoded. A picture is made whatever the status is, because
// it has the message, unless there is no memory for it.
easel_jpeg2000_status easel_jpeg2000_picture_decode(const easel_jpeg2000_bytes *bytes, const easel_jpeg2000_form *form,
                                                    const easel_jpeg2000_area *area, uint32_t halvings,
                                                    bool shows_parts, easel_jpeg2000_picture **picture);
// Gets a plane; returns false if the picture has no such plane.
bool easel_jpeg2000_picture_plane(const easel_jpeg2000_picture *picture, uint32_t component,
                                  easel_jpeg2000_plane *plane);
// The message of OpenJPEG about the first failure; it may be empty.
const char *easel_jpeg2000_picture_message(const easel_jpeg2000_picture *picture);
void easel_jpeg2000_picture_destroy(easel_jpeg2000_picture *picture);

// The conversion from the samples of a plane to components of pixels.
typedef struct {
  easel_jpeg2000_plane plane;
  // The number of pixels that share a sample, in each direction.
  uint32_t x_step, y_step;
  // The offset is added to a sample; then the lowest `shift` bits are dropped.
  int32_t offset;
  uint32_t shift;
  // The component of a pixel for each resulting number; larger numbers count as the largest.
  const uint16_t *table;
  uint32_t table_count;
} easel_jpeg2000_channel;

typedef enum {
  EASEL_JPEG2000_RGB = 0,
  // The brightness and the two colours of sYCC.
  EASEL_JPEG2000_YCC = 1,
  // Cyan, magenta, yellow and black; the largest number is full ink.
  EASEL_JPEG2000_INKS = 2,
} easel_jpeg2000_kind;

// Writes rows of pixels with four components, from the column `left` and the row `top` on: bytes, or 16-bit words if
// wide. Without a fourth channel, the fourth component is the largest number.
void easel_jpeg2000_write_rows(const easel_jpeg2000_channel channels[4], easel_jpeg2000_kind kind, bool has_fourth,
                               uint32_t left, uint32_t width, uint32_t top, uint32_t rows, bool is_wide, void *target,
                               size_t stride);

// The version of OpenJPEG that the process runs with.
const char *easel_jpeg2000_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
