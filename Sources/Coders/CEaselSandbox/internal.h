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

// From now on, allows this process only to compute, to read and write open files, and to end; with threads, also to
// start those. The filter applies to all threads of the process.
int easel_sandbox_install_filter(bool has_threads);

#endif
