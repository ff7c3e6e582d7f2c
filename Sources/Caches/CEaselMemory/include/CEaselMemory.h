#ifndef EASEL_MEMORY_H
#define EASEL_MEMORY_H

/// The number of the processor that runs the caller; negative when it is unknown. The caller may have moved to another
/// one since.
int easel_memory_processor(void);

#endif
