#include <libdeflate.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "include/CEaselPNG.h"

struct easel_png_writer {
  png_structp png;
  png_infop info;
  bool has_failed;
  uint8_t *bytes;
  size_t count, capacity;
};

static void easel_png_writer_fail(png_structp png, png_const_charp message) {
  (void)message;
  png_longjmp(png, 1);
}

static void easel_png_writer_ignore(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void easel_png_writer_append(png_structp png, png_bytep bytes, size_t count) {
  easel_png_writer *writer = png_get_io_ptr(png);
  if (count > writer->capacity - writer->count) {
    size_t capacity = writer->capacity * 2 > writer->count + count ? writer->capacity * 2 : writer->count + count;
    uint8_t *grown = realloc(writer->bytes, capacity);
    if (!grown) png_error(png, "out of memory");
    writer->bytes = grown;
    writer->capacity = capacity;
  }
  memcpy(writer->bytes + writer->count, bytes, count);
  writer->count += count;
}

static void easel_png_writer_flush(png_structp png) { (void)png; }

static void easel_png_writer_set_palette(easel_png_writer *writer, const easel_png_layout *layout) {
  png_color colors[256];
  for (size_t i = 0; i < layout->palette_count && i < 256; i++) {
    colors[i].red = layout->palette[3 * i];
    colors[i].green = layout->palette[3 * i + 1];
    colors[i].blue = layout->palette[3 * i + 2];
  }
  png_set_PLTE(writer->png, writer->info, colors, (int)layout->palette_count);
  if (layout->transparency_bytes > 0) {
    png_set_tRNS(writer->png, writer->info, layout->transparency, (int)layout->transparency_bytes, NULL);
  }
}

static easel_png_status easel_png_writer_begin(easel_png_writer *writer, const easel_png_layout *layout, int level,
                                               bool finds_runs_only) {
  if (setjmp(png_jmpbuf(writer->png))) return EASEL_PNG_BAD_DATA;
  png_set_user_limits(writer->png, 0x7fffffff, 0x7fffffff);
  png_set_write_fn(writer->png, writer, easel_png_writer_append, easel_png_writer_flush);
  png_set_IHDR(writer->png, writer->info, layout->width, layout->height, layout->bit_depth, layout->color_type,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(writer->png, level);
  if (finds_runs_only) png_set_compression_strategy(writer->png, Z_RLE);
  png_set_compression_buffer_size(writer->png, 1 << 16);
  if (layout->color_type == PNG_COLOR_TYPE_PALETTE) easel_png_writer_set_palette(writer, layout);
  png_write_info(writer->png, writer->info);
  if (layout->bit_depth < 8) png_set_packing(writer->png);
  if (layout->color_type == PNG_COLOR_TYPE_RGB) png_set_filler(writer->png, 0, PNG_FILLER_AFTER);
  const uint16_t one = 1;
  if (layout->bit_depth == 16 && *(const uint8_t *)&one == 1) png_set_swap(writer->png);
  return EASEL_PNG_OK;
}

easel_png_status easel_png_writer_create(const easel_png_layout *layout, int level, bool finds_runs_only,
                                         easel_png_writer **made) {
  *made = NULL;
  easel_png_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return EASEL_PNG_NO_MEMORY;
  writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, easel_png_writer_fail, easel_png_writer_ignore);
  if (writer->png) writer->info = png_create_info_struct(writer->png);
  if (!writer->info) {
    easel_png_writer_destroy(writer);
    return EASEL_PNG_NO_MEMORY;
  }
  easel_png_status status = easel_png_writer_begin(writer, layout, level, finds_runs_only);
  if (status != EASEL_PNG_OK) {
    easel_png_writer_destroy(writer);
    return status;
  }
  *made = writer;
  return EASEL_PNG_OK;
}

void easel_png_writer_destroy(easel_png_writer *writer) {
  if (!writer) return;
  if (writer->png) png_destroy_write_struct(&writer->png, writer->info ? &writer->info : NULL);
  free(writer->bytes);
  free(writer);
}

easel_png_status easel_png_writer_add_rows(easel_png_writer *writer, const void *rows, ptrdiff_t stride,
                                           size_t count) {
  if (writer->has_failed) return EASEL_PNG_BAD_DATA;
  if (setjmp(png_jmpbuf(writer->png))) {
    writer->has_failed = true;
    return EASEL_PNG_NO_MEMORY;
  }
  for (size_t y = 0; y < count; y++) {
    png_write_row(writer->png, (png_const_bytep)rows + (ptrdiff_t)y * stride);
  }
  return EASEL_PNG_OK;
}

easel_png_status easel_png_writer_finish(easel_png_writer *writer, const uint8_t **bytes, size_t *count) {
  if (writer->has_failed) return EASEL_PNG_BAD_DATA;
  if (setjmp(png_jmpbuf(writer->png))) {
    writer->has_failed = true;
    return EASEL_PNG_BAD_DATA;
  }
  png_write_end(writer->png, NULL);
  *bytes = writer->bytes;
  *count = writer->count;
  return EASEL_PNG_OK;
}

size_t easel_png_writer_count(const easel_png_writer *writer) { return writer->count; }

size_t easel_png_deflate_bound(size_t count) { return libdeflate_zlib_compress_bound(NULL, count); }

easel_png_status easel_png_deflate(const void *bytes, size_t count, int level, void *target, size_t capacity,
                                   size_t *written) {
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
  if (!compressor) return EASEL_PNG_NO_MEMORY;
  *written = libdeflate_zlib_compress(compressor, bytes, count, target, capacity);
  libdeflate_free_compressor(compressor);
  return *written > 0 ? EASEL_PNG_OK : EASEL_PNG_BAD_DATA;
}
