#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "sockets.h"

enum { events_at_once = 64 };

int64_t easel_wire_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int easel_wire_loop_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int easel_wire_loop_add(int loop, int descriptor, uint64_t key) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u64 = key};
  return epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event);
}

int easel_wire_loop_add_waker(int loop, int descriptor, uint64_t key) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = key};
  return epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event);
}

int easel_wire_loop_wait(int loop, easel_wire_event *events, int capacity, int milliseconds) {
  struct epoll_event happened[events_at_once];
  int count = epoll_wait(loop, happened, capacity < events_at_once ? capacity : events_at_once, milliseconds);
  if (count < 0 && errno == EINTR) return 0;
  for (int index = 0; index < count; index++) {
    uint32_t raw = happened[index].events;
    uint32_t flags = raw & EPOLLOUT ? EASEL_WIRE_WRITABLE : 0;
    // A connection has ended only when all bytes sent before the end are read, so the reader must find the end.
    if (raw & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) flags |= EASEL_WIRE_READABLE;
    events[index] = (easel_wire_event){.key = happened[index].data.u64, .flags = flags};
  }
  return count;
}

int easel_wire_waker_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void easel_wire_waker_signal(int descriptor) {
  uint64_t one = 1;
  // The write fails only when the waker is already signalled.
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

void easel_wire_waker_clear(int descriptor) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {}
}
