// Calls functions of a library that script/parts/package/link-late has the program load late, with arguments of all kinds.

#include "late.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int faults;

static void check(bool is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "late: %s is wrong\n", what);
  faults++;
}

static bool is_loaded(void) { return dlopen("liblate.so", RTLD_LAZY | RTLD_NOLOAD) != NULL; }

static void *call(void *unused) {
  (void)unused;
  check(late_sum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 55, "a sum on another thread");
  return NULL;
}

int main(int count, char **words) {
  check(!is_loaded(), "the moment of loading: it is at the start");
  // With an argument, the library is missing.
  if (count > 1) return (int)late_length(words[1]);
  pthread_t threads[8];
  for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, call, NULL);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  check(is_loaded(), "the moment of loading: it is not at the first call");
  check(late_mean(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 5.5, "a mean");
  late_block block = late_made(7, 0.5);
  check(block.numbers[0] == 7 && block.numbers[3] == 10 && block.share == 0.5, "a returned structure");
  char text[64];
  late_print(text, sizeof text, "%d %s %.2f %ld", 3, "words", 2.25, 1L << 40);
  check(strcmp(text, "3 words 2.25 1099511627776") == 0, "a text of many arguments");
  check(late_length("four") == 4, "a length");
  void (*same)(void) = (void (*)(void))late_length;
  check(((size_t(*)(const char *))same)("address") == 7, "a function that is called by its address");
  if (!faults) puts("late: a library was loaded by its first call, and all arguments arrived");
  return faults ? 1 : 0;
}
