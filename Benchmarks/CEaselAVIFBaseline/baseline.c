#include "include/CEaselAVIFBaseline.h"

#include <avif/avif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool easel_baseline_convert(avifDecoder *decoder, void *target) {
  avifRGBImage pixels;
  avifRGBImageSetDefaults(&pixels, decoder->image);
  pixels.depth = 8;
  pixels.pixels = target;
  pixels.rowBytes = decoder->image->width * 4;
  return avifImageYUVToRGB(decoder->image, &pixels) == AVIF_RESULT_OK;
}

static avifDecoder *easel_baseline_open(const void *bytes, size_t count, int threads) {
  avifDecoder *decoder = avifDecoderCreate();
  if (!decoder) return NULL;
  decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
  decoder->maxThreads = threads;
  if (avifDecoderSetIOMemory(decoder, bytes, count) == AVIF_RESULT_OK && avifDecoderParse(decoder) == AVIF_RESULT_OK) {
    return decoder;
  }
  avifDecoderDestroy(decoder);
  return NULL;
}

bool easel_baseline_decode_avif(const void *bytes, size_t count, void *target, int threads) {
  avifDecoder *decoder = easel_baseline_open(bytes, count, threads);
  if (!decoder) return false;
  bool is_decoded = avifDecoderNextImage(decoder) == AVIF_RESULT_OK && easel_baseline_convert(decoder, target);
  avifDecoderDestroy(decoder);
  return is_decoded;
}

// The mean of the samples of a plane that fall on each sample of the result: the cheapest way that uses all of them.
static void easel_baseline_mean(const uint8_t *plane, size_t stride, size_t width, size_t height, uint8_t *target,
                                size_t target_width, size_t target_height, uint32_t *sums) {
  for (size_t y = 0; y < target_height; y++) {
    size_t top = y * height / target_height, bottom = (y + 1) * height / target_height;
    memset(sums, 0, width * sizeof *sums);
    for (size_t row = top; row < bottom; row++) {
      for (size_t x = 0; x < width; x++) sums[x] += plane[row * stride + x];
    }
    for (size_t x = 0; x < target_width; x++) {
      size_t left = x * width / target_width, right = (x + 1) * width / target_width, sum = 0;
      for (size_t i = left; i < right; i++) sum += sums[i];
      target[y * target_width + x] = (uint8_t)(sum / ((right - left) * (bottom - top)));
    }
  }
}

bool easel_baseline_shrink_avif(const void *bytes, size_t count, void *target, int width, int height, int threads) {
  avifDecoder *decoder = easel_baseline_open(bytes, count, threads);
  if (!decoder) return false;
  avifImage *small = avifImageCreate((uint32_t)width, (uint32_t)height, 8, AVIF_PIXEL_FORMAT_YUV444);
  uint32_t *sums = malloc(decoder->image->width * sizeof *sums);
  bool is_right = small && sums && avifDecoderNextImage(decoder) == AVIF_RESULT_OK &&
                  avifImageAllocatePlanes(small, AVIF_PLANES_YUV) == AVIF_RESULT_OK && decoder->image->depth == 8;
  if (is_right) {
    const avifImage *image = decoder->image;
    bool is_half = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420;
    for (int plane = 0; plane < 3; plane++) {
      size_t divisor = is_half && plane > 0 ? 2 : 1;
      easel_baseline_mean(image->yuvPlanes[plane], image->yuvRowBytes[plane], image->width / divisor,
                          image->height / divisor, small->yuvPlanes[plane], (size_t)width, (size_t)height, sums);
    }
    small->matrixCoefficients = image->matrixCoefficients;
    small->yuvRange = image->yuvRange;
    avifRGBImage pixels;
    avifRGBImageSetDefaults(&pixels, small);
    pixels.depth = 8;
    pixels.pixels = target;
    pixels.rowBytes = (uint32_t)width * 4;
    is_right = avifImageYUVToRGB(small, &pixels) == AVIF_RESULT_OK;
  }
  free(sums);
  if (small) avifImageDestroy(small);
  avifDecoderDestroy(decoder);
  return is_right;
}

bool easel_baseline_play_avif(const void *bytes, size_t count, void *target, int threads) {
  avifDecoder *decoder = easel_baseline_open(bytes, count, threads);
  if (!decoder) return false;
  bool is_right = true;
  avifResult result;
  while ((result = avifDecoderNextImage(decoder)) == AVIF_RESULT_OK) {
    is_right = is_right && easel_baseline_convert(decoder, target);
  }
  avifDecoderDestroy(decoder);
  return is_right && result == AVIF_RESULT_NO_IMAGES_REMAINING;
}

bool easel_baseline_encode_avif(const void *pixels, int width, int height, int quantizer, int speed, int threads,
                                uint8_t **file, size_t *count) {
  avifEncoder *encoder = avifEncoderCreate();
  avifImage *image = avifImageCreate((uint32_t)width, (uint32_t)height, 8, AVIF_PIXEL_FORMAT_YUV420);
  if (!encoder || !image) return false;
  encoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
  encoder->maxThreads = threads;
  encoder->speed = speed;
  encoder->minQuantizer = quantizer < 4 ? 0 : quantizer - 4;
  encoder->maxQuantizer = quantizer > 59 ? 63 : quantizer + 4;
  char level[12];
  snprintf(level, sizeof level, "%d", quantizer);
  avifEncoderSetCodecSpecificOption(encoder, "end-usage", "q");
  avifEncoderSetCodecSpecificOption(encoder, "cq-level", level);
  avifEncoderSetCodecSpecificOption(encoder, "tune", "ssim");
  image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
  image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
  image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
  avifRGBImage source;
  avifRGBImageSetDefaults(&source, image);
  source.ignoreAlpha = true;
  source.pixels = (uint8_t *)(uintptr_t)pixels;
  source.rowBytes = (uint32_t)width * 4;
  avifRWData output = AVIF_DATA_EMPTY;
  bool is_written = avifImageRGBToYUV(image, &source) == AVIF_RESULT_OK &&
                    avifEncoderWrite(encoder, image, &output) == AVIF_RESULT_OK;
  *file = NULL;
  *count = 0;
  if (is_written && (*file = malloc(output.size))) {
    memcpy(*file, output.data, output.size);
    *count = output.size;
  }
  avifRWDataFree(&output);
  avifImageDestroy(image);
  avifEncoderDestroy(encoder);
  return *file != NULL;
}
