#include "jpeg_oracle.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "../../Sources/Coders/CEaselJPEG/decode/decoder.h"

typedef struct {
  struct jpeg_error_mgr errors;
  jmp_buf jump;
  uint8_t *pixels;
} oracle;

static void on_error(j_common_ptr info) { longjmp(((oracle *)info->err)->jump, 1); }
static void on_message(j_common_ptr info, int level) { (void)info, (void)level; }

uint8_t *jpeg_oracle_pixels(const uint8_t *bytes, size_t count, int eighths, uint64_t most, uint32_t *width,
                            uint32_t *height) {
  struct jpeg_decompress_struct info;
  oracle state = {.pixels = NULL};
  info.err = jpeg_std_error(&state.errors);
  state.errors.error_exit = on_error;
  state.errors.emit_message = on_message;
  if (setjmp(state.jump)) {
    jpeg_destroy_decompress(&info);
    free(state.pixels);
    return NULL;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, count);
  jpeg_read_header(&info, TRUE);
  if ((uint64_t)info.image_width * info.image_height > most) longjmp(state.jump, 1);
  info.scale_num = (unsigned)eighths;
  info.scale_denom = 8;
  info.dct_method = JDCT_ISLOW;
  info.out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(&info);
  *width = info.output_width;
  *height = info.output_height;
  size_t stride = 4 * (size_t)info.output_width;
  state.pixels = calloc(info.output_height, stride);
  if (!state.pixels) longjmp(state.jump, 1);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = state.pixels + info.output_scanline * stride;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_destroy_decompress(&info);
  return state.pixels;
}

bool jpeg_decoder_agrees(const uint8_t *bytes, size_t count, int eighths, uint64_t most, bool *was_decoded) {
  *was_decoded = false;
  easel_jpeg_decoder_status status;
  easel_jpeg_decoder *decoder = easel_jpeg_decoder_create(bytes, count, &status);
  if (!decoder) return true;
  uint32_t width = 0, height = 0, expected_width = 0, expected_height = 0;
  easel_jpeg_decoder_size(decoder, 8, &width, &height);
  bool agrees = true;
  uint8_t *expected = NULL, *pixels = NULL;
  if ((uint64_t)width * height <= most) {
    easel_jpeg_decoder_size(decoder, eighths, &width, &height);
    // Not a byte more, so that a sanitizer sees what goes beyond.
    size_t stride = 4 * (size_t)width, size = stride * height;
    pixels = malloc(size);
    for (int way = 0; pixels && way < 3 && agrees; way++) {
      memset(pixels, 0, size);
      if (way == 2) easel_jpeg_decoder_leave_vectors(decoder);
      status = easel_jpeg_decoder_pixels(decoder, eighths, pixels, (ptrdiff_t)stride, way == 1 ? 2 : 1);
      // All ways are of one mind about which files are whole.
      if (way > 0 && (status == EASEL_JPEG_DECODER_OK) != *was_decoded) agrees = false;
      if (status != EASEL_JPEG_DECODER_OK) continue;
      *was_decoded = true;
      if (!expected) expected = jpeg_oracle_pixels(bytes, count, eighths, most, &expected_width, &expected_height);
      agrees = agrees && expected && width == expected_width && height == expected_height &&
               memcmp(pixels, expected, size) == 0;
    }
  }
  free(pixels);
  free(expected);
  easel_jpeg_decoder_destroy(decoder);
  return agrees;
}
