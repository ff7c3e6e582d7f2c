#define _GNU_SOURCE
#include "CEaselListener.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { events_at_once = 256 };

int easel_poller_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int add(int poller, int descriptor, uint64_t key, uint32_t events) {
  struct epoll_event event = {.events = events, .data.u64 = key};
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

int easel_poller_add_connection(int poller, int descriptor, uint64_t key) {
  return add(poller, descriptor, key, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

int easel_poller_add_listening(int poller, int descriptor, uint64_t key) {
  return add(poller, descriptor, key, EPOLLIN | EPOLLEXCLUSIVE);
}

int easel_poller_add_waker(int poller, int descriptor, uint64_t key) {
  return add(poller, descriptor, key, EPOLLIN);
}

int easel_poller_remove(int poller, int descriptor) { return epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, NULL); }

int easel_poller_wait(int poller, easel_event *events, int capacity, int milliseconds) {
  struct epoll_event happened[events_at_once];
  if (capacity > events_at_once) capacity = events_at_once;
  int count = epoll_wait(poller, happened, capacity, milliseconds);
  if (count < 0 && errno == EINTR) return 0;
  for (int index = 0; index < count; index++) {
    uint32_t raw = happened[index].events;
    uint32_t flags = 0;
    if (raw & EPOLLIN) flags |= EASEL_READABLE;
    if (raw & EPOLLOUT) flags |= EASEL_WRITABLE;
    if (raw & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) flags |= EASEL_LEFT;
    events[index] = (easel_event){.key = happened[index].data.u64, .flags = flags};
  }
  return count;
}

int easel_waker_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void easel_waker_signal(int descriptor) {
  uint64_t one = 1;
  // The write fails only when the waker is signalled already.
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

void easel_waker_clear(int descriptor) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {}
}

int easel_accept(int descriptor, easel_peer *peer) {
  struct sockaddr_storage name = {0};
  socklen_t length = sizeof name;
  int connection = accept4(descriptor, (struct sockaddr *)&name, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  *peer = (easel_peer){0};
  if (connection < 0) return -1;
  if (name.ss_family == AF_INET) {
    peer->version = 4;
    memcpy(peer->bytes, &((struct sockaddr_in *)&name)->sin_addr, 4);
  } else if (name.ss_family == AF_INET6) {
    const struct in6_addr *address = &((struct sockaddr_in6 *)&name)->sin6_addr;
    // A socket for both versions reports IPv4 as a part of IPv6.
    peer->version = IN6_IS_ADDR_V4MAPPED(address) ? 4 : 6;
    const uint8_t *bytes = address->s6_addr;
    if (peer->version == 4) memcpy(peer->bytes, bytes + 12, 4);
    else memcpy(peer->bytes, bytes, 16);
  }
  return connection;
}

int easel_unconfirmed_bytes(int descriptor) {
  int count = 0;
  return ioctl(descriptor, SIOCOUTQ, &count) == 0 ? count : -1;
}

bool easel_is_listening(int descriptor) {
  int listens = 0;
  socklen_t length = sizeof listens;
  return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens;
}
