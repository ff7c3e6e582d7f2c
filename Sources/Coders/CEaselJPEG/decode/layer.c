#include <stdlib.h>
#include <string.h>

#include "hand.h"
#include "layers.h"

enum { EASEL_JPEG_PIECE = 16384 };

static easel_jpeg_decoder_status easel_jpeg_layer_make_tables(easel_jpeg_layer *layer) {
  const easel_jpeg_scan *scan = layer->scan;
  if (scan->first) {
    layer->band = malloc(sizeof *layer->band);
    if (!layer->band) return EASEL_JPEG_DECODER_NO_MEMORY;
    bool is_sound = easel_jpeg_band_table_make(layer->band, &scan->codes[0], scan->low, scan->high != 0);
    return is_sound ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
  }
  for (int i = 0; i < scan->count && !scan->high; i++) {
    layer->dc[i] = malloc(sizeof *layer->dc[i]);
    if (!layer->dc[i]) return EASEL_JPEG_DECODER_NO_MEMORY;
    if (!easel_jpeg_dc_table_make(layer->dc[i], &scan->codes[i])) return EASEL_JPEG_DECODER_DAMAGED;
  }
  return EASEL_JPEG_DECODER_OK;
}

easel_jpeg_decoder_status easel_jpeg_layer_begin(easel_jpeg_layer *layer, const easel_jpeg_scan *scan) {
  memset(layer, 0, sizeof *layer);
  layer->scan = scan;
  layer->at = scan->start;
  layer->until_restart = scan->restart;
  layer->window = malloc(EASEL_JPEG_WINDOW_SIZE);
  if (!layer->window) return EASEL_JPEG_DECODER_NO_MEMORY;
  easel_jpeg_bits_begin(&layer->bits, layer->window);
  return easel_jpeg_layer_make_tables(layer);
}

void easel_jpeg_layer_free(easel_jpeg_layer *layer) {
  for (int i = 0; i < 3; i++) free(layer->dc[i]);
  free(layer->band);
  free(layer->window);
  free(layer->piece);
}

// ---- Bytes

void easel_jpeg_layer_open(easel_jpeg_layer *layer, const easel_jpeg_file *file) {
  if (!file->bytes) return;
  size_t end = layer->scan->end ? layer->scan->end : file->count;
  easel_jpeg_bits_open(&layer->bits, file->bytes + layer->at, file->bytes + end, layer->scan->end != 0);
}

void easel_jpeg_layer_close(easel_jpeg_layer *layer, const easel_jpeg_file *file) {
  if (!file->bytes) return;
  layer->at = (size_t)(layer->bits.next - file->bytes);
  easel_jpeg_bits_open(&layer->bits, NULL, NULL, false);
}

// Reads more of the file; hungry if there is no more.
static easel_jpeg_state easel_jpeg_layer_feed(easel_jpeg_layer *layer, const easel_jpeg_file *file) {
  const easel_jpeg_bits *bits = &layer->bits;
  size_t end = layer->scan->end ? layer->scan->end : file->count, left = (size_t)(bits->end - bits->next);
  if (file->bytes) return EASEL_JPEG_HUNGRY;
  if (layer->at >= end) {
    // The end of the scan may have become known behind its last byte.
    if (!layer->scan->end || bits->is_end) return EASEL_JPEG_HUNGRY;
    easel_jpeg_bits_open(&layer->bits, bits->next, bits->end, true);
    return EASEL_JPEG_SOUND;
  }
  if (!layer->piece) layer->piece = malloc(EASEL_JPEG_PIECE);
  if (!layer->piece) return EASEL_JPEG_WRONG;
  if (left) memmove(layer->piece, bits->next, left);
  size_t room = EASEL_JPEG_PIECE - left, count = end - layer->at < room ? end - layer->at : room;
  if (!count || !file->read(file->context, layer->at, layer->piece + left, count)) return EASEL_JPEG_WRONG;
  layer->at += count;
  bool is_end = layer->scan->end && layer->at == layer->scan->end;
  easel_jpeg_bits_open(&layer->bits, layer->piece, layer->piece + left + count, is_end);
  return EASEL_JPEG_SOUND;
}

easel_jpeg_state easel_jpeg_layer_fill(easel_jpeg_layer *layer, const easel_jpeg_file *file) {
  easel_jpeg_state state = easel_jpeg_bits_fill(&layer->bits);
  while (state == EASEL_JPEG_HUNGRY) {
    state = easel_jpeg_layer_feed(layer, file);
    if (state == EASEL_JPEG_SOUND) state = easel_jpeg_bits_fill(&layer->bits);
    else break;
  }
  return state;
}

easel_jpeg_state easel_jpeg_layer_restart(easel_jpeg_layer *layer, const easel_jpeg_file *file) {
  if (!layer->scan->restart) return EASEL_JPEG_SOUND;
  if (!layer->until_restart) {
    easel_jpeg_state state = easel_jpeg_bits_pass(&layer->bits, 0xD0 + layer->restart);
    while (state == EASEL_JPEG_HUNGRY) {
      state = easel_jpeg_layer_feed(layer, file);
      if (state == EASEL_JPEG_SOUND) state = easel_jpeg_bits_pass(&layer->bits, 0xD0 + layer->restart);
      else break;
    }
    if (state != EASEL_JPEG_SOUND) return state;
    layer->restart = (layer->restart + 1) & 7;
    layer->until_restart = layer->scan->restart;
    layer->run = 0;
    memset(layer->means, 0, sizeof layer->means);
  }
  return EASEL_JPEG_SOUND;
}

// ---- Means

// Reads the mean of a block, or its next bit.
EASEL_JPEG_ALWAYS void easel_jpeg_layer_mean(easel_jpeg_layer *layer, easel_jpeg_hand *hand, int component,
                                             int16_t *levels) {
  easel_jpeg_refill(hand);
  int low = layer->scan->low;
  if (layer->scan->high) {
    *levels |= (int16_t)((int)(hand->bits >> 63) << low);
    hand->bits <<= 1;
    hand->count--;
    return;
  }
  uint32_t mean = layer->means[component] += (uint32_t)easel_jpeg_difference(layer->dc[component], hand);
  *levels = (int16_t)(mean << low);
}

// Reads the blocks of a group, of a scan of several components.
static easel_jpeg_state easel_jpeg_layer_group(easel_jpeg_layer *layer, const easel_jpeg_row_levels *levels,
                                               uint32_t group) {
  const easel_jpeg_grid *grid = levels->grid;
  easel_jpeg_hand hand = easel_jpeg_pick_up(&layer->bits);
  int16_t *at = levels->levels + group * (size_t)grid->levels;
  for (int i = 0; i < layer->scan->count; i++) {
    for (int j = 0; j < grid->blocks; j++) {
      if (grid->component[j] == layer->scan->components[i])
        easel_jpeg_layer_mean(layer, &hand, i, at + grid->levels_at[j]);
    }
  }
  easel_jpeg_put_down(&layer->bits, &hand);
  return hand.errors & 64 ? EASEL_JPEG_WRONG : EASEL_JPEG_SOUND;
}

// Reads a group or block that may not be there as a whole; if it is not, leaves everything as it was.
static easel_jpeg_state easel_jpeg_layer_try(easel_jpeg_layer *layer, const easel_jpeg_row_levels *levels,
                                             uint32_t group) {
  easel_jpeg_bits before = layer->bits;
  uint32_t means[3];
  memcpy(means, layer->means, sizeof means);
  easel_jpeg_bits_stretch(&layer->bits);
  easel_jpeg_state state = easel_jpeg_layer_group(layer, levels, group);
  bool is_there = easel_jpeg_bits_are_sound(&layer->bits);
  layer->bits.limit = before.limit;
  if (is_there) return state;
  layer->bits = before;
  memcpy(layer->means, means, sizeof means);
  return EASEL_JPEG_HUNGRY;
}

static easel_jpeg_state easel_jpeg_layer_groups(easel_jpeg_layer *layer, const easel_jpeg_file *file,
                                                const easel_jpeg_row_levels *levels) {
  for (; layer->done < levels->grid->columns; layer->done++) {
    easel_jpeg_state state = easel_jpeg_layer_restart(layer, file);
    if (state != EASEL_JPEG_SOUND) return state;
    if (EASEL_JPEG_RARELY(layer->bits.position >= layer->bits.limit)) state = easel_jpeg_layer_fill(layer, file);
    if (state == EASEL_JPEG_SOUND) state = easel_jpeg_layer_group(layer, levels, layer->done);
    else if (state == EASEL_JPEG_HUNGRY) state = easel_jpeg_layer_try(layer, levels, layer->done);
    if (state != EASEL_JPEG_SOUND) return state;
    if (layer->scan->restart) layer->until_restart--;
  }
  layer->done = 0;
  return EASEL_JPEG_SOUND;
}

// Reads the means of a row of blocks, of a scan of one component.
static easel_jpeg_state easel_jpeg_layer_means(easel_jpeg_layer *layer, const easel_jpeg_file *file,
                                               const easel_jpeg_block_row *row) {
  for (; layer->done < row->count; layer->done++) {
    easel_jpeg_state state = easel_jpeg_layer_restart(layer, file);
    if (state != EASEL_JPEG_SOUND) return state;
    if (EASEL_JPEG_RARELY(layer->bits.position >= layer->bits.limit)) state = easel_jpeg_layer_fill(layer, file);
    if (state != EASEL_JPEG_SOUND) return state;
    easel_jpeg_hand hand = easel_jpeg_pick_up(&layer->bits);
    easel_jpeg_layer_mean(layer, &hand, 0, easel_jpeg_levels_of(row, layer->done));
    easel_jpeg_put_down(&layer->bits, &hand);
    if (hand.errors & 64) return EASEL_JPEG_WRONG;
    if (layer->scan->restart) layer->until_restart--;
  }
  layer->done = 0;
  return EASEL_JPEG_SOUND;
}

// ---- Rows

static easel_jpeg_state easel_jpeg_layer_read_alone(easel_jpeg_layer *layer, const easel_jpeg_file *file,
                                                    const easel_jpeg_row_levels *levels, uint32_t row) {
  const easel_jpeg_grid *grid = levels->grid;
  const easel_jpeg_headers *headers = grid->headers;
  int component = layer->scan->components[0], first = 0;
  while (grid->component[first] != component) first++;
  uint32_t h = headers->component[component].h, v = headers->component[component].v;
  uint32_t across = easel_jpeg_parts((uint64_t)headers->width * h, 8u * headers->component[0].h);
  uint32_t down = easel_jpeg_parts((uint64_t)headers->height * v, 8u * headers->component[0].v);
  for (; layer->line < v && row * v + layer->line < down; layer->line++) {
    int block = first + (int)(layer->line * h);
    easel_jpeg_block_row blocks = {.levels = levels->levels + grid->levels_at[block],
                                   .masks = levels->masks + block,
                                   .count = across,
                                   .shift = h == 2,
                                   .levels_step = (size_t)grid->levels,
                                   .masks_step = (size_t)grid->blocks};
    easel_jpeg_state state = layer->scan->first ? easel_jpeg_band_read(layer, file, &blocks)
                                                : easel_jpeg_layer_means(layer, file, &blocks);
    if (state != EASEL_JPEG_SOUND) return state;
  }
  layer->line = 0;
  return EASEL_JPEG_SOUND;
}

easel_jpeg_state easel_jpeg_layer_read(easel_jpeg_layer *layer, const easel_jpeg_file *file,
                                       const easel_jpeg_row_levels *levels, uint32_t row) {
  // Alone in a picture, a component has groups of one block.
  bool is_alone = layer->scan->count == 1 && levels->grid->headers->components > 1;
  bool is_band = layer->scan->first != 0;
  easel_jpeg_state state = is_alone || is_band ? easel_jpeg_layer_read_alone(layer, file, levels, row)
                                               : easel_jpeg_layer_groups(layer, file, levels);
  if (state != EASEL_JPEG_SOUND) return state;
  // Codes that were read beyond the scan were not there.
  return easel_jpeg_bits_are_sound(&layer->bits) ? EASEL_JPEG_SOUND : EASEL_JPEG_WRONG;
}
