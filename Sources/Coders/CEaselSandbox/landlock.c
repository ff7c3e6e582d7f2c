#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

// The numbers and names are declared here, because the headers of a distribution are often older than its kernel.
#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_RESTRICT_SELF 446
#define LANDLOCK_VERSION_FLAG 1u

typedef struct {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
} rule_set;

static uint64_t bits(int count) { return ((uint64_t)1 << count) - 1; }

bool easel_sandbox_deny_files(void) {
  long version = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_VERSION_FLAG);
  if (version < 1) return false;
  // Everything in the set that no rule allows is denied, and there are no rules.
  rule_set set = {.files = bits(version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13)};
  size_t size = sizeof set.files;
  if (version >= 4) {
    set.network = bits(2);
    size = offsetof(rule_set, scopes);
  }
  if (version >= 6) {
    set.scopes = bits(2);
    size = sizeof set;
  }
  int rules = (int)syscall(LANDLOCK_CREATE_RULESET, &set, size, 0);
  if (rules < 0) return false;
  bool is_denied = syscall(LANDLOCK_RESTRICT_SELF, rules, 0) == 0;
  close(rules);
  return is_denied;
}
