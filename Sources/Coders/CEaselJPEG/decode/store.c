#include "store.h"

#include <stdlib.h>
#include <string.h>

uint8_t *easel_jpeg_row_levels_make(easel_jpeg_row_levels *levels, const easel_jpeg_grid *grid) {
  size_t blocks = (size_t)grid->columns * (size_t)grid->blocks, size = 128 * blocks;
  uint8_t *memory = calloc(1, 64 + size + 8 * blocks);
  if (!memory) return NULL;
  uint8_t *start = memory + (64 - (uintptr_t)memory % 64);
  *levels = (easel_jpeg_row_levels){grid, (int16_t *)(void *)start, (uint64_t *)(void *)(start + size)};
  return memory;
}

bool easel_jpeg_store_begin(easel_jpeg_store *store, const easel_jpeg_headers *headers, easel_jpeg_vectors vectors) {
  memset(store, 0, sizeof *store);
  easel_jpeg_grid_make(&store->grid, headers, 8, vectors);
  easel_jpeg_grid_keep_levels(&store->grid);
  store->memory = easel_jpeg_row_levels_make(&store->levels, &store->grid);
  store->packed = malloc((size_t)store->grid.columns * headers->component[0].h * EASEL_JPEG_MOST_PACKED);
  if (!store->memory || !store->packed) return false;
  for (int i = 0; i < headers->components; i++) {
    easel_jpeg_kept *part = &store->parts[i];
    part->across = store->grid.columns * headers->component[i].h;
    part->down = store->grid.rows * headers->component[i].v;
    part->means = calloc((size_t)part->across * part->down, sizeof *part->means);
    part->rows = calloc(part->down, sizeof *part->rows);
    if (!part->means || !part->rows) return false;
  }
  return true;
}

void easel_jpeg_store_free(easel_jpeg_store *store) {
  for (int i = 0; i < 3; i++) {
    easel_jpeg_kept *part = &store->parts[i];
    for (uint32_t y = 0; part->rows && y < part->down; y++) free(part->rows[y]);
    free(part->rows);
    free(part->means);
  }
  if (store->has_layer) easel_jpeg_layer_free(&store->layer);
  free(store->memory);
  free(store->packed);
  memset(store, 0, sizeof *store);
}

// ---- Rows of blocks

easel_jpeg_block_row easel_jpeg_blocks_of(const easel_jpeg_row_levels *levels, int component, uint32_t line) {
  const easel_jpeg_grid *grid = levels->grid;
  int block = 0;
  while (grid->component[block] != component) block++;
  uint32_t h = grid->headers->component[component].h;
  block += (int)(line * h);
  return (easel_jpeg_block_row){.levels = levels->levels + grid->levels_at[block],
                                .masks = levels->masks + block,
                                .count = grid->columns * h,
                                .shift = h == 2,
                                .levels_step = (size_t)grid->levels,
                                .masks_step = (size_t)grid->blocks};
}

static int16_t *easel_jpeg_means_of(const easel_jpeg_kept *part, uint32_t y) {
  return part->means + (size_t)y * part->across;
}

// Loads what the scan adds to.
static void easel_jpeg_store_open(easel_jpeg_store *store) {
  const easel_jpeg_scan *scan = store->layer.scan;
  for (int i = 0; i < scan->count; i++) {
    int component = scan->components[i];
    const easel_jpeg_kept *part = &store->parts[component];
    uint32_t v = store->grid.headers->component[component].v;
    for (uint32_t line = 0; line < v; line++) {
      easel_jpeg_block_row row = easel_jpeg_blocks_of(&store->levels, component, line);
      uint32_t y = store->row * v + line;
      if (scan->first && part->rows[y]) easel_jpeg_unpack(&row, part->rows[y]);
      const int16_t *means = easel_jpeg_means_of(part, y);
      for (uint32_t x = 0; !scan->first && x < row.count; x++) *easel_jpeg_levels_of(&row, x) = means[x];
    }
  }
}

// Keeps the row, all of whose levels become zero.
static bool easel_jpeg_store_close(easel_jpeg_store *store) {
  const easel_jpeg_scan *scan = store->layer.scan;
  for (int i = 0; i < scan->count; i++) {
    int component = scan->components[i];
    const easel_jpeg_kept *part = &store->parts[component];
    uint32_t v = store->grid.headers->component[component].v;
    for (uint32_t line = 0; line < v; line++) {
      easel_jpeg_block_row row = easel_jpeg_blocks_of(&store->levels, component, line);
      uint32_t y = store->row * v + line;
      int16_t *means = easel_jpeg_means_of(part, y);
      for (uint32_t x = 0; !scan->first && x < row.count; x++) {
        means[x] = *easel_jpeg_levels_of(&row, x);
        *easel_jpeg_levels_of(&row, x) = 0;
      }
      if (!scan->first) continue;
      size_t count = easel_jpeg_pack(&row, store->packed);
      free(part->rows[y]);
      part->rows[y] = count ? malloc(count) : NULL;
      if (count && !part->rows[y]) return false;
      if (count) memcpy(part->rows[y], store->packed, count);
    }
  }
  return true;
}

// ---- Reading

static easel_jpeg_state easel_jpeg_store_row(easel_jpeg_store *store, const easel_jpeg_file *file) {
  if (!store->is_in_row) easel_jpeg_store_open(store);
  store->is_in_row = true;
  easel_jpeg_state state = easel_jpeg_layer_read(&store->layer, file, &store->levels, store->row);
  if (state != EASEL_JPEG_SOUND) return state;
  store->is_in_row = false;
  if (!easel_jpeg_store_close(store)) return EASEL_JPEG_WRONG;
  store->row++;
  return EASEL_JPEG_SOUND;
}

easel_jpeg_decoder_status easel_jpeg_store_read(easel_jpeg_store *store, const easel_jpeg_scans *scans,
                                                const easel_jpeg_file *file, uint32_t most) {
  store->grid.headers = &scans->headers;
  for (uint32_t count = 0; count < most;) {
    if (store->scan == scans->count) return EASEL_JPEG_DECODER_NEEDS_BYTES;
    const easel_jpeg_scan *scan = &scans->scans[store->scan];
    if (!store->has_layer) {
      store->has_layer = true;
      easel_jpeg_decoder_status status = easel_jpeg_layer_begin(&store->layer, scan);
      if (status != EASEL_JPEG_DECODER_OK) return status;
      store->layer.vectors = store->grid.vectors;
    }
    // The scans may have moved in memory.
    store->layer.scan = scan;
    easel_jpeg_layer_open(&store->layer, file);
    easel_jpeg_state state = EASEL_JPEG_SOUND;
    for (; store->row < store->grid.rows && count < most && state == EASEL_JPEG_SOUND; count++)
      state = easel_jpeg_store_row(store, file);
    easel_jpeg_layer_close(&store->layer, file);
    if (state == EASEL_JPEG_WRONG) return EASEL_JPEG_DECODER_DAMAGED;
    if (state == EASEL_JPEG_HUNGRY) return EASEL_JPEG_DECODER_NEEDS_BYTES;
    if (store->row < store->grid.rows) continue;
    // The next scan cannot be there before the end of this one is known.
    if (!scan->end) return EASEL_JPEG_DECODER_NEEDS_BYTES;
    easel_jpeg_layer_free(&store->layer);
    store->has_layer = false;
    store->scan++;
    store->row = 0;
  }
  return EASEL_JPEG_DECODER_OK;
}

bool easel_jpeg_store_load(const easel_jpeg_store *store, const easel_jpeg_row_levels *levels, uint32_t row) {
  if (!store->scan && row >= store->row) return false;
  for (int i = 0; i < levels->grid->headers->components; i++) {
    const easel_jpeg_kept *part = &store->parts[i];
    uint32_t v = levels->grid->headers->component[i].v;
    for (uint32_t line = 0; line < v; line++) {
      easel_jpeg_block_row blocks = easel_jpeg_blocks_of(levels, i, line);
      uint32_t y = row * v + line;
      if (part->rows[y]) easel_jpeg_unpack(&blocks, part->rows[y]);
      const int16_t *means = easel_jpeg_means_of(part, y);
      for (uint32_t x = 0; x < blocks.count; x++) *easel_jpeg_levels_of(&blocks, x) = means[x];
    }
  }
  return true;
}
