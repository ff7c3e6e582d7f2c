#include "CEaselThumbnailBaseline.h"
#include "CEaselCodecBaseline.h"
#include "reduction.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>

struct errors {
  struct jpeg_error_mgr manager;
  jmp_buf jump;
};

static void fail(j_common_ptr info) { longjmp(((struct errors *)info->err)->jump, 1); }

static bool reduce_jpeg(const void *bytes, size_t count, int side, struct reduction *target) {
  struct jpeg_decompress_struct info;
  struct errors errors;
  unsigned char *volatile row = NULL;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = fail;
  if (setjmp(errors.jump)) {
    jpeg_destroy_decompress(&info);
    free(row);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, (unsigned long)count);
  jpeg_read_header(&info, TRUE);
  easel_fit(target, (int)info.image_width, (int)info.image_height, side);
  info.out_color_space = JCS_EXT_RGBA;
  info.scale_denom = 8;
  for (info.scale_num = 1; info.scale_num < 8; info.scale_num *= 2) {
    if ((int)(info.image_width * info.scale_num / 8) >= target->width &&
        (int)(info.image_height * info.scale_num / 8) >= target->height) {
      break;
    }
  }
  jpeg_start_decompress(&info);
  row = malloc((size_t)info.output_width * 4);
  if (!row || !easel_begin(target, (int)info.output_width, (int)info.output_height)) fail((j_common_ptr)&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW rows[1] = {row};
    jpeg_read_scanlines(&info, rows, 1);
    easel_add(target, row);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  free(row);
  return true;
}

struct source {
  const unsigned char *bytes;
  size_t count;
};

static void read_png(png_structp png, png_bytep target, size_t count) {
  struct source *source = png_get_io_ptr(png);
  if (count > source->count) png_error(png, "end");
  memcpy(target, source->bytes, count);
  source->bytes += count;
  source->count -= count;
}

static bool reduce_png(const void *bytes, size_t count, int side, struct reduction *target) {
  struct source source = {bytes, count};
  unsigned char *volatile row = NULL;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    free(row);
    return false;
  }
  png_set_read_fn(png, &source, read_png);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
  png_read_update_info(png, info);
  int width = (int)png_get_image_width(png, info), height = (int)png_get_image_height(png, info);
  easel_fit(target, width, height, side);
  row = malloc(png_get_rowbytes(png, info));
  if (!row || !easel_begin(target, width, height)) png_error(png, "memory");
  for (int y = 0; y < height; y++) {
    png_read_row(png, row, NULL);
    easel_add(target, row);
  }
  png_read_end(png, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  free(row);
  return true;
}

static bool reduce_webp(const void *bytes, size_t count, int side, bool uses_threads, struct reduction *target) {
  WebPDecoderConfig config;
  int width, height;
  if (!WebPInitDecoderConfig(&config) || !WebPGetInfo(bytes, count, &width, &height)) return false;
  easel_fit(target, width, height, side);
  target->pixels = malloc((size_t)target->width * (size_t)target->height * 4);
  if (!target->pixels) return false;
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = target->pixels;
  config.output.u.RGBA.stride = target->width * 4;
  config.output.u.RGBA.size = (size_t)target->width * (size_t)target->height * 4;
  config.options.use_scaling = 1;
  config.options.scaled_width = target->width;
  config.options.scaled_height = target->height;
  config.options.use_threads = uses_threads;
  return WebPDecode(bytes, count, &config) == VP8_STATUS_OK;
}

bool easel_baseline_thumbnail(
    const void *bytes, size_t count, int side, bool uses_threads, unsigned char **jpeg, unsigned long *jpeg_count) {
  struct reduction picture = {0};
  *jpeg = NULL;
  *jpeg_count = 0;
  bool is_made = false;
  if (count > 12 && memcmp(bytes, "\xFF\xD8\xFF", 3) == 0) {
    is_made = reduce_jpeg(bytes, count, side, &picture);
  } else if (count > 12 && memcmp(bytes, "\x89PNG", 4) == 0) {
    is_made = reduce_png(bytes, count, side, &picture);
  } else if (count > 12 && memcmp(bytes, "RIFF", 4) == 0) {
    is_made = reduce_webp(bytes, count, side, uses_threads, &picture);
  }
  is_made = is_made &&
            easel_baseline_encode_jpeg(picture.pixels, picture.width, picture.height, 80, jpeg, jpeg_count);
  easel_end(&picture);
  return is_made;
}
