#include "CEaselRedis.h"

#if !__has_include(<hiredis/hiredis.h>)
#error "Install libhiredis-dev (Debian, Ubuntu) or hiredis-devel (Fedora)"
#endif
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

enum { longest_line = 1 << 16 };

struct easel_redis_reader {
  redisReader *reader;
  size_t most_bytes, most_elements;
  // The numbers of bytes and elements in the current reply so far.
  size_t bytes, elements;
  bool is_too_large;
};

static easel_redis_reply *new_reply(const redisReadTask *task, easel_redis_kind kind) {
  easel_redis_reader *reader = task->privdata;
  if (reader->elements >= reader->most_elements) {
    reader->is_too_large = true;
    return NULL;
  }
  easel_redis_reply *reply = calloc(1, sizeof *reply);
  if (!reply) return NULL;
  reader->elements++;
  reply->kind = kind;
  return reply;
}

// Puts a reply into its array. The array frees its elements, so the reply must be complete by then.
static void *join(const redisReadTask *task, easel_redis_reply *reply) {
  if (task->parent) {
    easel_redis_reply *array = task->parent->obj;
    array->elements[task->idx] = reply;
  }
  return reply;
}

static void *create_string(const redisReadTask *task, char *bytes, size_t count) {
  easel_redis_reader *reader = task->privdata;
  if (count > reader->most_bytes - reader->bytes) {
    reader->is_too_large = true;
    return NULL;
  }
  easel_redis_kind kind = task->type == REDIS_REPLY_ERROR    ? EASEL_REDIS_ERROR
                          : task->type == REDIS_REPLY_STATUS ? EASEL_REDIS_STATUS
                                                             : EASEL_REDIS_STRING;
  easel_redis_reply *reply = new_reply(task, kind);
  if (!reply) return NULL;
  reply->bytes = malloc(count ? count : 1);
  if (!reply->bytes) {
    free(reply);
    return NULL;
  }
  memcpy(reply->bytes, bytes, count);
  reply->count = count;
  reader->bytes += count;
  return join(task, reply);
}

static void *create_array_of(const redisReadTask *task, size_t count) {
  easel_redis_reader *reader = task->privdata;
  if (count > reader->most_elements - reader->elements) {
    reader->is_too_large = true;
    return NULL;
  }
  easel_redis_reply *reply = new_reply(task, EASEL_REDIS_ARRAY);
  if (!reply) return NULL;
  reply->elements = calloc(count ? count : 1, sizeof *reply->elements);
  if (!reply->elements) {
    free(reply);
    return NULL;
  }
  reply->count = count;
  return join(task, reply);
}

static void *create_integer(const redisReadTask *task, long long number) {
  easel_redis_reply *reply = new_reply(task, EASEL_REDIS_INTEGER);
  if (!reply) return NULL;
  reply->number = number;
  return join(task, reply);
}

static void *create_null(const redisReadTask *task) {
  easel_redis_reply *reply = new_reply(task, EASEL_REDIS_NULL);
  return reply ? join(task, reply) : NULL;
}

static void free_object(void *object) { easel_redis_reply_free(object); }

#if HIREDIS_MAJOR >= 1

// hiredis 1 also reads the types of RESP3. A server sends these only on request, so they are errors here, as in older
// versions.
static bool is_old(const redisReadTask *task) {
  switch (task->type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_ARRAY:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR: return true;
    default: return false;
  }
}

static void *create_old_string(const redisReadTask *task, char *bytes, size_t count) {
  return is_old(task) ? create_string(task, bytes, count) : NULL;
}

static void *create_array(const redisReadTask *task, size_t count) {
  return is_old(task) ? create_array_of(task, count) : NULL;
}

static void *refuse_double(const redisReadTask *task, double number, char *text, size_t count) {
  (void)task, (void)number, (void)text, (void)count;
  return NULL;
}

static void *refuse_bool(const redisReadTask *task, int value) {
  (void)task, (void)value;
  return NULL;
}

static redisReplyObjectFunctions functions = {
  .createString = create_old_string,
  .createArray = create_array,
  .createInteger = create_integer,
  .createDouble = refuse_double,
  .createNil = create_null,
  .createBool = refuse_bool,
  .freeObject = free_object,
};

static int pending_type(const redisReader *reader) { return reader->task[reader->ridx]->type; }

#else

static void *create_array(const redisReadTask *task, int count) {
  if (count >= 0) return create_array_of(task, (size_t)count);
  easel_redis_reader *reader = task->privdata;
  reader->is_too_large = true;
  return NULL;
}

static redisReplyObjectFunctions functions = {create_string, create_array, create_integer, create_null, free_object};

static int pending_type(const redisReader *reader) { return reader->rstack[reader->ridx].type; }

#endif

void easel_redis_reply_free(easel_redis_reply *reply) {
  if (!reply) return;
  if (reply->elements) {
    for (size_t index = 0; index < reply->count; index++) easel_redis_reply_free(reply->elements[index]);
  }
  free(reply->elements);
  free(reply->bytes);
  free(reply);
}

uint8_t *easel_redis_reply_take_bytes(easel_redis_reply *reply) {
  uint8_t *bytes = reply->bytes;
  reply->bytes = NULL;
  return bytes;
}

easel_redis_reader *easel_redis_reader_open(size_t most_bytes, size_t most_elements) {
  easel_redis_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->reader = redisReaderCreateWithFunctions(&functions);
  if (!reader->reader) {
    free(reader);
    return NULL;
  }
  reader->reader->privdata = reader;
  reader->most_bytes = most_bytes;
  reader->most_elements = most_elements;
  return reader;
}

void easel_redis_reader_close(easel_redis_reader *reader) {
  if (!reader) return;
  redisReaderFree(reader->reader);
  free(reader);
}

easel_redis_outcome easel_redis_reader_feed(easel_redis_reader *reader, const void *bytes, size_t count) {
  return redisReaderFeed(reader->reader, bytes, count) == REDIS_OK ? EASEL_REDIS_READ : EASEL_REDIS_MALFORMED;
}

// hiredis has no limit, and keeps all bytes of a string until the last one arrives. The announced length is therefore
// read here too: hiredis stands just before it.
static easel_redis_outcome check_pending(const easel_redis_reader *reader) {
  const redisReader *pending = reader->reader;
  if (pending->ridx < 0 || pending->pos >= pending->len) return EASEL_REDIS_INCOMPLETE;
  const char *bytes = pending->buf + pending->pos;
  size_t count = pending->len - pending->pos;
  if (pending_type(pending) != REDIS_REPLY_STRING) {
    return count > longest_line ? EASEL_REDIS_TOO_LARGE : EASEL_REDIS_INCOMPLETE;
  }
  if (count > longest_line && !memchr(bytes, '\r', longest_line)) return EASEL_REDIS_TOO_LARGE;
  size_t length = 0;
  for (size_t index = 0; index < count && bytes[index] >= '0' && bytes[index] <= '9'; index++) {
    length = length * 10 + (size_t)(bytes[index] - '0');
    if (length > reader->most_bytes - reader->bytes) return EASEL_REDIS_TOO_LARGE;
  }
  return EASEL_REDIS_INCOMPLETE;
}

easel_redis_outcome easel_redis_reader_next(easel_redis_reader *reader, easel_redis_reply **reply) {
  void *object = NULL;
  *reply = NULL;
  if (redisReaderGetReply(reader->reader, &object) != REDIS_OK) {
    return reader->is_too_large ? EASEL_REDIS_TOO_LARGE : EASEL_REDIS_MALFORMED;
  }
  if (!object) return check_pending(reader);
  reader->bytes = 0;
  reader->elements = 0;
  *reply = object;
  return EASEL_REDIS_READ;
}
