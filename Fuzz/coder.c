#include <stddef.h>
#include <stdint.h>

void easel_fuzz_coder(const char *format, const uint8_t *bytes, size_t count);

// script/fuzz defines EASEL_FORMAT: the name of the format.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  easel_fuzz_coder(EASEL_FORMAT, bytes, count);
  return 0;
}
