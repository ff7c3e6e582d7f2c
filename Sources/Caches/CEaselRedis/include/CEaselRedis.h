#ifndef CEASEL_REDIS_H
#define CEASEL_REDIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Commands and replies in the protocol of Redis, written and read by hiredis. Nothing here uses a socket.

typedef enum {
  EASEL_REDIS_STATUS,
  EASEL_REDIS_ERROR,
  EASEL_REDIS_INTEGER,
  EASEL_REDIS_STRING,
  EASEL_REDIS_NULL,
  EASEL_REDIS_ARRAY,
} easel_redis_kind;

// A reply. A status, an error and a string have bytes; an array has elements.
typedef struct easel_redis_reply {
  easel_redis_kind kind;
  int64_t number;
  size_t count;
  uint8_t *bytes;
  struct easel_redis_reply **elements;
} easel_redis_reply;

void easel_redis_reply_free(easel_redis_reply *reply);

// Passes the bytes of a reply to the caller, who frees them with free().
uint8_t *easel_redis_reply_take_bytes(easel_redis_reply *reply);

typedef struct easel_redis_reader easel_redis_reader;

typedef enum {
  EASEL_REDIS_READ,
  EASEL_REDIS_INCOMPLETE,
  EASEL_REDIS_MALFORMED,
  EASEL_REDIS_TOO_LARGE,
} easel_redis_outcome;

// Opens a reader. Before it takes memory, it refuses a reply whose strings together, or whose elements, exceed these
// limits.
easel_redis_reader *easel_redis_reader_open(size_t most_bytes, size_t most_elements);
void easel_redis_reader_close(easel_redis_reader *reader);

// Takes bytes that have arrived: at most 64 KiB at once, because the limits are checked between two calls.
easel_redis_outcome easel_redis_reader_feed(easel_redis_reader *reader, const void *bytes, size_t count);

// Gives the next complete reply. After an outcome other than these two, the reader must not be used any more.
easel_redis_outcome easel_redis_reader_next(easel_redis_reader *reader, easel_redis_reply **reply);

// Writes a command whose words follow one another in `bytes`. Returns a block that the caller frees with free(), or
// NULL if there is no memory.
char *easel_redis_format(const uint8_t *bytes, const size_t *lengths, int words, size_t *count);

// The slot of a key in a cluster. If the key has a part in braces, that part decides.
uint16_t easel_redis_slot(const uint8_t *key, size_t count);

#ifdef __cplusplus
}
#endif

#endif
