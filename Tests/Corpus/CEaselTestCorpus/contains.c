#define _GNU_SOURCE
#include <string.h>

#include "include/CEaselTestCorpus.h"

bool easel_corpus_contains(const void *bytes, size_t count, const void *part, size_t part_count) {
  return memmem(bytes, count, part, part_count) != NULL;
}
