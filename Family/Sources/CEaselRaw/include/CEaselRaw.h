#ifndef CEASEL_RAW_H
#define CEASEL_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reads raw photos of cameras with LibRaw.

typedef enum {
  EASEL_RAW_OK = 0,
  EASEL_RAW_NO_MEMORY = 1,
  EASEL_RAW_BAD_DATA = 2,
  // The file is no raw photo, or that of a camera which LibRaw does not know.
  EASEL_RAW_UNKNOWN = 3,
} easel_raw_status;

// The room for a sentence about an error, and for the name of a maker.
enum { EASEL_RAW_MESSAGE_BYTES = 256, EASEL_RAW_NAME_BYTES = 64 };

typedef struct easel_raw_file easel_raw_file;

// Reads the header of a file, which uses the bytes until it is closed.
easel_raw_status easel_raw_open(
  const uint8_t *bytes, size_t count, easel_raw_file **file, char message[EASEL_RAW_MESSAGE_BYTES]);
void easel_raw_close(easel_raw_file *file);

typedef struct {
  // The size before the picture is turned.
  int width, height;
  // The orientation, by the numbers of EXIF.
  int orientation;
  bool is_dng;
  char maker[EASEL_RAW_NAME_BYTES];
} easel_raw_facts;

easel_raw_facts easel_raw_facts_of(const easel_raw_file *file);

// Finds the JPEG that the camera stored beside the raw picture; returns false if there is none. Its bytes are valid until
// the next call.
bool easel_raw_preview(easel_raw_file *file, const uint8_t **bytes, size_t *count);

// A developed picture in sRGB: red, green and blue of 8 bits, row by row, not yet turned.
typedef struct {
  void *owner;
  const uint8_t *bytes;
  size_t count;
  int width, height;
} easel_raw_picture;

// Develops the picture with the white balance of the camera; at half the size if wanted, which takes a fraction of the
// time. A file is developed once.
easel_raw_status easel_raw_develop(
  easel_raw_file *file, bool half, easel_raw_picture *picture, char message[EASEL_RAW_MESSAGE_BYTES]);
void easel_raw_free_picture(easel_raw_picture *picture);

// Makes the library work on one thread, for a process that can start no others.
void easel_raw_use_one_thread(void);

#ifdef __cplusplus
}
#endif

#endif
