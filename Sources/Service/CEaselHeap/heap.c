#include "CEaselHeap.h"

// Defines __GLIBC__ where it is.
#include <stdlib.h>

#ifdef __GLIBC__

#include <malloc.h>

bool easel_heap_bound_arenas(int count) { return mallopt(M_ARENA_MAX, count) == 1; }

bool easel_heap_set_trim_threshold(int bytes) { return mallopt(M_TRIM_THRESHOLD, bytes) == 1; }

bool easel_heap_set_map_threshold(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes) == 1; }

void easel_heap_give_back(void) { malloc_trim(0); }

bool easel_heap_measure(size_t *used, size_t *kept) {
#if __GLIBC_PREREQ(2, 33)
  struct mallinfo2 heap = mallinfo2();
  *used = heap.uordblks + heap.hblkhd;
  *kept = heap.fordblks;
  return true;
#else
  (void)used, (void)kept;
  return false;
#endif
}

#else

bool easel_heap_bound_arenas(int count) {
  (void)count;
  return false;
}

bool easel_heap_set_trim_threshold(int bytes) {
  (void)bytes;
  return false;
}

bool easel_heap_set_map_threshold(int bytes) {
  (void)bytes;
  return false;
}

void easel_heap_give_back(void) {}

bool easel_heap_measure(size_t *used, size_t *kept) {
  (void)used, (void)kept;
  return false;
}

#endif
