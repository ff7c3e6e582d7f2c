#define _GNU_SOURCE
#include "CEaselCurl.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// curl allocates its receive buffer at the start of each transfer, and frees it at the end. Each time, glibc gives the
// top of its heap back to the system and gets new pages for the next buffer, which costs more than receiving a small
// picture. Buffers of that size are therefore kept here, in their own address space, and keep their pages while
// transfers run.

enum { slot_size = (256 << 10) + 4096, least_size = 64 << 10, slots_in_word = 64, word_count = 2 };

static const size_t whole_size = (size_t)slot_size * slots_in_word * word_count;
// Set once, before curl allocates its first byte; before that, it is an address outside all memory.
static uintptr_t slots = UINTPTR_MAX - (uintptr_t)slot_size * slots_in_word * word_count;
static bool has_slots;
static _Atomic uint64_t taken[word_count];
static _Atomic uint64_t touched[word_count];

static void reserve_slots(void) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return; // It watches only memory that malloc gives.
#endif
#endif
  void *address = mmap(NULL, whole_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return;
  slots = (uintptr_t)address;
  has_slots = true;
}

static bool is_slot(const void *memory) { return (uintptr_t)memory - slots < whole_size; }

static void *slot_at(int word, int bit) {
  return (void *)(slots + (size_t)(word * slots_in_word + bit) * slot_size);
}

static void *take_slot(void) {
  for (int word = 0; word < word_count; word++) {
    uint64_t bits = atomic_load_explicit(&taken[word], memory_order_relaxed);
    while (~bits) {
      int bit = __builtin_ctzll(~bits);
      uint64_t mask = (uint64_t)1 << bit;
      if (!atomic_compare_exchange_weak_explicit(
              &taken[word], &bits, bits | mask, memory_order_acquire, memory_order_relaxed)) {
        continue;
      }
      atomic_fetch_or_explicit(&touched[word], mask, memory_order_relaxed);
      return slot_at(word, bit);
    }
  }
  return NULL;
}

static void give_slot_back(const void *memory) {
  size_t index = ((uintptr_t)memory - slots) / slot_size;
  uint64_t mask = (uint64_t)1 << index % slots_in_word;
  atomic_fetch_and_explicit(&taken[index / slots_in_word], ~mask, memory_order_release);
}

// Each transfer allocates the description of a connection, and frees it if the connection already exists. Such a block
// is too large for glibc's cache of free blocks, so the last block of about this size is kept here.
enum { least_spare = 1033, most_spare = 4096 };

static _Atomic(void *) spare;

static bool may_be_spare(size_t size) { return size >= least_spare && size <= most_spare; }

static void *take_spare(size_t size) {
  void *memory = atomic_exchange_explicit(&spare, NULL, memory_order_acquire);
  if (memory && malloc_usable_size(memory) >= size) return memory;
  free(memory);
  return NULL;
}

static void *take(size_t size) {
  void *old = may_be_spare(size) ? take_spare(size) : NULL;
  if (old) return old;
  void *slot = has_slots && size > least_size && size <= slot_size ? take_slot() : NULL;
  return slot ? slot : malloc(size);
}

/// Allocates zeroed memory with `malloc`, because glibc's `calloc` never uses the cache of free blocks.
static void *take_zeros(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) return NULL;
  void *memory = take(total);
  return memory ? memset(memory, 0, total) : NULL;
}

static void give_back(void *memory) {
  if (!memory) return;
  if (is_slot(memory)) return give_slot_back(memory);
  if (may_be_spare(malloc_usable_size(memory))) {
    memory = atomic_exchange_explicit(&spare, memory, memory_order_acq_rel);
  }
  free(memory);
}

static void *take_more(void *memory, size_t size) {
  if (!is_slot(memory)) return realloc(memory, size);
  if (size <= slot_size) return memory;
  void *larger = malloc(size);
  if (!larger) return NULL;
  memcpy(larger, memory, slot_size);
  give_slot_back(memory);
  return larger;
}

CURLcode easel_curl_prepare(void) {
  // If other code has initialised curl before, curl keeps its allocator; only some address space is wasted then.
  reserve_slots();
  return curl_global_init_mem(CURL_GLOBAL_DEFAULT, take, give_back, take_more, strdup, take_zeros);
}

/// Gives those pages back that are completely inside a slot. On ARM64 a page may have 64 KB, so that neighbouring slots
/// share some pages.
static void give_pages_back(void *slot) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)slot, end = start + slot_size;
  start = (start + page - 1) / page * page;
  end = end / page * page;
  if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
}

void easel_curl_give_back_memory(void) {
  free(atomic_exchange_explicit(&spare, NULL, memory_order_acquire));
  for (int word = 0; word < word_count; word++) {
    uint64_t bits = atomic_load_explicit(&touched[word], memory_order_relaxed);
    for (; bits; bits &= bits - 1) {
      int bit = __builtin_ctzll(bits);
      uint64_t mask = (uint64_t)1 << bit;
      if (atomic_fetch_or_explicit(&taken[word], mask, memory_order_acquire) & mask) continue;
      give_pages_back(slot_at(word, bit));
      atomic_fetch_and_explicit(&touched[word], ~mask, memory_order_relaxed);
      atomic_fetch_and_explicit(&taken[word], ~mask, memory_order_release);
    }
  }
}
