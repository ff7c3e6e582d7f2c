#ifndef CEASEL_CURL_BASELINE_H
#define CEASEL_CURL_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

// curl's multi interface over epoll, as a C program would use it: handles, connections and buffers are reused.
typedef struct easel_baseline_client easel_baseline_client;

easel_baseline_client *easel_baseline_client_create(int at_once, const char *authorities);
void easel_baseline_client_destroy(easel_baseline_client *client);

// Loads every URL into memory, where each body stays until it is complete; false if a body does not have `bytes` bytes.
bool easel_baseline_client_load(easel_baseline_client *client, const char *const *urls, size_t count, size_t bytes);

#endif
