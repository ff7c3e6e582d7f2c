#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "thrifty_writer.h"

// A part of the picture: brightness or a colour.
typedef struct {
  // Blocks of a unit of the file, and of the picture.
  uint32_t across, down, columns, rows;
  easel_jpeg_pricing pricing;
  // The samples of one row of units.
  float *samples;
  size_t stride;
  int last_mean;
} easel_jpeg_part;

struct easel_jpeg_thrifty {
  uint32_t width, height, unit_columns, unit_rows, unit_height;
  int part_count;
  bool has_own_codes, restarts;
  // Rows that were taken, and rows of units that are finished.
  uint32_t rows, bands;
  easel_jpeg_part parts[3];
  // The library keeps a pointer to this array.
  jvirt_barray_ptr levels[3];
  easel_jpeg_orders orders;
  easel_jpeg_counts counts;
  // Colours of two rows of the picture, if rows share colours.
  float *colors[2][2];
  float *coefficients, *activity, *patience;
  // All of these arrays.
  float *memory;
};

void easel_jpeg_thrifty_destroy(easel_jpeg_thrifty *thrifty) {
  if (!thrifty) return;
  free(thrifty->memory);
  free(thrifty);
}

static uint32_t easel_jpeg_share(uint32_t whole, uint32_t part) { return (whole + part - 1) / part; }

// Takes the next `count` values; only counts them while there is no memory.
static float *easel_jpeg_take(const easel_jpeg_thrifty *thrifty, size_t *used, size_t count) {
  float *start = thrifty->memory ? thrifty->memory + *used : NULL;
  *used += count;
  return start;
}

static size_t easel_jpeg_share_out(easel_jpeg_thrifty *thrifty) {
  size_t width = (size_t)thrifty->unit_columns * thrifty->parts[0].across * 8, used = 0;
  for (int i = 0; i < thrifty->part_count; i++) {
    easel_jpeg_part *part = &thrifty->parts[i];
    part->stride = (size_t)thrifty->unit_columns * part->across * 8;
    part->samples = easel_jpeg_take(thrifty, &used, part->stride * part->down * 8);
  }
  bool halves = thrifty->part_count == 3 && thrifty->parts[0].across == 2;
  for (int i = 0; halves && i < 4; i++) thrifty->colors[i / 2][i % 2] = easel_jpeg_take(thrifty, &used, width);
  thrifty->coefficients = easel_jpeg_take(thrifty, &used, width * 8);
  thrifty->activity = easel_jpeg_take(thrifty, &used, width / 8 * thrifty->parts[0].down);
  thrifty->patience = easel_jpeg_take(thrifty, &used, width / 8);
  return used;
}

static bool easel_jpeg_allocate(easel_jpeg_thrifty *thrifty) {
  thrifty->memory = malloc(easel_jpeg_share_out(thrifty) * sizeof(float));
  if (thrifty->memory) easel_jpeg_share_out(thrifty);
  return thrifty->memory != NULL;
}

easel_jpeg_thrifty *easel_jpeg_thrifty_create(const easel_jpeg_layout *layout) {
  easel_jpeg_thrifty *thrifty = calloc(1, sizeof *thrifty);
  if (!thrifty) return NULL;
  uint32_t across = layout->is_gray ? 1 : (uint32_t)layout->columns_per_color;
  uint32_t down = layout->is_gray ? 1 : (uint32_t)layout->rows_per_color;
  thrifty->width = layout->width;
  thrifty->height = layout->height;
  thrifty->part_count = layout->is_gray ? 1 : 3;
  thrifty->unit_columns = easel_jpeg_share(layout->width, 8 * across);
  thrifty->unit_rows = easel_jpeg_share(layout->height, 8 * down);
  thrifty->unit_height = 8 * down;
  thrifty->has_own_codes = !layout->is_progressive;
  thrifty->restarts = layout->has_restarts;
  for (int i = 0; i < thrifty->part_count; i++) {
    easel_jpeg_part *part = &thrifty->parts[i];
    part->across = i ? 1 : across;
    part->down = i ? 1 : down;
    part->columns = easel_jpeg_share(layout->width, i ? 8 * across : 8);
    part->rows = easel_jpeg_share(layout->height, i ? 8 * down : 8);
  }
  easel_jpeg_orders_make(&thrifty->orders);
  if (!easel_jpeg_allocate(thrifty)) {
    easel_jpeg_thrifty_destroy(thrifty);
    return NULL;
  }
  return thrifty;
}

// Scans for a small file. The lowest coefficients of brightness get scans of their own, in which runs of blocks without
// one cost little. More scans, or a first one of coarse values, made files of photographs larger.
static const jpeg_scan_info easel_jpeg_color_scans[] = {
    {3, {0, 1, 2}, 0, 0, 0, 0}, {1, {0}, 1, 1, 0, 0},  {1, {0}, 2, 2, 0, 0},  {1, {1}, 1, 2, 0, 0},
    {1, {2}, 1, 2, 0, 0},       {1, {0}, 3, 63, 0, 0}, {1, {1}, 3, 63, 0, 0}, {1, {2}, 3, 63, 0, 0}};
static const jpeg_scan_info easel_jpeg_gray_scans[] = {
    {1, {0}, 0, 0, 0, 0}, {1, {0}, 1, 1, 0, 0}, {1, {0}, 2, 2, 0, 0}, {1, {0}, 3, 63, 0, 0}};

static void easel_jpeg_set_scans(const easel_jpeg_thrifty *thrifty, j_compress_ptr info) {
  bool is_gray = thrifty->part_count == 1;
  info->scan_info = is_gray ? easel_jpeg_gray_scans : easel_jpeg_color_scans;
  info->num_scans = is_gray ? sizeof easel_jpeg_gray_scans / sizeof *easel_jpeg_gray_scans
                            : sizeof easel_jpeg_color_scans / sizeof *easel_jpeg_color_scans;
}

// Called with the library's defaults set, inside the caller's setjmp.
void easel_jpeg_thrifty_begin(easel_jpeg_thrifty *thrifty, j_compress_ptr info, const easel_jpeg_layout *layout) {
  if (layout->is_progressive && layout->is_smallest) easel_jpeg_set_scans(thrifty, info);
  int pixels_per_color = (int)(thrifty->parts[0].across * thrifty->parts[0].down);
  for (int i = 0; i < thrifty->part_count; i++) {
    easel_jpeg_part *part = &thrifty->parts[i];
    int kind = i > 0;
    if (!info->quant_tbl_ptrs[kind]) info->quant_tbl_ptrs[kind] = jpeg_alloc_quant_table((j_common_ptr)info);
    JQUANT_TBL *table = info->quant_tbl_ptrs[kind];
    easel_jpeg_quanta(kind, layout->quality, pixels_per_color, table->quantval);
    easel_jpeg_pricing_make(&part->pricing, kind, table->quantval);
    table->sent_table = FALSE;
    info->comp_info[i].quant_tbl_no = kind;
    thrifty->levels[i] = info->mem->request_virt_barray(
        (j_common_ptr)info, JPOOL_IMAGE, TRUE, thrifty->unit_columns * part->across,
        thrifty->unit_rows * part->down, part->down);
  }
  info->mem->realize_virt_arrays((j_common_ptr)info);
  jpeg_write_coefficients(info, thrifty->levels);
}

// Repeats the last row to the end of a row of units.
static void easel_jpeg_fill_band(easel_jpeg_thrifty *thrifty, uint32_t filled) {
  for (int i = 0; i < thrifty->part_count; i++) {
    easel_jpeg_part *part = &thrifty->parts[i];
    uint32_t share = i ? thrifty->parts[0].down : 1, height = part->down * 8;
    for (uint32_t y = easel_jpeg_share(filled, share); y < height; y++) {
      memcpy(part->samples + y * part->stride, part->samples + (y - 1) * part->stride,
             part->stride * sizeof(float));
    }
  }
}

// The activity of what a colour block covers, from that of the blocks of brightness.
static void easel_jpeg_average_activity(easel_jpeg_thrifty *thrifty, uint32_t count) {
  const easel_jpeg_part *light = &thrifty->parts[0];
  if (light->across == 1) return;
  uint32_t rows = light->rows - thrifty->bands * light->down;
  const float *upper = thrifty->activity;
  const float *lower = light->down == 2 && rows > 1 ? upper + light->columns : upper;
  for (uint32_t x = 0; x < count; x++) {
    uint32_t left = 2 * x, right = left + 1 < light->columns ? left + 1 : left;
    thrifty->activity[x] = ((upper[left] + upper[right]) + (lower[left] + lower[right])) * 0.25f;
  }
}

static void easel_jpeg_count_mean(easel_jpeg_thrifty *thrifty, int index, int mean) {
  easel_jpeg_part *part = &thrifty->parts[index];
  int difference = mean - part->last_mean;
  part->last_mean = mean;
  unsigned size = (unsigned)(difference < 0 ? -difference : difference);
  thrifty->counts.dc[index > 0][size ? 32 - __builtin_clz(size) : 0]++;
}

// Counts the codes of the first coefficients in the order of the file. A unit beyond the last block of the picture has
// blocks without content.
static void easel_jpeg_count_means(easel_jpeg_thrifty *thrifty, JBLOCKARRAY blocks[3]) {
  for (uint32_t unit = 0; unit < thrifty->unit_columns; unit++) {
    for (int i = 0; i < thrifty->part_count; i++) {
      easel_jpeg_part *part = &thrifty->parts[i];
      for (uint32_t y = 0; y < part->down; y++) {
        for (uint32_t x = unit * part->across; x < (unit + 1) * part->across; x++) {
          if (x < part->columns && thrifty->bands * part->down + y < part->rows) {
            easel_jpeg_count_mean(thrifty, i, blocks[i][y][x][0]);
          } else {
            thrifty->counts.dc[i > 0][0]++;
            thrifty->counts.ac[i > 0][0]++;
          }
        }
      }
    }
  }
}

static void easel_jpeg_finish_band(easel_jpeg_thrifty *thrifty, j_compress_ptr info, uint32_t filled) {
  easel_jpeg_fill_band(thrifty, filled);
  JBLOCKARRAY blocks[3];
  for (int i = 0; i < thrifty->part_count; i++) {
    easel_jpeg_part *part = &thrifty->parts[i];
    uint32_t first = thrifty->bands * part->down;
    blocks[i] = info->mem->access_virt_barray((j_common_ptr)info, thrifty->levels[i], first, part->down, TRUE);
    if (i == 1) easel_jpeg_average_activity(thrifty, part->columns);
    for (uint32_t y = 0; y < part->down && first + y < part->rows; y++) {
      float *activity = thrifty->activity + (size_t)y * part->columns;
      easel_jpeg_transform(part->samples + 8 * y * part->stride, part->stride, part->columns, thrifty->coefficients,
                           i ? NULL : activity);
      easel_jpeg_patience(activity, part->columns, thrifty->patience);
      easel_jpeg_choose_levels(&thrifty->orders, &part->pricing, thrifty->coefficients, thrifty->patience,
                               part->columns, blocks[i][y], thrifty->counts.ac[i > 0]);
    }
    if (thrifty->restarts) part->last_mean = 0;
  }
  if (thrifty->has_own_codes) easel_jpeg_count_means(thrifty, blocks);
  thrifty->bands++;
}

static void easel_jpeg_take_row(easel_jpeg_thrifty *thrifty, const uint8_t *pixels, uint32_t y) {
  const easel_jpeg_part *light = &thrifty->parts[0];
  float *row = light->samples + y * light->stride;
  if (thrifty->part_count == 1) {
    easel_jpeg_gray_row(pixels, thrifty->width, light->stride, row);
    return;
  }
  if (light->across == 1) {
    size_t offset = y * light->stride;
    easel_jpeg_split_row(pixels, thrifty->width, light->stride, row, thrifty->parts[1].samples + offset,
                         thrifty->parts[2].samples + offset);
    return;
  }
  bool is_second = light->down == 2 && y % 2;
  float **colors = thrifty->colors[is_second];
  easel_jpeg_split_row(pixels, thrifty->width, light->stride, row, colors[0], colors[1]);
  // A row without a second one stands for both.
  if (light->down == 2 && !is_second && thrifty->rows + 1 < thrifty->height) return;
  for (int i = 0; i < 2; i++) {
    easel_jpeg_part *part = &thrifty->parts[1 + i];
    easel_jpeg_halve_rows(thrifty->colors[0][i], colors[i], part->stride,
                          part->samples + y / light->down * part->stride);
  }
}

void easel_jpeg_thrifty_row(easel_jpeg_thrifty *thrifty, j_compress_ptr info, const uint8_t *pixels) {
  uint32_t y = thrifty->rows % thrifty->unit_height;
  easel_jpeg_take_row(thrifty, pixels, y);
  thrifty->rows++;
  if (y + 1 == thrifty->unit_height || thrifty->rows == thrifty->height) easel_jpeg_finish_band(thrifty, info, y + 1);
}

static void easel_jpeg_set_codes(j_compress_ptr info, JHUFF_TBL **table, const uint32_t *counts, size_t count) {
  if (!*table) *table = jpeg_alloc_huff_table((j_common_ptr)info);
  easel_jpeg_make_codes(counts, count, (*table)->bits, (*table)->huffval);
  (*table)->sent_table = FALSE;
}

// Called after the last row, before the library writes the scans.
void easel_jpeg_thrifty_finish(easel_jpeg_thrifty *thrifty, j_compress_ptr info) {
  if (!thrifty->has_own_codes) return;
  for (int i = 0; i < (thrifty->part_count == 1 ? 1 : 2); i++) {
    easel_jpeg_set_codes(info, &info->dc_huff_tbl_ptrs[i], thrifty->counts.dc[i], 16);
    easel_jpeg_set_codes(info, &info->ac_huff_tbl_ptrs[i], thrifty->counts.ac[i], 256);
  }
}
