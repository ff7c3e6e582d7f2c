#include "palette.h"

typedef struct {
  const easel_palette_table *table;
  const easel_palette_drawing *drawing;
  const uint8_t *row, *before, *unrest;
  size_t width;
  bool goes_left;
  // The errors that reach this row and the next, with one more pixel at each end.
  easel_f4 *now, *next;
  uint8_t *indices;
} easel_palette_row;

// A longer error is cut to this length, because one that was not used up for long would end as a speck.
#ifndef EASEL_PALETTE_LONGEST
#define EASEL_PALETTE_LONGEST 24.0f
#endif

EASEL_INLINE size_t easel_palette_nearest(const easel_palette_table *table, easel_f4 point, size_t guess,
                                          easel_f4 *error) {
  *error = point - table->points[guess];
  if (easel_palette_square(*error) < table->safe[guess]) return guess;
  float distance;
  size_t found = easel_palette_find(table, point, &distance);
  *error = point - table->points[found];
  return found;
}

EASEL_INLINE void easel_palette_draw_row_body(const easel_palette_row *row) {
  const easel_palette_table *table = row->table;
  const float diffusion = row->drawing->diffusion;
  const float tolerance = row->drawing->tolerance * row->drawing->tolerance + 1e-9f;
  const int skipped = row->drawing->skipped;
  ptrdiff_t step = row->goes_left ? -1 : 1, x = row->goes_left ? (ptrdiff_t)row->width - 1 : 0;
  size_t guess = 0;
  for (size_t i = 0; i < row->width; i++, x += step) {
    const uint8_t *pixel = row->row + 4 * x;
    if (skipped >= 0 && (pixel[3] == 0 || (row->before && memcmp(pixel, row->before + 4 * x, 4) == 0))) {
      row->indices[x] = (uint8_t)skipped;
      continue;
    }
    easel_f4 point = easel_palette_point(pixel), error;
    if (diffusion > 0) {
      easel_f4 carried = row->now[x];
      float size = easel_palette_square(carried);
      const float most = EASEL_PALETTE_LONGEST * EASEL_PALETTE_LONGEST;
      if (size > most) carried *= most / size;
      carried *= size / (size + tolerance);
      // Where the picture itself is restless, errors hide without help.
      point += carried * (1 - (float)row->unrest[x] / 255.0f);
    }
    guess = easel_palette_nearest(table, point, guess, &error);
    row->indices[x] = (uint8_t)guess;
    if (diffusion <= 0) continue;
    error *= diffusion / 16;
    row->now[x + step] += error * 7;
    row->next[x - step] += error * 3;
    row->next[x] += error * 5;
    row->next[x + step] += error;
  }
}

EASEL_CLONES(easel_palette_draw_row, (const easel_palette_row *row), (row))

bool easel_palette_draw(const easel_palette_drawing *drawing, const easel_palette_picture *picture, uint8_t *indices,
                        easel_palette_caller caller) {
  size_t width = picture->width, columns = width + 2;
  bool diffuses = drawing->diffusion > 0, is_done = false;
  easel_palette_table *table = easel_allocate(1, sizeof *table);
  easel_f4 *errors = diffuses ? easel_allocate(2 * columns, sizeof *errors) : NULL;
  uint8_t *unrest = diffuses ? easel_palette_unrest(picture) : NULL;
  if (table && (!diffuses || (errors && unrest))) {
    easel_f4 points[EASEL_PALETTE_MOST];
    for (size_t i = 0; i < drawing->count; i++) points[i] = easel_palette_point(drawing->colors + 4 * i);
    easel_palette_table_fill(table, points, drawing->count);
    if (errors) memset(errors, 0, 2 * columns * sizeof *errors);
    is_done = true;
    for (size_t y = 0; y < picture->height && is_done; y++) {
      is_done = easel_palette_goes_on(caller);
      easel_palette_row row = {.table = table, .drawing = drawing, .width = width, .goes_left = y % 2 == 1};
      row.row = (const uint8_t *)picture->pixels + (ptrdiff_t)y * picture->stride;
      if (picture->before) row.before = (const uint8_t *)picture->before + (ptrdiff_t)y * picture->before_stride;
      row.indices = indices + y * width;
      if (diffuses) {
        row.unrest = unrest + y * width;
        row.now = errors + y % 2 * columns + 1;
        row.next = errors + (y + 1) % 2 * columns + 1;
        memset(row.next - 1, 0, columns * sizeof *errors);
      }
      easel_palette_draw_row(&row);
    }
  }
  free(table);
  free(errors);
  free(unrest);
  return is_done;
}
