#include <stdlib.h>
#include <string.h>

#include "picture.h"

static bool easel_jpeg_tables_make(easel_jpeg_decoder *decoder) {
  bool has_dc[4] = {false}, has_ac[4] = {false};
  for (int i = 0; i < decoder->headers.components; i++) {
    int dc = decoder->headers.component[i].dc, ac = decoder->headers.component[i].ac;
    if (!has_dc[dc] && !easel_jpeg_dc_table_make(&decoder->dc[dc], &decoder->headers.dc_codes[dc])) return false;
    if (!has_ac[ac] && !easel_jpeg_ac_table_make(&decoder->ac[ac], &decoder->headers.ac_codes[ac])) return false;
    has_dc[dc] = has_ac[ac] = true;
  }
  return true;
}

easel_jpeg_decoder *easel_jpeg_decoder_create(const uint8_t *bytes, size_t count, easel_jpeg_decoder_status *status) {
  easel_jpeg_decoder *decoder = malloc(sizeof *decoder);
  *status = EASEL_JPEG_DECODER_NO_MEMORY;
  if (!decoder) return NULL;
  decoder->leaves_vectors = false;
  *status = easel_jpeg_headers_read(&decoder->headers, bytes, count);
  if (*status == EASEL_JPEG_DECODER_OK && !easel_jpeg_tables_make(decoder)) *status = EASEL_JPEG_DECODER_DAMAGED;
  if (*status == EASEL_JPEG_DECODER_OK) return decoder;
  free(decoder);
  return NULL;
}

void easel_jpeg_decoder_leave_vectors(easel_jpeg_decoder *decoder) { decoder->leaves_vectors = true; }

void easel_jpeg_decoder_destroy(easel_jpeg_decoder *decoder) { free(decoder); }

void easel_jpeg_decoder_size(const easel_jpeg_decoder *decoder, int eighths, uint32_t *width, uint32_t *height) {
  *width = (decoder->headers.width * (uint32_t)eighths + 7) / 8;
  *height = (decoder->headers.height * (uint32_t)eighths + 7) / 8;
}

void easel_jpeg_source_begin(easel_jpeg_source *source, const easel_jpeg_decoder *decoder,
                             const easel_jpeg_layout *layout, uint8_t *window) {
  const easel_jpeg_headers *headers = &decoder->headers;
  memset(source, 0, sizeof *source);
  source->layout = layout;
  source->until_restart = headers->restart;
  source->groups.blocks = layout->blocks;
  for (int i = 0; i < layout->blocks; i++) {
    int component = layout->component[i];
    source->groups.kinds[i] = (easel_jpeg_block_kind){&decoder->dc[headers->component[component].dc],
                                                      &decoder->ac[headers->component[component].ac], component,
                                                      layout->sizes[component] == 1};
  }
  source->groups.has_vectors = layout->has_vectors;
  easel_jpeg_bits_begin(&source->bits, headers->bytes + headers->scan, headers->bytes + headers->count, window);
}

bool easel_jpeg_decode_rows(easel_jpeg_source *source, easel_jpeg_sink *sink, uint32_t first, uint32_t end) {
  const easel_jpeg_layout *layout = source->layout;
  // A block's end is stored one place behind it.
  int16_t levels[EASEL_JPEG_BATCH * 640 + 64] __attribute__((aligned(64)));
  uint8_t lasts[EASEL_JPEG_BATCH * 10];
  for (uint32_t row = first; row < end; row++) {
    for (uint32_t column = 0; column < layout->columns; column += EASEL_JPEG_BATCH) {
      uint32_t left = layout->columns - column, count = left < EASEL_JPEG_BATCH ? left : EASEL_JPEG_BATCH;
      if (!easel_jpeg_source_read(source, count, levels, lasts)) return false;
      easel_jpeg_sink_take(sink, column, count, levels, lasts);
    }
    easel_jpeg_sink_finish_row(sink, row);
  }
  return easel_jpeg_bits_are_sound(&source->bits);
}

easel_jpeg_decoder_status easel_jpeg_decoder_pixels(easel_jpeg_decoder *decoder, int eighths, uint8_t *target,
                                                    ptrdiff_t stride, int threads) {
  easel_jpeg_layout layout;
  easel_jpeg_layout_make(&layout, &decoder->headers, eighths);
  if (decoder->leaves_vectors) layout.has_vectors = false;
  uint8_t *window = malloc(EASEL_JPEG_WINDOW_SIZE);
  if (!window) return EASEL_JPEG_DECODER_NO_MEMORY;
  easel_jpeg_source source;
  easel_jpeg_source_begin(&source, decoder, &layout, window);
  easel_jpeg_sink sink;
  easel_jpeg_decoder_status status = EASEL_JPEG_DECODER_NO_MEMORY;
  if (easel_jpeg_sink_begin(&sink, &layout, target, stride)) {
    if (threads > 1 && layout.rows > 1) {
      status = decoder->headers.restart ? easel_jpeg_decode_halves(decoder, &source, &sink)
                                : easel_jpeg_decode_in_line(&source, &sink);
    } else {
      bool is_whole = easel_jpeg_decode_rows(&source, &sink, 0, layout.rows);
      status = is_whole ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
    }
    free(sink.memory);
  }
  free(window);
  return status;
}
