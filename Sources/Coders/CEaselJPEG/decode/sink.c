#include <stdlib.h>
#include <string.h>

#include "picture.h"

bool easel_jpeg_sink_begin(easel_jpeg_sink *sink, const easel_jpeg_grid *grid) {
  memset(sink, 0, sizeof *sink);
  sink->grid = grid;
  sink->row = easel_jpeg_row_kernel(grid->kind, grid->vectors);
  const easel_jpeg_headers *headers = grid->headers;
  size_t sizes[3] = {0}, all = 0;
  for (int i = 0; i < headers->components; i++) {
    const easel_jpeg_component *component = &headers->component[i];
    easel_jpeg_plane *plane = &sink->planes[i];
    plane->size = grid->sizes[i];
    uint32_t across = component->h * (uint32_t)plane->size, most = headers->component[0].h * 8u;
    plane->width = easel_jpeg_parts((uint64_t)headers->width * across, most);
    size_t samples = (size_t)grid->columns * across;
    plane->stride = (ptrdiff_t)((samples + 2 * EASEL_JPEG_MARGIN + 63) & ~(size_t)63);
    sizes[i] = (size_t)plane->stride * (1 + (size_t)component->v * (size_t)plane->size);
    all += sizes[i];
    sink->kernels[i] = easel_jpeg_block_kernels_for(plane->size, grid->vectors);
  }
  size_t sums = 2 * (sink->planes[1].width + 64);
  sink->memory = calloc(1, all + 2 * sums);
  if (!sink->memory) return false;
  uint8_t *next = sink->memory;
  for (int i = 0; i < headers->components; i++) {
    sink->planes[i].samples = next + sink->planes[i].stride + EASEL_JPEG_MARGIN;
    next += sizes[i];
  }
  for (int i = 0; i < 2; i++, next += sums) sink->sums[i] = (int16_t *)(void *)next + 32;
  return true;
}

// Blocks that wait for a second one.
typedef struct {
  const int16_t *levels[2];
  uint8_t *to[2];
  int count;
} easel_jpeg_waiting;

EASEL_JPEG_ALWAYS void easel_jpeg_add(easel_jpeg_waiting *waiting, easel_jpeg_blocks_function *kernel,
                                      const uint16_t *quanta, ptrdiff_t stride, const int16_t *levels, uint8_t *to) {
  waiting->levels[waiting->count] = levels;
  waiting->to[waiting->count++] = to;
  if (waiting->count < 2) return;
  kernel(waiting->levels, quanta, waiting->to, stride);
  waiting->count = 0;
}

static void easel_jpeg_flush(easel_jpeg_waiting *waiting, easel_jpeg_blocks_function *kernel, const uint16_t *quanta,
                             ptrdiff_t stride) {
  if (waiting->count) easel_jpeg_add(waiting, kernel, quanta, stride, waiting->levels[0], waiting->to[0]);
}

void easel_jpeg_sink_take(easel_jpeg_sink *sink, uint32_t first, uint32_t count, const int16_t *levels,
                          const uint8_t *lasts) {
  const easel_jpeg_grid *grid = sink->grid;
  easel_jpeg_waiting any = {0}, corner = {0};
  for (int j = 0; j < grid->blocks; j++) {
    int component = grid->component[j];
    const easel_jpeg_plane *plane = &sink->planes[component];
    const easel_jpeg_component *details = &grid->headers->component[component];
    const uint16_t *quanta = grid->headers->quanta[details->quanta];
    int size = plane->size;
    ptrdiff_t stride = plane->stride;
    uint8_t *to = plane->samples + grid->down[j] * size * stride +
                  ((size_t)first * details->h + (size_t)grid->across[j]) * (size_t)size;
    const int16_t *at = levels + grid->levels_at[j];
    const uint8_t *last = lasts + grid->lasts_at[j];
    const easel_jpeg_block_kernels *kernels = &sink->kernels[component];
    for (uint32_t i = 0; i < count; i++, at += grid->levels, last += grid->lasts, to += details->h * size) {
      if (size == 1 || *last == 0) {
        easel_jpeg_flat_block(size, at[0], quanta[0], to, stride);
      } else if (*last < 10) {
        easel_jpeg_add(&corner, kernels->corner, quanta, stride, at, to);
      } else {
        easel_jpeg_add(&any, kernels->any, quanta, stride, at, to);
      }
    }
    if (j + 1 < grid->blocks && grid->component[j + 1] == component) continue;
    easel_jpeg_flush(&corner, kernels->corner, quanta, stride);
    easel_jpeg_flush(&any, kernels->any, quanta, stride);
  }
}

static void easel_jpeg_repeat_ends(const easel_jpeg_plane *plane, int rows) {
  for (int y = 0; y < rows; y++) {
    uint8_t *row = plane->samples + y * plane->stride;
    row[-1] = row[0];
    row[plane->width] = row[plane->width - 1];
  }
}

// True if rows of pixels need two rows of colour.
static bool easel_jpeg_joins_rows(const easel_jpeg_grid *grid) {
  return grid->kind == EASEL_JPEG_ROW_BOTH || grid->kind == EASEL_JPEG_ROW_TALL;
}

void easel_jpeg_sink_finish_row(easel_jpeg_sink *sink, uint32_t row) {
  const easel_jpeg_grid *grid = sink->grid;
  sink->row_of_groups = row;
  uint32_t end = (row + 1) * (uint32_t)grid->group_height;
  // The last row has to wait for the colours below it.
  if (easel_jpeg_joins_rows(grid)) end--;
  sink->ready = row + 1 == grid->rows || end > grid->height ? grid->height : end;
  if (grid->kind != EASEL_JPEG_ROW_WIDE && grid->kind != EASEL_JPEG_ROW_BOTH) return;
  for (int i = 1; i < 3; i++) easel_jpeg_repeat_ends(&sink->planes[i], sink->planes[i].size);
}

void easel_jpeg_sink_put(easel_jpeg_sink *sink, uint8_t *to) {
  const easel_jpeg_grid *grid = sink->grid;
  const easel_jpeg_plane *planes = sink->planes;
  int64_t above = (int64_t)sink->row_of_groups * grid->group_height;
  // The row that had to wait is the one before the first.
  int y = (int)(sink->next - above), near = y, far = y;
  bool is_halved = grid->headers->component[0].v == 2;
  if (grid->kind == EASEL_JPEG_ROW_WIDE_PLAIN && is_halved) near = y / 2;
  if (grid->kind == EASEL_JPEG_ROW_TALL_PLAIN) near = far = y / 2;
  if (easel_jpeg_joins_rows(grid)) {
    near = y < 0 ? -1 : y / 2;
    far = y & 1 ? near + 1 : near - 1;
    int lowest = (int)((grid->height - above + 1) / 2) - 1;
    if (far > lowest) far = lowest;
    if (sink->row_of_groups == 0 && far < 0) far = 0;
  }
  easel_jpeg_row_samples samples = {.y = planes[0].samples + y * planes[0].stride,
                                    .is_lower = y & 1,
                                    .sums = {sink->sums[0], sink->sums[1]}};
  for (int i = 0; i < 2 && planes[1].samples; i++) {
    samples.near[i] = planes[1 + i].samples + near * planes[1 + i].stride;
    samples.far[i] = planes[1 + i].samples + far * planes[1 + i].stride;
  }
  sink->row(&samples, to, grid->width);
  sink->next++;
  if (sink->next == sink->ready) easel_jpeg_sink_keep(sink);
}

void easel_jpeg_sink_keep(easel_jpeg_sink *sink) {
  const easel_jpeg_grid *grid = sink->grid;
  if (!easel_jpeg_joins_rows(grid)) return;
  for (int i = 0; i < 3; i++) {
    const easel_jpeg_plane *plane = &sink->planes[i];
    uint8_t *start = plane->samples - EASEL_JPEG_MARGIN;
    int last = i ? grid->group_height / 2 - 1 : grid->group_height - 1;
    memcpy(start - plane->stride, start + last * plane->stride, (size_t)plane->stride);
  }
}
