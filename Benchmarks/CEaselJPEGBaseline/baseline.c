#include "include/CEaselJPEGBaseline.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

typedef struct {
  struct jpeg_error_mgr errors;
  jmp_buf jump;
} easel_baseline_errors;

static void easel_baseline_fail(j_common_ptr info) { longjmp(((easel_baseline_errors *)info->err)->jump, 1); }

bool easel_baseline_decode_jpeg(const void *bytes, size_t count, void *target, size_t capacity) {
  struct jpeg_decompress_struct info;
  easel_baseline_errors errors;
  info.err = jpeg_std_error(&errors.errors);
  errors.errors.error_exit = easel_baseline_fail;
  if (setjmp(errors.jump)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, (unsigned long)count);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(&info);
  size_t stride = (size_t)info.output_width * 4;
  bool fits = stride * info.output_height <= capacity;
  while (fits && info.output_scanline < info.output_height) {
    JSAMPROW rows[16];
    for (unsigned i = 0; i < 16; i++) rows[i] = (uint8_t *)target + (info.output_scanline + i) * stride;
    jpeg_read_scanlines(&info, rows, 16);
  }
  if (fits) jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return fits;
}

typedef struct {
  uint32_t *sums;
  uint32_t *counts;
  uint32_t *columns;
} easel_baseline_boxes;

static void easel_baseline_add(const easel_baseline_boxes *boxes, const uint8_t *row, size_t width) {
  for (size_t x = 0; x < width; x++, row += 4) {
    uint32_t column = boxes->columns[x];
    boxes->counts[column]++;
    for (int i = 0; i < 4; i++) boxes->sums[column * 4 + i] += row[i];
  }
}

static void easel_baseline_put(easel_baseline_boxes *boxes, uint8_t *row, size_t width) {
  for (size_t x = 0; x < width; x++) {
    for (int i = 0; i < 4; i++) row[x * 4 + i] = (uint8_t)(boxes->sums[x * 4 + i] / boxes->counts[x]);
  }
  memset(boxes->sums, 0, width * 4 * sizeof *boxes->sums);
  memset(boxes->counts, 0, width * sizeof *boxes->counts);
}

static void easel_baseline_reduce(struct jpeg_decompress_struct *info, easel_baseline_boxes *boxes, uint8_t *line,
                                  uint8_t *target, size_t width, size_t height) {
  for (size_t x = 0; x < info->output_width; x++) boxes->columns[x] = (uint32_t)(x * width / info->output_width);
  size_t current = 0;
  while (info->output_scanline < info->output_height) {
    size_t row = (size_t)info->output_scanline * height / info->output_height;
    if (row != current) easel_baseline_put(boxes, target + current * width * 4, width);
    current = row;
    JSAMPROW rows[1] = {line};
    jpeg_read_scanlines(info, rows, 1);
    easel_baseline_add(boxes, line, info->output_width);
  }
  easel_baseline_put(boxes, target + current * width * 4, width);
}

bool easel_baseline_thumbnail_jpeg(const void *bytes, size_t count, void *target, size_t width, size_t height) {
  struct jpeg_decompress_struct info;
  easel_baseline_errors errors;
  info.err = jpeg_std_error(&errors.errors);
  errors.errors.error_exit = easel_baseline_fail;
  if (setjmp(errors.jump)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, (unsigned long)count);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_EXT_RGBA;
  info.scale_denom = 8;
  info.scale_num = 1;
  while (info.scale_num < 8 && (info.image_width * info.scale_num / 8 < width ||
                                info.image_height * info.scale_num / 8 < height)) {
    info.scale_num *= 2;
  }
  jpeg_start_decompress(&info);
  // This memory comes from the library, which frees it with its own.
  easel_baseline_boxes boxes;
  j_common_ptr common = (j_common_ptr)&info;
  boxes.sums = info.mem->alloc_large(common, JPOOL_IMAGE, width * 4 * sizeof *boxes.sums);
  boxes.counts = info.mem->alloc_large(common, JPOOL_IMAGE, width * sizeof *boxes.counts);
  boxes.columns = info.mem->alloc_large(common, JPOOL_IMAGE, info.output_width * sizeof *boxes.columns);
  uint8_t *line = info.mem->alloc_large(common, JPOOL_IMAGE, (size_t)info.output_width * 4);
  memset(boxes.sums, 0, width * 4 * sizeof *boxes.sums);
  memset(boxes.counts, 0, width * sizeof *boxes.counts);
  easel_baseline_reduce(&info, &boxes, line, target, width, height);
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}
