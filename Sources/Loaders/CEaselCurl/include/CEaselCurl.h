#ifndef CEASEL_CURL_H
#define CEASEL_CURL_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// Prepares the library, once per process.
CURLcode easel_curl_prepare(void);

/// Gives the memory that no transfer uses back to the system.
void easel_curl_rest(void);

/// Lets writing to a closed connection fail on this thread instead of ending the process; false when it cannot.
bool easel_thread_survives_broken_connections(void);

// MARK: Waking

/// A descriptor that wakes a loop, or -1 with `errno` set.
int easel_wakeup_open(void);

/// Wakes the loop that waits with this descriptor.
void easel_wakeup_signal(int descriptor);

void easel_wakeup_close(int descriptor);

// MARK: The loop

/// curl's many transfers on one thread, over epoll.
typedef struct easel_loop easel_loop;

/// Makes a loop that `wakeup` wakes, which it does not own; NULL where there is no memory or no descriptor.
easel_loop *easel_loop_create(int wakeup, long kept_connections);

/// Ends the loop; every transfer must have been removed before.
void easel_loop_destroy(easel_loop *loop);

CURLMcode easel_loop_add(easel_loop *loop, CURL *easy);
CURLMcode easel_loop_remove(easel_loop *loop, CURL *easy);

/// Waits until something happens, but no longer than `milliseconds` (forever when negative), and lets curl work.
CURLMcode easel_loop_run(easel_loop *loop, int64_t milliseconds);

/// Opens a socket for a transfer that was told to `easel_loop_keep_connections`.
curl_socket_t easel_loop_connect(easel_loop *loop, const struct curl_sockaddr *address);

/// Has the loop hear of the end of each connection that the transfer opens, which it watches until then.
void easel_loop_keep_connections(easel_loop *loop, CURL *easy);

/// Whether a transfer may send its request over the connection between these ports, asked just before.
bool easel_loop_may_use(easel_loop *loop, CURL *easy, const char *address, int port, int own_port);

/// Says that a transfer is over and was removed: what comes now over a connection that it leaves behind spoils it.
///
/// HTTP/1 knows no other sign of whose answer it is than its place, and curl 7.88 takes whatever lies ready on a kept
/// connection for the answer to what it asks next. Over HTTP/2 a server may talk at any time.
void easel_loop_leave(easel_loop *loop, CURL *easy);

/// Counts bytes that came for a transfer.
void easel_loop_count(easel_loop *loop, int64_t bytes);

/// Whether a transfer that has just failed did so since its connection was cut, as one that kept curl busy with bytes
/// that were for no transfer.
bool easel_loop_was_cut(easel_loop *loop, CURL *easy);

/// The next transfer that is over; false when there is none.
bool easel_loop_next_done(easel_loop *loop, CURL **easy, CURLcode *result);

/// Whether more than `most_bytes` came over the connection of the transfer since it asked, which is noted.
///
/// curl tells of no byte that lies around a body, such as what a server may add to each chunk.
bool easel_loop_is_flooded(easel_loop *loop, CURL *easy);

/// Milliseconds of a clock that never goes back, read when the loop had waited and when curl had worked.
const int64_t *easel_loop_clock(const easel_loop *loop);

/// Lets time pass on that clock at once, so that tests need not wait; curl's own timers know nothing of it.
void easel_loop_skip(easel_loop *loop, int64_t milliseconds);

// MARK: One transfer

CURLcode easel_easy_set_number(CURL *easy, CURLoption option, long value);
CURLcode easel_easy_set_size(CURL *easy, CURLoption option, int64_t value);
CURLcode easel_easy_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode easel_easy_set_pointer(CURL *easy, CURLoption option, void *value);

long easel_auth_any(void);
long easel_auth_digest(void);

curl_socket_t easel_no_socket(void);

/// The address that the transfer was connected to, empty for none.
const char *easel_easy_address(CURL *easy);
long easel_easy_number(CURL *easy, CURLINFO info);
int64_t easel_easy_size(CURL *easy, CURLINFO info);

/// What a transfer took, all in microseconds from its start, and what it brought.
typedef struct easel_figures {
  int64_t name_lookup, connect, secure_connect, first_byte, total;
  int64_t body_bytes;
  long head_bytes;
  long new_connections;
  long http_version;
} easel_figures;

easel_figures easel_easy_figures(CURL *easy);

/// A jar of cookies for the transfers of one thread.
CURLSH *easel_share_cookies(void);

// MARK: What comes

enum easel_head_news { easel_head_is_whole, easel_head_is_too_large, easel_head_finds_no_memory };

/// Who is told of what comes, each with the `owner` of the receiver.
typedef struct easel_receiver_calls {
  /// Says whether the transfer goes on.
  bool (*head)(void *owner, enum easel_head_news news);
  /// Takes bytes of a body; anything but `count` ends the transfer, apart from `easel_take_later`.
  size_t (*body)(void *owner, const void *bytes, size_t count);
  /// Opens a socket for an address with `easel_loop_connect`, or refuses with `easel_no_socket`.
  curl_socket_t (*open)(void *owner, const struct curl_sockaddr *address);
  /// Takes a part of the head of a request as it was sent; told only after `easel_easy_tell_details`.
  void (*sent)(void *owner, const void *bytes, size_t count);
} easel_receiver_calls;

/// What becomes of the lines of a head: kept, kept if they begin another head, or ignored.
enum easel_awaits { easel_awaits_head, easel_awaits_body_or_head, easel_awaits_body };

/// Stands between curl and the one who wants a response, and makes one call of all lines of a head.
typedef struct easel_receiver {
  void *owner;
  easel_receiver_calls calls;
  const int64_t *clock;
  /// When something came last.
  int64_t activity;
  /// The bytes of all that came, ever.
  int64_t bytes;
  /// Whether more came than belongs to the answer, and curl threw it away.
  bool has_excess;
  CURL *easy;
  easel_loop *loop;
  uint8_t *head;
  size_t head_count;
  size_t room;
  size_t head_limit;
  size_t bytes_of_heads;
  /// The most that may come over a connection for one request, packed, encrypted and framed as it is.
  uint64_t most_bytes;
  /// Whether more came.
  bool is_flooded;
  unsigned pieces;
  enum easel_awaits awaits;
} easel_receiver;

/// Forgets what the last transfer left.
void easel_receiver_prepare(easel_receiver *receiver, void *owner, size_t head_limit, uint64_t most_bytes);
void easel_receiver_free(easel_receiver *receiver);

/// Has curl tell this receiver, which must live as long as the transfer, and ask the loop about kept connections.
CURLcode easel_easy_set_receiver(CURL *easy, easel_receiver *receiver);
easel_receiver *easel_easy_receiver(CURL *easy);

/// Has curl tell the receiver which heads it sends, cookies included, and what it throws away.
void easel_easy_tell_details(CURL *easy, easel_receiver *receiver, bool must_tell);

// MARK: A head

/// A field of a head. Both parts lie in the head, without blanks around them.
typedef struct easel_field {
  const char *name;
  size_t name_count;
  const char *value;
  size_t value_count;
  /// Whether the value goes on over several lines.
  bool is_folded;
  /// Whether there are blanks between the name and the colon.
  bool has_gap;
} easel_field;

/// The status that the first line states, -1 for none; `place` becomes where the fields begin.
int easel_head_status(const char *head, size_t count, size_t *place);

/// Finds the field at `place` or behind it and moves on; false when there is none.
bool easel_head_next(const char *head, size_t count, size_t *place, easel_field *field);

/// What taking a body returns to be called again later with the same bytes.
size_t easel_take_later(void);

// MARK: Packed bodies

enum easel_packing { easel_packing_gzip, easel_packing_deflate, easel_packing_brotli };

enum easel_unpacking {
  /// All of the source is taken.
  easel_unpacking_hungry,
  /// There is more to come without more of the source.
  easel_unpacking_full,
  easel_unpacking_broken,
};

/// Unpacks a body piece by piece, never more at once than there is room for.
///
/// curl's own way keeps all that a piece unpacks to while a transfer pauses, and takes half a gzip file for a whole one.
typedef struct easel_unpacker easel_unpacker;

easel_unpacker *easel_unpacker_create(enum easel_packing packing);
void easel_unpacker_destroy(easel_unpacker *unpacker);

/// Unpacks from `source`, which is moved on, to `target`; of `room`, what was not needed is left.
enum easel_unpacking easel_unpacker_step(
    easel_unpacker *unpacker, const uint8_t **source, size_t *count, uint8_t *target, size_t *room);

/// Whether the packed bytes came to their end.
bool easel_unpacker_is_complete(const easel_unpacker *unpacker);

/// CRC-32 of what `checksum` is that of, 0 for nothing, and of these bytes behind it.
uint32_t easel_checksum(uint32_t checksum, const void *bytes, size_t count);

// MARK: URLs

/// Writes `scheme://host:port`, all lower case, as curl itself reads the URL; false when it cannot.
bool easel_url_origin(const char *url, char *target, size_t capacity);

/// Makes the target of a redirect absolute; NULL when it is no URL. Free it with `easel_url_free`.
///
/// A name and a password are kept only where `base` has them and the target leads to the same server: the one who
/// redirects must not choose who the loader says it is.
char *easel_url_resolve(const char *base, const char *target);
void easel_url_free(char *url);

// MARK: Addresses

/// Copies the 4 or 16 bytes of an internet address and its port; returns their number, 0 for other families.
int easel_address_bytes(const struct curl_sockaddr *address, uint8_t *target, uint16_t *port);

/// Reads the text of an address; returns the number of its bytes, 0 when it is none.
int easel_address_read(const char *text, uint8_t *target);

#endif
