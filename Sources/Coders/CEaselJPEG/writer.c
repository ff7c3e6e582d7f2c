#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "include/CEaselJPEG.h"
#include "thrifty_writer.h"

struct easel_jpeg_writer {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  jmp_buf jump;
  easel_jpeg_layout layout;
  // Null if the library makes the coefficients.
  easel_jpeg_thrifty *thrifty;
  uint8_t *bytes;
  size_t capacity, count;
  char message[JMSG_LENGTH_MAX];
};

static easel_jpeg_writer *easel_jpeg_writer_of(j_common_ptr info) { return info->client_data; }

static void easel_jpeg_on_write_error(j_common_ptr info) {
  easel_jpeg_writer *writer = easel_jpeg_writer_of(info);
  info->err->format_message(info, writer->message);
  longjmp(writer->jump, 1);
}

static void easel_jpeg_ignore_message(j_common_ptr info, int level) {
  (void)info;
  (void)level;
}

static void easel_jpeg_print_nothing(j_common_ptr info) { (void)info; }

static void easel_jpeg_grow(j_compress_ptr info) {
  easel_jpeg_writer *writer = easel_jpeg_writer_of((j_common_ptr)info);
  size_t capacity = writer->capacity ? writer->capacity * 2 : 64 << 10;
  uint8_t *bytes = realloc(writer->bytes, capacity);
  if (!bytes) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  writer->destination.next_output_byte = bytes + writer->capacity;
  writer->destination.free_in_buffer = capacity - writer->capacity;
  writer->bytes = bytes;
  writer->capacity = capacity;
}

static void easel_jpeg_destination_begin(j_compress_ptr info) { easel_jpeg_grow(info); }

// The library only calls this when the buffer is full, whatever it says about free space.
static boolean easel_jpeg_destination_full(j_compress_ptr info) {
  easel_jpeg_grow(info);
  return TRUE;
}

static void easel_jpeg_destination_end(j_compress_ptr info) {
  easel_jpeg_writer *writer = easel_jpeg_writer_of((j_common_ptr)info);
  writer->count = writer->capacity - writer->destination.free_in_buffer;
}

static easel_jpeg_status easel_jpeg_write_failure(const easel_jpeg_writer *writer) {
  return writer->errors.msg_code == JERR_OUT_OF_MEMORY ? EASEL_JPEG_NO_MEMORY : EASEL_JPEG_BAD_DATA;
}

easel_jpeg_writer *easel_jpeg_writer_create(const easel_jpeg_layout *layout) {
  easel_jpeg_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->layout = *layout;
  writer->info.err = jpeg_std_error(&writer->errors);
  writer->info.client_data = writer;
  writer->errors.error_exit = easel_jpeg_on_write_error;
  writer->errors.emit_message = easel_jpeg_ignore_message;
  writer->errors.output_message = easel_jpeg_print_nothing;
  if (layout->is_thrifty && !(writer->thrifty = easel_jpeg_thrifty_create(layout))) {
    free(writer);
    return NULL;
  }
  if (setjmp(writer->jump)) {
    easel_jpeg_thrifty_destroy(writer->thrifty);
    free(writer);
    return NULL;
  }
  jpeg_create_compress(&writer->info);
  writer->destination.init_destination = easel_jpeg_destination_begin;
  writer->destination.empty_output_buffer = easel_jpeg_destination_full;
  writer->destination.term_destination = easel_jpeg_destination_end;
  writer->info.dest = &writer->destination;
  return writer;
}

void easel_jpeg_writer_destroy(easel_jpeg_writer *writer) {
  if (!writer) return;
  if (!setjmp(writer->jump)) jpeg_destroy_compress(&writer->info);
  easel_jpeg_thrifty_destroy(writer->thrifty);
  free(writer->bytes);
  free(writer);
}

easel_jpeg_status easel_jpeg_writer_begin(easel_jpeg_writer *writer) {
  struct jpeg_compress_struct *info = &writer->info;
  const easel_jpeg_layout *layout = &writer->layout;
  if (setjmp(writer->jump)) return easel_jpeg_write_failure(writer);
  info->image_width = layout->width;
  info->image_height = layout->height;
  if (layout->is_gray) {
    info->input_components = 1;
    info->in_color_space = JCS_GRAYSCALE;
  } else {
    info->input_components = writer->thrifty ? 3 : 4;
    info->in_color_space = writer->thrifty ? JCS_YCbCr : JCS_EXT_RGBA;
  }
  jpeg_set_defaults(info);
  jpeg_set_quality(info, layout->quality, TRUE);
  info->dct_method = JDCT_ISLOW;
  info->optimize_coding = layout->is_optimized && !writer->thrifty;
  if (!layout->is_gray) {
    info->comp_info[0].h_samp_factor = layout->columns_per_color;
    info->comp_info[0].v_samp_factor = layout->rows_per_color;
  }
  if (layout->horizontal_density && layout->vertical_density) {
    info->density_unit = 1;
    info->X_density = layout->horizontal_density;
    info->Y_density = layout->vertical_density;
  }
  if (layout->is_progressive) jpeg_simple_progression(info);
  if (layout->has_restarts) info->restart_in_rows = 1;
  if (writer->thrifty) {
    easel_jpeg_thrifty_begin(writer->thrifty, info, layout);
  } else {
    jpeg_start_compress(info, TRUE);
  }
  return EASEL_JPEG_OK;
}

easel_jpeg_status easel_jpeg_writer_marker(easel_jpeg_writer *writer, int marker, const void *bytes, size_t count) {
  if (setjmp(writer->jump)) return easel_jpeg_write_failure(writer);
  jpeg_write_marker(&writer->info, marker, bytes, (unsigned)count);
  return EASEL_JPEG_OK;
}

easel_jpeg_status easel_jpeg_writer_rows(easel_jpeg_writer *writer, const void *pixels, ptrdiff_t stride,
                                         uint32_t count) {
  if (setjmp(writer->jump)) return easel_jpeg_write_failure(writer);
  for (uint32_t y = 0; y < count; y++) {
    if (writer->thrifty) {
      easel_jpeg_thrifty_row(writer->thrifty, &writer->info, (const uint8_t *)pixels + (ptrdiff_t)y * stride);
      continue;
    }
    // The library does not write to the row, although its types do not promise that.
    JSAMPROW row = (JSAMPROW)(uintptr_t)((const uint8_t *)pixels + (ptrdiff_t)y * stride);
    jpeg_write_scanlines(&writer->info, &row, 1);
  }
  return EASEL_JPEG_OK;
}

easel_jpeg_status easel_jpeg_writer_finish(easel_jpeg_writer *writer) {
  if (setjmp(writer->jump)) return easel_jpeg_write_failure(writer);
  if (writer->thrifty) easel_jpeg_thrifty_finish(writer->thrifty, &writer->info);
  jpeg_finish_compress(&writer->info);
  return EASEL_JPEG_OK;
}

const void *easel_jpeg_writer_bytes(const easel_jpeg_writer *writer, size_t *count) {
  *count = writer->count;
  return writer->bytes;
}

const char *easel_jpeg_writer_message(const easel_jpeg_writer *writer) { return writer->message; }
