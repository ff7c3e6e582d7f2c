#include <string.h>

#include "parts.h"

typedef struct {
  const uint8_t *bytes;
  size_t count;
} easel_jpeg_segment;

static uint32_t easel_jpeg_two(const uint8_t *bytes) { return (uint32_t)bytes[0] << 8 | bytes[1]; }

static bool easel_jpeg_read_quanta(easel_jpeg_headers *headers, easel_jpeg_segment rest) {
  while (rest.count) {
    int precision = rest.bytes[0] >> 4, table = rest.bytes[0] & 15;
    size_t size = precision ? 128 : 64;
    if (precision > 1 || table > 3 || rest.count < 1 + size) return false;
    for (int i = 0; i < 64; i++) {
      uint32_t value = precision ? easel_jpeg_two(rest.bytes + 1 + 2 * i) : rest.bytes[1 + i];
      headers->quanta[table][easel_jpeg_places[i]] = (uint16_t)value;
    }
    headers->has_quanta[table] = true;
    rest.bytes += 1 + size;
    rest.count -= 1 + size;
  }
  return true;
}

static bool easel_jpeg_read_codes(easel_jpeg_headers *headers, easel_jpeg_segment rest) {
  while (rest.count) {
    int kind = rest.bytes[0] >> 4, table = rest.bytes[0] & 15;
    if (kind > 1 || table > 3 || rest.count < 17) return false;
    easel_jpeg_codes *codes = kind ? &headers->ac_codes[table] : &headers->dc_codes[table];
    size_t symbols = 0;
    memset(codes, 0, sizeof *codes);
    for (int i = 1; i <= 16; i++) symbols += codes->counts[i] = rest.bytes[i];
    if (symbols > 256 || rest.count < 17 + symbols) return false;
    memcpy(codes->symbols, rest.bytes + 17, symbols);
    codes->is_there = true;
    rest.bytes += 17 + symbols;
    rest.count -= 17 + symbols;
  }
  return true;
}

bool easel_jpeg_headers_take_codes(easel_jpeg_headers *headers, const uint8_t *bytes, size_t count) {
  return easel_jpeg_read_codes(headers, (easel_jpeg_segment){bytes, count});
}

static easel_jpeg_decoder_status easel_jpeg_read_frame(easel_jpeg_headers *headers, easel_jpeg_segment segment) {
  if (headers->components || segment.count < 6) return EASEL_JPEG_DECODER_DAMAGED;
  const uint8_t *bytes = segment.bytes;
  int components = bytes[5];
  if (bytes[0] != 8 || (components != 1 && components != 3)) return EASEL_JPEG_DECODER_UNSUPPORTED;
  if (segment.count != 6 + 3 * (size_t)components) return EASEL_JPEG_DECODER_DAMAGED;
  headers->height = easel_jpeg_two(bytes + 1);
  headers->width = easel_jpeg_two(bytes + 3);
  if (!headers->width || !headers->height || headers->width > 65500 || headers->height > 65500)
    return EASEL_JPEG_DECODER_UNSUPPORTED;
  for (int i = 0; i < components; i++) {
    easel_jpeg_component *component = &headers->component[i];
    const uint8_t *at = bytes + 6 + 3 * i;
    component->id = at[0];
    component->h = at[1] >> 4;
    component->v = at[1] & 15;
    component->quanta = at[2];
    if (component->quanta > 3) return EASEL_JPEG_DECODER_DAMAGED;
    if (!component->h || !component->v || component->h > 4 || component->v > 4) return EASEL_JPEG_DECODER_DAMAGED;
    for (int j = 0; j < i; j++) {
      if (headers->component[j].id == component->id) return EASEL_JPEG_DECODER_UNSUPPORTED;
    }
  }
  headers->components = components;
  return EASEL_JPEG_DECODER_OK;
}

static easel_jpeg_decoder_status easel_jpeg_read_scan(easel_jpeg_headers *headers, easel_jpeg_segment segment) {
  if (!headers->components || segment.count < 1) return EASEL_JPEG_DECODER_DAMAGED;
  const uint8_t *bytes = segment.bytes;
  int components = bytes[0];
  if (segment.count != 4 + 2 * (size_t)components) return EASEL_JPEG_DECODER_DAMAGED;
  if (components != headers->components) return EASEL_JPEG_DECODER_UNSUPPORTED;
  for (int i = 0; i < components; i++) {
    easel_jpeg_component *component = &headers->component[i];
    if (bytes[1 + 2 * i] != component->id) return EASEL_JPEG_DECODER_UNSUPPORTED;
    component->dc = bytes[2 + 2 * i] >> 4;
    component->ac = bytes[2 + 2 * i] & 15;
    if (component->dc > 3 || component->ac > 3) return EASEL_JPEG_DECODER_DAMAGED;
    if (!headers->has_quanta[component->quanta]) return EASEL_JPEG_DECODER_DAMAGED;
  }
  const uint8_t *range = bytes + 1 + 2 * components;
  if (range[0] != 0 || range[1] != 63 || range[2] != 0) return EASEL_JPEG_DECODER_UNSUPPORTED;
  return EASEL_JPEG_DECODER_OK;
}

bool easel_jpeg_is_usual(easel_jpeg_headers *headers) {
  easel_jpeg_component *all = headers->component;
  if (headers->components == 1) {
    // Alone in its scan, a component has groups of one block, whatever it says.
    all[0].h = all[0].v = 1;
    return true;
  }
  if (all[1].h != 1 || all[1].v != 1 || all[2].h != 1 || all[2].v != 1) return false;
  int h = all[0].h, v = all[0].v;
  return h <= 2 && v <= 2;
}

// As libjpeg-turbo guesses it.
static bool easel_jpeg_is_rgb(const easel_jpeg_headers *headers, bool has_jfif, int adobe) {
  const easel_jpeg_component *all = headers->component;
  if (headers->components == 1 || has_jfif) return false;
  return adobe < 0 ? all[0].id == 'R' && all[1].id == 'G' && all[2].id == 'B' : adobe == 0;
}

easel_jpeg_decoder_status easel_jpeg_headers_read(easel_jpeg_headers *headers, const uint8_t *bytes, size_t count) {
  memset(headers, 0, sizeof *headers);
  if (count < 4 || bytes[0] != 0xFF || bytes[1] != 0xD8) return EASEL_JPEG_DECODER_DAMAGED;
  bool has_jfif = false;
  int adobe = -1;
  size_t at = 2;
  for (;;) {
    if (count - at < 4 || bytes[at] != 0xFF) return EASEL_JPEG_DECODER_DAMAGED;
    int marker = bytes[at + 1];
    if (marker == 0xFF) {
      at++;
      continue;
    }
    size_t length = easel_jpeg_two(bytes + at + 2);
    if (marker < 0xC0 || (marker >= 0xD0 && marker <= 0xD9) || length < 2 || length > count - at - 2)
      return EASEL_JPEG_DECODER_DAMAGED;
    easel_jpeg_segment segment = {bytes + at + 4, length - 2};
    at += 2 + length;
    easel_jpeg_decoder_status status = EASEL_JPEG_DECODER_OK;
    switch (marker) {
      case 0xC0:
      case 0xC1: status = easel_jpeg_read_frame(headers, segment); break;
      case 0xC4:
        if (!easel_jpeg_read_codes(headers, segment)) status = EASEL_JPEG_DECODER_DAMAGED;
        break;
      case 0xDB:
        if (!easel_jpeg_read_quanta(headers, segment)) status = EASEL_JPEG_DECODER_DAMAGED;
        break;
      case 0xDD:
        if (segment.count != 2) return EASEL_JPEG_DECODER_DAMAGED;
        headers->restart = easel_jpeg_two(segment.bytes);
        break;
      case 0xDA:
        status = easel_jpeg_read_scan(headers, segment);
        if (status != EASEL_JPEG_DECODER_OK) return status;
        headers->scan = at;
        if (easel_jpeg_is_rgb(headers, has_jfif, adobe)) return EASEL_JPEG_DECODER_UNSUPPORTED;
        return easel_jpeg_is_usual(headers) ? status : EASEL_JPEG_DECODER_UNSUPPORTED;
      case 0xE0:
        if (segment.count >= 14 && !memcmp(segment.bytes, "JFIF", 5)) has_jfif = true;
        break;
      case 0xEE:
        if (segment.count >= 12 && !memcmp(segment.bytes, "Adobe", 5)) adobe = segment.bytes[11];
        break;
      default:
        // Other comments and applications' notes; any other marker belongs to another kind of file.
        if (marker != 0xFE && (marker & 0xF0) != 0xE0) return EASEL_JPEG_DECODER_UNSUPPORTED;
    }
    if (status != EASEL_JPEG_DECODER_OK) return status;
  }
}
