#ifndef EASEL_JPEG_DECODER_STORE_H
#define EASEL_JPEG_DECODER_STORE_H

#include "layers.h"

// What the scans of a progressive picture have told so far, while its bytes arrive: all means, and of each row of blocks
// the levels that are not zero. So the codes are read as they come, and only the pixels are left to make at the end.

typedef struct {
  // Blocks in a row, and rows.
  uint32_t across, down;
  int16_t *means;
  // By row; null where all levels are zero.
  uint8_t **rows;
} easel_jpeg_kept;

typedef struct {
  easel_jpeg_grid grid;
  easel_jpeg_kept parts[3];
  // The scan that is read, and its row of groups.
  int scan;
  uint32_t row;
  bool has_layer, is_in_row;
  easel_jpeg_layer layer;
  // Of the row at hand.
  easel_jpeg_row_levels levels;
  uint8_t *memory, *packed;
} easel_jpeg_store;

bool easel_jpeg_store_begin(easel_jpeg_store *store, const easel_jpeg_headers *headers, easel_jpeg_vectors vectors);
void easel_jpeg_store_free(easel_jpeg_store *store);
// Reads some rows of groups: needs bytes if no more have arrived.
easel_jpeg_decoder_status easel_jpeg_store_read(easel_jpeg_store *store, const easel_jpeg_scans *scans,
                                                const easel_jpeg_file *file, uint32_t most);
// Fills in a row of groups, all of whose levels are zero; false if the first scan has not told it.
bool easel_jpeg_store_load(const easel_jpeg_store *store, const easel_jpeg_row_levels *levels, uint32_t row);
// Guesses from the means around it what no scan has told of a row that was loaded.
void easel_jpeg_store_smooth(const easel_jpeg_store *store, const easel_jpeg_scans *scans,
                             const easel_jpeg_row_levels *levels, uint32_t row);
// The blocks of a component in a line of a row of groups, with those that only fill the last group.
easel_jpeg_block_row easel_jpeg_blocks_of(const easel_jpeg_row_levels *levels, int component, uint32_t line);
// The memory of a row of levels; null if there is none.
uint8_t *easel_jpeg_row_levels_make(easel_jpeg_row_levels *levels, const easel_jpeg_grid *grid);

// Packs a row of blocks, and makes it zero. Returns the number of bytes, none if all levels are zero.
size_t easel_jpeg_pack(const easel_jpeg_block_row *row, uint8_t *to);
void easel_jpeg_unpack(const easel_jpeg_block_row *row, const uint8_t *from);
enum { EASEL_JPEG_MOST_PACKED = 8 + 2 * 63 };

#endif
