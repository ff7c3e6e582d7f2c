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

/// Adds a socket that is about to be connected; returns false when there is no memory.
bool connections_add(struct connections *connections, curl_socket_t socket, const struct curl_sockaddr *address);
void connections_remove(struct connections *connections, curl_socket_t socket);
void connections_free(struct connections *connections);

/// Returns true when a transfer may use the connection between these ports, because no bytes came over it unasked.
bool connections_use(struct connections *connections, CURL *easy, const char *address, int port, int own_port);

/// Ends the use of connections by a transfer, and returns one of them that is now idle; call it until none is left.
curl_socket_t connections_leave(struct connections *connections, CURL *easy);

/// Ends an idle connection after bytes came over it.
void connections_spoil(struct connections *connections, curl_socket_t socket);

/// Returns true when the connection of a transfer brought more bytes than allowed, and ends the connection.
bool connections_check_user(struct connections *connections, CURL *easy);

/// Does the same as `connections_check_user` for the transfer that uses a socket with new bytes.
void connections_check(struct connections *connections, curl_socket_t socket);

/// Notes how many bytes have been read from each connection; any thread may call it.
void connections_look(struct connections *connections);

/// Ends the connection from which the most bytes were read since the last look, if they are at least `least_bytes`. Any
/// thread may call it.
void connections_cut(struct connections *connections, int64_t least_bytes);

/// Returns true when the connection of a transfer was cut; the connection may already be closed.
bool connections_was_cut(struct connections *connections, CURL *easy);

/// Removes connections from the list that were cut and are now closed.
void connections_forget_closed(struct connections *connections);

#endif
