#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { MOST_HELPERS = 63 };

struct easel_heif_threads {
  easel_heif_cell *cells;
  size_t count, cells_per_band;
  easel_heif_form form;
  easel_heif_planes planes[2];
  pthread_t helpers[MOST_HELPERS];
  size_t helper_count;

  // The lock guards the following fields and the statuses of cells.
  pthread_mutex_t lock;
  pthread_cond_t changed;
  // The next cell, the first cell that must not be begun yet, and two numbers of cells that are not done: those of the
  // band that is waited for, and those of the band after it.
  size_t next, end, left[2];
  bool is_stopped;
};

static size_t easel_heif_least(size_t a, size_t b) { return a < b ? a : b; }

static void easel_heif_copy(const easel_heif_form *form, const easel_heif_cell *cell, const easel_heif_planes *source,
                            const easel_heif_planes *target) {
  if (cell->x >= target->width || cell->y >= target->height) return;
  uint32_t width = (uint32_t)easel_heif_least(form->width, target->width - cell->x);
  uint32_t height = (uint32_t)easel_heif_least(form->height, target->height - cell->y);
  int count = form->chroma == 0 ? 1 : 3;
  for (int plane = 0; plane < count; plane++) {
    size_t bytes = easel_heif_bytes(form, plane);
    // If colours have a lower resolution, cells begin at even places.
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

// Decodes the next cell. The caller holds the lock, which is free during the decoding.
static void easel_heif_decode_next(easel_heif_threads *pool) {
  size_t index = pool->next++, parity = index / pool->cells_per_band % 2;
  pthread_mutex_unlock(&pool->lock);
  easel_heif_cell *cell = &pool->cells[index];
  easel_heif_picture *picture = NULL;
  easel_heif_status status = easel_heif_picture_decode(cell->units, cell->count, &pool->form, 1, &picture);
  if (picture) {
    easel_heif_planes planes;
    easel_heif_picture_planes(picture, &planes);
    easel_heif_copy(&pool->form, cell, &planes, &pool->planes[parity]);
    easel_heif_picture_destroy(picture);
  }
  pthread_mutex_lock(&pool->lock);
  cell->status = status;
  if (--pool->left[parity] == 0) pthread_cond_broadcast(&pool->changed);
}

static void *easel_heif_help(void *argument) {
  easel_heif_threads *pool = argument;
  pthread_mutex_lock(&pool->lock);
  while (!pool->is_stopped && pool->next < pool->count) {
    if (pool->next < pool->end) {
      easel_heif_decode_next(pool);
    } else {
      pthread_cond_wait(&pool->changed, &pool->lock);
    }
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

easel_heif_threads *easel_heif_threads_create(easel_heif_cell *cells, size_t count, size_t cells_per_band,
                                        const easel_heif_form *form, const easel_heif_planes planes[2], int threads) {
  easel_heif_threads *pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  pool->cells = cells;
  pool->count = count;
  pool->cells_per_band = cells_per_band;
  pool->form = *form;
  memcpy(pool->planes, planes, sizeof pool->planes);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->changed, NULL);
  // While this thread waits, it decodes too.
  size_t wanted = threads > 1 ? easel_heif_least((size_t)threads - 1, MOST_HELPERS) : 0;
  while (pool->helper_count < wanted && pool->helper_count + 1 < count &&
         pthread_create(&pool->helpers[pool->helper_count], NULL, easel_heif_help, pool) == 0) {
    pool->helper_count++;
  }
  return pool;
}

void easel_heif_threads_open(easel_heif_threads *pool, size_t bands) {
  pthread_mutex_lock(&pool->lock);
  size_t end = easel_heif_least(bands * pool->cells_per_band, pool->count);
  while (pool->end < end) pool->left[pool->end++ / pool->cells_per_band % 2]++;
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
}

bool easel_heif_threads_wait(easel_heif_threads *pool, size_t band, bool (*may_go_on)(void *), void *context) {
  bool goes_on = true;
  pthread_mutex_lock(&pool->lock);
  while (goes_on && pool->left[band % 2] > 0) {
    if (pool->next < pool->end) {
      easel_heif_decode_next(pool);
    } else {
      pthread_cond_wait(&pool->changed, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    goes_on = may_go_on(context);
    pthread_mutex_lock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return goes_on;
}

void easel_heif_threads_destroy(easel_heif_threads *pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->lock);
  pool->is_stopped = true;
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
  for (size_t i = 0; i < pool->helper_count; i++) pthread_join(pool->helpers[i], NULL);
  pthread_cond_destroy(&pool->changed);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}
