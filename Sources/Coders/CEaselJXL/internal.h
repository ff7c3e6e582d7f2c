#ifndef CEASEL_JXL_INTERNAL_H
#define CEASEL_JXL_INTERNAL_H

#if !__has_include(<jxl/parallel_runner.h>)
#error "Install libjxl-dev (Debian, Ubuntu) or libjxl-devel (Fedora)"
#endif
#include <jxl/parallel_runner.h>
#include <pthread.h>

#include "include/CEaselJXL.h"

enum { EASEL_JXL_MOST_THREADS = 64 };

typedef struct easel_jxl_batch easel_jxl_batch;

// The threads of a reader or a writer, and the function that can stop its work.
typedef struct {
  int threads;
  easel_jxl_check check;
  void *context;

  // The threads that wait for batches, besides the thread that calls libjxl.
  pthread_t others[EASEL_JXL_MOST_THREADS];
  uint32_t started;
  bool is_open;
  // The lock guards the following fields.
  pthread_mutex_t lock;
  pthread_cond_t begins, ends;
  easel_jxl_batch *batch;
  bool is_over;
} easel_jxl_threads;

// Keeps libjxl from printing.
void easel_jxl_keep_quiet(void);

bool easel_jxl_may_go_on(easel_jxl_threads *pool);
// The pool must be all zeros before, and must stay where it is until it is closed.
bool easel_jxl_threads_open(easel_jxl_threads *pool, int threads);
// Ends the threads; new ones start when they are needed.
void easel_jxl_threads_rest(easel_jxl_threads *pool);
void easel_jxl_threads_close(easel_jxl_threads *pool);
// Runs the tasks that libjxl asks for.
JxlParallelRetCode easel_jxl_run(void *pool, void *job, JxlParallelRunInit init, JxlParallelRunFunction task,
                                 uint32_t start, uint32_t end);

// A block of bytes that can grow.
typedef struct {
  uint8_t *bytes;
  size_t count, room;
} easel_jxl_block;

bool easel_jxl_block_reserve(easel_jxl_block *block, size_t room);

#endif
