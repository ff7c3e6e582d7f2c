#define _GNU_SOURCE
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

// A server with many children does some things once for all of them. One that has a single picture does not get so far.

// Tries in a copy of the server whether a server with the filter can make children.
static bool can_serve_with_filter(void) {
  pid_t process = _Fork();
  if (process == 0) {
    if (easel_sandbox_filter_server()) _exit(1);
    pid_t child = _Fork();
    if (child == 0) _exit(0);
    int status;
    _exit(child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 1);
  }
  int status = 1;
  while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {}
  return process > 0 && status == 0;
}

bool easel_sandbox_settle(uint32_t layers) {
  easel_sandbox_gather_code();
  return (layers & EASEL_SANDBOX_FILTER) && can_serve_with_filter() && easel_sandbox_filter_server() == 0;
}
