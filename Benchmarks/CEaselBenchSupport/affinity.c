#define _GNU_SOURCE
#include "CEaselBenchSupport.h"

#include <sched.h>

void easel_bench_stay_on_core(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int i = core < 0 ? 0 : core; i <= (core < 0 ? CPU_SETSIZE - 1 : core); i++) CPU_SET((unsigned)i, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}
