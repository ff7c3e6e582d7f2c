#include "jpeg_oracle.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "../../Sources/Coders/CEaselJPEG/include/CEaselJPEG.h"

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

// Reads rows from bytes that arrive in pieces, and some rows at a time. Returns the number of rows.
static uint32_t read_in_pieces(easel_jpeg_decoder *decoder, const uint8_t *bytes, size_t count, int eighths,
                               bool is_ahead, uint8_t *pixels, size_t stride, uint32_t height, bool *is_whole) {
  *is_whole = false;
  if (easel_jpeg_decoder_begin(decoder, eighths) != EASEL_JPEG_DECODER_OK) return 0;
  if (is_ahead) easel_jpeg_decoder_read_ahead(decoder);
  uint32_t rows = 0, chance = (uint32_t)count;
  size_t at = easel_jpeg_decoder_header_size(decoder), end = at;
  easel_jpeg_decoder_status status = EASEL_JPEG_DECODER_NEEDS_BYTES;
  while (status == EASEL_JPEG_DECODER_OK || status == EASEL_JPEG_DECODER_NEEDS_BYTES) {
    chance = chance * 1664525 + 1013904223;
    if (status == EASEL_JPEG_DECODER_NEEDS_BYTES) {
      size_t more = 1 + (chance >> 8) % (chance >> 30 ? 3000 : 9);
      end = end + more < count ? end + more : count;
    }
    // A copy of its own size, so that a sanitizer sees what is read beyond.
    uint8_t *piece = malloc(end - at + 1);
    if (!piece) break;
    memcpy(piece, bytes + at, end - at);
    easel_jpeg_decoder_input input = {piece, end - at, end == count, 0};
    uint32_t got = 0, most = 1 + (chance >> 20) % 40;
    if (most > height - rows) most = height - rows;
    status = easel_jpeg_decoder_rows(decoder, &input, pixels + rows * stride, (ptrdiff_t)stride, most, &got);
    free(piece);
    rows += got;
    at += (size_t)input.consumed;
    if (status == EASEL_JPEG_DECODER_NEEDS_BYTES && end == count && input.is_end) break;
  }
  *is_whole = status == EASEL_JPEG_DECODER_ENDED;
  return rows;
}

// Reads rows with the coder's reader, which goes on with libjpeg-turbo where the decoder gives up.
static uint32_t read_with_coder(const uint8_t *bytes, size_t count, int eighths, bool is_ahead, uint8_t *pixels,
                                size_t stride, uint32_t height) {
  easel_jpeg_reader *reader = easel_jpeg_reader_create();
  if (!reader) return 0;
  easel_jpeg_input input = {bytes, count, true, 0};
  easel_jpeg_info info = {0};
  uint32_t rows = 0, width, read_height;
  size_t at = 0;
  easel_jpeg_status status = easel_jpeg_reader_header(reader, &input, &info);
  if (status == EASEL_JPEG_OK && !info.has_several_scans && info.kind != EASEL_JPEG_INKS)
    status = easel_jpeg_reader_begin(reader, eighths, &width, &read_height);
  else
    status = EASEL_JPEG_ENDED;
  if (is_ahead && status == EASEL_JPEG_OK) easel_jpeg_reader_read_ahead(reader);
  while (status == EASEL_JPEG_OK && rows < height) {
    at += (size_t)input.consumed;
    if (at > count) break;
    input = (easel_jpeg_input){bytes + at, count - at, true, 0};
    uint32_t got = 0;
    status = easel_jpeg_reader_rows(reader, &input, pixels + rows * stride, (ptrdiff_t)stride, height - rows, &got);
    rows += got;
  }
  // To the end, with the library or without.
  status = EASEL_JPEG_OK;
  while (rows == height && status == EASEL_JPEG_OK) {
    at += (size_t)input.consumed;
    if (at > count) break;
    input = (easel_jpeg_input){bytes + at, count - at, true, 0};
    status = easel_jpeg_reader_finish(reader, &input);
  }
  easel_jpeg_reader_destroy(reader);
  return rows;
}

bool jpeg_decoder_agrees(const uint8_t *bytes, size_t count, int eighths, uint64_t most, bool *was_decoded) {
  *was_decoded = false;
  easel_jpeg_decoder_status status;
  easel_jpeg_decoder *decoder = easel_jpeg_decoder_create(bytes, count, &status);
  if (!decoder) return true;
  uint32_t width = 0, height = 0, expected_width = 0, expected_height = 0;
  easel_jpeg_decoder_size(decoder, 8, &width, &height);
  uint8_t *expected = NULL, *pixels = NULL;
  bool agrees = true;
  if ((uint64_t)width * height <= most) {
    easel_jpeg_decoder_size(decoder, eighths, &width, &height);
    expected = jpeg_oracle_pixels(bytes, count, eighths, most, &expected_width, &expected_height);
    if (expected) agrees = width == expected_width && height == expected_height;
    // Not a byte more, so that a sanitizer sees what goes beyond.
    size_t stride = 4 * (size_t)width, size = stride * height;
    pixels = agrees ? malloc(size) : NULL;
    for (int way = 0; pixels && way < 8 && agrees; way++) {
      memset(pixels, 0, size);
      if (way == 2) easel_jpeg_decoder_limit_vectors(decoder, 0);
      if (way == 5) easel_jpeg_decoder_limit_vectors(decoder, 1);
      uint32_t rows = 0;
      bool is_whole = false;
      if (way == 3 || way == 6) {
        bool is_ahead = way == 6;
        rows = read_in_pieces(decoder, bytes, count, eighths, is_ahead, pixels, stride, height, &is_whole);
      } else if (way == 4 || way == 7) {
        rows = read_with_coder(bytes, count, eighths, way == 7, pixels, stride, height);
        // It gives the rows of damaged files, too.
        is_whole = *was_decoded && rows == height;
      } else {
        int threads = way == 1 ? 2 : 1;
        status = easel_jpeg_decoder_pixels(decoder, eighths, bytes, count, pixels, (ptrdiff_t)stride, threads);
        is_whole = status == EASEL_JPEG_DECODER_OK;
        rows = is_whole ? height : 0;
      }
      // All ways are of one mind about which files are whole; rows before damage are right, too.
      if (way == 0) *was_decoded = is_whole;
      agrees = is_whole == *was_decoded && (expected || !is_whole);
      if (agrees && expected) agrees = memcmp(pixels, expected, rows * stride) == 0;
    }
  }
  free(pixels);
  free(expected);
  easel_jpeg_decoder_destroy(decoder);
  return agrees;
}
