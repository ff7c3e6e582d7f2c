#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ft2build.h>
#include FT_FREETYPE_H

#include "CEaselPDFProgram.h"

typedef struct {
  char *path;
  const uint8_t *bytes;
  size_t count;
} kept_file;

// The files, sorted by path, so that one is found in a few steps.
static kept_file *files;
static size_t file_count, file_room;

// The most files, and the most bytes of one: far above what systems have.
enum { MOST_FILES = 20000, MOST_BYTES = 256 << 20 };

static int compare(const void *path, const void *file) { return strcmp(path, ((const kept_file *)file)->path); }

static const kept_file *kept(const char *path) {
  return file_count ? bsearch(path, files, file_count, sizeof *files, compare) : NULL;
}

static bool make_room(void) {
  if (file_count < file_room) return true;
  size_t room = file_room ? 2 * file_room : 256;
  kept_file *more = realloc(files, room * sizeof *files);
  if (!more) return false;
  files = more;
  file_room = room;
  return true;
}

// Maps the file, whose pages are read when they are needed.
static bool map(const char *path, kept_file *file) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat status;
  bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
                 status.st_size <= MOST_BYTES;
  void *bytes = is_file ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  close(descriptor);
  if (bytes == MAP_FAILED) return false;
  *file = (kept_file){.path = strdup(path), .bytes = bytes, .count = (size_t)status.st_size};
  return file->path != NULL;
}

bool easel_kept_file_add(const char *path) {
  if (kept(path)) return true;
  kept_file file;
  if (file_count == MOST_FILES || !make_room() || !map(path, &file)) return false;
  size_t place = file_count;
  while (place > 0 && strcmp(files[place - 1].path, path) > 0) place--;
  memmove(&files[place + 1], &files[place], sizeof *files * (file_count - place));
  files[place] = file;
  file_count++;
  return true;
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *level) {
  (void)status, (void)level;
  if (kind == FTW_F) easel_kept_file_add(path);
  return 0;
}

void easel_kept_file_add_directory(const char *path) { nftw(path, visit, 16, FTW_PHYS); }

// MARK: The functions of libraries

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

FILE *fopen(const char *path, const char *mode) {
  const kept_file *file = *mode == 'r' ? kept(path) : NULL;
  // The stream only reads, although its buffer is not constant.
  if (file) return fmemopen((void *)file->bytes, file->count, "r");
  FILE *(*usual)(const char *, const char *) = (FILE * (*)(const char *, const char *)) next("fopen");
  return usual(path, mode);
}

FT_Error FT_New_Face(FT_Library library, const char *path, FT_Long index, FT_Face *face) {
  const kept_file *file = path ? kept(path) : NULL;
  if (file) return FT_New_Memory_Face(library, file->bytes, (FT_Long)file->count, index, face);
  FT_Error (*usual)(FT_Library, const char *, FT_Long, FT_Face *) =
    (FT_Error(*)(FT_Library, const char *, FT_Long, FT_Face *))next("FT_New_Face");
  return usual(library, path, index, face);
}
