#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void easel_fuzz_coder(const char *format, const uint8_t *bytes, size_t count);

/// True if there is a number of more than six digits, or with an exponent, for which librsvg may end the process.
///
/// That is known, and turned into an error by the sandbox; the fuzzer would find nothing else.
static bool has_vast_number(const uint8_t *bytes, size_t count) {
  size_t digits = 0;
  bool is_fraction = false;
  for (size_t i = 0; i < count; i++) {
    if (isdigit(bytes[i])) {
      digits++;
      if (digits > 6 && !is_fraction) return true;
      continue;
    }
    const bool ends_number = digits > 0 || is_fraction;
    if (ends_number && (bytes[i] | 0x20) == 'e' && i + 1 < count && (isdigit(bytes[i + 1]) || bytes[i + 1] == '+')) {
      return true;
    }
    is_fraction = bytes[i] == '.';
    digits = 0;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  if (has_vast_number(bytes, count)) return -1;
  easel_fuzz_coder("svg", bytes, count);
  return 0;
}
