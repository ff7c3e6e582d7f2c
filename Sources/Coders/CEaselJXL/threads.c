#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "internal.h"

// libjxl has its own threads, but ends the program if the system has no thread left. Tasks are never stopped, because
// libjxl 0.7 ends the program when some of them fail.

// Threads start with the first tasks of a call to libjxl, and then wait for its other tasks, because starting them each
// time would take a part of the time of the work. They end with the call.

struct easel_jxl_batch {
  void *job;
  JxlParallelRunFunction task;
  uint32_t end;
  atomic_uint next;
  atomic_uint next_thread;
  // The number of threads that may still join, and of those that have joined and are not done.
  uint32_t places, active;
};

bool easel_jxl_may_go_on(easel_jxl_threads *pool) {
  return !pool->check || pool->check(pool->context);
}

static void easel_jxl_work(easel_jxl_batch *batch) {
  size_t thread = atomic_fetch_add(&batch->next_thread, 1);
  for (;;) {
    uint32_t index = atomic_fetch_add(&batch->next, 1);
    if (index >= batch->end) break;
    batch->task(batch->job, index, thread);
  }
}

// A thread of a pool, which does one batch after another.
static void *easel_jxl_serve(void *argument) {
  easel_jxl_threads *pool = argument;
  pthread_mutex_lock(&pool->lock);
  while (!pool->is_over) {
    easel_jxl_batch *batch = pool->batch;
    if (!batch || batch->places == 0) {
      pthread_cond_wait(&pool->begins, &pool->lock);
      continue;
    }
    batch->places--;
    batch->active++;
    pthread_mutex_unlock(&pool->lock);
    easel_jxl_work(batch);
    pthread_mutex_lock(&pool->lock);
    if (--batch->active == 0) pthread_cond_signal(&pool->ends);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

bool easel_jxl_threads_open(easel_jxl_threads *pool, int threads) {
  pool->threads = threads;
  if (pthread_mutex_init(&pool->lock, NULL) != 0) return false;
  if (pthread_cond_init(&pool->begins, NULL) != 0) {
    pthread_mutex_destroy(&pool->lock);
    return false;
  }
  if (pthread_cond_init(&pool->ends, NULL) != 0) {
    pthread_cond_destroy(&pool->begins);
    pthread_mutex_destroy(&pool->lock);
    return false;
  }
  pool->is_open = true;
  return true;
}

void easel_jxl_threads_rest(easel_jxl_threads *pool) {
  if (pool->started == 0) return;
  pthread_mutex_lock(&pool->lock);
  pool->is_over = true;
  pthread_cond_broadcast(&pool->begins);
  pthread_mutex_unlock(&pool->lock);
  for (uint32_t index = 0; index < pool->started; index++) pthread_join(pool->others[index], NULL);
  pool->started = 0;
  pool->is_over = false;
}

void easel_jxl_threads_close(easel_jxl_threads *pool) {
  if (!pool->is_open) return;
  easel_jxl_threads_rest(pool);
  pthread_cond_destroy(&pool->ends);
  pthread_cond_destroy(&pool->begins);
  pthread_mutex_destroy(&pool->lock);
  pool->is_open = false;
}

JxlParallelRetCode easel_jxl_run(void *argument, void *job, JxlParallelRunInit init, JxlParallelRunFunction task,
                                 uint32_t start, uint32_t end) {
  easel_jxl_threads *pool = argument;
  if (start > end) return -1;
  if (start == end) return 0;
  uint32_t count = end - start, threads = pool->threads > 1 ? (uint32_t)pool->threads : 1;
  if (threads > count) threads = count;
  if (threads > EASEL_JXL_MOST_THREADS) threads = EASEL_JXL_MOST_THREADS;
  JxlParallelRetCode code = init(job, threads);
  if (code != 0) return code;
  // If the system allows fewer threads, these do all the work.
  while (pool->started + 1 < threads &&
         pthread_create(&pool->others[pool->started], NULL, easel_jxl_serve, pool) == 0) {
    pool->started++;
  }
  easel_jxl_batch batch = {.job = job, .task = task, .end = end, .places = threads - 1};
  atomic_init(&batch.next, start);
  atomic_init(&batch.next_thread, 0);
  if (threads == 1) {
    easel_jxl_work(&batch);
    return 0;
  }
  pthread_mutex_lock(&pool->lock);
  pool->batch = &batch;
  pthread_cond_broadcast(&pool->begins);
  pthread_mutex_unlock(&pool->lock);
  easel_jxl_work(&batch);
  pthread_mutex_lock(&pool->lock);
  // Threads that come too late find no batch.
  pool->batch = NULL;
  while (batch.active > 0) pthread_cond_wait(&pool->ends, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
  return 0;
}

bool easel_jxl_block_reserve(easel_jxl_block *block, size_t room) {
  if (room <= block->room) return true;
  uint8_t *bytes = realloc(block->bytes, room);
  if (!bytes) return false;
  block->bytes = bytes;
  block->room = room;
  return true;
}
