#ifndef CEASEL_CURL_CONNECTIONS_H
#define CEASEL_CURL_CONNECTIONS_H

#include "CEaselCurl.h"

#include <pthread.h>

/// The connections of a loop, and who may answer over them.
///
/// They belong to the thread of the loop, apart from what the lock is for.
struct connections {
  struct connection *all;
  int count;
  int room;
  int closed_count; // of those that are remembered although they are closed
  pthread_mutex_t lock; // is held while connections come and go, and for what `connections_look` and the like note
};

void connections_prepare(struct connections *connections);

/// Remembers a socket that is about to be connected; false when there is no memory.
bool connections_add(struct connections *connections, curl_socket_t socket, const struct curl_sockaddr *address);
void connections_remove(struct connections *connections, curl_socket_t socket);
void connections_free(struct connections *connections);

/// Whether a transfer may ask over the connection between these ports: nothing came over it without being asked for.
bool connections_use(struct connections *connections, CURL *easy, const char *address, int port, int own_port);

/// Says that a transfer is over, and returns a connection over which nobody has a right to answer now, one at a call.
curl_socket_t connections_leave(struct connections *connections, CURL *easy);

/// Ends a connection that nobody asks over, since something came.
void connections_spoil(struct connections *connections, curl_socket_t socket);

/// Whether more came over the connection of a transfer than may, which its receiver is told and the connection ended for.
bool connections_check_user(struct connections *connections, CURL *easy);

/// The same of the one who uses a connection over which something comes.
void connections_check(struct connections *connections, curl_socket_t socket);

/// Notes how much was read from each connection so far; any thread may.
void connections_look(struct connections *connections);

/// Ends the connection from which most was read since the last look, if it was as many bytes; any thread may.
void connections_cut(struct connections *connections, int64_t least_bytes);

/// Whether the connection of a transfer, which may just have been closed, was cut.
bool connections_was_cut(struct connections *connections, CURL *easy);

/// Forgets connections that were cut and are closed.
void connections_forget_closed(struct connections *connections);

#endif
