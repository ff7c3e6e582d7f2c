#ifndef EASEL_BENCH_SUPPORT_H
#define EASEL_BENCH_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "easel_bench_dictionary.h"
#include "easel_bench_paint.h"

/// What all threads asked of the allocator between a start and a stop.
struct easel_bench_allocations {
  int64_t count;
  int64_t bytes;
};

/// Whether this build can count: it cannot without glibc, nor beside a sanitizer, which replaces malloc itself.
bool easel_bench_counts_allocations(void);

/// Sets the counters to zero and begins to count.
void easel_bench_start_counting(void);

/// Ends counting and says how much was counted.
struct easel_bench_allocations easel_bench_stop_counting(void);

/// Keeps the calling thread, and processes that it starts, on one core; on any again with -1.
void easel_bench_stay_on_core(int core);

#endif
