#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
  nanoseconds_between_looks = 300 * 1000 * 1000,
  stack_size = 256 << 10,
  // A connection is ended when, between two looks, it brought this many bytes and this many times the useful bytes.
  least_bytes = 256 << 10,
  least_share = 16,
};

struct guard {
  struct connections *connections;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t news;
  _Atomic uint64_t round; // odd while curl works
  _Atomic int64_t bytes; // received for transfers
  atomic_bool is_asleep; // until curl works again
  bool is_ending;
};

void guard_begin(struct guard *guard) {
  atomic_store(&guard->round, atomic_load_explicit(&guard->round, memory_order_relaxed) + 1);
  // Either this function sees that the guard is asleep, or the guard sees the new round before it sleeps.
  if (!atomic_load(&guard->is_asleep)) return;
  pthread_mutex_lock(&guard->lock);
  atomic_store(&guard->is_asleep, false);
  pthread_cond_signal(&guard->news);
  pthread_mutex_unlock(&guard->lock);
}

void guard_end(struct guard *guard) {
  uint64_t round = atomic_load_explicit(&guard->round, memory_order_relaxed);
  atomic_store_explicit(&guard->round, round + 1, memory_order_release);
}

void guard_count(struct guard *guard, int64_t bytes) {
  int64_t before = atomic_load_explicit(&guard->bytes, memory_order_relaxed);
  atomic_store_explicit(&guard->bytes, before + bytes, memory_order_relaxed);
}

static void wait_for_next_look(struct guard *guard) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_nsec += nanoseconds_between_looks;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    time.tv_sec += 1;
  }
  while (!guard->is_ending && pthread_cond_timedwait(&guard->news, &guard->lock, &time) != ETIMEDOUT) {}
}

// Sleeps while the loop waits, so that an idle loop costs nothing.
static void sleep_until_curl_works(struct guard *guard, uint64_t round) {
  atomic_store(&guard->is_asleep, true);
  if (atomic_load(&guard->round) == round) {
    while (atomic_load(&guard->is_asleep) && !guard->is_ending) pthread_cond_wait(&guard->news, &guard->lock);
  }
  atomic_store(&guard->is_asleep, false);
}

static void *keep_watch(void *context) {
  struct guard *guard = context;
  uint64_t last = 0;
  int64_t bytes = 0;
  bool has_looked = false; // in this round
  pthread_mutex_lock(&guard->lock);
  while (!guard->is_ending) {
    uint64_t round = atomic_load_explicit(&guard->round, memory_order_acquire);
    bool is_same = round == last;
    last = round;
    if (is_same && round % 2 == 0) {
      sleep_until_curl_works(guard, round);
      continue;
    }
    int64_t bytes_now = atomic_load_explicit(&guard->bytes, memory_order_relaxed);
    if (is_same && has_looked) {
      int64_t useful = bytes_now - bytes;
      int64_t allowed = useful > INT64_MAX / least_share ? INT64_MAX : useful * least_share;
      connections_cut(guard->connections, allowed > least_bytes ? allowed : least_bytes);
    }
    // Most rounds end before the guard sees them a second time, so the connections are examined only then.
    has_looked = is_same;
    if (is_same) connections_look(guard->connections);
    bytes = bytes_now;
    wait_for_next_look(guard);
  }
  pthread_mutex_unlock(&guard->lock);
  return NULL;
}

static bool start(struct guard *guard) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, stack_size);
  // Signals of the process must go to other threads, so this thread blocks them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool is_started = pthread_create(&guard->thread, &attributes, keep_watch, guard) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return is_started;
}

struct guard *guard_create(struct connections *connections) {
  struct guard *guard = calloc(1, sizeof *guard);
  if (!guard) return NULL;
  guard->connections = connections;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&guard->news, &attributes);
  pthread_condattr_destroy(&attributes);
  pthread_mutex_init(&guard->lock, NULL);
  if (start(guard)) return guard;
  pthread_mutex_destroy(&guard->lock);
  pthread_cond_destroy(&guard->news);
  free(guard);
  return NULL;
}

void guard_destroy(struct guard *guard) {
  pthread_mutex_lock(&guard->lock);
  guard->is_ending = true;
  pthread_cond_signal(&guard->news);
  pthread_mutex_unlock(&guard->lock);
  pthread_join(guard->thread, NULL);
  pthread_mutex_destroy(&guard->lock);
  pthread_cond_destroy(&guard->news);
  free(guard);
}
