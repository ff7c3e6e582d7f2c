#include "CEaselJPEG2000.h"

// The component that a channel gives a pixel. Subsampling can lead to places beyond the plane, which have the last
// sample.
static uint16_t easel_jpeg2000_component(const easel_jpeg2000_channel *channel, const int32_t *row, uint32_t x) {
  uint32_t place = x / channel->x_step;
  if (place >= channel->plane.width) place = channel->plane.width - 1;
  int64_t value = ((int64_t)row[place] + channel->offset) >> channel->shift;
  if (value < 0) value = 0;
  if (value >= channel->table_count) value = channel->table_count - 1;
  return channel->table[value];
}

static const int32_t *easel_jpeg2000_row(const easel_jpeg2000_channel *channel, uint32_t y) {
  uint32_t row = y / channel->y_step;
  if (row >= channel->plane.height) row = channel->plane.height - 1;
  return channel->plane.samples + (size_t)row * channel->plane.width;
}

static uint16_t easel_jpeg2000_clamped(float value, float most) {
  return value <= 0 ? 0 : value >= most ? (uint16_t)most : (uint16_t)(value + 0.5f);
}

// Converts with the matrix of BT.601 in the full range.
static void easel_jpeg2000_from_ycc(uint16_t pixel[4], uint32_t most) {
  float y = pixel[0], middle = (float)((most + 1) / 2), b = (float)pixel[1] - middle, r = (float)pixel[2] - middle;
  pixel[0] = easel_jpeg2000_clamped(y + 1.402f * r, (float)most);
  pixel[1] = easel_jpeg2000_clamped(y - 0.344136f * b - 0.714136f * r, (float)most);
  pixel[2] = easel_jpeg2000_clamped(y + 1.772f * b, (float)most);
}

void easel_jpeg2000_write_rows(const easel_jpeg2000_channel channels[4], easel_jpeg2000_kind kind, bool has_fourth,
                               uint32_t left, uint32_t width, uint32_t top, uint32_t rows, bool is_wide, void *target,
                               size_t stride) {
  uint32_t most = is_wide ? 65535 : 255;
  int count = has_fourth ? 4 : 3;
  for (uint32_t y = top; y < top + rows; y++) {
    const int32_t *sources[4] = {0};
    for (int c = 0; c < count; c++) sources[c] = easel_jpeg2000_row(&channels[c], y);
    uint8_t *bytes = (uint8_t *)target + (size_t)(y - top) * stride;
    uint16_t *words = (uint16_t *)(void *)bytes;
    for (uint32_t x = 0; x < width; x++) {
      uint16_t pixel[4] = {0, 0, 0, (uint16_t)most};
      for (int c = 0; c < count; c++) pixel[c] = easel_jpeg2000_component(&channels[c], sources[c], left + x);
      if (kind == EASEL_JPEG2000_YCC) easel_jpeg2000_from_ycc(pixel, most);
      for (int c = 0; c < 4; c++) {
        if (is_wide) {
          words[4 * (size_t)x + c] = pixel[c];
        } else {
          bytes[4 * (size_t)x + c] = (uint8_t)pixel[c];
        }
      }
    }
  }
}
