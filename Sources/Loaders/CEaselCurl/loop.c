#define _GNU_SOURCE
#include "CEaselCurl.h"
#include "connections.h"
#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { events_at_once = 64 };

// The registration of a descriptor with epoll.
struct watch {
  uint32_t events;
  bool is_connection; // the loop is told before it is closed
  bool is_wanted;
};

struct easel_loop {
  CURLM *multi;
  struct connections connections;
  struct guard *guard;
  struct watch *watches; // by descriptor
  int watch_count;
  int epoll;
  int wakeup;
  int64_t deadline; // the time at which curl wants to be called; -1 for never
  int64_t now;
  int64_t skipped; // by tests
  bool has_passed_epoll;
};

bool easel_thread_survives_broken_connections(void) {
  // curl is told not to touch signals, but not every library that it uses suppresses SIGPIPE.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  return pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0;
}

int easel_wakeup_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void easel_wakeup_signal(int descriptor) {
  uint64_t one = 1;
  // The write fails only when the descriptor is already signalled.
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

void easel_wakeup_close(int descriptor) { close(descriptor); }

static int64_t read_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void read_time(easel_loop *loop) { loop->now = read_clock() + loop->skipped; }

static struct watch *watch_of(easel_loop *loop, int descriptor) {
  if (descriptor >= loop->watch_count) {
    int count = descriptor * 2 > 64 ? descriptor * 2 : 64;
    struct watch *watches = realloc(loop->watches, (size_t)count * sizeof *watches);
    if (!watches) return NULL;
    memset(watches + loop->watch_count, 0, (size_t)(count - loop->watch_count) * sizeof *watches);
    loop->watches = watches;
    loop->watch_count = count;
  }
  return &loop->watches[descriptor];
}

static bool tell_epoll(easel_loop *loop, int descriptor, struct watch *watch, uint32_t events) {
  struct epoll_event event = {.data.fd = descriptor, .events = events};
  int operation = events == 0 ? EPOLL_CTL_DEL : watch->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  watch->events = events;
  int result = epoll_ctl(loop->epoll, operation, descriptor, &event);
  if (result == 0 || events == 0) return true;
  // The descriptor was closed without a notice, and its number may be in use again.
  if (errno == EEXIST) result = epoll_ctl(loop->epoll, EPOLL_CTL_MOD, descriptor, &event);
  else if (errno == ENOENT) result = epoll_ctl(loop->epoll, EPOLL_CTL_ADD, descriptor, &event);
  if (result != 0) watch->events = 0;
  return result == 0;
}

static int socket_changed(CURL *easy, curl_socket_t socket, int what, void *context, void *mark) {
  (void)mark;
  easel_loop *loop = context;
  (void)easy;
  struct watch *watch = watch_of(loop, socket);
  if (!watch) return -1;
  watch->is_wanted = what != CURL_POLL_REMOVE;
  uint32_t events = 0;
  if (watch->is_wanted && what & CURL_POLL_IN) events |= EPOLLIN;
  if (watch->is_wanted && what & CURL_POLL_OUT) events |= EPOLLOUT;
  // A connection stays registered between two transfers, which saves two calls for each transfer.
  if (watch->events == events || (!watch->is_wanted && watch->is_connection)) return 0;
  return tell_epoll(loop, socket, watch, events) ? 0 : -1;
}

curl_socket_t easel_loop_connect(easel_loop *loop, const struct curl_sockaddr *address) {
  curl_socket_t opened = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  struct watch *watch = opened < 0 ? NULL : watch_of(loop, opened);
  if (!watch) return opened;
  *watch = (struct watch){.is_connection = true};
  if (connections_add(&loop->connections, opened, address)) return opened;
  *watch = (struct watch){0};
  close(opened);
  return CURL_SOCKET_BAD;
}

static int connection_ends(void *context, curl_socket_t socket) {
  easel_loop *loop = context;
  struct watch *watch = watch_of(loop, socket);
  if (watch) {
    if (watch->events) tell_epoll(loop, socket, watch, 0);
    *watch = (struct watch){0};
  }
  connections_remove(&loop->connections, socket);
  return close(socket);
}

bool easel_loop_was_cut(easel_loop *loop, CURL *easy) { return connections_was_cut(&loop->connections, easy); }

void easel_loop_count(easel_loop *loop, int64_t bytes) { guard_count(loop->guard, bytes); }

bool easel_loop_may_use(easel_loop *loop, CURL *easy, const char *address, int port, int own_port) {
  return connections_use(&loop->connections, easy, address, port, own_port);
}

bool easel_loop_is_flooded(easel_loop *loop, CURL *easy) { return connections_check_user(&loop->connections, easy); }

void easel_loop_leave(easel_loop *loop, CURL *easy) {
  curl_socket_t left;
  while ((left = connections_leave(&loop->connections, easy)) != CURL_SOCKET_BAD) {
    struct watch *watch = watch_of(loop, left);
    if (watch && watch->events != EPOLLIN) tell_epoll(loop, left, watch, EPOLLIN);
  }
}

void easel_loop_keep_connections(easel_loop *loop, CURL *easy) {
  // A connection may outlive the transfer that opened it, but not the loop.
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, loop);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, connection_ends);
}

static int timer_changed(CURLM *multi, long milliseconds, void *context) {
  (void)multi;
  easel_loop *loop = context;
  if (milliseconds < 0) loop->deadline = -1;
  // For 0 the clock is not read: a later time would turn "at once" into the next millisecond.
  else loop->deadline = milliseconds == 0 ? loop->now : read_clock() + milliseconds + loop->skipped;
  return 0;
}

easel_loop *easel_loop_create(int wakeup, long kept_connections) {
  easel_loop *loop = calloc(1, sizeof *loop);
  if (!loop) return NULL;
  loop->deadline = -1;
  connections_prepare(&loop->connections);
  read_time(loop);
  loop->wakeup = wakeup;
  loop->epoll = epoll_create1(EPOLL_CLOEXEC);
  loop->multi = curl_multi_init();
  // The wake-up is edge-triggered: epoll reports each signal once, and nothing has to be reset.
  struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = wakeup};
  bool is_ready = loop->epoll >= 0 && loop->multi && epoll_ctl(loop->epoll, EPOLL_CTL_ADD, wakeup, &event) == 0;
  if (is_ready) loop->guard = guard_create(&loop->connections);
  if (!loop->guard) {
    easel_loop_destroy(loop);
    return NULL;
  }
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, timer_changed);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
  curl_multi_setopt(loop->multi, CURLMOPT_MAXCONNECTS, kept_connections);
  curl_multi_setopt(loop->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  return loop;
}

void easel_loop_destroy(easel_loop *loop) {
  // Before curl closes a connection, it reads from it once more.
  if (loop->guard) guard_begin(loop->guard);
  if (loop->multi) curl_multi_cleanup(loop->multi);
  if (loop->guard) guard_destroy(loop->guard);
  if (loop->epoll >= 0) close(loop->epoll);
  free(loop->watches);
  connections_free(&loop->connections);
  free(loop);
}

CURLMcode easel_loop_add(easel_loop *loop, CURL *easy) { return curl_multi_add_handle(loop->multi, easy); }

CURLMcode easel_loop_remove(easel_loop *loop, CURL *easy) {
  guard_begin(loop->guard);
  CURLMcode result = curl_multi_remove_handle(loop->multi, easy);
  guard_end(loop->guard);
  return result;
}

static int wait_time(const easel_loop *loop, int64_t milliseconds) {
  if (loop->deadline >= 0) {
    int64_t left = loop->deadline - loop->now;
    if (left < 0) left = 0;
    if (milliseconds < 0 || left < milliseconds) milliseconds = left;
  }
  if (milliseconds > 1000000000) milliseconds = 1000000000;
  return (int)milliseconds;
}

static bool is_due(const easel_loop *loop) { return loop->deadline >= 0 && loop->deadline <= loop->now; }

static CURLMcode keep_deadline(easel_loop *loop) {
  int running;
  loop->deadline = -1;
  return curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

static CURLMcode work(easel_loop *loop, const struct epoll_event *events, int count) {
  int running = 0;
  CURLMcode result = CURLM_OK;
  for (int i = 0; i < count && result == CURLM_OK; i++) {
    if (events[i].data.fd == loop->wakeup) continue;
    struct watch *watch = watch_of(loop, events[i].data.fd);
    if (watch && !watch->is_wanted) {
      // The server has closed an unused connection, or sends bytes without a request. At its next check, curl finds the
      // connection closed.
      connections_spoil(&loop->connections, events[i].data.fd);
      if (watch->events) tell_epoll(loop, events[i].data.fd, watch, 0);
      continue;
    }
    int what = 0;
    if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
    if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
    if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
    if (watch && watch->is_connection) connections_check(&loop->connections, events[i].data.fd);
    result = curl_multi_socket_action(loop->multi, events[i].data.fd, what, &running);
  }
  if (count > 0) read_time(loop);
  return result == CURLM_OK && is_due(loop) ? keep_deadline(loop) : result;
}

CURLMcode easel_loop_run(easel_loop *loop, int64_t milliseconds) {
  struct epoll_event events[events_at_once];
  CURLMcode result;
  connections_forget_closed(&loop->connections);
  if (is_due(loop) && !loop->has_passed_epoll) {
    // New transfers may send their requests before the loop waits. This does not happen twice in a row, so that running
    // transfers are served too.
    loop->has_passed_epoll = true;
    read_time(loop);
    guard_begin(loop->guard);
    result = keep_deadline(loop);
    guard_end(loop->guard);
    return result;
  }
  loop->has_passed_epoll = false;
  int count = epoll_wait(loop->epoll, events, events_at_once, wait_time(loop, milliseconds));
  read_time(loop);
  guard_begin(loop->guard);
  result = work(loop, events, count);
  guard_end(loop->guard);
  return result;
}

void easel_loop_skip(easel_loop *loop, int64_t milliseconds) {
  loop->skipped += milliseconds;
  loop->now += milliseconds;
  if (loop->deadline >= 0) loop->deadline += milliseconds;
}

const int64_t *easel_loop_clock(const easel_loop *loop) { return &loop->now; }

bool easel_loop_next_done(easel_loop *loop, CURL **easy, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(loop->multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *easy = message->easy_handle;
    *result = message->data.result;
    return true;
  }
  return false;
}
