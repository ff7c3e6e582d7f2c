#define _GNU_SOURCE
#include "CEaselService.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int easel_open_folder(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

static int open_with(int folder, const char *path, uint64_t flags, uint64_t resolve) {
  struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = resolve | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/// Opens a file with no way out; `resolve` may forbid more.
static int open_inside(int folder, const char *path, uint64_t resolve) {
  return open_with(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, RESOLVE_BENEATH | resolve);
}

/// Writes the absolute path of what is open, with a null at its end; returns its length, or -1.
static ssize_t path_of(int descriptor, char path[PATH_MAX]) {
  char name[40];
  snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(name, path, PATH_MAX - 1);
  if (length >= 0) path[length] = 0;
  return length;
}

static int has_step_up(const char *path) {
  for (const char *part = path; part; part = strchr(part, '/')) {
    while (*part == '/') part++;
    if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == 0)) return 1;
  }
  return 0;
}

/// Opens a file that absolute links lead to.
///
/// A link is followed without opening what it names for reading. The path to which it led is then opened again beneath the
/// folder, with no link allowed on the way, so that it does not matter what anybody changes meanwhile.
static int open_linked(int folder, const char *path) {
  int found = open_with(folder, path, O_PATH, 0);
  if (found < 0) return -1;
  char root[PATH_MAX], target[PATH_MAX];
  ssize_t length = path_of(found, target);
  close(found);
  ssize_t start = path_of(folder, root);
  if (start == 1) start = 0; // the folder is "/"
  if (length < 0 || start < 0 || length <= start || memcmp(target, root, (size_t)start) != 0 || target[start] != '/') {
    errno = EXDEV;
    return -1;
  }
  return open_inside(folder, target + start + 1, RESOLVE_NO_SYMLINKS);
}

int easel_open_beneath(int folder, const char *path) {
  int descriptor = open_inside(folder, path, 0);
  // The kernel says so of every way out, among them absolute links. A path that steps up itself gets no second try.
  if (descriptor >= 0 || errno != EXDEV || path[0] == '/' || has_step_up(path)) return descriptor;
  return open_linked(folder, path);
}
