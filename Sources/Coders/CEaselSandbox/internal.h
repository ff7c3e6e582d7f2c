#ifndef EASEL_SANDBOX_INTERNAL_H
#define EASEL_SANDBOX_INTERNAL_H

#include "CEaselSandbox.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EASEL_SANITIZED 1
#endif
#endif

// An order of the host to the server. A start brings four descriptors: input, output, talk and end.
typedef struct {
  uint32_t kind;
  uint32_t reserved;
  uint64_t number;
  easel_sandbox_limits limits;
} easel_sandbox_order;

enum { EASEL_SANDBOX_START = 1, EASEL_SANDBOX_KILL = 2, EASEL_SANDBOX_DESCRIPTORS = 4, EASEL_SANDBOX_CHILD_DESCRIPTORS = 3 };

int easel_sandbox_send_order(int socket, const easel_sandbox_order *order, const int *descriptors, size_t count);

// Denies every file, and where the kernel can, every connection. Returns false where the kernel has no Landlock.
bool easel_sandbox_deny_files(void);

// Allows this thread, for good, to compute, to read and write what is open, and to end.
int easel_sandbox_install_filter(void);

#endif
