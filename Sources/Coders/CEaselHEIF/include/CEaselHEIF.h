#ifndef CEASEL_HEIF_H
#define CEASEL_HEIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pictures coded as HEVC, decoded by libde265. The boxes of a HEIC file are read and checked elsewhere.

typedef enum {
  EASEL_HEIF_OK = 0,
  EASEL_HEIF_NO_MEMORY = 1,
  // There is no picture.
  EASEL_HEIF_BAD_DATA = 2,
  // There is a picture, but a part of it is wrong or missing.
  EASEL_HEIF_DAMAGED = 3,
  EASEL_HEIF_UNSUPPORTED = 4,
  EASEL_HEIF_STOPPED = 5,
  // More units are needed.
  EASEL_HEIF_WAITING = 6,
} easel_heif_status;

// A unit of the network abstraction layer: a set of parameters, or a slice of the picture.
typedef struct {
  const uint8_t *bytes;
  size_t count;
} easel_heif_unit;

// The one form that is accepted. Pictures of another form are refused before memory is allocated.
typedef struct {
  uint32_t width, height;
  // The size of the stored picture, whose edges are cut off.
  uint32_t stored_width, stored_height;
  // 0 for grey, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  int chroma;
  int depth, chroma_depth;
} easel_heif_form;

// Rows of brightness and of both colours: bytes, or 16-bit words for samples of more than 8 bits. Grey pictures have no
// colours.
typedef struct {
  uint8_t *planes[3];
  size_t strides[3];
  uint32_t width, height;
} easel_heif_planes;

// ---- A picture

typedef struct easel_heif_picture easel_heif_picture;

// Decodes the picture in some units. If the status is OK or DAMAGED, a picture is made, and owns its planes.
easel_heif_status easel_heif_picture_decode(const easel_heif_unit *units, size_t count, const easel_heif_form *form,
                                            int threads, easel_heif_picture **picture);
void easel_heif_picture_planes(const easel_heif_picture *picture, easel_heif_planes *planes);
void easel_heif_picture_destroy(easel_heif_picture *picture);

// ---- A sequence

// Decodes pictures that may refer to each other, one after another.
typedef struct easel_heif_movie easel_heif_movie;

// Creates a decoder that holds at most `most_pictures` at the same time. A sequence that needs more is bad data.
easel_heif_status easel_heif_movie_create(const easel_heif_form *form, size_t most_pictures, easel_heif_movie **movie);
void easel_heif_movie_destroy(easel_heif_movie *movie);
// Takes the units of the next picture in the order of decoding, or parameters.
easel_heif_status easel_heif_movie_push(easel_heif_movie *movie, const easel_heif_unit *units, size_t count,
                                        int64_t number);
// Notes that no more pictures follow.
easel_heif_status easel_heif_movie_end(easel_heif_movie *movie);
// Gets the next picture in the order of display, with the number with which it was pushed. Its planes stay until the
// next call. Returns WAITING if no picture is ready.
easel_heif_status easel_heif_movie_next(easel_heif_movie *movie, easel_heif_planes *planes, int64_t *number);

// ---- Cells of a grid

typedef struct {
  const easel_heif_unit *units;
  size_t count;
  // The place of the cell; parts outside the planes are left out.
  uint32_t x, y;
  easel_heif_status status;
} easel_heif_cell;

// Threads that decode several cells at the same time, one band of cells after another. The planes of even and odd bands
// alternate, so that one band can be decoded while the caller reads another.
typedef struct easel_heif_threads easel_heif_threads;

// Creates threads, which do not begin yet. Cells and planes belong to the caller until the pool is destroyed. Returns
// NULL without memory.
easel_heif_threads *easel_heif_threads_create(easel_heif_cell *cells, size_t count, size_t cells_per_band,
                                        const easel_heif_form *form, const easel_heif_planes planes[2], int threads);
// Lets the first `bands` bands be decoded. Their cells must have their units, and nobody may still read their planes.
void easel_heif_threads_open(easel_heif_threads *pool, size_t bands);
// Also decodes on this thread, until all cells of an open band are done. `may_go_on` is called only on this thread.
// Once it returns false, no further cell is begun, and this function returns false too.
bool easel_heif_threads_wait(easel_heif_threads *pool, size_t band, bool (*may_go_on)(void *), void *context);
// Waits for the cells that are being decoded, and destroys the pool.
void easel_heif_threads_destroy(easel_heif_threads *pool);

// The version of libde265 that the process runs with.
const char *easel_heif_library_version(void);

#ifdef __cplusplus
}
#endif

#endif
