#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

// A child copies the list of all mappings of its server, and gives them back at its end. A program with all formats and
// loaders has several hundred, most of them of libraries that decoders of common formats never call.

#ifdef EASEL_SANITIZED

int easel_sandbox_drop_libraries(const char *const *dropped) {
  // A sanitizer looks at all of them.
  (void)dropped;
  return 0;
}

#else

// With more libraries than these, all stay.
enum { MOST_LIBRARIES = 512 };

typedef struct {
  const char *name;
  const ElfW(Dyn) *dynamic;
  const char *names;
  uintptr_t start, end;
  bool is_needed;
  // True if the library was there when the program started.
  bool is_early;
} library;

static library libraries[MOST_LIBRARIES];
static int library_count;

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int add_library(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size;
  (void)unused;
  if (library_count == MOST_LIBRARIES) return 1;
  library *one = &libraries[library_count++];
  *one = (library){.name = last_part(info->dlpi_name), .start = UINTPTR_MAX};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_DYNAMIC) one->dynamic = (const ElfW(Dyn) *)start;
    if (part->p_type != PT_LOAD) continue;
    if (start < one->start) one->start = start;
    if (start + part->p_memsz > one->end) one->end = start + part->p_memsz;
  }
  for (const ElfW(Dyn) *entry = one->dynamic; entry && entry->d_tag != DT_NULL; entry++) {
    // The loader has replaced the offset by an address, but not in the kernel's own library.
    if (entry->d_tag == DT_STRTAB && entry->d_un.d_ptr >= one->start) one->names = (const char *)entry->d_un.d_ptr;
  }
  return 0;
}

static bool begins_with_one_of(const char *name, const char *const *beginnings) {
  for (; *beginnings; beginnings++) {
    if (strncmp(name, *beginnings, strlen(*beginnings)) == 0) return true;
  }
  return false;
}

// Libraries of Swift that nobody calls in a child. They stay, because Swift's runtime reads what they declare, but they
// need nothing.
static const char *const idle[] = {"libFoundationNetworking.", "libFoundationXML.", NULL};

// Marks a library as needed, and all that it needs itself.
static void need(library *one, const char *const *dropped) {
  if (one->is_needed) return;
  one->is_needed = true;
  if (!one->names) return;
  for (const ElfW(Dyn) *entry = one->dynamic; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag != DT_NEEDED) continue;
    const char *name = one->names + entry->d_un.d_val;
    // Other libraries may call all that they need.
    bool is_idle = one == libraries || begins_with_one_of(one->name, idle);
    if (is_idle && dropped && begins_with_one_of(name, dropped)) continue;
    for (int i = 1; i < library_count; i++) {
      if (strcmp(libraries[i].name, last_part(name)) == 0) need(&libraries[i], dropped);
    }
  }
}

int easel_sandbox_drop_libraries(const char *const *dropped) {
  library_count = 0;
  // The first one is the program.
  dl_iterate_phdr(add_library, NULL);
  if (library_count == 0 || library_count == MOST_LIBRARIES) return 0;
  need(&libraries[0], NULL);
  for (int i = 0; i < library_count; i++) {
    libraries[i].is_early = libraries[i].is_needed;
    libraries[i].is_needed = false;
  }
  need(&libraries[0], dropped);
  // Whatever was loaded later was loaded because it is used.
  for (int i = 0; i < library_count; i++) {
    if (!libraries[i].is_early) need(&libraries[i], NULL);
  }
  int count = 0;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 1; i < library_count; i++) {
    library *one = &libraries[i];
    if (one->is_needed) continue;
    uintptr_t start = one->start & ~(page - 1);
    uintptr_t end = (one->end + page - 1) & ~(page - 1);
    if (munmap((void *)start, end - start) == 0) count++;
  }
  return count;
}

#endif
