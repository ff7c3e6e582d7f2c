#ifndef EASEL_JPEG_DECODER_LAYERS_H
#define EASEL_JPEG_DECODER_LAYERS_H

#include "../include/CEaselJPEG.h"
#include "picture.h"
#include "scans.h"

// A scan that is read next to all others: from each the codes of a row of groups, then of the next row.
typedef struct {
  const easel_jpeg_scan *scan;
  easel_jpeg_bits bits;
  uint8_t *window, *piece;
  // The place in the file of the bytes that have not been handed out.
  size_t at;
  uint32_t until_restart;
  int restart;
  // Blocks that have no further level.
  uint32_t run;
  uint32_t means[3];
  easel_jpeg_dc_table *dc[3];
  easel_jpeg_band_table *band;
  // While the codes arrive: the line of blocks in the row of groups, and the groups or blocks that have been read.
  uint32_t line, done;
  easel_jpeg_vectors vectors;
} easel_jpeg_layer;

// The levels of a row of groups, and by block which positions but the first are not zero.
typedef struct {
  const easel_jpeg_grid *grid;
  int16_t *levels;
  uint64_t *masks;
} easel_jpeg_row_levels;

// The blocks of a component in a row of blocks, of one or two in each group.
typedef struct {
  int16_t *levels;
  uint64_t *masks;
  uint32_t count;
  int shift;
  size_t levels_step, masks_step;
} easel_jpeg_block_row;

EASEL_JPEG_ALWAYS int16_t *easel_jpeg_levels_of(const easel_jpeg_block_row *row, uint32_t x) {
  return row->levels + (x >> row->shift) * row->levels_step + (x & ((1u << row->shift) - 1)) * 64;
}

EASEL_JPEG_ALWAYS uint64_t *easel_jpeg_mask_of(const easel_jpeg_block_row *row, uint32_t x) {
  return row->masks + (x >> row->shift) * row->masks_step + (x & ((1u << row->shift) - 1));
}

easel_jpeg_decoder_status easel_jpeg_layer_begin(easel_jpeg_layer *layer, const easel_jpeg_scan *scan);
void easel_jpeg_layer_free(easel_jpeg_layer *layer);
// To be called before rows are read, and after.
void easel_jpeg_layer_open(easel_jpeg_layer *layer, const easel_jpeg_file *file);
void easel_jpeg_layer_close(easel_jpeg_layer *layer, const easel_jpeg_file *file);
// Makes sure that the codes of a block can be read.
easel_jpeg_state easel_jpeg_layer_fill(easel_jpeg_layer *layer, const easel_jpeg_file *file);
// To be called before each group or block of a scan; goes past a marker where one is due.
easel_jpeg_state easel_jpeg_layer_restart(easel_jpeg_layer *layer, const easel_jpeg_file *file);
// Reads a row of groups. Hungry only if the scan has not arrived yet.
easel_jpeg_state easel_jpeg_layer_read(easel_jpeg_layer *layer, const easel_jpeg_file *file,
                                       const easel_jpeg_row_levels *levels, uint32_t row);

// Reads the levels of a row of blocks.
easel_jpeg_state easel_jpeg_band_read(easel_jpeg_layer *layer, const easel_jpeg_file *file,
                                      const easel_jpeg_block_row *row);

#endif
