#include "pass.h"

#include <stdlib.h>
#include <string.h>

easel_jpeg_decoder_status easel_jpeg_pass_begin(easel_jpeg_pass *pass, const easel_jpeg_scans *scans, int count,
                                                int eighths, easel_jpeg_vectors vectors) {
  memset(pass, 0, sizeof *pass);
  pass->eighths = eighths;
  easel_jpeg_grid_make(&pass->grid, &scans->headers, eighths, vectors);
  easel_jpeg_grid_keep_levels(&pass->grid);
  pass->layers = calloc((size_t)count + 1, sizeof *pass->layers);
  pass->memory = easel_jpeg_row_levels_make(&pass->levels, &pass->grid);
  pass->lasts = malloc((size_t)pass->grid.columns * (size_t)pass->grid.blocks);
  if (!pass->layers || !pass->memory || !pass->lasts || !easel_jpeg_sink_begin(&pass->sink, &pass->grid))
    return EASEL_JPEG_DECODER_NO_MEMORY;
  for (int i = 0; i < count; i++) {
    pass->count++;
    easel_jpeg_decoder_status status = easel_jpeg_layer_begin(&pass->layers[i], &scans->scans[i]);
    if (status != EASEL_JPEG_DECODER_OK) return status;
    pass->layers[i].vectors = vectors;
  }
  return EASEL_JPEG_DECODER_OK;
}

void easel_jpeg_pass_free(easel_jpeg_pass *pass) {
  if (pass->relay) easel_jpeg_relay_end(pass->relay);
  for (int i = 0; i < pass->count; i++) easel_jpeg_layer_free(&pass->layers[i]);
  free(pass->layers);
  free(pass->memory);
  free(pass->lasts);
  free(pass->sink.memory);
  memset(pass, 0, sizeof *pass);
}

static void easel_jpeg_pass_make_lasts(easel_jpeg_pass *pass, const uint64_t *masks) {
  size_t blocks = (size_t)pass->grid.columns * (size_t)pass->grid.blocks;
  for (size_t i = 0; i < blocks; i++) pass->lasts[i] = masks[i] ? (uint8_t)(63 - __builtin_clzll(masks[i])) : 0;
}

static easel_jpeg_state easel_jpeg_pass_row(easel_jpeg_pass *pass, const easel_jpeg_scans *scans,
                                            const easel_jpeg_store *store, const easel_jpeg_file *file) {
  const easel_jpeg_grid *grid = &pass->grid;
  size_t blocks = (size_t)grid->columns * (size_t)grid->blocks;
  easel_jpeg_row_levels levels = pass->levels;
  int first = 0;
  if (pass->relay) {
    first = pass->relay->count;
    if (easel_jpeg_relay_take(pass->relay, pass->row, &levels) != EASEL_JPEG_SOUND) return EASEL_JPEG_WRONG;
  } else {
    memset(levels.levels, 0, 128 * blocks);
    memset(levels.masks, 0, 8 * blocks);
  }
  if (store && !easel_jpeg_store_load(store, &levels, pass->row)) return EASEL_JPEG_HUNGRY;
  if (store && !scans->has_ended) easel_jpeg_store_smooth(store, scans, &levels, pass->row);
  for (int i = first; i < pass->count; i++) {
    easel_jpeg_state state = easel_jpeg_layer_read(&pass->layers[i], file, &levels, pass->row);
    // Every scan is there as a whole.
    if (state != EASEL_JPEG_SOUND) return EASEL_JPEG_WRONG;
  }
  easel_jpeg_pass_make_lasts(pass, levels.masks);
  easel_jpeg_sink_take(&pass->sink, 0, grid->columns, levels.levels, pass->lasts);
  easel_jpeg_sink_finish_row(&pass->sink, pass->row++);
  return EASEL_JPEG_SOUND;
}

easel_jpeg_decoder_status easel_jpeg_pass_rows(easel_jpeg_pass *pass, const easel_jpeg_scans *scans,
                                               const easel_jpeg_store *store, const easel_jpeg_file *file,
                                               uint8_t *target, ptrdiff_t stride, uint32_t most, uint32_t *count) {
  easel_jpeg_sink *sink = &pass->sink;
  easel_jpeg_state state = EASEL_JPEG_SOUND;
  // The scans may have moved in memory.
  pass->grid.headers = &scans->headers;
  for (int i = 0; i < pass->count; i++) {
    pass->layers[i].scan = &scans->scans[i];
    easel_jpeg_layer_open(&pass->layers[i], file);
  }
  if (pass->may_relay && file->bytes && !pass->row)
    pass->relay = easel_jpeg_relay_begin(&pass->grid, pass->layers, pass->count, pass->eighths);
  pass->may_relay = false;
  if (pass->relay) easel_jpeg_relay_open(pass->relay, file);
  for (*count = 0; *count < most && state == EASEL_JPEG_SOUND && sink->next < pass->grid.height;) {
    if (sink->next < sink->ready) {
      easel_jpeg_sink_put(sink, target + (ptrdiff_t)*count * stride);
      ++*count;
    } else {
      state = easel_jpeg_pass_row(pass, scans, store, file);
    }
  }
  if (pass->relay) easel_jpeg_relay_close(pass->relay);
  for (int i = 0; i < pass->count; i++) easel_jpeg_layer_close(&pass->layers[i], file);
  if (state == EASEL_JPEG_WRONG) return EASEL_JPEG_DECODER_DAMAGED;
  if (state == EASEL_JPEG_HUNGRY) return EASEL_JPEG_DECODER_NEEDS_BYTES;
  return sink->next < pass->grid.height ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_ENDED;
}
