#define _GNU_SOURCE
#include "CEaselBenchSupport.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool counting;
static atomic_llong allocations;
static atomic_llong bytes;
static atomic_llong locks;

// The mutexes that were taken, and how often. Those that find no place are counted as locks alone.
enum { MUTEXES = 1 << 14 };
static struct {
  _Atomic(pthread_mutex_t *) mutex;
  atomic_llong count;
} taken[MUTEXES];

void easel_bench_start_counting(void) {
  atomic_store(&allocations, 0);
  atomic_store(&bytes, 0);
  atomic_store(&locks, 0);
  memset(taken, 0, sizeof taken);
  atomic_store(&counting, true);
}

struct easel_bench_costs easel_bench_stop_counting(int64_t repetitions) {
  atomic_store(&counting, false);
  struct easel_bench_costs costs = {
      .allocations = atomic_load(&allocations), .bytes = atomic_load(&bytes), .locks = atomic_load(&locks)};
  for (size_t i = 0; i < MUTEXES; i++) {
    long long count = atomic_load(&taken[i].count);
    if (2 * count >= repetitions && count > 1) costs.common_locks += count;
    if (count > costs.most_of_one_lock) costs.most_of_one_lock = count;
  }
  return costs;
}

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// A function in the program replaces libc's for every library in the process, including Swift's runtime. The memory still
// comes from libc, so free needs no replacement.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

bool easel_bench_can_count(void) { return true; }

// The only cost in timed runs is the load of a flag that is never written then.
static void note(size_t size) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
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

// Counts a mutex; a new one begins anew at the address of an old one.
static void note_mutex(pthread_mutex_t *mutex, bool is_new) {
  size_t first = ((size_t)mutex >> 3) * 0x9e3779b97f4a7c15u >> 50;
  for (size_t i = 0; i < 64; i++) {
    size_t place = (first + i) % MUTEXES;
    pthread_mutex_t *there = NULL;
    if (!atomic_compare_exchange_strong(&taken[place].mutex, &there, mutex) && there != mutex) continue;
    if (is_new) {
      atomic_store_explicit(&taken[place].count, 0, memory_order_relaxed);
    } else {
      atomic_fetch_add_explicit(&taken[place].count, 1, memory_order_relaxed);
    }
    return;
  }
}

// Looked up once; two threads that do so at once find the same.
static void *of_libc(_Atomic(void *) *known, const char *name) {
  void *function = atomic_load_explicit(known, memory_order_relaxed);
  if (function) return function;
  function = dlsym(RTLD_NEXT, name);
  atomic_store_explicit(known, function, memory_order_relaxed);
  return function;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static _Atomic(void *) known;
  if (atomic_load_explicit(&counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&locks, 1, memory_order_relaxed);
    note_mutex(mutex, false);
  }
  return ((int (*)(pthread_mutex_t *))of_libc(&known, "pthread_mutex_lock"))(mutex);
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  static _Atomic(void *) known;
  if (atomic_load_explicit(&counting, memory_order_relaxed)) note_mutex(mutex, true);
  return ((int (*)(pthread_mutex_t *, const pthread_mutexattr_t *))of_libc(&known, "pthread_mutex_init"))(
      mutex, attributes);
}

#else

bool easel_bench_can_count(void) { return false; }

#endif
