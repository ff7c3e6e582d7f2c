#include <stddef.h>
#include <stdint.h>

void easel_fuzz_source(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  easel_fuzz_source(bytes, count);
  return 0;
}
