#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "internal.h"

// libjxl has threads of its own, but it ends the program if the system has none left. Tasks are never stopped: libjxl
// 0.7 ends the program when some of them fail.

enum { MOST_THREADS = 64 };

typedef struct {
  void *job;
  JxlParallelRunFunction task;
  uint32_t end;
  atomic_uint next;
  atomic_uint next_thread;
} easel_jxl_shift;

bool easel_jxl_may_go_on(easel_jxl_crew *crew) {
  return !crew->check || crew->check(crew->context);
}

static void *easel_jxl_work(void *argument) {
  easel_jxl_shift *shift = argument;
  size_t thread = atomic_fetch_add(&shift->next_thread, 1);
  for (;;) {
    uint32_t index = atomic_fetch_add(&shift->next, 1);
    if (index >= shift->end) break;
    shift->task(shift->job, index, thread);
  }
  return NULL;
}

JxlParallelRetCode easel_jxl_run(void *argument, void *job, JxlParallelRunInit init, JxlParallelRunFunction task,
                                 uint32_t start, uint32_t end) {
  easel_jxl_crew *crew = argument;
  if (start > end) return -1;
  if (start == end) return 0;
  uint32_t count = end - start, threads = crew->threads > 1 ? (uint32_t)crew->threads : 1;
  if (threads > count) threads = count;
  if (threads > MOST_THREADS) threads = MOST_THREADS;
  JxlParallelRetCode code = init(job, threads);
  if (code != 0) return code;
  easel_jxl_shift shift = {.job = job, .task = task, .end = end};
  atomic_init(&shift.next, start);
  atomic_init(&shift.next_thread, 0);
  pthread_t others[MOST_THREADS];
  uint32_t started = 0;
  // If the system gives fewer threads, these do all the work.
  while (started + 1 < threads && pthread_create(&others[started], NULL, easel_jxl_work, &shift) == 0) started++;
  easel_jxl_work(&shift);
  for (uint32_t index = 0; index < started; index++) pthread_join(others[index], NULL);
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
