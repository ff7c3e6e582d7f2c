// Round trips through the C targets of the coders, and small jobs for the other C targets, to see that they work with
// the libraries of a system. Needs no Swift.

#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CEaselAVIF.h"
#include "CEaselGIF.h"
#include "CEaselHEIF.h"
#include "CEaselJPEG.h"
#include "CEaselJXL.h"
#include "CEaselPNG.h"
#include "CEaselPixels.h"
#include "CEaselSVG.h"
#include "CEaselTIFF.h"
#include "CEaselText.h"
#include "CEaselWebP.h"
#include "checks.h"
#include "noise.h"

enum { WIDTH = 97, HEIGHT = 61, PIXELS = WIDTH * HEIGHT, BYTES = PIXELS * 4, ROW = WIDTH * 4 };

static uint8_t source[BYTES], target[BYTES];

// Smooth colours with some noise.
static void make_source(bool has_alpha) {
  noise n = noise_of(5);
  for (size_t i = 0; i < PIXELS; i++) {
    size_t x = i % WIDTH, y = i / WIDTH;
    source[i * 4] = (uint8_t)(x * 2 + below(&n, 8));
    source[i * 4 + 1] = (uint8_t)(y * 3 + below(&n, 8));
    source[i * 4 + 2] = (uint8_t)((x + y) + below(&n, 8));
    source[i * 4 + 3] = has_alpha ? (uint8_t)(255 - x) : 255;
  }
  memset(target, 0, BYTES);
}

static bool is_exact(void) { return memcmp(source, target, BYTES) == 0; }

// The mean difference of samples.
static double error_of(const uint8_t *a, const uint8_t *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += abs(a[i] - b[i]);
  return sum / (double)count;
}

static uint32_t word_at(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// ---- PNG

static void read_png_in_pieces(const easel_png_layout *layout, const uint8_t *data, size_t count, bool strictly) {
  easel_png_rows *rows;
  memset(target, 0, BYTES);
  check(easel_png_rows_create(layout, &rows) == EASEL_PNG_OK, "PNG: rows");
  if (strictly) check(easel_png_rows_restart_strictly(rows) == EASEL_PNG_OK, "PNG: rows over zlib");
  for (size_t i = 0; i < count; i += 113) {
    size_t piece = count - i < 113 ? count - i : 113;
    check(easel_png_rows_feed(rows, data + i, piece, target, ROW, NULL, NULL) == EASEL_PNG_OK, "PNG: feeding");
  }
  check(easel_png_rows_are_complete(rows) && is_exact(), strictly ? "PNG: read over zlib" : "PNG: read over ISA-L");
  easel_png_rows_destroy(rows);
}

static void check_png(void) {
  make_source(true);
  easel_png_layout layout = {.width = WIDTH, .height = HEIGHT, .bit_depth = 8, .color_type = 6};
  easel_png_stream stream;
  check(easel_png_compress(&layout, source, ROW, 6, 2, NULL, NULL, &stream) == EASEL_PNG_OK, "PNG: written");
  size_t data_count = 0;
  for (size_t i = 0; i < stream.count; i++) data_count += stream.pieces[i].count;
  uint8_t *data = malloc(data_count), *next = data;
  for (size_t i = 0; i < stream.count; i++) {
    memcpy(next, stream.pieces[i].bytes, stream.pieces[i].count);
    next += stream.pieces[i].count;
  }
  easel_png_stream_destroy(&stream);
  read_png_in_pieces(&layout, data, data_count, false);
  read_png_in_pieces(&layout, data, data_count, true);
  size_t filtered = easel_png_filtered_row_bytes(&layout) * HEIGHT;
  uint8_t *rows = malloc(filtered);
  memset(target, 0, BYTES);
  check(easel_png_inflate(data, data_count, rows, filtered) == EASEL_PNG_OK, "PNG: inflated at once");
  check(easel_png_expand_rows(&layout, rows, 0, HEIGHT, target, ROW) == EASEL_PNG_OK && is_exact(), "PNG: expanded");
  data[data_count / 2] ^= 0x40;
  check(easel_png_inflate(data, data_count, rows, filtered) == EASEL_PNG_BAD_DATA, "PNG: damage is noticed");
  free(rows);
  free(data);
}

// ---- JPEG

static size_t write_jpeg(uint8_t *file, size_t room, bool is_thrifty) {
  easel_jpeg_layout layout = {.width = WIDTH, .height = HEIGHT, .quality = 92, .columns_per_color = 2,
                              .rows_per_color = 2, .is_progressive = true, .is_optimized = true,
                              .is_thrifty = is_thrifty, .is_smallest = is_thrifty, .has_restarts = is_thrifty};
  easel_jpeg_writer *writer = easel_jpeg_writer_create(&layout);
  size_t count = 0;
  check(writer && easel_jpeg_writer_begin(writer) == EASEL_JPEG_OK, "JPEG: writer");
  check(easel_jpeg_writer_rows(writer, source, ROW, HEIGHT) == EASEL_JPEG_OK, "JPEG: rows written");
  check(easel_jpeg_writer_finish(writer) == EASEL_JPEG_OK, "JPEG: written");
  const void *bytes = easel_jpeg_writer_bytes(writer, &count);
  check(count <= room, "JPEG: its size");
  memcpy(file, bytes, count);
  easel_jpeg_writer_destroy(writer);
  return count;
}

static void read_jpeg(const uint8_t *file, size_t count, int eighths, uint32_t *width, uint32_t *height) {
  easel_jpeg_reader *reader = easel_jpeg_reader_create();
  easel_jpeg_input input = {.bytes = file, .count = count, .is_end = true};
  easel_jpeg_file all = {.bytes = file, .count = count};
  easel_jpeg_info info;
  check(easel_jpeg_reader_header(reader, &input, &info) == EASEL_JPEG_OK && info.width == WIDTH, "JPEG: head");
  input = (easel_jpeg_input){.bytes = input.bytes + input.consumed, .count = input.count - input.consumed, .is_end = true};
  check(info.has_several_scans, "JPEG: scans");
  check(easel_jpeg_reader_begin(reader, eighths, width, height) == EASEL_JPEG_OK, "JPEG: begun");
  easel_jpeg_status status = EASEL_JPEG_OK;
  while (status == EASEL_JPEG_OK) {
    status = easel_jpeg_reader_absorb(reader, &input, 4, 100);
    size_t used = (size_t)input.consumed < input.count ? (size_t)input.consumed : input.count;
    input = (easel_jpeg_input){.bytes = input.bytes + used, .count = input.count - used, .is_end = true};
  }
  check(status == EASEL_JPEG_ENDED, "JPEG: all scans");
  check(easel_jpeg_reader_restart_rows(reader) == EASEL_JPEG_OK, "JPEG: rows begun");
  for (uint32_t y = 0, rows = 1; y < *height && rows; y += rows) {
    rows = 0;
    easel_jpeg_reader_scan_rows(reader, &all, target + y * ROW, ROW, *height - y, &rows);
    check(rows > 0, "JPEG: rows read");
  }
  check(!easel_jpeg_reader_damage(reader), "JPEG: undamaged");
  easel_jpeg_reader_destroy(reader);
}

static void check_jpeg(void) {
  static uint8_t file[1 << 17];
  make_source(false);
  for (int is_thrifty = 0; is_thrifty < 2; is_thrifty++) {
    size_t count = write_jpeg(file, sizeof file, is_thrifty);
    uint32_t width, height;
    read_jpeg(file, count, 8, &width, &height);
    check(width == WIDTH && height == HEIGHT && error_of(source, target, BYTES) < 4, "JPEG: read");
    read_jpeg(file, count, 4, &width, &height);
    check(width == (WIDTH + 1) / 2 && height == (HEIGHT + 1) / 2, "JPEG: read at half its size");
  }
  static uint8_t plain[sizeof file];
  size_t count = write_jpeg(file, sizeof file, true);
  int usual = easel_pixels_limit_level(EASEL_LEVEL_SCALAR);
  check(write_jpeg(plain, sizeof plain, true) == count && !memcmp(file, plain, count), "JPEG: the same everywhere");
  easel_pixels_limit_level(usual);
}

// ---- GIF

// The first byte of the pixels of the first frame, after a global table of 256 colours.
static size_t pixels_of_gif(const uint8_t *file, size_t count) {
  size_t i = 13 + 768;
  while (i + 10 < count && file[i] == 0x21) {
    for (i += 2; i < count && file[i];) i += file[i] + 1u;
    i++;
  }
  return i + 10 < count && file[i] == 0x2C ? i + 10 : count;
}

static void check_gif(void) {
  static uint8_t indices[PIXELS], colors[768], chosen[1024];
  make_source(false);
  easel_palette_maker *maker;
  easel_palette_picture picture = {.pixels = source, .stride = ROW, .width = WIDTH, .height = HEIGHT};
  easel_palette_caller caller = {0};
  double error;
  check(easel_palette_maker_create(&maker), "palette: maker");
  check(easel_palette_maker_add(maker, &picture, false, caller), "palette: counted");
  easel_palette_drawing drawing = {.colors = chosen, .skipped = -1, .diffusion = 1};
  drawing.count = easel_palette_choose(maker, 256, 0, chosen, &error, caller);
  easel_palette_maker_destroy(maker);
  check(easel_palette_draw(&drawing, &picture, indices, caller), "palette: drawn");
  for (size_t i = 0; i < drawing.count; i++) memcpy(colors + 3 * i, chosen + 4 * i, 3);
  easel_gif_writer *writer;
  easel_gif_frame frame = {.width = WIDTH, .height = HEIGHT, .delay = 10, .disposal = 1, .transparent = -1};
  const uint8_t *file;
  size_t count;
  check(easel_gif_writer_create(WIDTH, HEIGHT, colors, 256, &writer) == EASEL_GIF_OK, "GIF: writer");
  check(easel_gif_writer_add_loop(writer, 0) == EASEL_GIF_OK, "GIF: loop");
  check(easel_gif_writer_begin_frame(writer, &frame) == EASEL_GIF_OK, "GIF: frame");
  check(easel_gif_writer_add_rows(writer, indices, WIDTH, HEIGHT) == EASEL_GIF_OK, "GIF: rows written");
  check(easel_gif_writer_finish(writer, &file, &count) == EASEL_GIF_OK, "GIF: written");
  easel_gif_layout layout = {.width = WIDTH, .height = HEIGHT, .visible_width = WIDTH, .visible_height = HEIGHT,
                             .transparent = -1};
  for (size_t i = 0; i < 256; i++) {
    memcpy(layout.colors + i * 4, colors + i * 3, 3);
    layout.colors[i * 4 + 3] = 255;
  }
  easel_gif_reader *reader;
  check(easel_gif_reader_create(&reader) == EASEL_GIF_OK, "GIF: reader");
  easel_gif_reader_begin(reader, &layout);
  size_t first = pixels_of_gif(file, count);
  easel_gif_state state = EASEL_GIF_READING;
  for (size_t i = first; i < count && state == EASEL_GIF_READING; i += 50) {
    state = easel_gif_reader_feed(reader, file + i, count - i < 50 ? count - i : 50, target, ROW);
  }
  bool is_same = state == EASEL_GIF_COMPLETE;
  for (size_t i = 0; i < PIXELS; i++) is_same = is_same && !memcmp(target + i * 4, colors + indices[i] * 3, 3);
  check(is_same, "GIF: read");
  check(error_of(source, target, BYTES) < 6, "GIF: colours");
  easel_gif_reader_destroy(reader);
  easel_gif_writer_destroy(writer);
}

// ---- WebP

static bool goes_on(void *context) {
  (void)context;
  return true;
}

static uint8_t *write_webp(bool is_lossless, size_t *count) {
  make_source(is_lossless);
  easel_webp_encoding encoding = {.is_lossless = is_lossless, .quality = 92, .effort = 4, .has_alpha = is_lossless};
  uint8_t *file = NULL;
  check(easel_webp_encode(&encoding, source, ROW, WIDTH, HEIGHT, goes_on, NULL, &file, count) == EASEL_WEBP_OK,
        "WebP: written");
  return file;
}

// Hands over a copy of some bytes that is gone afterwards.
static easel_webp_status append_webp(easel_webp_decoder *decoder, const uint8_t *bytes, size_t count) {
  uint8_t *piece = malloc(count + 1);
  if (!piece) return EASEL_WEBP_NO_MEMORY;
  memcpy(piece, bytes, count);
  easel_webp_status status = easel_webp_decoder_append(decoder, piece, count, target, ROW);
  free(piece);
  return status;
}

static void read_webp(bool is_lossless, bool appends, const uint8_t *file, size_t count) {
  make_source(is_lossless);
  easel_webp_output output = {.width = WIDTH, .height = HEIGHT};
  easel_webp_decoder *decoder;
  check(easel_webp_decoder_create(&output, &decoder) == EASEL_WEBP_OK, "WebP: decoder");
  easel_webp_status status = EASEL_WEBP_NEEDS_MORE;
  // The file's first twelve bytes come before the chunk.
  const uint8_t *bytes = file + 12;
  count -= 12;
  for (size_t known = 0; known < count && status == EASEL_WEBP_NEEDS_MORE;) {
    size_t piece = count - known < 100 ? count - known : 100;
    known += piece;
    status = appends ? append_webp(decoder, bytes + known - piece, piece)
                     : easel_webp_decoder_feed(decoder, bytes, known, target, ROW);
  }
  check(status == EASEL_WEBP_OK, "WebP: read");
  check(is_lossless ? is_exact() : error_of(source, target, BYTES) < 4, is_lossless ? "WebP: exact" : "WebP: close");
  easel_webp_decoder_destroy(decoder);
}

static void check_webp(bool is_lossless) {
  size_t count;
  uint8_t *file = write_webp(is_lossless, &count);
  if (!file) return;
  read_webp(is_lossless, false, file, count);
  read_webp(is_lossless, true, file, count);
  easel_webp_free(file);
}

// ---- TIFF

static size_t put(uint8_t *file, size_t at, uint32_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) file[at + i] = (uint8_t)(value >> (8 * i));
  return at + bytes;
}

static size_t put_entry(uint8_t *file, size_t at, uint16_t tag, uint16_t type, uint32_t value) {
  at = put(file, at, tag, 2);
  at = put(file, at, type, 2);
  at = put(file, at, 1, 4);
  return put(file, at, value, 4);
}

// One strip behind the eight bytes of the head, then the directory.
static size_t make_tiff(uint8_t *file, const uint8_t *strip, size_t count) {
  size_t directory = (8 + count + 1) & ~(size_t)1, bits = directory + 2 + 12 * 12 + 4;
  put(file, 0, 0x002A4949, 4);
  put(file, 4, (uint32_t)directory, 4);
  memcpy(file + 8, strip, count);
  size_t at = put(file, directory, 12, 2);
  at = put_entry(file, at, 256, 4, WIDTH);
  at = put_entry(file, at, 257, 4, HEIGHT);
  at = put_entry(file, at, 258, 3, (uint32_t)bits);
  put(file, at - 8, 4, 4);
  at = put_entry(file, at, 259, 3, 8);
  at = put_entry(file, at, 262, 3, 2);
  at = put_entry(file, at, 273, 4, 8);
  at = put_entry(file, at, 277, 3, 4);
  at = put_entry(file, at, 278, 4, HEIGHT);
  at = put_entry(file, at, 279, 4, (uint32_t)count);
  at = put_entry(file, at, 284, 3, 1);
  at = put_entry(file, at, 317, 3, 2);
  at = put_entry(file, at, 338, 3, 2);
  put(file, at, 0, 4);
  for (size_t i = 0; i < 4; i++) put(file, bits + 2 * i, 8, 2);
  return bits + 8;
}

static void check_tiff(void) {
  static uint8_t file[1 << 16];
  make_source(true);
  easel_tiff_writing writing = {.width = WIDTH, .height = HEIGHT, .components = 4, .compression = EASEL_TIFF_DEFLATE,
                                .level = 6, .predicts = true, .rows_per_strip = HEIGHT};
  easel_tiff_writer *writer;
  const uint8_t *strip;
  size_t count;
  uint32_t length;
  check(easel_tiff_writer_create(&writing, &writer) == EASEL_TIFF_OK, "TIFF: writer");
  check(easel_tiff_writer_strip(writer, source, ROW, 4, HEIGHT) == EASEL_TIFF_OK, "TIFF: strip written");
  check(easel_tiff_writer_finish(writer, &strip, &count, &length, 1) == EASEL_TIFF_OK, "TIFF: written");
  check(count + 256 < sizeof file, "TIFF: its size");
  size_t file_count = make_tiff(file, strip, count);
  easel_tiff_writer_destroy(writer);
  easel_tiff_source bytes = {.count = file_count, .bytes = file};
  easel_tiff_reader *reader;
  easel_tiff_layout layout;
  uint32_t rows = 0, good = 0;
  check(easel_tiff_reader_create(&bytes, 1 << 24, 1 << 24, &reader) == EASEL_TIFF_OK, "TIFF: reader");
  check(easel_tiff_reader_select(reader, word_at((uint8_t[]){file[7], file[6], file[5], file[4]}), &layout) ==
          EASEL_TIFF_OK,
        "TIFF: directory");
  uint32_t y = 0;
  while (y < HEIGHT && easel_tiff_reader_rows(reader, HEIGHT - y, false, target + y * ROW, ROW, NULL, &rows, &good) ==
                         EASEL_TIFF_OK && rows) {
    y += rows;
  }
  check(y == HEIGHT && is_exact() && !easel_tiff_reader_is_damaged(reader), "TIFF: read");
  easel_tiff_reader_destroy(reader);
}

// ---- AVIF

static void check_avif(bool is_lossless) {
  make_source(true);
  easel_avif_writing writing = {.width = WIDTH, .height = HEIGHT, .depth = 8, .has_alpha = true, .speed = 8,
                                .threads = 1, .primaries = 1, .transfer = 13, .is_still = true, .scale = 1,
                                .turns = 1, .swaps_left_and_right = true};
  // Matrix 0 keeps red, green and blue as they are.
  writing.matrix = is_lossless ? 0 : 6;
  writing.chroma = is_lossless ? EASEL_AVIF_444 : EASEL_AVIF_420;
  writing.quantizer = is_lossless ? 0 : 18;
  easel_avif_writer *writer;
  const uint8_t *file;
  size_t count;
  check(easel_avif_writer_create(&writing, &writer) == EASEL_AVIF_OK, "AVIF: writer");
  check(easel_avif_writer_add(writer, source, ROW, 1) == EASEL_AVIF_OK, "AVIF: frame written");
  check(easel_avif_writer_finish(writer, &file, &count) == EASEL_AVIF_OK, "AVIF: written");
  easel_avif_reading reading = {.most_pixels = 1 << 20, .most_side = 1000, .most_frames = 10, .threads = 1};
  easel_avif_reader *reader;
  easel_avif_header header;
  check(easel_avif_reader_create(file, count, &reading, &reader) == EASEL_AVIF_OK, "AVIF: head");
  easel_avif_reader_header(reader, &header);
  check(header.width == WIDTH && header.has_alpha && header.turns == 1 && header.swaps_left_and_right &&
          !header.swaps_top_and_bottom && header.transfer == 13,
        "AVIF: what the head says");
  check(easel_avif_reader_decode(reader, 0) == EASEL_AVIF_OK, "AVIF: decoded");
  check(easel_avif_reader_read_rows(reader, 0, HEIGHT, false, false, target, ROW) == EASEL_AVIF_OK, "AVIF: rows");
  check(is_lossless ? is_exact() : error_of(source, target, BYTES) < 6, is_lossless ? "AVIF: exact" : "AVIF: close");
  easel_avif_reader_destroy(reader);
  easel_avif_writer_destroy(writer);
}

// ---- JPEG XL

static bool may_go_on(void *context) {
  (void)context;
  return true;
}

static void read_jxl(const uint8_t *file, size_t count) {
  easel_jxl_reading reading = {.threads = 2, .reads_pixels = true, .most_box_bytes = 1 << 16};
  easel_jxl_reader *reader = easel_jxl_reader_create(&reading);
  easel_jxl_event event = EASEL_JXL_HEADER;
  easel_jxl_header header;
  easel_jxl_colors colors;
  while (event >= EASEL_JXL_HEADER) {
    event = easel_jxl_reader_next(reader, file, count, may_go_on, NULL);
    if (event == EASEL_JXL_HEADER) {
      check(easel_jxl_reader_header(reader, &header) && header.width == WIDTH && header.alpha_depth == 8, "JXL: head");
    } else if (event == EASEL_JXL_COLORS) {
      check(easel_jxl_reader_colors(reader, &colors) && colors.is_known && colors.primaries == 1, "JXL: colours");
      check(easel_jxl_reader_profile_count(reader) > 0, "JXL: profile of the colours");
    } else if (event == EASEL_JXL_NEEDS_TARGET) {
      check(easel_jxl_reader_set_target(reader, false, target, BYTES), "JXL: target");
    }
  }
  check(event == EASEL_JXL_END, "JXL: read");
  easel_jxl_reader_destroy(reader);
}

// Passes the pixels of a file without decoding them, and returns the last event.
static easel_jxl_event pass_jxl(const uint8_t *file, size_t count) {
  easel_jxl_reading reading = {.threads = 1, .reads_pixels = true, .most_box_bytes = 1 << 16};
  easel_jxl_reader *reader = easel_jxl_reader_create(&reading);
  easel_jxl_event event = EASEL_JXL_HEADER;
  while (event >= EASEL_JXL_HEADER && event != EASEL_JXL_NEEDS_TARGET) {
    event = easel_jxl_reader_next(reader, file, count, may_go_on, NULL);
  }
  if (event == EASEL_JXL_NEEDS_TARGET) event = easel_jxl_reader_pass(reader, file, count);
  check(easel_jxl_reader_consumed(reader) <= count, "JXL: passed too far");
  easel_jxl_reader_destroy(reader);
  return event;
}

static void check_inks(void) {
  uint8_t pixels[12] = {255, 128, 0, 9, 200, 100, 50, 8, 1, 2, 3, 7}, alpha[3] = {0};
  const uint8_t black[3] = {255, 128, 0}, rgba[12] = {255, 128, 0, 9, 100, 50, 25, 8, 0, 0, 0, 7};
  easel_jxl_take_black(pixels, black, alpha, 3);
  check(alpha[0] == 9 && alpha[1] == 8 && alpha[2] == 7 && pixels[7] == 128, "JXL: black in place of alpha");
  easel_cmyk8_to_rgba8(true, pixels, 3);
  easel_set_alpha8(pixels, alpha, 3);
  check(!memcmp(pixels, rgba, sizeof rgba), "JXL: inks");
}

static void check_jxl(bool is_lossless) {
  make_source(true);
  easel_jxl_writing writing = {.width = WIDTH, .height = HEIGHT, .has_alpha = true, .depth = 8,
                               .is_lossless = is_lossless, .distance = is_lossless ? 0 : 1, .effort = 3, .threads = 1,
                               .orientation = 1, .white = 1, .primaries = 1, .transfer = 13};
  easel_jxl_writer *writer;
  size_t count;
  check(easel_jxl_writer_create(&writing, &writer) == EASEL_JXL_WRITTEN, "JXL: writer");
  check(easel_jxl_writer_add(writer, source, BYTES, 0, true, may_go_on, NULL) == EASEL_JXL_WRITTEN, "JXL: written");
  const uint8_t *file = easel_jxl_writer_file(writer, &count);
  read_jxl(file, count);
  check(pass_jxl(file, count) == EASEL_JXL_PIXELS, "JXL: passed");
  check(pass_jxl(file, count - count / 4) == EASEL_JXL_CUT_OFF, "JXL: passed to where it is cut off");
  check(is_lossless ? is_exact() : error_of(source, target, BYTES) < 6, is_lossless ? "JXL: exact" : "JXL: close");
  easel_jxl_writer_destroy(writer);
}

static void check_packing(void) {
  static uint8_t jpeg[1 << 17];
  make_source(false);
  size_t jpeg_count = write_jpeg(jpeg, sizeof jpeg, false), count;
  easel_jxl_writer *writer;
  check(easel_jxl_writer_pack(jpeg, jpeg_count, 3, 1, may_go_on, NULL, &writer) == EASEL_JXL_WRITTEN, "JXL: packed");
  const uint8_t *file = easel_jxl_writer_file(writer, &count);
  easel_jxl_reading reading = {.threads = 1, .reads_jpeg = true, .most_jpeg_bytes = 1 << 20};
  easel_jxl_reader *reader = easel_jxl_reader_create(&reading);
  easel_jxl_event event = EASEL_JXL_HEADER;
  while (event >= EASEL_JXL_HEADER) event = easel_jxl_reader_next(reader, file, count, may_go_on, NULL);
  size_t restored = 0;
  const uint8_t *bytes = easel_jxl_reader_jpeg(reader, &restored);
  check(bytes && restored == jpeg_count && !memcmp(bytes, jpeg, restored), "JXL: unpacked byte for byte");
  easel_jxl_reader_destroy(reader);
  easel_jxl_writer_destroy(writer);
}

// ---- HEIC: there is no encoder, so only its refusal of nonsense

static bool heif_goes_on(void *context) { return --*(int *)context >= 0; }

// Seven cells in bands of two; nothing of them can be decoded.
static void check_heif_threads(const easel_heif_unit *unit, const easel_heif_form *form) {
  for (int threads = 1; threads <= 4; threads++) {
    easel_heif_cell cells[7];
    for (int i = 0; i < 7; i++) cells[i] = (easel_heif_cell){.units = unit, .count = 1, .status = EASEL_HEIF_STOPPED};
    const easel_heif_planes planes[2] = {{.width = 0}, {.width = 0}};
    int most = 100;
    bool is_right = true;
    easel_heif_threads *pool = easel_heif_threads_create(cells, 7, 2, form, planes, threads);
    easel_heif_threads_open(pool, 1);
    for (size_t band = 0; band < 4; band++) {
      easel_heif_threads_open(pool, band + 2);
      is_right = is_right && easel_heif_threads_wait(pool, band, heif_goes_on, &most);
      for (size_t i = 2 * band; i < 7 && i < 2 * band + 2; i++) is_right &= cells[i].status == EASEL_HEIF_BAD_DATA;
    }
    easel_heif_threads_destroy(pool);
    check(is_right, "HEIC: nonsense in cells is refused");
    most = 0;
    for (int i = 0; i < 7; i++) cells[i].status = EASEL_HEIF_STOPPED;
    pool = easel_heif_threads_create(cells, 7, 7, form, planes, 1);
    easel_heif_threads_open(pool, 1);
    bool goes_on = easel_heif_threads_wait(pool, 0, heif_goes_on, &most);
    easel_heif_threads_destroy(pool);
    check(!goes_on && cells[6].status == EASEL_HEIF_STOPPED, "HEIC: decoding of cells can be stopped");
  }
}

// A sequence of nonsense has no pictures, and ends.
static void check_heif_movie(const easel_heif_unit *unit, const easel_heif_form *form) {
  easel_heif_movie *movie;
  check(easel_heif_movie_create(form, 4, &movie) == EASEL_HEIF_OK, "HEIC: a sequence begins");
  easel_heif_planes planes;
  int64_t number = -1;
  bool is_right = true;
  for (int64_t i = 0; i < 5; i++) {
    easel_heif_status pushed = easel_heif_movie_push(movie, unit, 1, i);
    easel_heif_status found = easel_heif_movie_next(movie, &planes, &number);
    is_right = is_right && (pushed == EASEL_HEIF_OK || pushed == EASEL_HEIF_BAD_DATA) && found != EASEL_HEIF_OK;
  }
  is_right = is_right && easel_heif_movie_end(movie) == EASEL_HEIF_OK;
  is_right = is_right && easel_heif_movie_next(movie, &planes, &number) != EASEL_HEIF_OK;
  easel_heif_movie_destroy(movie);
  check(is_right && number == -1, "HEIC: nonsense in a sequence has no pictures");
}

static void check_heif(void) {
  static const uint8_t bytes[40] = {0x40, 1, 12, 1, 255, 255, 1, 96};
  easel_heif_unit unit = {.bytes = bytes, .count = sizeof bytes};
  easel_heif_form form = {.width = 64, .height = 64, .stored_width = 64, .stored_height = 64, .chroma = 1, .depth = 8,
                          .chroma_depth = 8};
  easel_heif_picture *picture = NULL;
  check(easel_heif_picture_decode(&unit, 1, &form, 1, &picture) == EASEL_HEIF_BAD_DATA, "HEIC: nonsense is refused");
  check_heif_threads(&unit, &form);
  check_heif_movie(&unit, &form);
  not_checked("HEIC: pictures, which nothing here can write");
}

// ---- SVG

static void check_svg(void) {
  static const char text[] =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 4'><rect width='4' height='4' fill='red'/></svg>";
  char message[EASEL_SVG_MESSAGE_BYTES];
  easel_svg_document *document;
  double width = 0, height = 0;
  check(easel_svg_open((const uint8_t *)text, sizeof text - 1, false, &document, message) == EASEL_SVG_OK, "SVG: opened");
  check(easel_svg_size(document, &width, &height) == EASEL_SVG_SIZE_STATED && width == 8 && height == 4, "SVG: size");
  uint8_t pixels[16 * 8 * 4] = {0};
  check(easel_svg_draw(document, width, height, pixels, 64, 16, 8, message) == EASEL_SVG_OK, "SVG: drawn");
  const uint8_t *inside = &pixels[7 * 64 + 7 * 4], *outside = inside + 4;
  check(inside[2] == 255 && inside[3] == 255 && !inside[0] && !outside[3], "SVG: exact");
  easel_svg_close(document);
  check(easel_svg_open((const uint8_t *)text, 40, false, &document, message) == EASEL_SVG_BAD_DATA, "SVG: a part is refused");
}

// ---- Text

// A system without fonts draws boxes, so only the room is looked at.
static void check_text(void) {
  const easel_text_style style = {
    .family = "sans-serif", .size = 20, .weight = 400, .color = {0, 0, 0, 1}, .outline = 2, .line_spacing = 1};
  char message[EASEL_TEXT_MESSAGE_BYTES];
  easel_text *text;
  check(easel_text_open("one\ntwo", 7, false, 1000, &style, &text, message) == EASEL_TEXT_OK, "text: opened");
  check(easel_text_line_count(text) == 2, "text: two lines");
  easel_text_box box = easel_text_box_of(text);
  check(box.width > 4 && box.width < 400 && box.height > 20 && box.height < 200, "text: room");
  uint8_t *pixels = calloc((size_t)box.width * (size_t)box.height, 4);
  check(easel_text_draw(text, pixels, (size_t)box.width * 4, box.width, box.height, message) == EASEL_TEXT_OK, "text: drawn");
  free(pixels);
  easel_text_close(text);
  check(easel_text_open("<b>", 3, true, 1000, &style, &text, message) == EASEL_TEXT_BAD_MARKUP, "text: bad markup is refused");
}

// ---- Under the filter of system calls

int easel_sandbox_filter_server(void);
int easel_sandbox_filter_child(bool has_threads);

// In a child with the filter of a sandbox's child, which has no threads. libwebp wants some for writing, and the sandbox
// only reads, so its file is made before.
static void check_sandbox(void) {
  size_t count;
  uint8_t *file = write_webp(false, &count);
  size_t before = failures();
  fflush(NULL);
  pid_t process = fork();
  if (process == 0) {
    if (easel_sandbox_filter_server() || easel_sandbox_filter_child(false)) _exit(errno == EINVAL || errno == ENOSYS ? 99 : 98);
    check_png();
    check_jpeg();
    check_gif();
    read_webp(false, false, file, count);
    check_tiff();
    check_avif(false);
    check_jxl(false);
    check_svg();
    _exit(failures() > before);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
  easel_webp_free(file);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 99) {
    not_checked("sandbox: the filter of system calls, which this system or emulator does not offer");
    return;
  }
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "sandbox: all formats under the filter of system calls");
}

int main(void) {
  check_png();
  check_jpeg();
  check_gif();
  check_webp(true);
  check_webp(false);
  check_tiff();
  check_avif(true);
  check_avif(false);
  check_jxl(true);
  check_jxl(false);
  check_packing();
  check_inks();
  check_heif();
  check_svg();
  check_text();
  check_others();
  check_sandbox();
  return report("coders");
}
