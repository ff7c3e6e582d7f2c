#ifndef EASEL_MEMORY_H
#define EASEL_MEMORY_H

/// The number of the processor that runs the caller; negative when it is unknown. By the time this returns, the caller
/// may run on another processor.
int easel_memory_processor(void);

#endif
