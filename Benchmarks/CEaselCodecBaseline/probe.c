#include "CEaselCodecBaseline.h"

#include <gif_lib.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>

struct errors {
  struct jpeg_error_mgr manager;
  jmp_buf jump;
};

static void fail(j_common_ptr info) { longjmp(((struct errors *)info->err)->jump, 1); }

bool easel_baseline_probe_jpeg(const char *path, int *width, int *height) {
  struct jpeg_decompress_struct info;
  struct errors errors;
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = fail;
  volatile bool is_read = false;
  if (!setjmp(errors.jump)) {
    jpeg_create_decompress(&info);
    jpeg_stdio_src(&info, file);
    jpeg_read_header(&info, TRUE);
    *width = (int)info.image_width;
    *height = (int)info.image_height;
    is_read = true;
  }
  jpeg_destroy_decompress(&info);
  fclose(file);
  return is_read;
}

bool easel_baseline_probe_png(const char *path, int *width, int *height) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  volatile bool is_read = false;
  if (info && !setjmp(png_jmpbuf(png))) {
    png_init_io(png, file);
    png_read_info(png, info);
    *width = (int)png_get_image_width(png, info);
    *height = (int)png_get_image_height(png, info);
    is_read = true;
  }
  png_destroy_read_struct(&png, &info, NULL);
  fclose(file);
  return is_read;
}

bool easel_baseline_probe_webp(const char *path, int *width, int *height) {
  uint8_t head[64];
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  size_t count = fread(head, 1, sizeof head, file);
  fclose(file);
  return WebPGetInfo(head, count, width, height);
}

bool easel_baseline_probe_gif(const char *path, int *width, int *height) {
  int error;
  GifFileType *gif = DGifOpenFileName(path, &error);
  if (!gif) return false;
  *width = gif->SWidth;
  *height = gif->SHeight;
  DGifCloseFile(gif, &error);
  return true;
}
