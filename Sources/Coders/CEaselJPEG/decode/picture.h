#ifndef EASEL_JPEG_DECODER_PICTURE_H
#define EASEL_JPEG_DECODER_PICTURE_H

#include "parts.h"

// The samples of a component for one row of groups, and the row above them.
typedef struct {
  // The first sample of row 0. Each row has a margin at both ends.
  uint8_t *samples;
  ptrdiff_t stride;
  // Samples of a block in each direction, and samples of a row that belong to the picture.
  int size;
  uint32_t width;
} easel_jpeg_plane;

enum { EASEL_JPEG_MARGIN = 64, EASEL_JPEG_BATCH = 8 };

EASEL_JPEG_ALWAYS uint32_t easel_jpeg_parts(uint64_t whole, uint32_t part) {
  return (uint32_t)((whole + part - 1) / part);
}

// What the headers say of a picture at a scale.
typedef struct {
  const easel_jpeg_headers *headers;
  uint32_t width, height, columns, rows;
  // Rows of pixels in a row of groups.
  int group_height;
  easel_jpeg_row_kind kind;
  int blocks, sizes[3], component[10], across[10], down[10];
  // Where a block of a group has its levels, how many levels all have, and the same of `lasts`.
  int levels_at[10], lasts_at[10], levels, lasts;
  easel_jpeg_vectors vectors;
} easel_jpeg_grid;

void easel_jpeg_grid_make(easel_jpeg_grid *grid, const easel_jpeg_headers *headers, int eighths,
                          easel_jpeg_vectors vectors);
// Gives blocks all of their levels, also where only the mean is of use.
void easel_jpeg_grid_keep_levels(easel_jpeg_grid *grid);

// Reads the blocks of a picture from some row of groups on.
typedef struct {
  const easel_jpeg_grid *grid;
  easel_jpeg_groups groups;
  easel_jpeg_bits bits;
  // Groups until the next marker, and its number.
  uint32_t until_restart;
  int restart;
} easel_jpeg_source;

// Makes pixels of blocks.
typedef struct {
  const easel_jpeg_grid *grid;
  easel_jpeg_plane planes[3];
  easel_jpeg_block_kernels kernels[3];
  easel_jpeg_row_function *row;
  uint8_t *memory;
  int16_t *sums[2];
  // The row of groups at hand, the row of pixels that comes next, and the first that cannot be made yet.
  uint32_t row_of_groups, next, ready;
} easel_jpeg_sink;

// Reads `count` groups, or fewer if it is hungry.
easel_jpeg_state easel_jpeg_source_read(easel_jpeg_source *source, uint32_t *count, int16_t *levels, uint8_t *lasts);

bool easel_jpeg_sink_begin(easel_jpeg_sink *sink, const easel_jpeg_grid *grid);
// Takes groups of a row, from the one at `first` on.
void easel_jpeg_sink_take(easel_jpeg_sink *sink, uint32_t first, uint32_t count, const int16_t *levels,
                          const uint8_t *lasts);
// To be called behind the last group of a row: then the rows of pixels up to `ready` can be put.
void easel_jpeg_sink_finish_row(easel_jpeg_sink *sink, uint32_t row);
// Puts the next row of pixels.
void easel_jpeg_sink_put(easel_jpeg_sink *sink, uint8_t *to);
// Keeps what the next row of groups needs of this one; the last row that is put does it.
void easel_jpeg_sink_keep(easel_jpeg_sink *sink);

struct easel_jpeg_ahead;
struct easel_jpeg_part;

struct easel_jpeg_decoder {
  easel_jpeg_vectors vectors;
  easel_jpeg_headers headers;
  // Those that the scan uses; null otherwise.
  easel_jpeg_dc_table *dc[4];
  easel_jpeg_ac_table *ac[4];
  // Of the rows that are read while bytes arrive.
  easel_jpeg_grid grid;
  easel_jpeg_source source;
  easel_jpeg_sink sink;
  uint8_t *window;
  uint32_t row, column;
  // Null if no second thread reads codes. Of the part at hand, so many groups have been used.
  struct easel_jpeg_ahead *ahead;
  const struct easel_jpeg_part *part;
  uint32_t part_used;
};

easel_jpeg_decoder *easel_jpeg_decoder_make(const easel_jpeg_headers *headers, easel_jpeg_decoder_status *status);
void easel_jpeg_source_begin(easel_jpeg_source *source, const easel_jpeg_decoder *decoder,
                             const easel_jpeg_grid *grid, uint8_t *window);

#endif
