#include <stdlib.h>
#include <string.h>

#include "internal.h"

easel_avif_status easel_avif_status_of(avifResult result) {
  switch (result) {
    case AVIF_RESULT_OK: return EASEL_AVIF_OK;
    case AVIF_RESULT_OUT_OF_MEMORY: return EASEL_AVIF_NO_MEMORY;
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_IO_ERROR:
    case AVIF_RESULT_WAITING_ON_IO: return EASEL_AVIF_CUT_OFF;
    case AVIF_RESULT_NO_CODEC_AVAILABLE: return EASEL_AVIF_NO_CODEC;
    case AVIF_RESULT_INVALID_EXIF_PAYLOAD: return EASEL_AVIF_BAD_METADATA;
    case AVIF_RESULT_NOT_IMPLEMENTED:
    case AVIF_RESULT_REFORMAT_FAILED:
    case AVIF_RESULT_UNSUPPORTED_DEPTH: return EASEL_AVIF_UNSUPPORTED;
    default: return EASEL_AVIF_BAD_DATA;
  }
}

easel_avif_status easel_avif_reader_create(const void *bytes, size_t count, const easel_avif_reading *reading,
                                           easel_avif_reader **made) {
  *made = NULL;
  easel_avif_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return EASEL_AVIF_NO_MEMORY;
  avifDecoder *decoder = reader->decoder = avifDecoderCreate();
  reader->part = avifImageCreateEmpty();
  if (!decoder || !reader->part) {
    easel_avif_reader_destroy(reader);
    return EASEL_AVIF_NO_MEMORY;
  }
  *made = reader;
  // libaom would take three times as long as dav1d.
  decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
  decoder->maxThreads = reading->threads;
  decoder->allowProgressive = reading->shows_layers;
  decoder->ignoreExif = decoder->ignoreXMP = reading->ignores_metadata;
  decoder->imageSizeLimit = reading->most_pixels;
  decoder->imageDimensionLimit = reading->most_side;
  decoder->imageCountLimit = reading->most_frames;
  // Files of old encoders lack properties that libavif requires, but browsers show these files.
  decoder->strictFlags = AVIF_STRICT_DISABLED;
  avifResult result = avifDecoderSetIOMemory(decoder, bytes, count);
  if (result == AVIF_RESULT_OK) result = avifDecoderParse(decoder);
  return easel_avif_status_of(result);
}

void easel_avif_reader_destroy(easel_avif_reader *reader) {
  if (!reader) return;
  if (reader->decoder) avifDecoderDestroy(reader->decoder);
  if (reader->part) avifImageDestroy(reader->part);
  free(reader->rows);
  free(reader);
}

const char *easel_avif_reader_message(const easel_avif_reader *reader) { return reader->decoder->diag.error; }

void easel_avif_reader_header(const easel_avif_reader *reader, easel_avif_header *header) {
  const avifDecoder *decoder = reader->decoder;
  const avifImage *image = decoder->image;
  memset(header, 0, sizeof *header);
  header->width = image->width;
  header->height = image->height;
  header->depth = image->depth;
  header->has_alpha = decoder->alphaPresent;
  header->is_monochrome = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
  header->is_full_range = image->yuvRange == AVIF_RANGE_FULL;
  header->primaries = image->colorPrimaries;
  header->transfer = image->transferCharacteristics;
  header->matrix = image->matrixCoefficients;
  if (image->transformFlags & AVIF_TRANSFORM_CLAP) {
    const avifCleanApertureBox *crop = &image->clap;
    header->is_cropped = true;
    header->crop_width = (easel_avif_fraction){crop->widthN, crop->widthD};
    header->crop_height = (easel_avif_fraction){crop->heightN, crop->heightD};
    header->crop_x = (easel_avif_fraction){crop->horizOffN, crop->horizOffD};
    header->crop_y = (easel_avif_fraction){crop->vertOffN, crop->vertOffD};
  }
  if (image->transformFlags & AVIF_TRANSFORM_IROT) header->turns = image->irot.angle & 3;
  if (image->transformFlags & AVIF_TRANSFORM_IMIR) {
    header->swaps_left_and_right = image->imir.EASEL_AVIF_MIRROR == 1;
    header->swaps_top_and_bottom = image->imir.EASEL_AVIF_MIRROR == 0;
  }
  header->frame_count = decoder->imageCount > 0 ? (uint32_t)decoder->imageCount : 0;
  header->is_sequence = decoder->imageCount > 1 && decoder->progressiveState == AVIF_PROGRESSIVE_STATE_UNAVAILABLE;
  header->profile = image->icc.data;
  header->profile_count = image->icc.size;
  header->exif = image->exif.data;
  header->exif_count = image->exif.size;
  header->xmp = image->xmp.data;
  header->xmp_count = image->xmp.size;
}

void easel_avif_reader_limit(easel_avif_reader *reader, uint32_t most_pixels) {
  avifDecoder *decoder = reader->decoder;
  if (most_pixels > 0 && most_pixels < decoder->imageSizeLimit) decoder->imageSizeLimit = most_pixels;
}

bool easel_avif_reader_duration(const easel_avif_reader *reader, uint32_t index, uint64_t *duration, uint64_t *scale) {
  avifImageTiming timing;
  if (avifDecoderNthImageTiming(reader->decoder, index, &timing) != AVIF_RESULT_OK) return false;
  *duration = timing.durationInTimescales;
  *scale = timing.timescale;
  return true;
}

easel_avif_status easel_avif_reader_decode(easel_avif_reader *reader, uint32_t index) {
  // An image that is larger than announced would not fit its target.
  uint32_t width = reader->decoder->image->width, height = reader->decoder->image->height;
  avifResult result = avifDecoderNthImage(reader->decoder, index);
  if (result != AVIF_RESULT_OK) return easel_avif_status_of(result);
  const avifImage *image = reader->decoder->image;
  if (image->width != width || image->height != height) return EASEL_AVIF_BAD_DATA;
  if (!image->yuvPlanes[AVIF_CHAN_Y]) return EASEL_AVIF_BAD_DATA;
  return EASEL_AVIF_OK;
}

// ---- Rows

// libavif does not stretch the limited range of grey pictures.
static uint16_t easel_avif_stretch(uint32_t value, uint32_t depth, bool is_full_range, uint32_t most) {
  uint32_t black = is_full_range ? 0 : 16u << (depth - 8);
  uint32_t white = is_full_range ? (1u << depth) - 1 : 235u << (depth - 8);
  if (value <= black) return 0;
  if (value >= white) return (uint16_t)most;
  uint32_t range = white - black;
  return (uint16_t)(((uint64_t)(value - black) * most + range / 2) / range);
}

static uint32_t easel_avif_sample(const uint8_t *row, uint32_t x, bool is_word) {
  return is_word ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

static easel_avif_status easel_avif_read_gray(const avifImage *image, uint32_t first, uint32_t count, bool is_wide,
                                              uint8_t *target, size_t stride) {
  bool is_word = avifImageUsesU16(image);
  uint32_t values = 1u << image->depth, most = is_wide ? 65535 : 255;
  uint16_t *gray = malloc(2 * values * sizeof *gray);
  if (!gray) return EASEL_AVIF_NO_MEMORY;
  uint16_t *alpha = gray + values;
  for (uint32_t value = 0; value < values; value++) {
    gray[value] = easel_avif_stretch(value, image->depth, image->yuvRange == AVIF_RANGE_FULL, most);
    alpha[value] = easel_avif_stretch(value, image->depth, true, most);
  }
  for (uint32_t y = first; y < first + count; y++, target += stride) {
    const uint8_t *row = image->yuvPlanes[AVIF_CHAN_Y] + (size_t)y * image->yuvRowBytes[AVIF_CHAN_Y];
    const uint8_t *alphas = image->alphaPlane ? image->alphaPlane + (size_t)y * image->alphaRowBytes : NULL;
    for (uint32_t x = 0; x < image->width; x++) {
      uint16_t value = gray[easel_avif_sample(row, x, is_word) & (values - 1)];
      uint16_t cover = alphas ? alpha[easel_avif_sample(alphas, x, is_word) & (values - 1)] : (uint16_t)most;
      if (is_wide) {
        uint16_t *pixel = (uint16_t *)(void *)target + 4 * (size_t)x;
        pixel[0] = pixel[1] = pixel[2] = value;
        pixel[3] = cover;
      } else {
        uint8_t *pixel = target + 4 * (size_t)x;
        pixel[0] = pixel[1] = pixel[2] = (uint8_t)value;
        pixel[3] = (uint8_t)cover;
      }
    }
  }
  free(gray);
  return EASEL_AVIF_OK;
}

static void easel_avif_describe(avifRGBImage *pixels, const avifImage *image, bool is_wide, void *target,
                                size_t stride) {
  avifRGBImageSetDefaults(pixels, image);
  pixels->format = AVIF_RGB_FORMAT_RGBA;
  pixels->depth = is_wide ? 16 : 8;
  pixels->pixels = target;
  pixels->rowBytes = (uint32_t)stride;
}

static easel_avif_status easel_avif_convert(easel_avif_reader *reader, uint32_t first, uint32_t count, bool is_wide,
                                            void *target, size_t stride) {
  const avifImage *image = reader->decoder->image;
  avifCropRect rect = {0, first, image->width, count};
  avifResult result = avifImageSetViewRect(reader->part, image, &rect);
  if (result != AVIF_RESULT_OK) return easel_avif_status_of(result);
  // No program undoes this rare matrix as it is meant; all use the common matrix of the same primaries instead.
  if (reader->part->matrixCoefficients == AVIF_MATRIX_COEFFICIENTS_BT2020_CL) {
    reader->part->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT2020_NCL;
  }
  avifRGBImage pixels;
  easel_avif_describe(&pixels, image, is_wide, target, stride);
  pixels.height = count;
  return easel_avif_status_of(avifImageYUVToRGB(reader->part, &pixels));
}

static bool easel_avif_make_room(easel_avif_reader *reader, size_t needed) {
  if (needed <= reader->room) return true;
  free(reader->rows);
  reader->rows = malloc(needed);
  reader->room = reader->rows ? needed : 0;
  return reader->rows != NULL;
}

easel_avif_status easel_avif_reader_read_rows(easel_avif_reader *reader, uint32_t first, uint32_t count, bool is_wide,
                                              bool is_in_picture, void *target, size_t stride) {
  const avifImage *image = reader->decoder->image;
  if (count == 0) return EASEL_AVIF_OK;
  if (first % 2 == 1 || first >= image->height || count > image->height - first) return EASEL_AVIF_BAD_DATA;
  if (image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400) {
    easel_avif_status status = easel_avif_read_gray(image, first, count, is_wide, target, stride);
    if (status != EASEL_AVIF_OK || !image->alphaPlane || !image->alphaPremultiplied) return status;
    avifRGBImage pixels;
    easel_avif_describe(&pixels, image, is_wide, target, stride);
    pixels.height = count;
    return easel_avif_status_of(avifRGBImageUnpremultiplyAlpha(&pixels));
  }
  // If colours have a lower resolution, they are mixed from the rows above and below.
  uint32_t above = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420 && first > 0 ? 2 : 0;
  uint32_t below = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420 ? image->height - first - count : 0;
  if (below > 3) below = 2 + count % 2;
  if (above + below == 0) return easel_avif_convert(reader, first, count, is_wide, target, stride);
  size_t width = (size_t)image->width * (is_wide ? 8 : 4), kept = is_in_picture ? above : above + count + below;
  if (!easel_avif_make_room(reader, width * kept)) return EASEL_AVIF_NO_MEMORY;
  if (is_in_picture) {
    // The rows above would lose colours that come from the rows above them, so they are saved. The rows below are still
    // to come.
    uint8_t *start = (uint8_t *)target - above * stride;
    for (uint32_t row = 0; row < above; row++) memcpy(reader->rows + row * width, start + row * stride, width);
    easel_avif_status status =
        easel_avif_convert(reader, first - above, above + count + below, is_wide, start, stride);
    for (uint32_t row = 0; row < above; row++) memcpy(start + row * stride, reader->rows + row * width, width);
    return status;
  }
  easel_avif_status status =
      easel_avif_convert(reader, first - above, above + count + below, is_wide, reader->rows, width);
  if (status != EASEL_AVIF_OK) return status;
  for (uint32_t row = 0; row < count; row++) {
    memcpy((uint8_t *)target + row * stride, reader->rows + (above + row) * width, width);
  }
  return EASEL_AVIF_OK;
}

void easel_avif_take_alpha(void *target, size_t stride, const void *source, size_t width, size_t height,
                           bool is_wide) {
  for (size_t y = 0; y < height; y++) {
    uint8_t *row = (uint8_t *)target + y * stride;
    for (size_t x = 0; x < width; x++) {
      size_t place = y * width + x;
      if (is_wide) {
        ((uint16_t *)(void *)row)[4 * x + 3] = ((const uint16_t *)source)[4 * place];
      } else {
        row[4 * x + 3] = ((const uint8_t *)source)[4 * place];
      }
    }
  }
}
