#ifndef EASEL_JPEG_DECODER_PASS_H
#define EASEL_JPEG_DECODER_PASS_H

#include "relay.h"
#include "store.h"

// Makes the rows of a progressive picture from its scans, all of which it reads next to each other, so that it keeps the
// levels of one row of groups only; or from what a store has of them.
typedef struct {
  easel_jpeg_grid grid;
  easel_jpeg_sink sink;
  easel_jpeg_layer *layers;
  int count;
  easel_jpeg_row_levels levels;
  uint8_t *lasts, *memory;
  uint32_t row;
  int eighths;
  // True if a second thread may read some of the scans, of a file in memory; and its part then.
  bool may_relay;
  easel_jpeg_relay *relay;
} easel_jpeg_pass;

// Begins with the first `count` scans, all of which have arrived; with none if there is a store.
easel_jpeg_decoder_status easel_jpeg_pass_begin(easel_jpeg_pass *pass, const easel_jpeg_scans *scans, int count,
                                                int eighths, easel_jpeg_vectors vectors);
void easel_jpeg_pass_free(easel_jpeg_pass *pass);
easel_jpeg_decoder_status easel_jpeg_pass_rows(easel_jpeg_pass *pass, const easel_jpeg_scans *scans,
                                               const easel_jpeg_store *store, const easel_jpeg_file *file,
                                               uint8_t *target, ptrdiff_t stride, uint32_t most, uint32_t *count);

#endif
