#define _GNU_SOURCE
#include "CEaselMemory.h"

#include <sched.h>

int easel_memory_processor(void) { return sched_getcpu(); }
