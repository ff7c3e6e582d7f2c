#if !__has_include(<hiredis/hiredis.h>)
#error "Install libhiredis-dev (Debian, Ubuntu) or hiredis-devel (Fedora)"
#endif
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "CEaselRedis.h"

char *easel_redis_format(const uint8_t *bytes, const size_t *lengths, int words, size_t *count) {
  const char **starts = malloc((size_t)words * sizeof *starts);
  if (!starts) return NULL;
  size_t offset = 0;
  for (int index = 0; index < words; index++) {
    starts[index] = (const char *)bytes + offset;
    offset += lengths[index];
  }
  char *command = NULL;
  long long length = redisFormatCommandArgv(&command, words, starts, lengths);
  free(starts);
  if (length < 0) return NULL;
  *count = (size_t)length;
  return command;
}

// CRC-16 in the XMODEM variant, which the specification of clusters requires.
static uint16_t checksum(const uint8_t *bytes, size_t count) {
  uint16_t sum = 0;
  for (size_t index = 0; index < count; index++) {
    sum ^= (uint16_t)(bytes[index] << 8);
    for (int bit = 0; bit < 8; bit++) sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
  }
  return sum;
}

uint16_t easel_redis_slot(const uint8_t *key, size_t count) {
  const uint8_t *open = memchr(key, '{', count);
  if (open) {
    const uint8_t *tag = open + 1;
    const uint8_t *close = memchr(tag, '}', count - (size_t)(tag - key));
    if (close && close > tag) return checksum(tag, (size_t)(close - tag)) & 16383;
  }
  return checksum(key, count) & 16383;
}
