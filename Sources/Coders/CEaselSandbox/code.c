#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

// A fork copies no entries of page tables for files, so that each child takes a fault for every sixteen pages of the
// program that it runs: a third of all its faults. Huge pages of memory are inherited, with one entry for 512 pages.

#ifdef EASEL_SANITIZED

void easel_sandbox_find_code(void) {}

void easel_sandbox_gather_code(void) {}

#else

// The advice of Linux 6.1 to make a huge page now. It tells if that was possible.
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum {
  HUGE_PAGE = 2 << 20,
  // A huge page takes memory for all of its part of the program, of which decoders must need enough.
  LEAST_USED_PART = 8,
  MOST_RUNS = 32,
};

// Code that can have huge pages, one after another. A fork copies the mapping of each run.
typedef struct {
  uintptr_t start, end;
} run;

static run runs[MOST_RUNS];
static int run_count;

static void add(uintptr_t part) {
  run *last = run_count ? &runs[run_count - 1] : NULL;
  if (last && last->end == part) {
    last->end += HUGE_PAGE;
  } else if (run_count < MOST_RUNS) {
    runs[run_count++] = (run){.start = part, .end = part + HUGE_PAGE};
  }
}

// True if this process has used enough of a part.
static bool is_used(int pagemap, uintptr_t start) {
  enum { MOST_PAGES = HUGE_PAGE / 4096 };
  const uint64_t is_present = UINT64_C(1) << 63;
  static uint64_t entries[MOST_PAGES];
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  size_t count = HUGE_PAGE / page, used = 0, size = count * sizeof entries[0];
  if (pread(pagemap, entries, size, (off_t)(start / page * sizeof entries[0])) != (ssize_t)size) return false;
  for (size_t i = 0; i < count; i++) used += (entries[i] & is_present) != 0;
  return used * LEAST_USED_PART >= count;
}

void easel_sandbox_find_code(void) {
  int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return;
  FILE *file = fopen("/proc/self/maps", "re");
  if (file) {
    char line[4096], kind[8], path[2];
    unsigned long start, end;
    while (fgets(line, sizeof line, file)) {
      // The kernel's own code has no path, and is in no file.
      if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %1s", &start, &end, kind, path) != 4) continue;
      if (strcmp(kind, "r-xp") != 0 || path[0] != '/') continue;
      uintptr_t part = (start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
      for (; part + HUGE_PAGE <= end; part += HUGE_PAGE) {
        if (is_used(pagemap, part)) add(part);
      }
    }
    fclose(file);
  }
  close(pagemap);
}

// Copies a part into a huge page; returns false if there is none.
static bool copy_part(char *copy, const char *part) {
  // The first access makes the page.
  *(volatile char *)copy = 0;
  if (madvise(copy, HUGE_PAGE, MADV_COLLAPSE)) return false;
  memcpy(copy, part, HUGE_PAGE);
  return true;
}

// Puts copies into the place of their parts.
static void replace(char *parts, char *copies, size_t size) {
  if (size == 0) return;
  __builtin___clear_cache(copies, copies + size);
  // This very function may be in one of the parts: the kernel puts one in the place of the other in a single call.
  if (mprotect(copies, size, PROT_READ | PROT_EXEC)
      || mremap(copies, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, parts) != parts) {
    munmap(copies, size);
  }
}

static void gather(const run *run) {
  char *parts = (char *)run->start;
  size_t size = run->end - run->start;
  char *room = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return;
  char *copies = (char *)(((uintptr_t)room + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
  if (copies > room) munmap(room, (size_t)(copies - room));
  if (copies < room + HUGE_PAGE) munmap(copies + size, (size_t)(room + HUGE_PAGE - copies));
  madvise(copies, size, MADV_HUGEPAGE);
  // A part for which there is no huge page stays as it is. Parts next to each other get one mapping, because a fork copies
  // each mapping.
  size_t first = 0;
  for (size_t place = 0; place < size; place += HUGE_PAGE) {
    if (copy_part(copies + place, parts + place)) continue;
    munmap(copies + place, HUGE_PAGE);
    replace(parts + first, copies + first, place - first);
    first = place + HUGE_PAGE;
  }
  replace(parts + first, copies + first, size - first);
}

void easel_sandbox_gather_code(void) {
  for (int i = 0; i < run_count; i++) gather(&runs[i]);
  run_count = 0;
}

#endif
