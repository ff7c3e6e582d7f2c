#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "internal.h"

typedef struct {
  easel_heif_cell *cells;
  size_t count;
  const easel_heif_form *form;
  const easel_heif_planes *planes;
  atomic_size_t next;
  atomic_bool is_stopped;
} easel_heif_work;

static uint32_t easel_heif_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void easel_heif_copy(const easel_heif_work *work, const easel_heif_cell *cell,
                            const easel_heif_planes *source) {
  const easel_heif_form *form = work->form;
  const easel_heif_planes *target = work->planes;
  if (cell->x >= target->width || cell->y >= target->height) return;
  uint32_t width = easel_heif_least(form->width, target->width - cell->x);
  uint32_t height = easel_heif_least(form->height, target->height - cell->y);
  int count = form->chroma == 0 ? 1 : 3;
  for (int plane = 0; plane < count; plane++) {
    size_t bytes = easel_heif_bytes(form, plane);
    // Cells begin at even places if colours have a lower resolution.
    size_t x = easel_heif_width(form, plane, cell->x), y = easel_heif_height(form, plane, cell->y);
    uint32_t rows = easel_heif_height(form, plane, height);
    uint8_t *to = target->planes[plane] + y * target->strides[plane] + x * bytes;
    const uint8_t *from = source->planes[plane];
    for (uint32_t row = 0; row < rows; row++) {
      memcpy(to, from, easel_heif_width(form, plane, width) * bytes);
      to += target->strides[plane];
      from += source->strides[plane];
    }
  }
}

static bool easel_heif_decode_next(easel_heif_work *work) {
  if (atomic_load(&work->is_stopped)) return false;
  size_t index = atomic_fetch_add(&work->next, 1);
  if (index >= work->count) return false;
  easel_heif_cell *cell = &work->cells[index];
  easel_heif_picture *picture = NULL;
  cell->status = easel_heif_picture_decode(cell->units, cell->count, work->form, 1, &picture);
  if (picture) {
    easel_heif_planes planes;
    easel_heif_picture_planes(picture, &planes);
    easel_heif_copy(work, cell, &planes);
    easel_heif_picture_destroy(picture);
  }
  return true;
}

static void *easel_heif_help(void *work) {
  while (easel_heif_decode_next(work)) {
  }
  return NULL;
}

void easel_heif_decode_cells(easel_heif_cell *cells, size_t count, const easel_heif_form *form,
                             const easel_heif_planes *planes, int threads, bool (*is_stopped)(void *), void *context) {
  easel_heif_work work = {.cells = cells, .count = count, .form = form, .planes = planes};
  for (size_t i = 0; i < count; i++) cells[i].status = EASEL_HEIF_STOPPED;
  pthread_t helpers[63];
  size_t wanted = threads > 1 ? (size_t)threads - 1 : 0, started = 0;
  if (wanted > sizeof helpers / sizeof *helpers) wanted = sizeof helpers / sizeof *helpers;
  while (started < wanted && started + 1 < count &&
         pthread_create(&helpers[started], NULL, easel_heif_help, &work) == 0) {
    started++;
  }
  do {
    if (is_stopped(context)) atomic_store(&work.is_stopped, true);
  } while (easel_heif_decode_next(&work));
  for (size_t i = 0; i < started; i++) pthread_join(helpers[i], NULL);
}
