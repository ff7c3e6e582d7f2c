#include <stdlib.h>
#if !__has_include(<webp/decode.h>)
#error "Install libwebp-dev (Debian, Ubuntu) or libwebp-devel (Fedora)"
#endif
#include <webp/decode.h>

#include "include/CEaselWebP.h"

struct easel_webp_decoder {
  WebPDecoderConfig config;
  WebPIDecoder *decoder;
  easel_webp_output output;
  uint32_t rows;
};

static easel_webp_status easel_webp_status_of(VP8StatusCode code) {
  switch (code) {
    case VP8_STATUS_OK: return EASEL_WEBP_OK;
    case VP8_STATUS_OUT_OF_MEMORY: return EASEL_WEBP_NO_MEMORY;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return EASEL_WEBP_NEEDS_MORE;
    default: return EASEL_WEBP_BAD_DATA;
  }
}

easel_webp_status easel_webp_read_features(const void *bytes, size_t count, easel_webp_features *features) {
  WebPBitstreamFeatures found;
  VP8StatusCode code = WebPGetFeatures(bytes, count, &found);
  if (code != VP8_STATUS_OK) return easel_webp_status_of(code);
  if (found.width <= 0 || found.height <= 0) return EASEL_WEBP_BAD_DATA;
  features->width = (uint32_t)found.width;
  features->height = (uint32_t)found.height;
  features->is_lossless = found.format == 2;
  features->has_alpha = found.has_alpha;
  return EASEL_WEBP_OK;
}

easel_webp_status easel_webp_decoder_create(const easel_webp_output *output, easel_webp_decoder **made) {
  *made = NULL;
  easel_webp_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return EASEL_WEBP_NO_MEMORY;
  decoder->output = *output;
  if (WebPInitDecoderConfig(&decoder->config)) {
    decoder->config.output.colorspace = MODE_RGBA;
    decoder->config.output.is_external_memory = 1;
    decoder->config.options.use_threads = output->uses_threads;
    if (output->is_planar) {
      decoder->config.output.colorspace = MODE_YUV;
      // libwebp does the same when it scales to less than three quarters.
      decoder->config.options.bypass_filtering = 1;
    } else if (output->is_scaled) {
      decoder->config.options.use_scaling = 1;
      decoder->config.options.scaled_width = (int)output->width;
      decoder->config.options.scaled_height = (int)output->height;
    }
    decoder->decoder = WebPIDecode(NULL, 0, &decoder->config);
  }
  if (!decoder->decoder) {
    free(decoder);
    return EASEL_WEBP_NO_MEMORY;
  }
  *made = decoder;
  return EASEL_WEBP_OK;
}

void easel_webp_decoder_destroy(easel_webp_decoder *decoder) {
  if (!decoder) return;
  WebPIDelete(decoder->decoder);
  free(decoder);
}

typedef uint32_t easel_webp_four __attribute__((vector_size(16), aligned(4), may_alias));

// Four sums are computed at a time, because additions to a single sum would wait for each other.
static bool easel_webp_is_opaque(const uint32_t *row, size_t width) {
  const uint32_t opaque = 0xff000000;
  easel_webp_four all[4] = {~(easel_webp_four){0}, ~(easel_webp_four){0}, ~(easel_webp_four){0}, ~(easel_webp_four){0}};
  size_t x = 0;
  for (; x + 16 <= width; x += 16) {
    const easel_webp_four *pixels = (const easel_webp_four *)(const void *)(row + x);
    all[0] &= pixels[0];
    all[1] &= pixels[1];
    all[2] &= pixels[2];
    all[3] &= pixels[3];
  }
  easel_webp_four sum = all[0] & all[1] & all[2] & all[3];
  uint32_t rest = sum[0] & sum[1] & sum[2] & sum[3];
  for (; x < width; x++) rest &= row[x];
  return (rest & opaque) == opaque;
}

void easel_webp_make_opaque(void *rows, ptrdiff_t stride, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++) {
    // The rows of bitmaps are aligned to whole pixels. Big-endian machines are not supported.
    uint32_t *row = (uint32_t *)(void *)((uint8_t *)rows + (ptrdiff_t)y * stride);
    if (easel_webp_is_opaque(row, width)) continue;
    for (size_t x = 0; x < width; x++) row[x] |= 0xff000000;
  }
}

static void easel_webp_aim_planes(easel_webp_decoder *decoder, uint8_t *target) {
  const easel_webp_planes planes = easel_webp_planes_of(decoder->output.width, decoder->output.height);
  WebPYUVABuffer *buffer = &decoder->config.output.u.YUVA;
  buffer->y = target + planes.light;
  buffer->y_stride = (int)planes.stride;
  buffer->y_size = planes.bytes - planes.light;
  buffer->u = target + planes.color;
  buffer->u_stride = 2 * (int)planes.stride;
  buffer->u_size = planes.bytes - planes.color;
  buffer->v = target + planes.stride + planes.color;
  buffer->v_stride = buffer->u_stride;
  buffer->v_size = planes.bytes - planes.stride - planes.color;
}

static void easel_webp_aim(easel_webp_decoder *decoder, void *target, ptrdiff_t target_stride) {
  if (decoder->output.is_planar) {
    easel_webp_aim_planes(decoder, target);
    return;
  }
  WebPRGBABuffer *buffer = &decoder->config.output.u.RGBA;
  buffer->rgba = target;
  buffer->stride = (int)target_stride;
  buffer->size = (size_t)target_stride * decoder->output.height;
}

static easel_webp_status easel_webp_count_rows(easel_webp_decoder *decoder, VP8StatusCode code) {
  const easel_webp_output *output = &decoder->output;
  int width = 0, rows = 0;
  const WebPDecBuffer *buffer = WebPIDecodedArea(decoder->decoder, NULL, NULL, &width, &rows);
  // The planes only have room for rows of the announced width.
  if (buffer && output->is_planar && width != (int)output->width) return EASEL_WEBP_BAD_DATA;
  if (buffer && rows > (int)decoder->rows && rows <= (int)output->height) decoder->rows = (uint32_t)rows;
  if (code == VP8_STATUS_OK && output->is_planar && decoder->rows != output->height) return EASEL_WEBP_BAD_DATA;
  return easel_webp_status_of(code);
}

easel_webp_status easel_webp_decoder_feed(easel_webp_decoder *decoder, const void *bytes, size_t count, void *target,
                                          ptrdiff_t target_stride) {
  easel_webp_aim(decoder, target, target_stride);
  return easel_webp_count_rows(decoder, WebPIUpdate(decoder->decoder, bytes, count));
}

easel_webp_status easel_webp_decoder_append(easel_webp_decoder *decoder, const void *bytes, size_t count, void *target,
                                            ptrdiff_t target_stride) {
  easel_webp_aim(decoder, target, target_stride);
  return easel_webp_count_rows(decoder, WebPIAppend(decoder->decoder, bytes, count));
}

uint32_t easel_webp_decoder_rows(const easel_webp_decoder *decoder) { return decoder->rows; }
