#include "include/CEaselBasicBaseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- BMP and PPM

bool easel_baseline_decode_bmp(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, void *target) {
  size_t stride = ((size_t)width * 3 + 3) / 4 * 4;
  if (count < 54 + stride * height) return false;
  for (uint32_t y = 0; y < height; y++) {
    const uint8_t *source = bytes + 54 + stride * (height - 1 - y);
    uint8_t *row = (uint8_t *)target + (size_t)y * width * 4;
    for (uint32_t x = 0; x < width; x++, source += 3, row += 4) {
      row[0] = source[2];
      row[1] = source[1];
      row[2] = source[0];
      row[3] = 255;
    }
  }
  return true;
}

bool easel_baseline_decode_ppm(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, void *target) {
  size_t pixels = (size_t)width * height;
  if (count < pixels * 3) return false;
  const uint8_t *source = bytes + count - pixels * 3;
  uint8_t *row = target;
  for (size_t i = 0; i < pixels; i++, source += 3, row += 4) {
    row[0] = source[0];
    row[1] = source[1];
    row[2] = source[2];
    row[3] = 255;
  }
  return true;
}

bool easel_baseline_encode_bmp(const void *pixels, uint32_t width, uint32_t height, uint8_t **file, size_t *count) {
  size_t stride = ((size_t)width * 3 + 3) / 4 * 4;
  *count = 54 + stride * height;
  *file = malloc(*count);
  if (!*file) return false;
  memset(*file, 0, 54);
  memcpy(*file, "BM", 2);
  const uint32_t numbers[] = {(uint32_t)*count, 0, 54, 40, width, height, 1 | 24 << 16};
  memcpy(*file + 2, numbers, sizeof numbers);
  for (uint32_t y = 0; y < height; y++) {
    const uint8_t *source = (const uint8_t *)pixels + (size_t)y * width * 4;
    uint8_t *row = *file + 54 + stride * (height - 1 - y);
    for (uint32_t x = 0; x < width; x++, source += 4, row += 3) {
      row[0] = source[2];
      row[1] = source[1];
      row[2] = source[0];
    }
    memset(row, 0, stride - (size_t)width * 3);
  }
  return true;
}

bool easel_baseline_encode_ppm(const void *pixels, uint32_t width, uint32_t height, uint8_t **file, size_t *count) {
  char head[64];
  size_t start = (size_t)snprintf(head, sizeof head, "P6\n%u %u\n255\n", width, height);
  *count = start + (size_t)width * height * 3;
  *file = malloc(*count);
  if (!*file) return false;
  memcpy(*file, head, start);
  const uint8_t *source = pixels;
  uint8_t *row = *file + start;
  for (size_t i = 0; i < (size_t)width * height; i++, source += 4, row += 3) {
    row[0] = source[0];
    row[1] = source[1];
    row[2] = source[2];
  }
  return true;
}

// ---- QOI

typedef struct {
  uint8_t red, green, blue, alpha;
} easel_baseline_pixel;

static unsigned easel_baseline_place(easel_baseline_pixel pixel) {
  return (pixel.red * 3u + pixel.green * 5u + pixel.blue * 7u + pixel.alpha * 11u) % 64;
}

bool easel_baseline_decode_qoi(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, void *target) {
  easel_baseline_pixel seen[64] = {{0, 0, 0, 0}}, pixel = {0, 0, 0, 255}, *row = target;
  size_t place = 14, pixels = (size_t)width * height, run = 0;
  for (size_t i = 0; i < pixels; i++) {
    if (run > 0) {
      run--;
    } else {
      // The eight bytes of the end make it safe to read the longest code.
      if (place + 8 > count) return false;
      uint8_t code = bytes[place++];
      if (code == 0xFE || code == 0xFF) {
        pixel.red = bytes[place++];
        pixel.green = bytes[place++];
        pixel.blue = bytes[place++];
        if (code == 0xFF) pixel.alpha = bytes[place++];
      } else if (code < 0x40) {
        pixel = seen[code];
      } else if (code < 0x80) {
        pixel.red += (uint8_t)((code >> 4 & 3) - 2);
        pixel.green += (uint8_t)((code >> 2 & 3) - 2);
        pixel.blue += (uint8_t)((code & 3) - 2);
      } else if (code < 0xC0) {
        uint8_t more = bytes[place++];
        int green = (code & 63) - 32;
        pixel.red += (uint8_t)(green - 8 + (more >> 4));
        pixel.green += (uint8_t)green;
        pixel.blue += (uint8_t)(green - 8 + (more & 15));
      } else {
        run = code & 63;
      }
      seen[easel_baseline_place(pixel)] = pixel;
    }
    row[i] = pixel;
  }
  return true;
}

static bool easel_baseline_is_same(easel_baseline_pixel a, easel_baseline_pixel b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static uint8_t *easel_baseline_put(uint8_t *target, easel_baseline_pixel pixel, easel_baseline_pixel before) {
  int8_t red = (int8_t)(pixel.red - before.red), green = (int8_t)(pixel.green - before.green);
  int8_t blue = (int8_t)(pixel.blue - before.blue);
  int8_t red_green = (int8_t)(red - green), blue_green = (int8_t)(blue - green);
  if (red >= -2 && red < 2 && green >= -2 && green < 2 && blue >= -2 && blue < 2) {
    *target++ = (uint8_t)(0x40 | (red + 2) << 4 | (green + 2) << 2 | (blue + 2));
  } else if (red_green >= -8 && red_green < 8 && green >= -32 && green < 32 && blue_green >= -8 && blue_green < 8) {
    *target++ = (uint8_t)(0x80 | (green + 32));
    *target++ = (uint8_t)((red_green + 8) << 4 | (blue_green + 8));
  } else {
    *target++ = 0xFE;
    *target++ = pixel.red;
    *target++ = pixel.green;
    *target++ = pixel.blue;
  }
  return target;
}

bool easel_baseline_encode_qoi(const void *pixels, uint32_t width, uint32_t height, uint8_t **file, size_t *count) {
  size_t area = (size_t)width * height;
  uint8_t *bytes = malloc(14 + 4 * area + 8);
  if (!bytes) return false;
  const uint8_t head[] = {'q', 'o', 'i', 'f', (uint8_t)(width >> 24), (uint8_t)(width >> 16), (uint8_t)(width >> 8),
                          (uint8_t)width, (uint8_t)(height >> 24), (uint8_t)(height >> 16), (uint8_t)(height >> 8),
                          (uint8_t)height, 3, 0};
  memcpy(bytes, head, sizeof head);
  uint8_t *target = bytes + sizeof head;
  easel_baseline_pixel seen[64] = {{0, 0, 0, 0}}, before = {0, 0, 0, 255};
  const easel_baseline_pixel *source = pixels;
  unsigned run = 0;
  for (size_t i = 0; i < area; i++) {
    easel_baseline_pixel pixel = source[i];
    bool is_same = easel_baseline_is_same(pixel, before);
    if (is_same) run++;
    if (run == 62 || (run > 0 && (!is_same || i + 1 == area))) {
      *target++ = (uint8_t)(0xC0 | (run - 1));
      run = 0;
    }
    if (is_same) continue;
    unsigned place = easel_baseline_place(pixel);
    if (easel_baseline_is_same(seen[place], pixel)) {
      *target++ = (uint8_t)place;
    } else {
      seen[place] = pixel;
      target = easel_baseline_put(target, pixel, before);
    }
    before = pixel;
  }
  memcpy(target, "\0\0\0\0\0\0\0\1", 8);
  *file = bytes;
  *count = (size_t)(target + 8 - bytes);
  return true;
}
