#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

int easel_sandbox_thread_count(void) {
  DIR *folder = opendir("/proc/self/task");
  // Without /proc, the number is unknown.
  if (!folder) return 1;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

// Returns true if a thread is asleep, and counts how often it gave up its processor by itself.
static bool sleeps(const char *task, unsigned long *switches) {
  char path[64], line[128], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%.16s/status", task);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  while (fgets(line, sizeof line, file)) {
    unsigned long count;
    if (sscanf(line, "voluntary_ctxt_switches: %lu", &count) == 1) *switches += count;
    sscanf(line, "State: %c", &state);
  }
  fclose(file);
  return state == 'S';
}

// True if all other threads are asleep; also counts how often they all went to sleep.
static bool others_sleep(unsigned long *switches) {
  char own[16];
  snprintf(own, sizeof own, "%ld", syscall(SYS_gettid));
  DIR *folder = opendir("/proc/self/task");
  if (!folder) return false;
  bool all_sleep = true;
  *switches = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, own) == 0) continue;
    if (!sleeps(entry->d_name, switches)) all_sleep = false;
  }
  closedir(folder);
  return all_sleep;
}

bool easel_sandbox_threads_end(void) {
  // This thread holds nothing for which another thread could wait so long without being woken.
  enum { LOOKS = 200 };
  unsigned long switches = 0;
  for (int looks = 0; easel_sandbox_thread_count() > 1; usleep(1000)) {
    unsigned long before = switches;
    bool are_still = others_sleep(&switches) && switches == before;
    if (!are_still) looks = 0;
    else if (++looks == LOOKS) return false;
  }
  return true;
}
