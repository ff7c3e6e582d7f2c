#include "internal.h"

#include <stdatomic.h>

static atomic_int easel_highest_level = EASEL_LEVEL_AVX2;

#if defined(EASEL_X86)
#include <cpuid.h>

static int easel_detect(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1)) return EASEL_LEVEL_SCALAR;
  if (!(c & bit_OSXSAVE) || !(c & bit_AVX)) return EASEL_LEVEL_SSE41;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 6) != 6) return EASEL_LEVEL_SSE41;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return EASEL_LEVEL_SSE41;
  return EASEL_LEVEL_AVX2;
}

static int easel_processor_level(void) {
  // Zero until the processor was examined; two threads that do this at once store the same result.
  static atomic_int known_level;
  int known = atomic_load_explicit(&known_level, memory_order_relaxed);
  if (known == 0) {
    known = easel_detect() + 1;
    atomic_store_explicit(&known_level, known, memory_order_relaxed);
  }
  return known - 1;
}
#elif defined(EASEL_NEON)
static int easel_processor_level(void) { return EASEL_LEVEL_NEON; }
#else
static int easel_processor_level(void) { return EASEL_LEVEL_SCALAR; }
#endif

int easel_pixels_level(void) {
  int level = easel_processor_level(), highest = atomic_load_explicit(&easel_highest_level, memory_order_relaxed);
  return level < highest ? level : highest;
}

int easel_pixels_limit_level(int level) { return atomic_exchange(&easel_highest_level, level); }
