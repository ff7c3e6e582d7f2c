#ifndef CEASEL_HEAP_H
#define CEASEL_HEAP_H

#include <stdbool.h>
#include <stddef.h>

// The heap of the C library, for a program that owns its process. A library that others link must not change it.
//
// On C libraries other than glibc the functions do nothing and say so. Under an allocator that replaces that of glibc,
// such as jemalloc, they change a heap that nobody uses.

/// Bounds the number of arenas, each of which keeps freed memory of its own. Call it before threads start: an arena that
/// exists stays. Returns false if that cannot be had.
bool easel_heap_bound_arenas(int count);

/// The free bytes at the end of an arena from which on they go back to the system.
bool easel_heap_set_trim_threshold(int bytes);

/// The size from which on a block is a mapping of its own, which goes back to the system as soon as it is freed.
bool easel_heap_set_map_threshold(int bytes);

/// Gives free pages of all arenas back to the system. It locks one arena after another, and takes some milliseconds where
/// there is much to give.
void easel_heap_give_back(void);

/// The bytes in blocks that are in use and in free ones that the heap keeps; false if nobody counts them.
bool easel_heap_measure(size_t *used, size_t *kept);

#endif
