// Wraps curl for the Swift code: an event loop, receivers of responses, and small functions around easy handles.
//
// Each file calls only files before it in this list:
// 1. memory.c, head.c, unpack.c and easy.c call no other file;
// 2. connections.c keeps the list of open connections, and asks easy.c for the receiver that uses one;
// 3. guard.c cuts connections in that list that would keep curl busy for ever;
// 4. loop.c waits for events, lets curl work under the guard, and reports to the list what happens to connections;
// 5. receiver.c takes responses from curl, and asks the loop about their connections.

#ifndef CEASEL_CURL_H
#define CEASEL_CURL_H

#if !__has_include(<curl/curl.h>)
#error "Install libcurl4-openssl-dev (Debian, Ubuntu) or libcurl-devel (Fedora)"
#endif
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// Initializes curl; call it once per process.
CURLcode easel_curl_prepare(void);

/// Gives memory that no transfer uses back to the system.
void easel_curl_give_back_memory(void);

/// Makes writes to a closed connection fail on this thread, instead of ending the process. Returns false on failure.
bool easel_thread_survives_broken_connections(void);

// MARK: Waking

/// Opens a descriptor that wakes a loop; returns -1 and sets `errno` on failure.
int easel_wakeup_open(void);

/// Wakes the loop that waits on this descriptor.
void easel_wakeup_signal(int descriptor);

void easel_wakeup_close(int descriptor);

// MARK: The loop

/// Runs many curl transfers on one thread, over epoll.
typedef struct easel_loop easel_loop;

/// Creates a loop that `wakeup` wakes; the loop does not close that descriptor. Returns NULL when memory or descriptors
/// run out.
easel_loop *easel_loop_create(int wakeup, long kept_connections);

/// Destroys the loop, after all transfers were removed from it.
void easel_loop_destroy(easel_loop *loop);

CURLMcode easel_loop_add(easel_loop *loop, CURL *easy);
CURLMcode easel_loop_remove(easel_loop *loop, CURL *easy);

/// Waits for an event, at most for `milliseconds` (forever when negative), and then lets curl work.
CURLMcode easel_loop_run(easel_loop *loop, int64_t milliseconds);

/// Opens a socket for a transfer that was passed to `easel_loop_keep_connections`.
curl_socket_t easel_loop_connect(easel_loop *loop, const struct curl_sockaddr *address);

/// Makes curl tell the loop when a connection of this transfer is closed. The loop watches the connection until then.
void easel_loop_keep_connections(easel_loop *loop, CURL *easy);

/// True when a transfer may send its request over the connection between these ports. Call this just before the request
/// is sent.
bool easel_loop_may_use(easel_loop *loop, CURL *easy, const char *address, int port, int own_port);

/// Tells the loop that a transfer has ended and was removed. If any bytes arrive on its connection from now on, the
/// connection is not used again.
///
/// In HTTP/1, only the order of responses tells which requests they belong to. If bytes wait on a kept connection, curl
/// 7.88 mistakes them for the response to its next request. In HTTP/2, a server may send bytes at any time.
void easel_loop_leave(easel_loop *loop, CURL *easy);

/// Counts bytes that arrived for a transfer.
void easel_loop_count(easel_loop *loop, int64_t bytes);

/// True when a transfer has just failed because its connection was cut. A connection is cut when it keeps curl busy
/// with bytes that belong to no transfer.
bool easel_loop_was_cut(easel_loop *loop, CURL *easy);

/// Gets the next finished transfer; returns false when there is none.
bool easel_loop_next_done(easel_loop *loop, CURL **easy, CURLcode *result);

/// True when more than `most_bytes` have arrived over the connection of the transfer since its request. The receiver is
/// then marked as flooded.
///
/// curl does not report bytes around a body, such as those that a server can add to each chunk.
bool easel_loop_is_flooded(easel_loop *loop, CURL *easy);

/// The milliseconds of a clock that never goes back. The clock is read after each wait and after curl has worked.
const int64_t *easel_loop_clock(const easel_loop *loop);

/// Advances that clock, so that tests need not wait. The timers of curl itself are not affected.
void easel_loop_skip(easel_loop *loop, int64_t milliseconds);

// MARK: One transfer

CURLcode easel_easy_set_number(CURL *easy, CURLoption option, long value);
CURLcode easel_easy_set_size(CURL *easy, CURLoption option, int64_t value);
CURLcode easel_easy_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode easel_easy_set_pointer(CURL *easy, CURLoption option, void *value);

long easel_auth_any(void);
long easel_auth_digest(void);

curl_socket_t easel_no_socket(void);

/// The address that the transfer was connected to; empty when it was not connected.
const char *easel_easy_address(CURL *easy);
long easel_easy_number(CURL *easy, CURLINFO info);
int64_t easel_easy_size(CURL *easy, CURLINFO info);

/// True for HTTP/1, where only the order of the responses tells which requests they belong to.
bool easel_easy_is_in_turn(CURL *easy);

/// The durations of a transfer, in microseconds from its start, and its byte counts.
typedef struct easel_figures {
  int64_t name_lookup, connect, secure_connect, first_byte, total;
  int64_t body_bytes;
  long head_bytes;
  long new_connections;
  long http_version;
} easel_figures;

easel_figures easel_easy_figures(CURL *easy);

/// Creates a cookie jar that the transfers of one thread share.
CURLSH *easel_share_cookies(void);

// MARK: Receiving

enum easel_head_news { easel_head_is_whole, easel_head_is_too_large, easel_head_finds_no_memory };

/// The callbacks of a receiver; each gets the `owner` of the receiver.
typedef struct easel_receiver_calls {
  /// Reports on the head; returns true when the transfer may continue.
  bool (*head)(void *owner, enum easel_head_news news);
  /// Takes bytes of a body. Any result except `count` and `easel_take_later` ends the transfer.
  size_t (*body)(void *owner, const void *bytes, size_t count);
  /// Opens a socket for an address with `easel_loop_connect`, or refuses the address with `easel_no_socket`.
  curl_socket_t (*open)(void *owner, const struct curl_sockaddr *address);
  /// Takes a part of the head of a request as it was sent. It is called only after `easel_easy_report_details`.
  void (*sent)(void *owner, const void *bytes, size_t count);
} easel_receiver_calls;

/// The treatment of lines of a head: they are kept, kept only if they begin another head, or ignored.
enum easel_awaits { easel_awaits_head, easel_awaits_body_or_head, easel_awaits_body };

/// Receives a response from curl, and passes it to the callbacks; there is one call for all lines of a head.
typedef struct easel_receiver {
  void *owner;
  easel_receiver_calls calls;
  const int64_t *clock;
  /// The time at which the last bytes arrived.
  int64_t activity;
  /// The total number of bytes that arrived.
  int64_t bytes;
  /// The time at which the first bytes of the response arrived; -1 before that.
  int64_t beginning;
  /// True when curl discarded bytes beyond the end of the response.
  bool has_excess;
  CURL *easy;
  easel_loop *loop;
  uint8_t *head;
  size_t head_count;
  size_t room;
  size_t head_limit;
  size_t bytes_of_heads;
  /// The maximum number of bytes that may arrive over a connection for one request, as sent: compressed, encrypted and
  /// framed.
  uint64_t most_bytes;
  /// True when more than `most_bytes` arrived.
  bool is_flooded;
  unsigned pieces;
  enum easel_awaits awaits;
} easel_receiver;

/// Resets the receiver for a new transfer.
void easel_receiver_prepare(easel_receiver *receiver, void *owner, size_t head_limit, uint64_t most_bytes);
void easel_receiver_free(easel_receiver *receiver);

/// Makes curl call this receiver, and ask the loop about kept connections. The receiver must live as long as the
/// transfer.
CURLcode easel_easy_set_receiver(CURL *easy, easel_receiver *receiver);
easel_receiver *easel_easy_receiver(CURL *easy);

/// Makes curl report the heads that it sends, including cookies, and the bytes that it discards.
void easel_easy_report_details(CURL *easy, easel_receiver *receiver, bool must_report);

// MARK: A head

/// A field of a head. Name and value point into the head and have no blanks around them.
typedef struct easel_field {
  const char *name;
  size_t name_count;
  const char *value;
  size_t value_count;
  /// True when the value continues over several lines.
  bool is_folded;
  /// True when there are blanks between the name and the colon.
  bool has_gap;
} easel_field;

/// Returns the status in the first line, or -1 if there is none. Sets `place` to the start of the fields.
int easel_head_status(const char *head, size_t count, size_t *place);

/// Finds the first field at or after `place`, and moves `place` to its end; returns false when there is none.
bool easel_head_next(const char *head, size_t count, size_t *place, easel_field *field);

/// The result of the `body` callback that makes curl pass the same bytes again later.
size_t easel_take_later(void);

// MARK: Packed bodies

enum easel_packing { easel_packing_gzip, easel_packing_deflate, easel_packing_brotli, easel_packing_zstd };

enum easel_unpacking {
  /// All input was read.
  easel_unpacking_hungry,
  /// There is more output, even without further input.
  easel_unpacking_full,
  easel_unpacking_broken,
};

/// Decompresses a body in pieces that never exceed the given room.
///
/// curl's own decoder is not used: while a transfer is paused, it keeps all the output of a piece, and it accepts half
/// a gzip file as if it were complete.
typedef struct easel_unpacker easel_unpacker;

easel_unpacker *easel_unpacker_create(enum easel_packing packing);
void easel_unpacker_destroy(easel_unpacker *unpacker);

/// Decompresses from `source` to `target`. Advances `source`, and reduces `count` and `room` to the remaining numbers
/// of bytes.
enum easel_unpacking easel_unpacker_step(
    easel_unpacker *unpacker, const uint8_t **source, size_t *count, uint8_t *target, size_t *room);

/// True when the end of the compressed data was reached.
bool easel_unpacker_is_complete(const easel_unpacker *unpacker);

/// Continues the CRC-32 `checksum` of earlier bytes with these bytes; it is 0 at the start.
uint32_t easel_checksum(uint32_t checksum, const void *bytes, size_t count);

// MARK: URLs

/// Writes the origin of a URL as `scheme://host:port` in lower case, parsed as curl parses it; returns false on
/// failure.
bool easel_url_origin(const char *url, char *target, size_t capacity);

/// Makes the target of a redirect absolute; returns NULL when it is not a URL. Free the result with `easel_url_free`.
///
/// If the target is on the same server, the result has the user name and the password of `base`. Those in `target` are
/// always dropped, because a server that redirects must not choose the identity of the loader.
char *easel_url_resolve(const char *base, const char *target);
void easel_url_free(char *url);

// MARK: Addresses

/// Copies the 4 or 16 bytes of an internet address, and its port. Returns the number of bytes, or 0 for other families.
int easel_address_bytes(const struct curl_sockaddr *address, uint8_t *target, uint16_t *port);

/// Parses the text of an address; returns the number of its bytes, or 0 when it is not an address.
int easel_address_read(const char *text, uint8_t *target);

// The versions of libcurl, its TLS library, nghttp2 and zstd that the process runs with; null for a library that is
// missing.
const char *easel_curl_libcurl_version(void);
const char *easel_curl_tls_version(void);
const char *easel_curl_http2_version(void);
const char *easel_curl_zstd_version(void);
// The version of the Brotli decoder in the library's own form: the lowest 12 bits are the patch, the next 12 the minor
// version.
uint32_t easel_curl_brotli_version(void);

#endif
