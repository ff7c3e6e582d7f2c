#include <stddef.h>
#include <stdint.h>

void easel_fuzz_page(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  easel_fuzz_page(bytes, count);
  return 0;
}
