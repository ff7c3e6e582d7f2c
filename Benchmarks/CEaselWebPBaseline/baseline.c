#include "include/CEaselWebPBaseline.h"

#include <stdlib.h>
#include <webp/decode.h>
#include <webp/demux.h>

bool easel_baseline_decode_webp(const void *bytes, size_t count, void *target, int width, int height, int is_scaled,
                                int uses_threads) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return false;
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = target;
  config.output.u.RGBA.stride = width * 4;
  config.output.u.RGBA.size = (size_t)width * 4 * (size_t)height;
  config.options.use_scaling = is_scaled;
  config.options.scaled_width = width;
  config.options.scaled_height = height;
  config.options.use_threads = uses_threads;
  return WebPDecode(bytes, count, &config) == VP8_STATUS_OK;
}

struct easel_baseline_player {
  WebPAnimDecoder *decoder;
};

easel_baseline_player *easel_baseline_player_create(const void *bytes, size_t count, int uses_threads) {
  WebPAnimDecoderOptions options;
  WebPData data = {bytes, count};
  easel_baseline_player *player = malloc(sizeof *player);
  if (!player || !WebPAnimDecoderOptionsInit(&options)) return NULL;
  options.color_mode = MODE_RGBA;
  options.use_threads = uses_threads;
  player->decoder = WebPAnimDecoderNew(&data, &options);
  if (player->decoder) return player;
  free(player);
  return NULL;
}

void easel_baseline_player_destroy(easel_baseline_player *player) {
  if (!player) return;
  WebPAnimDecoderDelete(player->decoder);
  free(player);
}

size_t easel_baseline_player_count(const easel_baseline_player *player) {
  WebPAnimInfo info;
  return WebPAnimDecoderGetInfo(player->decoder, &info) ? info.frame_count : 0;
}

const uint8_t *easel_baseline_player_next(easel_baseline_player *player) {
  uint8_t *frame = NULL;
  int timestamp = 0;
  return WebPAnimDecoderGetNext(player->decoder, &frame, &timestamp) ? frame : NULL;
}
