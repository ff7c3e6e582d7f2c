#include <string.h>
#include <webp/encode.h>

#include "include/CEaselWebP.h"

typedef struct {
  easel_webp_progress progress;
  void *context;
} easel_webp_watch;

static int easel_webp_report(int percent, const WebPPicture *picture) {
  (void)percent;
  const easel_webp_watch *watch = picture->user_data;
  return !watch->progress || watch->progress(watch->context);
}

static easel_webp_status easel_webp_error_of(WebPEncodingError error) {
  switch (error) {
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY: return EASEL_WEBP_NO_MEMORY;
    case VP8_ENC_ERROR_USER_ABORT: return EASEL_WEBP_STOPPED;
    default: return EASEL_WEBP_BAD_DATA;
  }
}

static bool easel_webp_configure(WebPConfig *config, const easel_webp_encoding *encoding) {
  if (!WebPConfigInit(config)) return false;
  config->thread_level = 1;
  if (!encoding->is_lossless) {
    config->quality = encoding->quality;
    config->method = encoding->method;
    return WebPValidateConfig(config);
  }
  // Keeps the colours of transparent pixels.
  config->exact = 1;
  return WebPConfigLosslessPreset(config, encoding->effort) && WebPValidateConfig(config);
}

static bool easel_webp_import(WebPPicture *picture, const easel_webp_encoding *encoding, const void *pixels,
                              ptrdiff_t stride) {
  return encoding->has_alpha ? WebPPictureImportRGBA(picture, pixels, (int)stride)
                             : WebPPictureImportRGBX(picture, pixels, (int)stride);
}

easel_webp_status easel_webp_encode(const easel_webp_encoding *encoding, const void *pixels, ptrdiff_t stride,
                                    uint32_t width, uint32_t height, easel_webp_progress progress, void *context,
                                    uint8_t **file, size_t *count) {
  WebPConfig config;
  WebPPicture picture;
  if (!easel_webp_configure(&config, encoding) || !WebPPictureInit(&picture)) return EASEL_WEBP_BAD_DATA;
  easel_webp_watch watch = {progress, context};
  easel_webp_status status = EASEL_WEBP_OK;
  // A lossy file has room for half a megabyte of block modes. If the modes need more, the next attempt chooses them
  // with less care.
  for (int limit = 0; limit <= 100; limit += 50) {
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture.use_argb = encoding->is_lossless;
    picture.width = (int)width;
    picture.height = (int)height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    picture.progress_hook = easel_webp_report;
    picture.user_data = &watch;
    config.partition_limit = limit;
    bool is_written = easel_webp_import(&picture, encoding, pixels, stride) && WebPEncode(&config, &picture);
    WebPEncodingError error = picture.error_code;
    WebPPictureFree(&picture);
    if (is_written) {
      *file = writer.mem;
      *count = writer.size;
      return EASEL_WEBP_OK;
    }
    WebPMemoryWriterClear(&writer);
    status = easel_webp_error_of(error);
    if (error != VP8_ENC_ERROR_PARTITION0_OVERFLOW) break;
  }
  return status;
}

void easel_webp_free(void *file) { WebPFree(file); }

easel_webp_rect easel_webp_differing_part(const void *pixels, ptrdiff_t stride, const void *others,
                                          ptrdiff_t other_stride, size_t width, size_t height) {
  size_t left = width, right = 0, top = height, bottom = 0;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *a = (const uint8_t *)pixels + (ptrdiff_t)y * stride;
    const uint8_t *b = (const uint8_t *)others + (ptrdiff_t)y * other_stride;
    if (memcmp(a, b, width * 4) == 0) continue;
    if (top == height) top = y;
    bottom = y + 1;
    size_t first = 0, last = width;
    // Only columns outside the part that is already known to differ need to be compared.
    while (first < left && memcmp(a + 4 * first, b + 4 * first, 4) == 0) first++;
    while (last > right && memcmp(a + 4 * (last - 1), b + 4 * (last - 1), 4) == 0) last--;
    if (first < left) left = first;
    if (last > right) right = last;
  }
  if (top == height) return (easel_webp_rect){0, 0, 0, 0};
  return (easel_webp_rect){(ptrdiff_t)left, (ptrdiff_t)top, (ptrdiff_t)(right - left), (ptrdiff_t)(bottom - top)};
}
