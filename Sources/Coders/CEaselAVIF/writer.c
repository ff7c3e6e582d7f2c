#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct easel_avif_writer {
  easel_avif_writing writing;
  avifEncoder *encoder;
  avifImage *image;
  avifRWData file;
};

static avifPixelFormat easel_avif_format_of(easel_avif_chroma chroma) {
  switch (chroma) {
    case EASEL_AVIF_422: return AVIF_PIXEL_FORMAT_YUV422;
    case EASEL_AVIF_420: return AVIF_PIXEL_FORMAT_YUV420;
    case EASEL_AVIF_GRAY: return AVIF_PIXEL_FORMAT_YUV400;
    default: return AVIF_PIXEL_FORMAT_YUV444;
  }
}

// Tiles can be coded and decoded at the same time. Their number does not depend on the machine, so the file does not
// either.
static int easel_avif_tiles(uint32_t side) { return side >= 4096 ? 2 : side >= 2048 ? 1 : 0; }

static void easel_avif_tune(avifEncoder *encoder, const easel_avif_writing *writing) {
  encoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
  encoder->maxThreads = writing->threads;
  encoder->speed = writing->speed;
  encoder->timescale = writing->scale;
  encoder->tileColsLog2 = easel_avif_tiles(writing->width);
  encoder->tileRowsLog2 = easel_avif_tiles(writing->height);
  int least = writing->quantizer - 4, most = writing->quantizer + 4;
  int least_alpha = writing->alpha_quantizer - 4, most_alpha = writing->alpha_quantizer + 4;
  encoder->minQuantizer = least < 0 ? 0 : least;
  encoder->maxQuantizer = writing->quantizer == 0 ? 0 : most > 63 ? 63 : most;
  encoder->minQuantizerAlpha = least_alpha < 0 ? 0 : least_alpha;
  encoder->maxQuantizerAlpha = writing->alpha_quantizer == 0 ? 0 : most_alpha > 63 ? 63 : most_alpha;
}

static avifResult easel_avif_set(avifEncoder *encoder, const char *option, const char *value) {
  return EASEL_AVIF_RESULT(avifEncoderSetCodecSpecificOption(encoder, option, value));
}

static avifResult easel_avif_set_options(avifEncoder *encoder, const easel_avif_writing *writing) {
  char level[12], alpha_level[12];
  snprintf(level, sizeof level, "%d", writing->quantizer);
  snprintf(alpha_level, sizeof alpha_level, "%d", writing->alpha_quantizer);
  avifResult result = easel_avif_set(encoder, "end-usage", "q");
  if (result == AVIF_RESULT_OK) result = easel_avif_set(encoder, "color:cq-level", level);
  if (result == AVIF_RESULT_OK) result = easel_avif_set(encoder, "alpha:cq-level", alpha_level);
  if (result == AVIF_RESULT_OK && writing->quantizer > 0) result = easel_avif_set(encoder, "color:tune", "ssim");
  return result;
}

static avifResult easel_avif_add_blocks(avifImage *image, const easel_avif_writing *w) {
  avifResult result = AVIF_RESULT_OK;
  if (w->profile_count) result = EASEL_AVIF_RESULT(avifImageSetProfileICC(image, w->profile, w->profile_count));
  if (result == AVIF_RESULT_OK && w->exif_count) {
    result = EASEL_AVIF_RESULT(avifImageSetMetadataExif(image, w->exif, w->exif_count));
  }
  if (result == AVIF_RESULT_OK && w->xmp_count) {
    result = EASEL_AVIF_RESULT(avifImageSetMetadataXMP(image, w->xmp, w->xmp_count));
  }
  return result;
}

static void easel_avif_describe(avifImage *image, const easel_avif_writing *writing) {
  image->yuvRange = AVIF_RANGE_FULL;
  image->colorPrimaries = writing->primaries;
  image->transferCharacteristics = writing->transfer;
  image->matrixCoefficients = writing->matrix;
  // libavif has taken the turns from EXIF, so they are removed here.
  image->transformFlags = AVIF_TRANSFORM_NONE;
  if (writing->turns) {
    image->transformFlags |= AVIF_TRANSFORM_IROT;
    image->irot.angle = writing->turns & 3;
  }
  if (writing->swaps_left_and_right || writing->swaps_top_and_bottom) {
    image->transformFlags |= AVIF_TRANSFORM_IMIR;
    image->imir.EASEL_AVIF_MIRROR = writing->swaps_left_and_right;
  }
}

easel_avif_status easel_avif_writer_create(const easel_avif_writing *writing, easel_avif_writer **made) {
  *made = NULL;
  if (!avifCodecName(AVIF_CODEC_CHOICE_AOM, AVIF_CODEC_FLAG_CAN_ENCODE)) return EASEL_AVIF_NO_CODEC;
  easel_avif_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return EASEL_AVIF_NO_MEMORY;
  writer->writing = *writing;
  writer->encoder = avifEncoderCreate();
  writer->image = avifImageCreate(writing->width, writing->height, writing->depth, easel_avif_format_of(writing->chroma));
  if (!writer->encoder || !writer->image) {
    easel_avif_writer_destroy(writer);
    return EASEL_AVIF_NO_MEMORY;
  }
  easel_avif_tune(writer->encoder, writing);
  avifResult result = easel_avif_set_options(writer->encoder, writing);
  if (result == AVIF_RESULT_OK) result = easel_avif_add_blocks(writer->image, writing);
  easel_avif_describe(writer->image, writing);
  if (result == AVIF_RESULT_OK) {
    result = avifImageAllocatePlanes(writer->image, writing->has_alpha ? AVIF_PLANES_ALL : AVIF_PLANES_YUV);
  }
  if (result != AVIF_RESULT_OK) {
    easel_avif_writer_destroy(writer);
    return easel_avif_status_of(result);
  }
  *made = writer;
  return EASEL_AVIF_OK;
}

void easel_avif_writer_destroy(easel_avif_writer *writer) {
  if (!writer) return;
  if (writer->encoder) avifEncoderDestroy(writer->encoder);
  if (writer->image) avifImageDestroy(writer->image);
  avifRWDataFree(&writer->file);
  free(writer);
}

const char *easel_avif_writer_message(const easel_avif_writer *writer) { return writer->encoder->diag.error; }

static uint16_t easel_avif_narrow(uint32_t value, uint32_t from, uint32_t to) {
  uint32_t most = (1u << from) - 1;
  return (uint16_t)((value * ((1u << to) - 1) + most / 2) / most);
}

static void easel_avif_take_gray(avifImage *image, bool is_wide, const void *pixels, size_t stride) {
  uint32_t from = is_wide ? 16 : 8;
  for (uint32_t y = 0; y < image->height; y++) {
    const uint8_t *source = (const uint8_t *)pixels + y * stride;
    uint8_t *target = image->yuvPlanes[AVIF_CHAN_Y] + (size_t)y * image->yuvRowBytes[AVIF_CHAN_Y];
    if (image->depth == 8 && !is_wide) {
      memcpy(target, source, image->width);
      continue;
    }
    for (uint32_t x = 0; x < image->width; x++) {
      uint32_t value = is_wide ? ((const uint16_t *)(const void *)source)[x] : source[x];
      uint16_t sample = easel_avif_narrow(value, from, image->depth);
      if (image->depth == 8) {
        target[x] = (uint8_t)sample;
      } else {
        ((uint16_t *)(void *)target)[x] = sample;
      }
    }
  }
}

easel_avif_status easel_avif_writer_add(easel_avif_writer *writer, const void *pixels, size_t stride,
                                        uint64_t duration) {
  const easel_avif_writing *writing = &writer->writing;
  if (writing->chroma == EASEL_AVIF_GRAY) {
    easel_avif_take_gray(writer->image, writing->is_wide, pixels, stride);
  } else {
    avifRGBImage source;
    avifRGBImageSetDefaults(&source, writer->image);
    source.format = AVIF_RGB_FORMAT_RGBA;
    source.depth = writing->is_wide ? 16 : 8;
    source.ignoreAlpha = !writing->has_alpha;
    source.pixels = (uint8_t *)(uintptr_t)pixels;
    source.rowBytes = (uint32_t)stride;
    avifResult result = avifImageRGBToYUV(writer->image, &source);
    if (result != AVIF_RESULT_OK) return easel_avif_status_of(result);
  }
  avifAddImageFlags flags = writing->is_still ? AVIF_ADD_IMAGE_FLAG_SINGLE : AVIF_ADD_IMAGE_FLAG_NONE;
  return easel_avif_status_of(avifEncoderAddImage(writer->encoder, writer->image, duration, flags));
}

easel_avif_status easel_avif_writer_finish(easel_avif_writer *writer, const uint8_t **file, size_t *count) {
  avifRWDataFree(&writer->file);
  avifResult result = avifEncoderFinish(writer->encoder, &writer->file);
  if (result != AVIF_RESULT_OK) return easel_avif_status_of(result);
  *file = writer->file.data;
  *count = writer->file.size;
  return EASEL_AVIF_OK;
}
