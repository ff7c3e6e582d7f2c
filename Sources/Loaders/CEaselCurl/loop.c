#define _GNU_SOURCE
#include "CEaselCurl.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { events_at_once = 64 };

struct easel_loop {
  CURLM *multi;
  int epoll;
  int wakeup;
  int current; // the socket that curl was just told of, -1 for none
  int64_t deadline; // when curl wants to be called, -1 for not at all
  int64_t now;
};

CURLcode easel_curl_prepare(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

bool easel_thread_survives_broken_connections(void) {
  // curl is told to leave the signals of the process alone, and not every library below it asks to be spared this one.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  return pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0;
}

int easel_wakeup_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void easel_wakeup_signal(int descriptor) {
  uint64_t one = 1;
  // It fails only when it is signalled already.
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

void easel_wakeup_close(int descriptor) { close(descriptor); }

static int64_t read_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// The pointer that curl keeps for each socket says whether epoll knows it.
static char known;

static int socket_changed(CURL *easy, curl_socket_t socket, int what, void *context, void *mark) {
  (void)easy;
  easel_loop *loop = context;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, socket, NULL);
    return 0;
  }
  struct epoll_event event = {.data.fd = socket};
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  int operation = mark ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(loop->epoll, operation, socket, &event) == 0) {
    if (!mark) curl_multi_assign(loop->multi, socket, &known);
    return 0;
  }
  if (errno == EEXIST) return epoll_ctl(loop->epoll, EPOLL_CTL_MOD, socket, &event);
  if (errno == ENOENT) return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, socket, &event);
  return -1;
}

static int timer_changed(CURLM *multi, long milliseconds, void *context) {
  (void)multi;
  easel_loop *loop = context;
  loop->deadline = milliseconds < 0 ? -1 : read_clock() + milliseconds;
  return 0;
}

easel_loop *easel_loop_create(int wakeup, long kept_connections) {
  easel_loop *loop = calloc(1, sizeof *loop);
  if (!loop) return NULL;
  loop->deadline = -1;
  loop->current = -1;
  loop->now = read_clock();
  loop->wakeup = wakeup;
  loop->epoll = epoll_create1(EPOLL_CLOEXEC);
  loop->multi = curl_multi_init();
  struct epoll_event event = {.events = EPOLLIN, .data.fd = wakeup};
  if (loop->epoll < 0 || !loop->multi || epoll_ctl(loop->epoll, EPOLL_CTL_ADD, wakeup, &event) != 0) {
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
  if (loop->multi) curl_multi_cleanup(loop->multi);
  if (loop->epoll >= 0) close(loop->epoll);
  free(loop);
}

CURLMcode easel_loop_add(easel_loop *loop, CURL *easy) { return curl_multi_add_handle(loop->multi, easy); }

CURLMcode easel_loop_remove(easel_loop *loop, CURL *easy) { return curl_multi_remove_handle(loop->multi, easy); }

static int wait_time(const easel_loop *loop, int64_t milliseconds) {
  if (loop->deadline >= 0) {
    int64_t left = loop->deadline - loop->now;
    if (left < 0) left = 0;
    if (milliseconds < 0 || left < milliseconds) milliseconds = left;
  }
  if (milliseconds > 1000000000) milliseconds = 1000000000;
  return (int)milliseconds;
}

CURLMcode easel_loop_run(easel_loop *loop, int64_t milliseconds) {
  struct epoll_event events[events_at_once];
  int running = 0;
  CURLMcode result = CURLM_OK;
  int count = epoll_wait(loop->epoll, events, events_at_once, wait_time(loop, milliseconds));
  loop->now = read_clock();
  for (int i = 0; i < count && result == CURLM_OK; i++) {
    if (events[i].data.fd == loop->wakeup) {
      uint64_t signals;
      while (read(loop->wakeup, &signals, sizeof signals) < 0 && errno == EINTR) {}
      continue;
    }
    int what = 0;
    if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
    if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
    if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
    loop->current = events[i].data.fd;
    result = curl_multi_socket_action(loop->multi, events[i].data.fd, what, &running);
    loop->current = -1;
  }
  if (count > 0) loop->now = read_clock();
  if (result == CURLM_OK && loop->deadline >= 0 && loop->deadline <= loop->now) {
    loop->deadline = -1;
    result = curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
  }
  return result;
}

const int64_t *easel_loop_clock(const easel_loop *loop) { return &loop->now; }

bool easel_loop_has_excess(const easel_loop *loop) {
  char byte;
  return loop->current >= 0 && recv(loop->current, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

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
