#include "CEaselBenchSupport.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_bool counting;
static atomic_llong count;
static atomic_llong bytes;

void easel_bench_start_counting(void) {
  atomic_store(&count, 0);
  atomic_store(&bytes, 0);
  atomic_store(&counting, true);
}

struct easel_bench_allocations easel_bench_stop_counting(void) {
  atomic_store(&counting, false);
  return (struct easel_bench_allocations){.count = atomic_load(&count), .bytes = atomic_load(&bytes)};
}

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// A malloc in the program replaces libc's for every library in the process, including Swift's runtime. The memory still
// comes from libc, so free needs no replacement.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

bool easel_bench_counts_allocations(void) { return true; }

// The only cost in timed runs is the load of a flag that is never written then.
static void note(size_t size) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, (long long)size, memory_order_relaxed);
}

void *malloc(size_t size) {
  note(size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note(number * size);
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  note(size);
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void *memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

#else

bool easel_bench_counts_allocations(void) { return false; }

#endif
