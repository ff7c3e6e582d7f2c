#ifndef EASEL_SANDBOX_INTERNAL_H
#define EASEL_SANDBOX_INTERNAL_H

#include "CEaselSandbox.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EASEL_SANITIZED 1
#endif
#endif

// The most bytes of the first messages that come with the limits and the files.
enum { EASEL_SANDBOX_BEGINNING = 4096 };

// Denies every file, and also every connection if the kernel can. Returns false if the kernel has no Landlock.
bool easel_sandbox_deny_files(void);

// From now on, allows this process only what a server and its children do.
int easel_sandbox_filter_server(void);

// From now on, allows this process, which has the filter of a server, only to compute, to read and write open files, and
// to end; with threads, also to start those. The filter applies to all threads of the process.
int easel_sandbox_filter_child(bool has_threads);

// Makes further children of this server cheaper: they inherit its filter, and its code in huge pages. Returns true if it
// has the filter.
bool easel_sandbox_settle(uint32_t layers);

// Moves the code that easel_sandbox_find_code has found into huge pages, if there are any.
void easel_sandbox_gather_code(void);

#endif
