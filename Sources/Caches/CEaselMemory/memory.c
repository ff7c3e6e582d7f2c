#define _GNU_SOURCE
#include "CEaselMemory.h"

#include <sched.h>

int easel_memory_processor(void) {
  int number = sched_getcpu();
  return number < 0 ? 0 : number;
}
