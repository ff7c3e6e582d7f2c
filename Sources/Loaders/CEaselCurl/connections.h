#ifndef CEASEL_CURL_CONNECTIONS_H
#define CEASEL_CURL_CONNECTIONS_H

#include "CEaselCurl.h"

/// The connections of a loop, and who may answer over them.
struct connections {
  struct connection *all;
  int count;
  int room;
};

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

#endif
