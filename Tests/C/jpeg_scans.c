#include "jpeg_oracle.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "../../Sources/Coders/CEaselJPEG/reader.h"

typedef struct {
  const uint8_t *bytes;
  size_t count, eighths;
  bool is_in_file, comes_in_pieces, is_kept, is_ahead;
  easel_jpeg_vectors most_vectors;
} way;

static bool read_bytes(void *context, size_t at, uint8_t *to, size_t count) {
  const way *file = context;
  if (at > file->count || count > file->count - at) return false;
  memcpy(to, file->bytes + at, count);
  return true;
}

// Reads rows of what has arrived, up to where that goes. False if libjpeg-turbo must read the scans.
static bool read_rows(easel_jpeg_reader *reader, const way *file, size_t end, uint8_t *pixels, size_t stride,
                      uint32_t height, uint32_t *rows) {
  // A copy of its own size, so that a sanitizer sees what is read beyond.
  uint8_t *copy = malloc(end + 1);
  memcpy(copy, file->bytes, end);
  way part = {copy, end, file->eighths, true, false, false, false, EASEL_JPEG_WIDE};
  easel_jpeg_file all = {file->is_in_file ? NULL : copy, end, &part, read_bytes};
  easel_jpeg_status status = EASEL_JPEG_OK;
  while (status == EASEL_JPEG_OK && file->is_kept) status = easel_jpeg_reader_read_scans(reader, &all, 3);
  if (status == EASEL_JPEG_NEEDS_BYTES) status = EASEL_JPEG_OK;
  while (status == EASEL_JPEG_OK && *rows < height) {
    uint32_t got = 0;
    status = easel_jpeg_reader_scan_rows(reader, &all, pixels + *rows * stride, (ptrdiff_t)stride,
                                         height - *rows < 7 ? height - *rows : 7, &got);
    *rows += got;
  }
  free(copy);
  return status == EASEL_JPEG_OK || status == EASEL_JPEG_ENDED || status == EASEL_JPEG_NEEDS_BYTES;
}

// Takes in all scans, and shows some on the way; false if libjpeg-turbo must read the file.
static bool read_scans(easel_jpeg_reader *reader, const way *file, uint8_t *pixels, size_t stride, uint32_t height) {
  size_t at = 0, end = file->comes_in_pieces ? 1 : file->count;
  uint32_t chance = (uint32_t)file->count, rows = 0;
  easel_jpeg_info info;
  bool has_header = false, shows_first_scan = false;
  for (;;) {
    easel_jpeg_input input = {file->bytes + at, end - at, end == file->count, 0};
    easel_jpeg_status status = has_header ? easel_jpeg_reader_absorb(reader, &input, 8, 300)
                                          : easel_jpeg_reader_header(reader, &input, &info);
    at += (size_t)input.consumed;
    if (at > end && status == EASEL_JPEG_NEEDS_BYTES) end = at < file->count ? at : file->count;
    if (status == EASEL_JPEG_OK && !has_header) {
      uint32_t width, read_height;
      if (!info.has_several_scans) return false;
      status = easel_jpeg_reader_begin(reader, (int)file->eighths, &width, &read_height);
      if (reader->scans.vectors > file->most_vectors) reader->scans.vectors = file->most_vectors;
      if (file->is_kept) easel_jpeg_reader_keep_scans(reader);
      if (file->is_ahead) easel_jpeg_reader_read_ahead(reader);
      has_header = true;
    }
    if (has_header && !reader->scans.is_active) return false;
    if (status == EASEL_JPEG_ENDED) break;
    if (status != EASEL_JPEG_OK && status != EASEL_JPEG_NEEDS_BYTES) return false;
    chance = chance * 1664525 + 1013904223;
    if (has_header && file->comes_in_pieces && !(chance >> 29)) {
      bool goes_on = shows_first_scan && easel_jpeg_reader_is_in_first_scan(reader);
      if (!goes_on) {
        rows = 0;
        shows_first_scan = easel_jpeg_reader_restart_rows(reader) == EASEL_JPEG_OK;
      }
      if (!reader->scans.is_active) return false;
      if (shows_first_scan && !read_rows(reader, file, end, pixels, stride, height, &rows)) return false;
    }
    if (status != EASEL_JPEG_NEEDS_BYTES) continue;
    if (end == file->count) return false;
    size_t more = 1 + (chance >> 8) % (chance >> 30 ? 2000 : 9);
    end = more < file->count - end ? end + more : file->count;
  }
  rows = 0;
  memset(pixels, 0, stride * height);
  return easel_jpeg_reader_restart_rows(reader) == EASEL_JPEG_OK &&
         read_rows(reader, file, file->count, pixels, stride, height, &rows) && rows == height;
}

bool jpeg_scans_agree(const uint8_t *bytes, size_t count, int eighths, uint64_t most, bool *was_decoded) {
  static const bool ways[][4] = {{false, false, false, false}, {true, true, false, false}, {false, true, false, false},
                                 {true, true, true, false},    {false, true, true, true},   {false, false, false, true},
                                 {false, true, false, true}};
  static const easel_jpeg_vectors vectors[] = {EASEL_JPEG_WIDE,  EASEL_JPEG_WIDE, EASEL_JPEG_PLAIN, EASEL_JPEG_NARROW,
                                               EASEL_JPEG_PLAIN, EASEL_JPEG_WIDE, EASEL_JPEG_WIDE};
  uint32_t width = 0, height = 0;
  uint8_t *expected = jpeg_oracle_pixels(bytes, count, eighths, most, &width, &height);
  size_t stride = 4 * (size_t)width;
  *was_decoded = false;
  bool agrees = true;
  for (size_t i = 0; i < 7 && expected && agrees; i++) {
    way file = {bytes, count, (size_t)eighths, ways[i][0], ways[i][1], ways[i][2], ways[i][3], vectors[i]};
    // What new memory holds must not matter.
    mallopt(M_PERTURB, (int)i * 37);
    easel_jpeg_reader *reader = easel_jpeg_reader_create();
    uint8_t *pixels = malloc(stride * height);
    bool is_read = reader && pixels && read_scans(reader, &file, pixels, stride, height);
    if (is_read) agrees = memcmp(pixels, expected, stride * height) == 0;
    // All ways are of one mind about which files are whole.
    if (i == 0) *was_decoded = is_read;
    else if (is_read != *was_decoded) agrees = false;
    free(pixels);
    easel_jpeg_reader_destroy(reader);
  }
  mallopt(M_PERTURB, 0);
  free(expected);
  return agrees;
}
