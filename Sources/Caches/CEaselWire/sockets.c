#define _GNU_SOURCE
#include "CEaselWire.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sockets.h"

void easel_wire_complain(char *message, const char *text) { snprintf(message, EASEL_WIRE_MESSAGE, "%s", text); }

bool easel_wire_await(int descriptor, short events, int64_t deadline) {
  for (;;) {
    int64_t left = deadline - easel_wire_now();
    if (left <= 0) {
      errno = ETIMEDOUT;
      return false;
    }
    struct pollfd wanted = {.fd = descriptor, .events = events};
    int count = poll(&wanted, 1, (int)left);
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

// Connects a new socket; returns -1 and sets errno if that fails.
static int open_socket(const struct sockaddr *name, socklen_t length, int64_t deadline) {
  int descriptor = socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  int status = connect(descriptor, name, length);
  if (status < 0 && errno == EINPROGRESS) {
    socklen_t size = sizeof status;
    int failure = 0;
    if (!easel_wire_await(descriptor, POLLOUT, deadline)) {
      failure = errno;
    } else if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) < 0) {
      failure = errno;
    }
    errno = failure;
    status = failure ? -1 : 0;
  }
  if (status == 0) return descriptor;
  int failure = errno;
  close(descriptor);
  errno = failure;
  return -1;
}

int easel_wire_connect_tcp(const char *host, const char *port, int milliseconds, char *message) {
  int64_t deadline = easel_wire_now() + milliseconds;
  struct addrinfo wish = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV};
  struct addrinfo *addresses = NULL;
  int status = getaddrinfo(host, port, &wish, &addresses);
  if (status == EAI_NONAME || status == EAI_ADDRFAMILY) {
    // On a machine that has only a loopback interface, no address counts as configured.
    wish.ai_flags = AI_NUMERICSERV;
    status = getaddrinfo(host, port, &wish, &addresses);
  }
  if (status != 0) {
    easel_wire_complain(message, status == EAI_SYSTEM ? strerror(errno) : gai_strerror(status));
    return -1;
  }
  int descriptor = -1;
  for (struct addrinfo *address = addresses; address && descriptor < 0; address = address->ai_next) {
    // Each address gets only a part of the time, so that one that drops packets does not use up all of it.
    int64_t now = easel_wire_now();
    int64_t part = address->ai_next ? now + (deadline - now) / 2 : deadline;
    descriptor = open_socket(address->ai_addr, address->ai_addrlen, part);
  }
  if (descriptor < 0) easel_wire_complain(message, strerror(errno));
  freeaddrinfo(addresses);
  if (descriptor >= 0) {
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  }
  return descriptor;
}

int easel_wire_connect_unix(const char *path, int milliseconds, char *message) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof name.sun_path) {
    easel_wire_complain(message, "the path of the socket is too long");
    return -1;
  }
  strcpy(name.sun_path, path);
  int descriptor = open_socket((struct sockaddr *)&name, sizeof name, easel_wire_now() + milliseconds);
  if (descriptor < 0) easel_wire_complain(message, strerror(errno));
  return descriptor;
}

static ptrdiff_t outcome(ssize_t count) {
  if (count >= 0) return count;
  return errno == EAGAIN || errno == EWOULDBLOCK ? EASEL_WIRE_WOULD_BLOCK : EASEL_WIRE_FAILED;
}

ptrdiff_t easel_wire_read(int descriptor, easel_wire_session *session, void *bytes, size_t count) {
  if (session) return easel_wire_session_read(session, bytes, count);
  ssize_t got;
  do got = recv(descriptor, bytes, count, 0);
  while (got < 0 && errno == EINTR);
  return got == 0 ? EASEL_WIRE_CLOSED : outcome(got);
}

ptrdiff_t easel_wire_write(int descriptor, easel_wire_session *session, const void *bytes, size_t count) {
  if (session) return easel_wire_session_write(session, bytes, count);
  ssize_t put;
  do put = send(descriptor, bytes, count, MSG_NOSIGNAL);
  while (put < 0 && errno == EINTR);
  return outcome(put);
}
