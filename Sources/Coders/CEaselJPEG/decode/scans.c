#include "scans.h"

#include <stdlib.h>
#include <string.h>

void easel_jpeg_scans_begin(easel_jpeg_scans *scans, const easel_jpeg_headers *headers, size_t at) {
  memset(scans, 0, sizeof *scans);
  scans->headers = *headers;
  scans->at = at;
  memset(scans->lowest, -1, sizeof scans->lowest);
}

void easel_jpeg_scans_free(easel_jpeg_scans *scans) { free(scans->scans); }

// True if the scan tells each of its bits next, and for the first time.
static bool easel_jpeg_scan_follows(easel_jpeg_scans *scans, const easel_jpeg_scan_header *header) {
  bool is_mean = header->first == 0;
  if (is_mean ? header->last != 0 : header->last < header->first || header->last > 63 || header->count != 1)
    return false;
  if (header->low > 13 || (header->high && header->low != header->high - 1)) return false;
  for (int i = 0; i < header->count; i++) {
    int8_t *lowest = scans->lowest[header->components[i]];
    if (!is_mean && lowest[0] < 0) return false;
    for (int k = header->first; k <= header->last; k++) {
      if (lowest[k] != (header->high ? header->high : -1)) return false;
      lowest[k] = (int8_t)header->low;
    }
  }
  return true;
}

easel_jpeg_decoder_status easel_jpeg_scans_add(easel_jpeg_scans *scans, const easel_jpeg_scan_header *header) {
  if (!easel_jpeg_scan_follows(scans, header)) return EASEL_JPEG_DECODER_DAMAGED;
  if (scans->count == scans->room) {
    int room = scans->room ? 2 * scans->room : 16;
    easel_jpeg_scan *more = realloc(scans->scans, (size_t)room * sizeof *more);
    if (!more) return EASEL_JPEG_DECODER_NO_MEMORY;
    scans->scans = more;
    scans->room = room;
  }
  easel_jpeg_scan *scan = &scans->scans[scans->count];
  memset(scan, 0, sizeof *scan);
  scan->start = scans->at;
  scan->restart = scans->headers.restart;
  scan->count = header->count;
  scan->first = header->first;
  scan->last = header->last;
  scan->high = header->high;
  scan->low = header->low;
  for (int i = 0; i < header->count; i++) {
    scan->components[i] = header->components[i];
    if (header->first == 0 && header->high) continue;
    scan->codes[i] = header->first ? scans->headers.ac_codes[header->ac[i]] : scans->headers.dc_codes[header->dc[i]];
    if (!scan->codes[i].is_there) return EASEL_JPEG_DECODER_DAMAGED;
  }
  scans->count++;
  scans->is_between_scans = false;
  return EASEL_JPEG_DECODER_OK;
}

static easel_jpeg_decoder_status easel_jpeg_scans_take_header(easel_jpeg_scans *scans, const uint8_t *bytes,
                                                              size_t count) {
  easel_jpeg_scan_header header = {.count = count ? bytes[0] : 0};
  if (header.count < 1 || header.count > scans->headers.components || count != 4 + 2 * (size_t)header.count)
    return EASEL_JPEG_DECODER_DAMAGED;
  int next = 0;
  for (int i = 0; i < header.count; i++) {
    // In the order of the frame.
    while (next < scans->headers.components && scans->headers.component[next].id != bytes[1 + 2 * i]) next++;
    if (next == scans->headers.components) return EASEL_JPEG_DECODER_DAMAGED;
    header.components[i] = (uint8_t)next++;
    header.dc[i] = bytes[2 + 2 * i] >> 4;
    header.ac[i] = bytes[2 + 2 * i] & 15;
    if (header.dc[i] > 3 || header.ac[i] > 3) return EASEL_JPEG_DECODER_DAMAGED;
  }
  const uint8_t *range = bytes + 1 + 2 * header.count;
  header.first = range[0];
  header.last = range[1];
  header.high = range[2] >> 4;
  header.low = range[2] & 15;
  return easel_jpeg_scans_add(scans, &header);
}

// Takes a segment without its marker and length.
static easel_jpeg_decoder_status easel_jpeg_scans_take(easel_jpeg_scans *scans, int marker, const uint8_t *bytes,
                                                       size_t count) {
  if (marker == 0xDA) return easel_jpeg_scans_take_header(scans, bytes, count);
  if (marker == 0xC4) {
    bool is_sound = easel_jpeg_headers_take_codes(&scans->headers, bytes, count);
    return is_sound ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
  }
  if (marker == 0xDD && count == 2) {
    scans->headers.restart = (uint32_t)bytes[0] << 8 | bytes[1];
    return EASEL_JPEG_DECODER_OK;
  }
  bool is_note = marker == 0xFE || (marker & 0xF0) == 0xE0;
  return is_note ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
}

// Moves to the marker behind the codes of a scan, and past markers of restarts.
static bool easel_jpeg_find_end(const uint8_t **next, const uint8_t *end) {
  const uint8_t *at = *next;
  for (;;) {
    const uint8_t *found = at < end ? memchr(at, 0xFF, (size_t)(end - at)) : NULL;
    *next = found ? found : end;
    if (!found || end - found < 2) return false;
    if (found[1] && found[1] != 0xFF && (found[1] & 0xF8) != 0xD0) return true;
    at = found + (found[1] == 0xFF ? 1 : 2);
  }
}

static easel_jpeg_decoder_status easel_jpeg_scans_step(easel_jpeg_scans *scans, const uint8_t **next,
                                                       const uint8_t *end) {
  const uint8_t *at = *next;
  if (!scans->is_between_scans) {
    if (!easel_jpeg_find_end(next, end)) return EASEL_JPEG_DECODER_NEEDS_BYTES;
    scans->scans[scans->count - 1].end = scans->at + (size_t)(*next - at);
    scans->is_between_scans = true;
    return EASEL_JPEG_DECODER_OK;
  }
  while (end - at > 2 && at[0] == 0xFF && at[1] == 0xFF) at++;
  if (end - at < 2) return EASEL_JPEG_DECODER_NEEDS_BYTES;
  if (at[0] != 0xFF) return EASEL_JPEG_DECODER_DAMAGED;
  if (at[1] == 0xD9) {
    *next = at + 2;
    scans->has_ended = true;
    return easel_jpeg_scans_are_all(scans) ? EASEL_JPEG_DECODER_ENDED : EASEL_JPEG_DECODER_DAMAGED;
  }
  if (end - at < 4) return EASEL_JPEG_DECODER_NEEDS_BYTES;
  size_t length = (size_t)at[2] << 8 | at[3];
  if (length < 2) return EASEL_JPEG_DECODER_DAMAGED;
  if ((size_t)(end - at) < 2 + length) return EASEL_JPEG_DECODER_NEEDS_BYTES;
  size_t before = scans->at;
  scans->at += (size_t)(at - *next) + 2 + length;
  easel_jpeg_decoder_status status = easel_jpeg_scans_take(scans, at[1], at + 4, length - 2);
  scans->at = before;
  *next = at + 2 + length;
  return status;
}

easel_jpeg_decoder_status easel_jpeg_scans_read(easel_jpeg_scans *scans, easel_jpeg_decoder_input *input) {
  const uint8_t *next = input->bytes, *end = next + input->count;
  easel_jpeg_decoder_status status = scans->has_ended ? EASEL_JPEG_DECODER_ENDED : EASEL_JPEG_DECODER_OK;
  bool was_between_scans = false;
  while (status == EASEL_JPEG_DECODER_OK && !was_between_scans) {
    const uint8_t *before = next;
    was_between_scans = scans->is_between_scans;
    status = easel_jpeg_scans_step(scans, &next, end);
    scans->at += (size_t)(next - before);
  }
  input->consumed = next - input->bytes;
  if (status == EASEL_JPEG_DECODER_NEEDS_BYTES && input->is_end) return EASEL_JPEG_DECODER_DAMAGED;
  return status;
}

bool easel_jpeg_scans_are_all(const easel_jpeg_scans *scans) {
  for (int i = 0; i < scans->headers.components; i++) {
    for (int k = 0; k < 64; k++) {
      if (scans->lowest[i][k] != 0) return false;
    }
  }
  return true;
}
