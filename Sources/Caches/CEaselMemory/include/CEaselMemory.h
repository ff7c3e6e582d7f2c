#ifndef EASEL_MEMORY_H
#define EASEL_MEMORY_H

/// The number of the processor that runs the caller, which may be another one by the time it is looked at; negative where
/// that can't be known.
int easel_memory_processor(void);

/// Has a line of memory brought near; nothing happens where there is no memory.
static inline void easel_memory_fetch(const void *address) { __builtin_prefetch(address); }

#endif
