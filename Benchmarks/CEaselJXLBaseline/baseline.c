#include "include/CEaselJXLBaseline.h"

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/thread_parallel_runner.h>
#include <stdlib.h>
#include <string.h>

static const JxlPixelFormat easel_baseline_rgba = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};

// Decodes to a buffer, or to one that is made here if there is none.
static bool easel_baseline_read(const void *bytes, size_t count, int threads, JxlBasicInfo *info, void **target) {
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  void *runner = JxlThreadParallelRunnerCreate(NULL, (size_t)threads);
  bool is_right = decoder && runner &&
                  JxlDecoderSubscribeEvents(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE) == JXL_DEC_SUCCESS &&
                  JxlDecoderSetParallelRunner(decoder, JxlThreadParallelRunner, runner) == JXL_DEC_SUCCESS &&
                  JxlDecoderSetInput(decoder, bytes, count) == JXL_DEC_SUCCESS;
  if (is_right) JxlDecoderCloseInput(decoder);
  bool is_done = false;
  while (is_right && !is_done) {
    switch (JxlDecoderProcessInput(decoder)) {
      case JXL_DEC_BASIC_INFO: is_right = JxlDecoderGetBasicInfo(decoder, info) == JXL_DEC_SUCCESS; break;
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: {
        size_t room = (size_t)info->xsize * info->ysize * 4;
        if (!*target) *target = malloc(room);
        is_right = *target && JxlDecoderSetImageOutBuffer(decoder, &easel_baseline_rgba, *target, room) ==
                                  JXL_DEC_SUCCESS;
        break;
      }
      case JXL_DEC_FULL_IMAGE: is_done = true; break;
      default: is_right = false; break;
    }
  }
  if (runner) JxlThreadParallelRunnerDestroy(runner);
  if (decoder) JxlDecoderDestroy(decoder);
  return is_right;
}

bool easel_baseline_decode_jxl(const void *bytes, size_t count, int threads, void *target) {
  JxlBasicInfo info;
  return easel_baseline_read(bytes, count, threads, &info, &target);
}

bool easel_baseline_shrink_jxl(const void *bytes, size_t count, int threads, uint32_t width, uint32_t height,
                               void *target) {
  JxlBasicInfo info;
  void *pixels = NULL;
  bool is_right = easel_baseline_read(bytes, count, threads, &info, &pixels);
  uint32_t *sums = is_right ? malloc((size_t)info.xsize * 4 * sizeof *sums) : NULL;
  is_right = is_right && sums;
  for (size_t y = 0; is_right && y < height; y++) {
    size_t top = y * info.ysize / height, bottom = (y + 1) * info.ysize / height, row = (size_t)info.xsize * 4;
    memset(sums, 0, row * sizeof *sums);
    for (size_t from = top; from < bottom; from++) {
      const uint8_t *source = (const uint8_t *)pixels + from * row;
      for (size_t x = 0; x < row; x++) sums[x] += source[x];
    }
    for (size_t x = 0; x < width; x++) {
      size_t left = x * info.xsize / width, right = (x + 1) * info.xsize / width;
      for (size_t part = 0; part < 4; part++) {
        size_t sum = 0;
        for (size_t i = left; i < right; i++) sum += sums[4 * i + part];
        ((uint8_t *)target)[4 * (y * width + x) + part] = (uint8_t)(sum / ((right - left) * (bottom - top)));
      }
    }
  }
  free(sums);
  free(pixels);
  return is_right;
}

bool easel_baseline_encode_jxl(const void *pixels, uint32_t width, uint32_t height, float distance, int effort,
                               int threads, uint8_t **file, size_t *count) {
  size_t area = (size_t)width * height, room = 1 << 16;
  uint8_t *colors = malloc(3 * area);
  *file = malloc(room);
  *count = 0;
  JxlEncoder *encoder = JxlEncoderCreate(NULL);
  void *runner = JxlThreadParallelRunnerCreate(NULL, (size_t)threads);
  bool is_right = colors && *file && encoder && runner;
  if (is_right) {
    for (size_t i = 0; i < area; i++) memcpy(colors + 3 * i, (const uint8_t *)pixels + 4 * i, 3);
    JxlEncoderSetParallelRunner(encoder, JxlThreadParallelRunner, runner);
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = width;
    info.ysize = height;
    info.bits_per_sample = 8;
    info.uses_original_profile = distance == 0;
    JxlColorEncoding encoding;
    JxlColorEncodingSetToSRGB(&encoding, JXL_FALSE);
    JxlPixelFormat format = {3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    is_right = JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS &&
               JxlEncoderSetColorEncoding(encoder, &encoding) == JXL_ENC_SUCCESS &&
               JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort) == JXL_ENC_SUCCESS &&
               (distance > 0 ? JxlEncoderSetFrameDistance(settings, distance)
                             : JxlEncoderSetFrameLossless(settings, JXL_TRUE)) == JXL_ENC_SUCCESS &&
               JxlEncoderAddImageFrame(settings, &format, colors, 3 * area) == JXL_ENC_SUCCESS;
    JxlEncoderCloseInput(encoder);
  }
  JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT;
  while (is_right && status == JXL_ENC_NEED_MORE_OUTPUT) {
    uint8_t *next = *file + *count;
    size_t left = room - *count;
    status = JxlEncoderProcessOutput(encoder, &next, &left);
    *count = (size_t)(next - *file);
    if (status == JXL_ENC_NEED_MORE_OUTPUT) {
      room *= 2;
      uint8_t *larger = realloc(*file, room);
      is_right = larger != NULL;
      if (larger) *file = larger;
    }
  }
  if (runner) JxlThreadParallelRunnerDestroy(runner);
  if (encoder) JxlEncoderDestroy(encoder);
  free(colors);
  return is_right && status == JXL_ENC_SUCCESS;
}
