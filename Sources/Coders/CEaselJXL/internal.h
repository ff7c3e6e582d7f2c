#ifndef CEASEL_JXL_INTERNAL_H
#define CEASEL_JXL_INTERNAL_H

#if !__has_include(<jxl/parallel_runner.h>)
#error "Install libjxl-dev (Debian, Ubuntu) or libjxl-devel (Fedora)"
#endif
#include <jxl/parallel_runner.h>

#include "include/CEaselJXL.h"

// The number of threads of a reader or a writer, and the function that stops its work.
typedef struct {
  int threads;
  easel_jxl_check check;
  void *context;
} easel_jxl_crew;

// Keeps libjxl from printing.
void easel_jxl_keep_quiet(void);

bool easel_jxl_may_go_on(easel_jxl_crew *crew);
// Runs the tasks that libjxl asks for, on threads that end with the last task.
JxlParallelRetCode easel_jxl_run(void *crew, void *job, JxlParallelRunInit init, JxlParallelRunFunction task,
                                 uint32_t start, uint32_t end);

// Bytes that grow.
typedef struct {
  uint8_t *bytes;
  size_t count, room;
} easel_jxl_block;

bool easel_jxl_block_reserve(easel_jxl_block *block, size_t room);

#endif
