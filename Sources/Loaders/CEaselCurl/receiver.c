#include "CEaselCurl.h"

#include <stdlib.h>
#include <string.h>

enum { room_at_first = 1024, pieces_between_looks = 64 };

void easel_receiver_prepare(easel_receiver *receiver, void *owner, size_t head_limit, uint64_t most_bytes) {
  receiver->owner = owner;
  receiver->head_count = 0;
  receiver->head_limit = head_limit;
  receiver->bytes_of_heads = 0;
  receiver->most_bytes = most_bytes;
  receiver->is_flooded = false;
  receiver->pieces = 0;
  receiver->awaits = easel_awaits_head;
  receiver->has_excess = false;
  receiver->beginning = -1;
}

void easel_receiver_free(easel_receiver *receiver) {
  free(receiver->head);
  receiver->head = NULL;
  receiver->room = 0;
}

static bool keep(easel_receiver *receiver, const char *line, size_t count) {
  size_t needed = receiver->head_count + count;
  if (needed > receiver->room) {
    size_t room = needed < room_at_first ? room_at_first : needed * 2;
    uint8_t *larger = realloc(receiver->head, room);
    if (!larger) return false;
    receiver->head = larger;
    receiver->room = room;
  }
  memcpy(receiver->head + receiver->head_count, line, count);
  receiver->head_count = needed;
  return true;
}

static bool take_line(easel_receiver *receiver, const char *line, size_t count) {
  receiver->bytes_of_heads += count;
  if (receiver->bytes_of_heads > receiver->head_limit) {
    return receiver->calls.head(receiver->owner, easel_head_is_too_large);
  }
  if (receiver->awaits == easel_awaits_body_or_head && count >= 5 && memcmp(line, "HTTP/", 5) == 0) {
    receiver->awaits = easel_awaits_head;
    receiver->head_count = 0;
  }
  // Lines after a body are trailers, and are ignored.
  if (receiver->awaits != easel_awaits_head) return true;
  if (count > 2 || (line[0] != '\r' && line[0] != '\n')) {
    return keep(receiver, line, count) || receiver->calls.head(receiver->owner, easel_head_finds_no_memory);
  }
  receiver->awaits = easel_awaits_body;
  return receiver->calls.head(receiver->owner, easel_head_is_whole);
}

static void note_time(easel_receiver *receiver) {
  receiver->activity = *receiver->clock;
  if (receiver->beginning < 0) receiver->beginning = receiver->activity;
}

static void add_bytes(easel_receiver *receiver, size_t count) {
  receiver->bytes += (int64_t)count;
  easel_loop_count(receiver->loop, (int64_t)count);
}

static size_t line_came(char *bytes, size_t size, size_t count, void *context) {
  easel_receiver *receiver = context;
  note_time(receiver);
  add_bytes(receiver, size * count);
  return size * count == 0 || take_line(receiver, bytes, size * count) ? size * count : 0;
}

static size_t body_came(char *bytes, size_t size, size_t count, void *context) {
  easel_receiver *receiver = context;
  note_time(receiver);
  if (++receiver->pieces % pieces_between_looks == 0) easel_loop_is_flooded(receiver->loop, receiver->easy);
  if (receiver->is_flooded) return 0;
  size_t taken = receiver->calls.body(receiver->owner, bytes, size * count);
  // curl passes bytes that are not taken now once more later, so they are not counted yet.
  if (taken == size * count) add_bytes(receiver, taken);
  return taken;
}

static curl_socket_t socket_is_needed(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  easel_receiver *receiver = context;
  return receiver->calls.open(receiver->owner, address);
}

static int request_is_ready(void *context, char *address, char *own_address, int port, int own_port) {
  (void)own_address;
  easel_receiver *receiver = context;
  bool may_use = easel_loop_may_use(receiver->loop, receiver->easy, address, port, own_port);
  return may_use ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

CURLcode easel_easy_set_receiver(CURL *easy, easel_receiver *receiver) {
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, request_is_ready);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, receiver);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, receiver);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, receiver);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, receiver);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, receiver);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, line_came);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, socket_is_needed);
  return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body_came);
}

static bool begins_with(const char *bytes, size_t count, const char *beginning) {
  return count >= strlen(beginning) && memcmp(bytes, beginning, strlen(beginning)) == 0;
}

static int hear_detail(CURL *easy, curl_infotype kind, char *bytes, size_t count, void *context) {
  easel_receiver *receiver = context;
  if (kind == CURLINFO_HEADER_OUT) receiver->calls.sent(receiver->owner, bytes, count);
  // Only this text tells that curl has read beyond the last chunk, or beyond a head without a body.
  if (kind == CURLINFO_TEXT &&
      (begins_with(bytes, count, "Excess found") || begins_with(bytes, count, "Leftovers after chunking"))) {
    receiver->has_excess = true;
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  }
  return 0;
}

void easel_easy_report_details(CURL *easy, easel_receiver *receiver, bool must_report) {
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, receiver);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, hear_detail);
  curl_easy_setopt(easy, CURLOPT_VERBOSE, must_report ? 1L : 0L);
}
