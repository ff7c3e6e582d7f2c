#ifndef CEASEL_CURL_CONNECTIONS_H
#define CEASEL_CURL_CONNECTIONS_H

#include "CEaselCurl.h"

#include <pthread.h>

/// The connections of a loop, and the transfers that use them.
///
/// Only the thread of the loop uses them, except for the fields under the lock.
struct connections {
  struct connection *all;
  int count;
  int room;
  int closed_count; // closed connections that are still listed
  pthread_mutex_t lock; // held while connections are added and removed, and by the functions that any thread may call
};

void connections_prepare(struct connections *connections);

/// Lists a socket that is about to be connected; returns false when there is no memory.
bool connections_add(struct connections *connections, curl_socket_t socket, const struct curl_sockaddr *address);
void connections_remove(struct connections *connections, curl_socket_t socket);
void connections_free(struct connections *connections);

/// Returns true when a transfer may use the connection between these ports, because nothing came over it unasked.
bool connections_use(struct connections *connections, CURL *easy, const char *address, int port, int own_port);

/// Ends the use of connections by a transfer, and returns one that is idle now; call it until none is left.
curl_socket_t connections_leave(struct connections *connections, CURL *easy);

/// Ends an idle connection over which something came.
void connections_spoil(struct connections *connections, curl_socket_t socket);

/// Returns true when more came over the connection of a transfer than it may bring; then ends the connection.
bool connections_check_user(struct connections *connections, CURL *easy);

/// Does the same for the transfer that uses a socket with new bytes.
void connections_check(struct connections *connections, curl_socket_t socket);

/// Notes how much was read from each connection so far; any thread may call it.
void connections_look(struct connections *connections);

/// Ends the connection from which most was read since the last look, if that was at least `least_bytes`; any thread may
/// call it.
void connections_cut(struct connections *connections, int64_t least_bytes);

/// Returns true when the connection of a transfer was cut; it may be closed already.
bool connections_was_cut(struct connections *connections, CURL *easy);

/// Removes connections from the list that were cut and are closed.
void connections_forget_closed(struct connections *connections);

#endif
