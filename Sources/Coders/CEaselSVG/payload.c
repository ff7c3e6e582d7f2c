#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "payload.h"

// MARK: URLs

static int digit_of(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if ((byte | 32) >= 'a' && (byte | 32) <= 'f') return (byte | 32) - 'a' + 10;
  return -1;
}

// The value of a base64 letter; -1 for a byte to skip.
static int sextet_of(uint8_t byte) {
  if (byte >= 'A' && byte <= 'Z') return byte - 'A';
  if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26;
  if (byte >= '0' && byte <= '9') return byte - '0' + 52;
  return byte == '+' || byte == '-' ? 62 : byte == '/' || byte == '_' ? 63 : -1;
}

// Reads one byte of a URL, in which some bytes are escaped.
static uint8_t take(const uint8_t *url, size_t count, size_t *place) {
  uint8_t byte = url[(*place)++];
  if (byte != '%' || count - *place < 2) return byte;
  int high = digit_of(url[*place]), low = digit_of(url[*place + 1]);
  if (high < 0 || low < 0) return byte;
  *place += 2;
  return (uint8_t)(high << 4 | low);
}

static size_t decode_base64(const uint8_t *url, size_t count, size_t place, uint8_t *target) {
  size_t made = 0;
  uint32_t bits = 0;
  int held = 0;
  while (place < count) {
    if (url[place] == '&') {
      // This is an escaped line end, such as `&#10;`.
      const uint8_t *end = memchr(url + place, ';', count - place);
      place = end ? (size_t)(end - url) + 1 : count;
      continue;
    }
    int value = sextet_of(take(url, count, &place));
    if (value < 0) continue;
    bits = bits << 6 | (uint32_t)value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    target[made++] = (uint8_t)(bits >> held);
  }
  return made;
}

uint8_t *easel_svg_payload(const uint8_t *url, size_t count, size_t *made) {
  const uint8_t *comma = memchr(url, ',', count);
  if (!comma) return NULL;
  size_t head = (size_t)(comma - url), place = head + 1;
  static const char mark[] = ";base64";
  size_t length = sizeof mark - 1;
  while (head > 0 && url[head - 1] == ' ') head--;
  bool is_base64 = head >= length && strncasecmp((const char *)url + head - length, mark, length) == 0;
  uint8_t *bytes = malloc(count);
  if (!bytes) return NULL;
  *made = 0;
  if (is_base64) {
    *made = decode_base64(url, count, place, bytes);
  } else {
    while (place < count) bytes[(*made)++] = take(url, count, &place);
  }
  bool is_packed = *made >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B;
  if (!is_packed) return bytes;
  free(bytes);
  return NULL;
}

// MARK: Pictures

static uint64_t big(const uint8_t *bytes, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; i++) value = value << 8 | bytes[i];
  return value;
}

static uint64_t little(const uint8_t *bytes, int count) {
  uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

static easel_svg_pixels sized(uint64_t width, uint64_t height) { return (easel_svg_pixels){true, width * height}; }

// A JPEG without a size is not shown.
static easel_svg_pixels pixels_of_jpeg(const uint8_t *bytes, size_t count) {
  for (size_t place = 2; place + 9 <= count;) {
    if (bytes[place] != 0xFF) {
      place++;
      continue;
    }
    uint8_t kind = bytes[place + 1];
    if (kind == 0xFF || kind == 0 || kind == 1 || (kind >= 0xD0 && kind <= 0xD8)) {
      place += kind == 0xFF ? 1 : 2;
      continue;
    }
    bool is_frame = kind >= 0xC0 && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC;
    if (is_frame) return sized(big(bytes + place + 7, 2), big(bytes + place + 5, 2));
    place += 2 + (size_t)big(bytes + place + 2, 2);
  }
  return sized(0, 0);
}

easel_svg_pixels easel_svg_pixels_of(const uint8_t *bytes, size_t count) {
  static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (count >= 24 && memcmp(bytes, png, sizeof png) == 0) return sized(big(bytes + 16, 4), big(bytes + 20, 4));
  if (count >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF) return pixels_of_jpeg(bytes, count);
  if (count >= 10 && memcmp(bytes, "GIF8", 4) == 0) return sized(little(bytes + 6, 2), little(bytes + 8, 2));
  if (count >= 26 && memcmp(bytes, "BM", 2) == 0 && little(bytes + 14, 4) >= 40) {
    uint64_t height = little(bytes + 22, 4);
    return sized(little(bytes + 18, 4), height >> 31 ? (1ULL << 32) - height : height);
  }
  if (count >= 30 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0) {
    if (memcmp(bytes + 12, "VP8X", 4) == 0) return sized(little(bytes + 24, 3) + 1, little(bytes + 27, 3) + 1);
    if (memcmp(bytes + 12, "VP8L", 4) == 0) {
      uint64_t bits = little(bytes + 21, 4);
      return sized((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1);
    }
    return sized(little(bytes + 26, 2) & 0x3FFF, little(bytes + 28, 2) & 0x3FFF);
  }
  return (easel_svg_pixels){false, 0};
}
