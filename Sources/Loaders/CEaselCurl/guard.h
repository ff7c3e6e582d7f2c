#ifndef CEASEL_CURL_GUARD_H
#define CEASEL_CURL_GUARD_H

#include "connections.h"

/// A thread that ends a connection which would keep curl busy for ever.
///
/// curl reads a connection until no bytes are left, or until bytes for a transfer came. A server may send useless
/// bytes, such as empty HTTP/2 frames or TLS messages, faster than curl discards them. Without the guard, the only
/// thread of the loop would then stay in one call of curl, and serve no other connection and no deadline.
struct guard;

/// Starts to watch the connections; returns NULL when there is no memory or no thread.
struct guard *guard_create(struct connections *connections);

/// Ends the thread and waits for it.
void guard_destroy(struct guard *guard);

/// Notes the beginning and the end of a call of curl; only the thread of the loop may call these.
void guard_begin(struct guard *guard);
void guard_end(struct guard *guard);

/// Counts bytes that came for a transfer; only the thread of the loop may call it.
void guard_count(struct guard *guard, int64_t bytes);

#endif
