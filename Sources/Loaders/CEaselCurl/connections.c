#define _GNU_SOURCE
#include "connections.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// The number of readings between two checks of how many bytes came over a connection. Asking the system for that number
// costs as much as reading a small answer.
enum { readings_between_looks = 4 };

// A connection opened by this loop.
struct connection {
  curl_socket_t socket;
  int own_port; // 0 while unknown
  uint16_t port;
  int address_size;
  uint8_t address[16];
  CURL *user; // the transfer that sent a request over it last
  int readings; // since that request
  uint64_t bytes_before; // received bytes at the first check; 0 before it
  bool is_idle; // no request is under way, so nothing may arrive
  bool is_spoiled;
  // These fields are guarded by the lock:
  int64_t bytes_read; // at the last look; INT64_MAX before it
  int cut_port; // the own port of a connection that was cut, else 0
};

void connections_prepare(struct connections *connections) { pthread_mutex_init(&connections->lock, NULL); }

static struct connection *connection_of(const struct connections *connections, curl_socket_t socket) {
  for (int i = 0; i < connections->count; i++) {
    if (connections->all[i].socket == socket) return &connections->all[i];
  }
  return NULL;
}

static void drop(struct connections *connections, struct connection *connection) {
  *connection = connections->all[--connections->count];
}

static bool add(struct connections *connections, curl_socket_t socket, const struct curl_sockaddr *address) {
  // curl closes some sockets without telling the loop, and the system reuses their numbers.
  struct connection *former = connection_of(connections, socket);
  if (former) drop(connections, former);
  if (connections->count == connections->room) {
    int room = connections->room ? connections->room * 2 : 16;
    struct connection *all = realloc(connections->all, (size_t)room * sizeof *all);
    if (!all) return false;
    connections->all = all;
    connections->room = room;
  }
  struct connection *connection = &connections->all[connections->count++];
  *connection = (struct connection){.socket = socket, .bytes_read = INT64_MAX};
  connection->address_size = easel_address_bytes(address, connection->address, &connection->port);
  return true;
}

bool connections_add(struct connections *connections, curl_socket_t socket, const struct curl_sockaddr *address) {
  pthread_mutex_lock(&connections->lock);
  bool is_added = add(connections, socket, address);
  pthread_mutex_unlock(&connections->lock);
  return is_added;
}

void connections_remove(struct connections *connections, curl_socket_t socket) {
  pthread_mutex_lock(&connections->lock);
  struct connection *connection = connection_of(connections, socket);
  if (connection && connection->cut_port != 0) {
    // The connection stays in the list, because its last transfers will still ask whether it was cut.
    connection->socket = CURL_SOCKET_BAD;
    connection->user = NULL;
    connections->closed_count++;
  } else if (connection) {
    drop(connections, connection);
  }
  pthread_mutex_unlock(&connections->lock);
}

void connections_forget_closed(struct connections *connections) {
  if (connections->closed_count == 0) return;
  pthread_mutex_lock(&connections->lock);
  for (int i = connections->count - 1; i >= 0; i--) {
    if (connections->all[i].socket == CURL_SOCKET_BAD) drop(connections, &connections->all[i]);
  }
  connections->closed_count = 0;
  pthread_mutex_unlock(&connections->lock);
}

void connections_free(struct connections *connections) {
  pthread_mutex_destroy(&connections->lock);
  free(connections->all);
  *connections = (struct connections){0};
}

union name {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_storage room;
};

static int own_port_of(curl_socket_t socket) {
  union name name;
  socklen_t size = sizeof name;
  if (getsockname(socket, &name.any, &size) != 0) return 0;
  if (name.any.sa_family == AF_INET) return ntohs(name.v4.sin_port);
  return name.any.sa_family == AF_INET6 ? ntohs(name.v6.sin6_port) : 0;
}

static struct connection *find(const struct connections *connections, const char *text, int port, int own_port) {
  uint8_t address[16];
  int size = easel_address_read(text, address);
  for (int i = 0; i < connections->count; i++) {
    struct connection *connection = &connections->all[i];
    if (connection->port != port || connection->address_size != size) continue;
    if (connection->socket == CURL_SOCKET_BAD) continue;
    if (connection->own_port == 0) connection->own_port = own_port_of(connection->socket);
    if (connection->own_port == own_port && memcmp(connection->address, address, (size_t)size) == 0) return connection;
  }
  return NULL;
}

// These are looked up by name, because this code is linked with curl, but not with the TLS library of curl.
static int (*openssl_has_pending)(const void *);
static size_t (*gnutls_has_pending)(const void *);
static pthread_once_t pending_once = PTHREAD_ONCE_INIT;

static void find_pending(void) {
  openssl_has_pending = (int (*)(const void *))dlsym(RTLD_DEFAULT, "SSL_has_pending");
  gnutls_has_pending = (size_t (*)(const void *))dlsym(RTLD_DEFAULT, "gnutls_record_check_pending");
}

// True when curl's TLS library holds decrypted bytes that curl has not read; the system does not count them as unread.
static bool has_hidden_bytes(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session || !session->internals) {
    return false;
  }
  pthread_once(&pending_once, find_pending);
  if (session->backend == CURLSSLBACKEND_OPENSSL && openssl_has_pending) {
    return openssl_has_pending(session->internals) != 0;
  }
  if (session->backend == CURLSSLBACKEND_GNUTLS && gnutls_has_pending) {
    return gnutls_has_pending(session->internals) != 0;
  }
  // Other TLS libraries do not tell, so with them a connection is used only once.
  return true;
}

static bool is_clean(const struct connection *connection, CURL *easy) {
  if (connection->is_spoiled) return false;
  bool is_used_again = connection->is_idle || (connection->user && easel_easy_is_in_turn(connection->user));
  if (!is_used_again) return true;
  char byte;
  ssize_t got = recv(connection->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return false;
  return !has_hidden_bytes(easy);
}

// The bytes that the system has counted on a connection since its beginning; 0 when the number is unknown.
static uint64_t bytes_of(curl_socket_t socket) {
  struct tcp_info info;
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  bool is_counted = size >= offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  return is_counted ? info.tcpi_bytes_received : 0;
}

static bool is_flooded(struct connection *connection) {
  // Over HTTP/2, the answers to many requests come over one connection, so their bytes cannot be limited like this.
  if (!connection->user || !easel_easy_is_in_turn(connection->user)) return false;
  easel_receiver *receiver = easel_easy_receiver(connection->user);
  uint64_t bytes = bytes_of(connection->socket);
  if (connection->bytes_before == 0) connection->bytes_before = bytes;
  if (bytes <= connection->bytes_before || bytes - connection->bytes_before <= receiver->most_bytes) return false;
  receiver->is_flooded = true;
  shutdown(connection->socket, SHUT_RDWR);
  return true;
}

bool connections_check_user(struct connections *connections, CURL *easy) {
  for (int i = 0; i < connections->count; i++) {
    if (connections->all[i].user == easy && is_flooded(&connections->all[i])) return true;
  }
  return false;
}

void connections_check(struct connections *connections, curl_socket_t socket) {
  struct connection *connection = connection_of(connections, socket);
  if (connection && ++connection->readings % readings_between_looks == 0) is_flooded(connection);
}

bool connections_use(struct connections *connections, CURL *easy, const char *address, int port, int own_port) {
  struct connection *connection = find(connections, address, port, own_port);
  if (!connection) return true;
  if (!is_clean(connection, easy)) return false;
  connection->user = easy;
  connection->is_idle = false;
  connection->readings = 0;
  connection->bytes_before = 0;
  return true;
}

curl_socket_t connections_leave(struct connections *connections, CURL *easy) {
  for (int i = 0; i < connections->count; i++) {
    struct connection *connection = &connections->all[i];
    if (connection->user != easy) continue;
    connection->user = NULL;
    connection->is_idle = easel_easy_is_in_turn(easy);
    if (connection->is_idle) return connection->socket;
  }
  return CURL_SOCKET_BAD;
}

void connections_spoil(struct connections *connections, curl_socket_t socket) {
  struct connection *connection = connection_of(connections, socket);
  // By now the number may belong to another socket.
  if (!connection || !connection->is_idle || connection->own_port != own_port_of(socket)) return;
  connection->is_spoiled = true;
  shutdown(socket, SHUT_RDWR);
}

// True when the number still belongs to this connection, and not to another socket.
static bool is_itself(const struct connection *connection) {
  union name name;
  socklen_t size = sizeof name;
  if (connection->address_size == 0 || getpeername(connection->socket, &name.any, &size) != 0) return false;
  bool is_v4 = connection->address_size == 4;
  if (name.any.sa_family != (is_v4 ? AF_INET : AF_INET6)) return false;
  const void *address = is_v4 ? (const void *)&name.v4.sin_addr : (const void *)&name.v6.sin6_addr;
  return ntohs(is_v4 ? name.v4.sin_port : name.v6.sin6_port) == connection->port &&
         memcmp(address, connection->address, (size_t)connection->address_size) == 0;
}

// Counts the bytes that were read from a connection: the received bytes minus those that the system still holds. More
// bytes may come between the two questions, so the result is a least and a most. Returns false when it is unknown.
static bool count_read(const struct connection *connection, int64_t *least, int64_t *most) {
  int unread;
  if (connection->socket == CURL_SOCKET_BAD || connection->cut_port != 0 || !is_itself(connection)) return false;
  *least = (int64_t)bytes_of(connection->socket);
  if (*least == 0 || ioctl(connection->socket, FIONREAD, &unread) != 0) return false;
  *most = (int64_t)bytes_of(connection->socket) - unread;
  *least -= unread;
  return true;
}

void connections_look(struct connections *connections) {
  pthread_mutex_lock(&connections->lock);
  for (int i = 0; i < connections->count; i++) {
    int64_t least, most;
    connections->all[i].bytes_read = count_read(&connections->all[i], &least, &most) ? most : INT64_MAX;
  }
  pthread_mutex_unlock(&connections->lock);
}

void connections_cut(struct connections *connections, int64_t least_bytes) {
  pthread_mutex_lock(&connections->lock);
  struct connection *found = NULL;
  for (int i = 0; i < connections->count; i++) {
    int64_t least, most;
    if (!count_read(&connections->all[i], &least, &most)) continue;
    if (least - connections->all[i].bytes_read < least_bytes) continue;
    least_bytes = least - connections->all[i].bytes_read;
    found = &connections->all[i];
  }
  if (found) {
    found->cut_port = own_port_of(found->socket);
    shutdown(found->socket, SHUT_RDWR);
  }
  pthread_mutex_unlock(&connections->lock);
}

bool connections_was_cut(struct connections *connections, CURL *easy) {
  uint8_t address[16];
  int size = easel_address_read(easel_easy_address(easy), address);
  long port = easel_easy_number(easy, CURLINFO_PRIMARY_PORT), own_port = easel_easy_number(easy, CURLINFO_LOCAL_PORT);
  bool was_cut = false;
  pthread_mutex_lock(&connections->lock);
  for (int i = 0; i < connections->count && !was_cut; i++) {
    const struct connection *connection = &connections->all[i];
    was_cut = connection->cut_port != 0 && connection->cut_port == own_port && connection->port == port &&
              connection->address_size == size && memcmp(connection->address, address, (size_t)size) == 0;
  }
  pthread_mutex_unlock(&connections->lock);
  return was_cut;
}
