#define _GNU_SOURCE
#include "CEaselThumbnailBaseline.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct job {
  const char *const *inputs;
  const char *const *outputs;
  size_t count;
  int side;
  _Atomic size_t next;
  _Atomic bool has_failed;
};

static unsigned char *read_file(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  struct stat status;
  if (!file || fstat(fileno(file), &status) != 0) {
    if (file) fclose(file);
    return NULL;
  }
  unsigned char *bytes = malloc((size_t)status.st_size);
  *count = bytes ? fread(bytes, 1, (size_t)status.st_size, file) : 0;
  fclose(file);
  return bytes;
}

static bool make(const char *input, const char *output, int side) {
  size_t count = 0;
  unsigned char *bytes = read_file(input, &count), *jpeg = NULL;
  unsigned long jpeg_count = 0;
  bool is_made = bytes && easel_baseline_thumbnail(bytes, count, side, false, &jpeg, &jpeg_count);
  FILE *file = is_made ? fopen(output, "wb") : NULL;
  if (file) {
    is_made = fwrite(jpeg, 1, jpeg_count, file) == jpeg_count;
    fclose(file);
  }
  free(bytes);
  free(jpeg);
  return is_made && file;
}

static void *work(void *context) {
  struct job *job = context;
  for (;;) {
    size_t index = atomic_fetch_add(&job->next, 1);
    if (index >= job->count) return NULL;
    if (!make(job->inputs[index], job->outputs[index], job->side)) job->has_failed = true;
  }
}

bool easel_baseline_thumbnails(
    const char *const *inputs, const char *const *outputs, size_t count, int side, int threads) {
  struct job job = {.inputs = inputs, .outputs = outputs, .count = count, .side = side};
  pthread_t others[64];
  int started = 0;
  while (started < threads - 1 && started < 64 && pthread_create(&others[started], NULL, work, &job) == 0) started++;
  work(&job);
  for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
  return !job.has_failed;
}
