#ifndef EASEL_BENCH_SUPPORT_H
#define EASEL_BENCH_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "easel_bench_dictionary.h"
#include "easel_bench_paint.h"

/// The costs of all threads between a start and a stop.
struct easel_bench_costs {
  int64_t allocations;
  int64_t bytes;
  /// How often a mutex was taken.
  int64_t locks;
  /// How many of these were of a mutex that was taken for every second repetition at least.
  int64_t common_locks;
  /// How often the mutex was taken that was taken most often.
  int64_t most_of_one_lock;
};

/// True if this build can count. That needs glibc and no sanitizer, because sanitizers replace the same functions.
bool easel_bench_can_count(void);

/// Sets the counters to zero and begins to count.
void easel_bench_start_counting(void);

/// Ends counting and returns the counters.
struct easel_bench_costs easel_bench_stop_counting(int64_t repetitions);

/// Keeps the calling thread, and processes that it starts, on one core; -1 allows all cores again.
void easel_bench_stay_on_core(int core);

/// Waits until a child has ended, which stays to be reaped; returns false if it runs for longer than these seconds.
bool easel_bench_ends_within(int32_t child, int32_t seconds);

#endif
