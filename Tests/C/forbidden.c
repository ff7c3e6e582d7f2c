// Runs one instruction, which ends the process on a processor without it. A test of emulators: they must not run what
// the processor that they stand for cannot.
//
// usage: forbidden avx2 | sse4.1

#include <string.h>

#if defined(__x86_64__)
int main(int argument_count, char **arguments) {
  if (argument_count != 2) return 2;
  if (!strcmp(arguments[1], "avx2")) {
    __asm__ volatile("vpabsd %%ymm0, %%ymm0" ::: "xmm0");
  } else if (!strcmp(arguments[1], "sse4.1")) {
    __asm__ volatile("pmulld %%xmm0, %%xmm0" ::: "xmm0");
  } else {
    return 2;
  }
  return 0;
}
#else
int main(void) { return 2; }
#endif
