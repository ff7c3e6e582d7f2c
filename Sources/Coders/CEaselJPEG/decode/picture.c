#include <stdlib.h>
#include <string.h>

#include "ahead.h"

static easel_jpeg_decoder_status easel_jpeg_tables_make(easel_jpeg_decoder *decoder) {
  const easel_jpeg_headers *headers = &decoder->headers;
  for (int i = 0; i < headers->components; i++) {
    int dc = headers->component[i].dc, ac = headers->component[i].ac;
    if (!decoder->dc[dc]) {
      decoder->dc[dc] = malloc(sizeof *decoder->dc[dc]);
      if (!decoder->dc[dc]) return EASEL_JPEG_DECODER_NO_MEMORY;
      if (!easel_jpeg_dc_table_make(decoder->dc[dc], &headers->dc_codes[dc])) return EASEL_JPEG_DECODER_DAMAGED;
    }
    if (!decoder->ac[ac]) {
      decoder->ac[ac] = malloc(sizeof *decoder->ac[ac]);
      if (!decoder->ac[ac]) return EASEL_JPEG_DECODER_NO_MEMORY;
      if (!easel_jpeg_ac_table_make(decoder->ac[ac], &headers->ac_codes[ac])) return EASEL_JPEG_DECODER_DAMAGED;
    }
  }
  return EASEL_JPEG_DECODER_OK;
}

easel_jpeg_decoder *easel_jpeg_decoder_make(const easel_jpeg_headers *headers, easel_jpeg_decoder_status *status) {
  easel_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
  *status = EASEL_JPEG_DECODER_NO_MEMORY;
  if (!decoder) return NULL;
  decoder->headers = *headers;
  decoder->vectors = easel_jpeg_best_vectors();
  *status = easel_jpeg_tables_make(decoder);
  if (*status == EASEL_JPEG_DECODER_OK) return decoder;
  easel_jpeg_decoder_destroy(decoder);
  return NULL;
}

easel_jpeg_decoder *easel_jpeg_decoder_create(const uint8_t *bytes, size_t count, easel_jpeg_decoder_status *status) {
  easel_jpeg_headers headers;
  *status = easel_jpeg_headers_read(&headers, bytes, count);
  return *status == EASEL_JPEG_DECODER_OK ? easel_jpeg_decoder_make(&headers, status) : NULL;
}

void easel_jpeg_decoder_limit_vectors(easel_jpeg_decoder *decoder, int most) {
  easel_jpeg_vectors best = easel_jpeg_best_vectors();
  decoder->vectors = (int)best < most ? best : (easel_jpeg_vectors)most;
}

void easel_jpeg_decoder_destroy(easel_jpeg_decoder *decoder) {
  if (!decoder) return;
  if (decoder->ahead) easel_jpeg_ahead_end(decoder->ahead);
  for (int i = 0; i < 4; i++) {
    free(decoder->dc[i]);
    free(decoder->ac[i]);
  }
  free(decoder->window);
  free(decoder->sink.memory);
  free(decoder);
}

void easel_jpeg_decoder_size(const easel_jpeg_decoder *decoder, int eighths, uint32_t *width, uint32_t *height) {
  *width = (decoder->headers.width * (uint32_t)eighths + 7) / 8;
  *height = (decoder->headers.height * (uint32_t)eighths + 7) / 8;
}

void easel_jpeg_source_begin(easel_jpeg_source *source, const easel_jpeg_decoder *decoder,
                             const easel_jpeg_grid *grid, uint8_t *window) {
  const easel_jpeg_headers *headers = &decoder->headers;
  memset(source, 0, sizeof *source);
  source->grid = grid;
  source->until_restart = headers->restart;
  source->groups.blocks = grid->blocks;
  for (int i = 0; i < grid->blocks; i++) {
    int component = grid->component[i];
    source->groups.kinds[i] = (easel_jpeg_block_kind){decoder->dc[headers->component[component].dc],
                                                      decoder->ac[headers->component[component].ac], component,
                                                      grid->sizes[component] == 1};
  }
  source->groups.levels = grid->levels;
  source->groups.lasts = grid->lasts;
  source->groups.vectors = grid->vectors;
  easel_jpeg_bits_begin(&source->bits, window);
}

// ---- Rows while bytes arrive

size_t easel_jpeg_decoder_header_size(const easel_jpeg_decoder *decoder) { return decoder->headers.scan; }

easel_jpeg_decoder_status easel_jpeg_decoder_begin(easel_jpeg_decoder *decoder, int eighths) {
  if (decoder->ahead) easel_jpeg_ahead_end(decoder->ahead);
  decoder->ahead = NULL;
  decoder->part = NULL;
  free(decoder->window);
  free(decoder->sink.memory);
  decoder->sink.memory = NULL;
  decoder->window = malloc(EASEL_JPEG_WINDOW_SIZE);
  easel_jpeg_grid_make(&decoder->grid, &decoder->headers, eighths, decoder->vectors);
  if (!decoder->window || !easel_jpeg_sink_begin(&decoder->sink, &decoder->grid)) return EASEL_JPEG_DECODER_NO_MEMORY;
  easel_jpeg_source_begin(&decoder->source, decoder, &decoder->grid, decoder->window);
  decoder->row = decoder->column = 0;
  return EASEL_JPEG_DECODER_OK;
}

void easel_jpeg_decoder_read_ahead(easel_jpeg_decoder *decoder) {
  if (!decoder->ahead) decoder->ahead = easel_jpeg_ahead_begin(decoder, &decoder->grid);
}

// A block's end is stored one place behind it.
enum { EASEL_JPEG_BATCH_LEVELS = EASEL_JPEG_BATCH * 640 + 64 };

static void easel_jpeg_finish_row(easel_jpeg_decoder *decoder) {
  easel_jpeg_sink_finish_row(&decoder->sink, decoder->row);
  decoder->row++;
  decoder->column = 0;
}

// Reads groups up to the end of a row of them.
static easel_jpeg_state easel_jpeg_read_row(easel_jpeg_decoder *decoder) {
  const easel_jpeg_grid *grid = &decoder->grid;
  int16_t levels[EASEL_JPEG_BATCH_LEVELS] __attribute__((aligned(64)));
  uint8_t lasts[EASEL_JPEG_BATCH * 10];
  while (decoder->column < grid->columns) {
    uint32_t left = grid->columns - decoder->column, count = left < EASEL_JPEG_BATCH ? left : EASEL_JPEG_BATCH;
    easel_jpeg_state state = easel_jpeg_source_read(&decoder->source, &count, levels, lasts);
    easel_jpeg_sink_take(&decoder->sink, decoder->column, count, levels, lasts);
    decoder->column += count;
    if (state != EASEL_JPEG_SOUND) return state;
  }
  // Codes that were read beyond a marker were not there.
  if (!easel_jpeg_bits_are_sound(&decoder->source.bits)) return EASEL_JPEG_WRONG;
  easel_jpeg_finish_row(decoder);
  return EASEL_JPEG_SOUND;
}

// Takes groups that were read ahead, up to the end of a row of them.
static easel_jpeg_state easel_jpeg_take_row(easel_jpeg_decoder *decoder, easel_jpeg_decoder_input *input) {
  const easel_jpeg_grid *grid = &decoder->grid;
  while (decoder->column < grid->columns) {
    const easel_jpeg_part *part = decoder->part;
    if (!part) {
      easel_jpeg_state state = easel_jpeg_ahead_next(decoder->ahead, input, &part);
      if (state != EASEL_JPEG_SOUND) return state;
      decoder->part = part;
      decoder->part_used = 0;
    }
    uint32_t left = grid->columns - decoder->column, rest = part->count - decoder->part_used;
    uint32_t count = left < rest ? left : rest, used = decoder->part_used;
    easel_jpeg_sink_take(&decoder->sink, decoder->column, count, part->levels + used * (size_t)grid->levels,
                         part->lasts + used * (size_t)grid->lasts);
    decoder->column += count;
    decoder->part_used += count;
    if (count < rest) continue;
    easel_jpeg_ahead_pass(decoder->ahead);
    decoder->part = NULL;
  }
  easel_jpeg_finish_row(decoder);
  if (decoder->row < grid->rows) return EASEL_JPEG_SOUND;
  input->consumed -= (ptrdiff_t)easel_jpeg_ahead_end(decoder->ahead);
  decoder->ahead = NULL;
  return EASEL_JPEG_SOUND;
}

easel_jpeg_decoder_status easel_jpeg_decoder_rows(easel_jpeg_decoder *decoder, easel_jpeg_decoder_input *input,
                                                  uint8_t *target, ptrdiff_t stride, uint32_t most, uint32_t *count) {
  easel_jpeg_sink *sink = &decoder->sink;
  easel_jpeg_bits *bits = &decoder->source.bits;
  bool is_ahead = decoder->ahead != NULL;
  *count = 0;
  input->consumed = 0;
  if (!is_ahead) easel_jpeg_bits_open(bits, input->bytes, input->bytes + input->count, input->is_end);
  easel_jpeg_state state = EASEL_JPEG_SOUND;
  while (*count < most && state == EASEL_JPEG_SOUND && sink->next < decoder->grid.height) {
    if (sink->next < sink->ready) {
      easel_jpeg_sink_put(sink, target + (ptrdiff_t)*count * stride);
      ++*count;
    } else {
      state = is_ahead ? easel_jpeg_take_row(decoder, input) : easel_jpeg_read_row(decoder);
    }
  }
  if (!is_ahead) input->consumed = bits->next - input->bytes;
  easel_jpeg_bits_open(bits, NULL, NULL, false);
  if (state == EASEL_JPEG_WRONG) return EASEL_JPEG_DECODER_DAMAGED;
  if (state == EASEL_JPEG_HUNGRY) return EASEL_JPEG_DECODER_NEEDS_BYTES;
  return sink->next < decoder->grid.height ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_ENDED;
}

easel_jpeg_decoder_status easel_jpeg_decoder_finish(easel_jpeg_decoder *decoder, easel_jpeg_decoder_input *input) {
  easel_jpeg_bits *bits = &decoder->source.bits;
  easel_jpeg_bits_open(bits, input->bytes, input->bytes + input->count, input->is_end);
  easel_jpeg_state state = easel_jpeg_bits_end(bits);
  input->consumed = bits->next - input->bytes;
  easel_jpeg_bits_open(bits, NULL, NULL, false);
  if (state == EASEL_JPEG_HUNGRY) return EASEL_JPEG_DECODER_NEEDS_BYTES;
  return state == EASEL_JPEG_SOUND ? EASEL_JPEG_DECODER_ENDED : EASEL_JPEG_DECODER_DAMAGED;
}

// ---- Whole pictures

easel_jpeg_decoder_status easel_jpeg_decoder_pixels(easel_jpeg_decoder *decoder, int eighths, const uint8_t *bytes,
                                                    size_t count, uint8_t *pixels, ptrdiff_t stride, int threads) {
  easel_jpeg_decoder_status status = easel_jpeg_decoder_begin(decoder, eighths);
  if (status != EASEL_JPEG_DECODER_OK) return status;
  if (threads > 1) easel_jpeg_decoder_read_ahead(decoder);
  easel_jpeg_decoder_input input = {bytes + decoder->headers.scan, count - decoder->headers.scan, true, 0};
  uint32_t got = 0;
  status = easel_jpeg_decoder_rows(decoder, &input, pixels, stride, decoder->grid.height, &got);
  if (status == EASEL_JPEG_DECODER_ENDED) return EASEL_JPEG_DECODER_OK;
  return status == EASEL_JPEG_DECODER_NEEDS_BYTES ? EASEL_JPEG_DECODER_DAMAGED : status;
}
