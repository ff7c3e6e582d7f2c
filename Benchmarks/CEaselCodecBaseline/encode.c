#include "CEaselCodecBaseline.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>
#include <webp/encode.h>

struct errors {
  struct jpeg_error_mgr manager;
  jmp_buf jump;
};

static void fail(j_common_ptr info) { longjmp(((struct errors *)info->err)->jump, 1); }

bool easel_baseline_encode_jpeg(
    const uint8_t *rgba, int width, int height, int quality, uint8_t **file, size_t *count) {
  struct jpeg_compress_struct info;
  struct errors errors;
  *file = NULL;
  *count = 0;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = fail;
  if (setjmp(errors.jump)) {
    jpeg_destroy_compress(&info);
    free(*file);
    return false;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, file, count);
  info.image_width = (JDIMENSION)width;
  info.image_height = (JDIMENSION)height;
  info.input_components = 4;
  info.in_color_space = JCS_EXT_RGBA;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = (JSAMPROW)(uintptr_t)(rgba + (size_t)info.next_scanline * (size_t)width * 4);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

struct target {
  uint8_t *bytes;
  size_t count, capacity;
};

static void append(png_structp png, png_bytep bytes, size_t count) {
  struct target *target = png_get_io_ptr(png);
  if (target->capacity - target->count < count) {
    size_t capacity = target->capacity * 2 + count;
    uint8_t *grown = realloc(target->bytes, capacity);
    if (!grown) png_error(png, "memory");
    target->bytes = grown;
    target->capacity = capacity;
  }
  memcpy(target->bytes + target->count, bytes, count);
  target->count += count;
}

static void flush(png_structp png) { (void)png; }

bool easel_baseline_encode_png(const uint8_t *rgba, int width, int height, int level, uint8_t **file, size_t *count) {
  struct target target = {0};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    free(target.bytes);
    return false;
  }
  png_set_write_fn(png, &target, append, flush);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, level);
  png_set_compression_buffer_size(png, 1 << 16);
  png_write_info(png, info);
  png_set_filler(png, 0, PNG_FILLER_AFTER);
  for (int y = 0; y < height; y++) png_write_row(png, rgba + (size_t)y * (size_t)width * 4);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  *file = target.bytes;
  *count = target.count;
  return true;
}

bool easel_baseline_encode_webp(
    const uint8_t *rgba, int width, int height, float quality, uint8_t **file, size_t *count) {
  WebPConfig config;
  WebPPicture picture;
  WebPMemoryWriter writer;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) return false;
  WebPMemoryWriterInit(&writer);
  config.quality = quality;
  config.thread_level = 1;
  picture.width = width;
  picture.height = height;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  bool is_written = WebPPictureImportRGBX(&picture, rgba, width * 4) && WebPEncode(&config, &picture);
  WebPPictureFree(&picture);
  if (is_written && (*file = malloc(writer.size))) memcpy(*file, writer.mem, *count = writer.size);
  is_written = is_written && *file;
  WebPMemoryWriterClear(&writer);
  return is_written;
}
