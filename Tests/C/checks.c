#include "checks.h"

#include <stdio.h>

static size_t checked, failed, left_out;

void check(bool holds, const char *what) {
  checked++;
  if (holds) return;
  failed++;
  printf("FAILED: %s\n", what);
  fflush(stdout);
}

void not_checked(const char *what) {
  left_out++;
  printf("not checked: %s\n", what);
}

size_t failures(void) { return failed; }

int report(const char *name) {
  printf("%s: %zu checks, %zu failed, %zu left out\n", name, checked, failed, left_out);
  return failed ? 1 : 0;
}
