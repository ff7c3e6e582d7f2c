#ifndef CEASEL_CURL_GUARD_H
#define CEASEL_CURL_GUARD_H

#include "connections.h"

/// A thread that ends a connection which keeps curl busy for ever.
///
/// curl reads a connection until nothing lies ready or something came for a transfer. A server that sends what is for
/// nobody, such as empty frames of HTTP/2 or messages of TLS, and sends it faster than curl throws it away, would keep
/// the only thread of a loop in one call of curl, where no other connection and no deadline is looked at.
struct guard;

/// Starts to watch over the connections; NULL where there is no memory or no thread.
struct guard *guard_create(struct connections *connections);

/// Ends the thread, which touches nothing any more afterwards.
void guard_destroy(struct guard *guard);

/// Says that curl is called from now on, and that it has returned; only the thread of the loop may.
void guard_begin(struct guard *guard);
void guard_end(struct guard *guard);

/// Says that so many bytes came for a transfer; only the thread of the loop may.
void guard_count(struct guard *guard, int64_t bytes);

#endif
