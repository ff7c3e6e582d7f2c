#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "include/CEaselPNG.h"

enum { EASEL_PNG_INFLATED = 32 << 10 };

struct easel_png_rows {
  // Data is inflated here and handed to libpng unpacked, because libpng drops the last row before damage or keeps it
  // depending on how the data was cut in pieces.
  z_stream stream;
  bool has_stream, has_begun, is_over;
  // The bytes that all rows take, filters included, as far as they have not been inflated yet.
  uint64_t missing;
  // Room for the head of a stored block before what is inflated.
  uint8_t inflated[EASEL_PNG_INFLATED + 8];
  png_structp png;
  png_infop info;
  easel_png_layout layout;
  bool has_failed;
  bool is_complete;
  uint32_t begun;
  uint64_t progress;
  char message[128];
  // Of the running call to feed, null outside.
  uint8_t *target;
  ptrdiff_t target_stride;
  easel_png_row_handler handler;
  void *context;
};

static void easel_png_keep_error(png_structp png, png_const_charp message) {
  easel_png_rows *rows = png_get_error_ptr(png);
  snprintf(rows->message, sizeof rows->message, "%s", message);
  png_longjmp(png, 1);
}

static void easel_png_keep_warning(png_structp png, png_const_charp message) {
  easel_png_rows *rows = png_get_error_ptr(png);
  snprintf(rows->message, sizeof rows->message, "%s", message);
}

static void easel_png_on_info(png_structp png, png_infop info) {
  easel_png_rows *rows = png_get_progressive_ptr(png);
  png_set_expand(png);
  if (rows->layout.is_wide) {
    const uint16_t one = 1;
    if (*(const uint8_t *)&one == 1) png_set_swap(png);
  } else if (rows->layout.bit_depth == 16) {
    png_set_scale_16(png);
  }
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

static void easel_png_on_row(png_structp png, png_bytep row, png_uint_32 number, int pass) {
  easel_png_rows *rows = png_get_progressive_ptr(png);
  if (row == NULL || number >= rows->layout.height) return;
  if (rows->layout.is_interlaced) {
    if (rows->target) png_progressive_combine_row(png, rows->target + (ptrdiff_t)number * rows->target_stride, row);
  } else if (rows->target) {
    memcpy(rows->target + (ptrdiff_t)number * rows->target_stride, row,
           rows->layout.width * easel_png_bytes_per_pixel(&rows->layout));
  } else if (rows->handler) {
    rows->handler(rows->context, row, number);
  }
  rows->progress++;
  if (pass == 0 && number >= rows->begun) rows->begun = number + 1;
  if (!rows->layout.is_interlaced && number + 1 == rows->layout.height) rows->is_complete = true;
}

static void easel_png_on_end(png_structp png, png_infop info) {
  (void)png;
  (void)info;
}

static void easel_png_put32(uint8_t *target, uint32_t value) {
  target[0] = (uint8_t)(value >> 24);
  target[1] = (uint8_t)(value >> 16);
  target[2] = (uint8_t)(value >> 8);
  target[3] = (uint8_t)value;
}

// libpng is told to leave check sums alone: who reads the chunks has compared them.
static void easel_png_process_chunk(easel_png_rows *rows, const char *type, const uint8_t *bytes, size_t count) {
  uint8_t head[8], sum[4] = {0};
  easel_png_put32(head, (uint32_t)count);
  memcpy(head + 4, type, 4);
  png_process_data(rows->png, rows->info, head, sizeof head);
  if (count > 0) png_process_data(rows->png, rows->info, (png_bytep)bytes, count);
  png_process_data(rows->png, rows->info, sum, sizeof sum);
}

static easel_png_status easel_png_rows_begin(easel_png_rows *rows) {
  const easel_png_layout *layout = &rows->layout;
  uint8_t signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'};
  uint8_t header[13] = {0};
  if (setjmp(png_jmpbuf(rows->png))) return EASEL_PNG_BAD_DATA;
  png_set_user_limits(rows->png, 0x7fffffff, 0x7fffffff);
  png_set_option(rows->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
  png_set_crc_action(rows->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  png_set_progressive_read_fn(rows->png, rows, easel_png_on_info, easel_png_on_row, easel_png_on_end);
  png_process_data(rows->png, rows->info, signature, sizeof signature);
  easel_png_put32(header, layout->width);
  easel_png_put32(header + 4, layout->height);
  header[8] = layout->bit_depth;
  header[9] = layout->color_type;
  header[12] = layout->is_interlaced;
  easel_png_process_chunk(rows, "IHDR", header, sizeof header);
  if (layout->palette_count > 0) {
    easel_png_process_chunk(rows, "PLTE", layout->palette, layout->palette_count * 3);
  }
  if (layout->transparency_bytes > 0) {
    easel_png_process_chunk(rows, "tRNS", layout->transparency, layout->transparency_bytes);
  }
  return EASEL_PNG_OK;
}

static uint64_t easel_png_filtered_bytes(const easel_png_layout *layout) {
  easel_png_layout pass = *layout;
  uint64_t total = 0;
  for (int i = 0; i < (layout->is_interlaced ? 7 : 1); i++) {
    if (layout->is_interlaced) {
      pass.width = PNG_PASS_COLS(layout->width, i);
      pass.height = PNG_PASS_ROWS(layout->height, i);
      if (pass.width == 0 || pass.height == 0) continue;
    }
    uint64_t bytes;
    if (__builtin_mul_overflow(easel_png_filtered_row_bytes(&pass), (uint64_t)pass.height, &bytes) ||
        __builtin_add_overflow(total, bytes, &total)) {
      return UINT64_MAX;
    }
  }
  return total;
}

easel_png_status easel_png_rows_create(const easel_png_layout *layout, easel_png_rows **made) {
  *made = NULL;
  easel_png_rows *rows = calloc(1, sizeof *rows);
  if (!rows) return EASEL_PNG_NO_MEMORY;
  rows->layout = *layout;
  rows->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, rows, easel_png_keep_error, easel_png_keep_warning);
  if (rows->png) rows->info = png_create_info_struct(rows->png);
  rows->missing = easel_png_filtered_bytes(layout);
  if (rows->info) rows->has_stream = inflateInit(&rows->stream) == Z_OK;
  if (!rows->has_stream) {
    easel_png_rows_destroy(rows);
    return EASEL_PNG_NO_MEMORY;
  }
  easel_png_status status = easel_png_rows_begin(rows);
  if (status != EASEL_PNG_OK) {
    easel_png_rows_destroy(rows);
    return status;
  }
  *made = rows;
  return EASEL_PNG_OK;
}

void easel_png_rows_destroy(easel_png_rows *rows) {
  if (!rows) return;
  if (rows->has_stream) inflateEnd(&rows->stream);
  if (rows->png) png_destroy_read_struct(&rows->png, rows->info ? &rows->info : NULL, NULL);
  free(rows);
}

// Hands over what was inflated as a block that is stored as it is.
static easel_png_status easel_png_rows_process(easel_png_rows *rows, size_t count) {
  if (setjmp(png_jmpbuf(rows->png))) return EASEL_PNG_BAD_DATA;
  uint8_t *block = rows->inflated + 3;
  block[0] = 0;
  block[1] = (uint8_t)count;
  block[2] = (uint8_t)(count >> 8);
  block[3] = (uint8_t)~count;
  block[4] = (uint8_t)(~count >> 8);
  if (!rows->has_begun) {
    rows->has_begun = true;
    block -= 2;
    block[0] = 0x78;
    block[1] = 0x01;
  }
  easel_png_process_chunk(rows, "IDAT", block, (size_t)(rows->inflated + 8 + count - block));
  if (rows->layout.is_interlaced && png_get_current_pass_number(rows->png) >= 7) rows->is_complete = true;
  return EASEL_PNG_OK;
}

static easel_png_status easel_png_rows_inflate(easel_png_rows *rows) {
  while (!rows->is_over) {
    rows->stream.next_out = rows->inflated + 8;
    // After the last row either the stream ends, which compares its check sum, or what follows does not matter.
    uInt room = rows->missing == 0 ? 1 : rows->missing < EASEL_PNG_INFLATED ? (uInt)rows->missing : EASEL_PNG_INFLATED;
    rows->stream.avail_out = room;
    int result = inflate(&rows->stream, Z_NO_FLUSH);
    size_t count = room - rows->stream.avail_out;
    bool is_surplus = rows->missing == 0 && count > 0;
    rows->is_over = result == Z_STREAM_END || is_surplus;
    if (is_surplus) break;
    rows->missing -= count;
    if (count > 0) {
      easel_png_status status = easel_png_rows_process(rows, count);
      if (status != EASEL_PNG_OK) return status;
    }
    if (result == Z_BUF_ERROR) break;
    if (result == Z_MEM_ERROR) return EASEL_PNG_NO_MEMORY;
    if (result != Z_OK && result != Z_STREAM_END) {
      snprintf(rows->message, sizeof rows->message, "%s", rows->stream.msg ? rows->stream.msg : "bad zlib data");
      return EASEL_PNG_BAD_DATA;
    }
    if (rows->stream.avail_in == 0 && rows->stream.avail_out > 0) break;
  }
  return EASEL_PNG_OK;
}

easel_png_status easel_png_rows_feed(easel_png_rows *rows, const void *bytes, size_t count, void *target,
                                     ptrdiff_t target_stride, easel_png_row_handler handler, void *context) {
  if (rows->has_failed) return EASEL_PNG_BAD_DATA;
  if (rows->is_over || count == 0) return EASEL_PNG_OK;
  rows->target = target;
  rows->target_stride = target_stride;
  rows->handler = handler;
  rows->context = context;
  rows->stream.next_in = (Bytef *)bytes;
  rows->stream.avail_in = (uInt)count;
  easel_png_status status = easel_png_rows_inflate(rows);
  rows->stream.next_in = NULL;
  rows->stream.avail_in = 0;
  rows->target = NULL;
  rows->handler = NULL;
  rows->context = NULL;
  rows->has_failed = status != EASEL_PNG_OK;
  return status;
}

uint32_t easel_png_rows_begun(const easel_png_rows *rows) { return rows->begun; }
uint64_t easel_png_rows_progress(const easel_png_rows *rows) { return rows->progress; }
bool easel_png_rows_are_complete(const easel_png_rows *rows) { return rows->is_complete; }
const char *easel_png_rows_message(const easel_png_rows *rows) { return rows->message; }
