#define _GNU_SOURCE
#include "CEaselCurlBaseline.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

struct transfer {
  CURL *easy;
  char *body;
  size_t count;
  size_t capacity;
  long long length;
};

struct easel_baseline_client {
  CURLM *multi;
  int epoll;
  int at_once;
  long long deadline;
  struct transfer *transfers;
};

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static char known;

static int socket_changed(CURL *easy, curl_socket_t socket, int what, void *context, void *mark) {
  (void)easy;
  easel_baseline_client *client = context;
  struct epoll_event event = {.data.fd = socket};
  if (what == CURL_POLL_REMOVE) return epoll_ctl(client->epoll, EPOLL_CTL_DEL, socket, NULL), 0;
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  epoll_ctl(client->epoll, mark ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
  if (!mark) curl_multi_assign(client->multi, socket, &known);
  return 0;
}

static int timer_changed(CURLM *multi, long milliseconds, void *context) {
  (void)multi;
  easel_baseline_client *client = context;
  client->deadline = milliseconds < 0 ? -1 : now() + milliseconds;
  return 0;
}

static size_t take_head(char *bytes, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  if (size * count > 15 && strncasecmp(bytes, "content-length:", 15) == 0) transfer->length = atoll(bytes + 15);
  return size * count;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  size_t needed = transfer->count + size * count;
  if (needed > transfer->capacity) {
    size_t capacity = transfer->length > 0 ? (size_t)transfer->length : needed * 2;
    if (capacity < needed) capacity = needed;
    char *larger = realloc(transfer->body, capacity);
    if (!larger) return 0;
    transfer->body = larger;
    transfer->capacity = capacity;
  }
  memcpy(transfer->body + transfer->count, bytes, size * count);
  transfer->count = needed;
  return size * count;
}

easel_baseline_client *easel_baseline_client_create(int at_once, const char *authorities) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  easel_baseline_client *client = calloc(1, sizeof *client);
  client->multi = curl_multi_init();
  client->epoll = epoll_create1(EPOLL_CLOEXEC);
  client->at_once = at_once;
  client->deadline = -1;
  client->transfers = calloc((size_t)at_once, sizeof *client->transfers);
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
  curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, timer_changed);
  curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
  curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)at_once);
  for (int i = 0; i < at_once; i++) {
    struct transfer *transfer = &client->transfers[i];
    CURL *easy = transfer->easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L * 1024);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    if (authorities) curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, authorities ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  }
  return client;
}

void easel_baseline_client_destroy(easel_baseline_client *client) {
  for (int i = 0; i < client->at_once; i++) curl_easy_cleanup(client->transfers[i].easy);
  curl_multi_cleanup(client->multi);
  close(client->epoll);
  free(client->transfers);
  free(client);
}

static void start(easel_baseline_client *client, struct transfer *transfer, const char *url) {
  transfer->count = transfer->capacity = 0;
  transfer->body = NULL;
  transfer->length = -1;
  curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
  curl_multi_add_handle(client->multi, transfer->easy);
}

static void work(easel_baseline_client *client) {
  struct epoll_event events[64];
  int running;
  long long patience = client->deadline < 0 ? 1000 : client->deadline - now();
  int count = epoll_wait(client->epoll, events, 64, patience < 0 ? 0 : (int)patience);
  for (int i = 0; i < count; i++) {
    int what = 0;
    if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
    if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
    if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
    curl_multi_socket_action(client->multi, events[i].data.fd, what, &running);
  }
  if (client->deadline >= 0 && client->deadline <= now()) {
    client->deadline = -1;
    curl_multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

bool easel_baseline_client_load(easel_baseline_client *client, const char *const *urls, size_t count, size_t bytes) {
  size_t started = 0, done = 0;
  bool is_right = true;
  for (; started < count && started < (size_t)client->at_once; started++) {
    start(client, &client->transfers[started], urls[started]);
  }
  while (done < started) {
    work(client);
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(client->multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      struct transfer *transfer;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
      if (message->data.result != CURLE_OK || transfer->count != bytes) is_right = false;
      curl_multi_remove_handle(client->multi, transfer->easy);
      free(transfer->body);
      done++;
      if (started < count) start(client, transfer, urls[started++]);
    }
  }
  return is_right;
}
