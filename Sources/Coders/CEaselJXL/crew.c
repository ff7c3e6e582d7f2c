#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "internal.h"

// libjxl has threads of its own, but it ends the program if the system has none left. Tasks are never stopped: libjxl
// 0.7 ends the program when some of them fail.

// Threads are started with the first tasks of a call to libjxl and wait for its other tasks, because to start them each
// time takes a part of the work. They end with the call.

struct easel_jxl_shift {
  void *job;
  JxlParallelRunFunction task;
  uint32_t end;
  atomic_uint next;
  atomic_uint next_thread;
  // The threads that may still join, and those that have and are not done.
  uint32_t places, active;
};

bool easel_jxl_may_go_on(easel_jxl_crew *crew) {
  return !crew->check || crew->check(crew->context);
}

static void easel_jxl_work(easel_jxl_shift *shift) {
  size_t thread = atomic_fetch_add(&shift->next_thread, 1);
  for (;;) {
    uint32_t index = atomic_fetch_add(&shift->next, 1);
    if (index >= shift->end) break;
    shift->task(shift->job, index, thread);
  }
}

// The threads of a crew do one shift after another.
static void *easel_jxl_serve(void *argument) {
  easel_jxl_crew *crew = argument;
  pthread_mutex_lock(&crew->lock);
  while (!crew->is_over) {
    easel_jxl_shift *shift = crew->shift;
    if (!shift || shift->places == 0) {
      pthread_cond_wait(&crew->begins, &crew->lock);
      continue;
    }
    shift->places--;
    shift->active++;
    pthread_mutex_unlock(&crew->lock);
    easel_jxl_work(shift);
    pthread_mutex_lock(&crew->lock);
    if (--shift->active == 0) pthread_cond_signal(&crew->ends);
  }
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}

bool easel_jxl_crew_open(easel_jxl_crew *crew, int threads) {
  crew->threads = threads;
  if (pthread_mutex_init(&crew->lock, NULL) != 0) return false;
  if (pthread_cond_init(&crew->begins, NULL) != 0) {
    pthread_mutex_destroy(&crew->lock);
    return false;
  }
  if (pthread_cond_init(&crew->ends, NULL) != 0) {
    pthread_cond_destroy(&crew->begins);
    pthread_mutex_destroy(&crew->lock);
    return false;
  }
  crew->is_open = true;
  return true;
}

void easel_jxl_crew_rest(easel_jxl_crew *crew) {
  if (crew->started == 0) return;
  pthread_mutex_lock(&crew->lock);
  crew->is_over = true;
  pthread_cond_broadcast(&crew->begins);
  pthread_mutex_unlock(&crew->lock);
  for (uint32_t index = 0; index < crew->started; index++) pthread_join(crew->others[index], NULL);
  crew->started = 0;
  crew->is_over = false;
}

void easel_jxl_crew_close(easel_jxl_crew *crew) {
  if (!crew->is_open) return;
  easel_jxl_crew_rest(crew);
  pthread_cond_destroy(&crew->ends);
  pthread_cond_destroy(&crew->begins);
  pthread_mutex_destroy(&crew->lock);
  crew->is_open = false;
}

JxlParallelRetCode easel_jxl_run(void *argument, void *job, JxlParallelRunInit init, JxlParallelRunFunction task,
                                 uint32_t start, uint32_t end) {
  easel_jxl_crew *crew = argument;
  if (start > end) return -1;
  if (start == end) return 0;
  uint32_t count = end - start, threads = crew->threads > 1 ? (uint32_t)crew->threads : 1;
  if (threads > count) threads = count;
  if (threads > EASEL_JXL_MOST_THREADS) threads = EASEL_JXL_MOST_THREADS;
  JxlParallelRetCode code = init(job, threads);
  if (code != 0) return code;
  // If the system gives fewer threads, these do all the work.
  while (crew->started + 1 < threads &&
         pthread_create(&crew->others[crew->started], NULL, easel_jxl_serve, crew) == 0) {
    crew->started++;
  }
  easel_jxl_shift shift = {.job = job, .task = task, .end = end, .places = threads - 1};
  atomic_init(&shift.next, start);
  atomic_init(&shift.next_thread, 0);
  if (threads == 1) {
    easel_jxl_work(&shift);
    return 0;
  }
  pthread_mutex_lock(&crew->lock);
  crew->shift = &shift;
  pthread_cond_broadcast(&crew->begins);
  pthread_mutex_unlock(&crew->lock);
  easel_jxl_work(&shift);
  pthread_mutex_lock(&crew->lock);
  // Those who come too late find no shift.
  crew->shift = NULL;
  while (shift.active > 0) pthread_cond_wait(&crew->ends, &crew->lock);
  pthread_mutex_unlock(&crew->lock);
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
