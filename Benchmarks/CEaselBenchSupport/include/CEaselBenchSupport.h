#ifndef EASEL_BENCH_SUPPORT_H
#define EASEL_BENCH_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "easel_bench_dictionary.h"
#include "easel_bench_paint.h"

/// The allocations of all threads between a start and a stop.
struct easel_bench_allocations {
  int64_t count;
  int64_t bytes;
};

/// True if this build can count allocations. That needs glibc and no sanitizer, because sanitizers replace malloc.
bool easel_bench_counts_allocations(void);

/// Sets the counters to zero and begins to count.
void easel_bench_start_counting(void);

/// Ends counting and returns the counters.
struct easel_bench_allocations easel_bench_stop_counting(void);

/// Keeps the calling thread, and processes that it starts, on one core; -1 allows all cores again.
void easel_bench_stay_on_core(int core);

/// Waits until a child has ended, which stays to be reaped; returns false if it runs for longer than these seconds.
bool easel_bench_ends_within(int32_t child, int32_t seconds);

#endif
