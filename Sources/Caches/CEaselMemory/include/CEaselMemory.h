#ifndef EASEL_MEMORY_H
#define EASEL_MEMORY_H

/// The number of the processor that runs the caller, which may be another one by the time it is looked at; 0 where that
/// can't be known.
int easel_memory_processor(void);

#endif
