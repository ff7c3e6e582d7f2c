#include "include/CEaselPNGBaseline.h"

#include <png.h>
#include <string.h>

typedef struct {
  const unsigned char *bytes;
  size_t count;
} easel_baseline_source;

static void easel_baseline_read(png_structp png, png_bytep target, size_t count) {
  easel_baseline_source *source = png_get_io_ptr(png);
  if (count > source->count) png_error(png, "end");
  memcpy(target, source->bytes, count);
  source->bytes += count;
  source->count -= count;
}

bool easel_baseline_decode_png(const void *bytes, size_t count, void *target, size_t capacity) {
  easel_baseline_source source = {bytes, count};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return false;
  }
  png_set_read_fn(png, &source, easel_baseline_read);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  size_t stride = png_get_rowbytes(png, info), height = png_get_image_height(png, info);
  if (stride * height > capacity) png_error(png, "too large");
  for (int pass = 0; pass < passes; pass++) {
    for (size_t y = 0; y < height; y++) png_read_row(png, (png_bytep)target + y * stride, NULL);
  }
  png_read_end(png, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  return true;
}
