#ifndef CEASEL_REDIS_H
#define CEASEL_REDIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Commands and replies in the protocol of Redis, by hiredis' formatter and reader. Nothing here touches a socket.

typedef enum {
  EASEL_REDIS_STATUS,
  EASEL_REDIS_ERROR,
  EASEL_REDIS_INTEGER,
  EASEL_REDIS_STRING,
  EASEL_REDIS_NULL,
  EASEL_REDIS_ARRAY,
} easel_redis_kind;

// A reply. Bytes belong to a status, an error or a string, elements to an array.
typedef struct easel_redis_reply {
  easel_redis_kind kind;
  int64_t number;
  size_t count;
  uint8_t *bytes;
  struct easel_redis_reply **elements;
} easel_redis_reply;

void easel_redis_reply_free(easel_redis_reply *reply);

// Hands over the bytes of a reply, which are freed with free().
uint8_t *easel_redis_reply_take_bytes(easel_redis_reply *reply);

typedef struct easel_redis_reader easel_redis_reader;

typedef enum {
  EASEL_REDIS_READ,
  EASEL_REDIS_INCOMPLETE,
  EASEL_REDIS_MALFORMED,
  EASEL_REDIS_TOO_LARGE,
} easel_redis_outcome;

// Refuses a reply whose strings together, or whose elements, are more than this, before it takes memory for them.
easel_redis_reader *easel_redis_reader_open(size_t most_bytes, size_t most_elements);
void easel_redis_reader_close(easel_redis_reader *reader);

// Takes bytes that have arrived. At most 64 KiB at once, because limits are checked in between.
easel_redis_outcome easel_redis_reader_feed(easel_redis_reader *reader, const void *bytes, size_t count);

// The next complete reply. After any other outcome than these two the reader is of no use any more.
easel_redis_outcome easel_redis_reader_next(easel_redis_reader *reader, easel_redis_reply **reply);

// Writes a command whose words stand one after the other in `bytes`. Returns a block to be freed with free(), or NULL if
// there is no memory.
char *easel_redis_format(const uint8_t *bytes, const size_t *lengths, int words, size_t *count);

// The slot of a key in a cluster: of the part in braces, if there is one.
uint16_t easel_redis_slot(const uint8_t *key, size_t count);

#ifdef __cplusplus
}
#endif

#endif
