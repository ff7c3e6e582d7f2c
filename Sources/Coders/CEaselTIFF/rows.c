#include <math.h>
#include <string.h>

#include "internal.h"

// Rounds a word to a byte.
static inline uint8_t easel_tiff_byte(uint32_t word) { return (uint8_t)((word * 255 + 32895) >> 16); }

static inline uint16_t easel_tiff_word_at(const uint8_t *bytes) {
  uint16_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

static inline uint32_t easel_tiff_three_bytes_at(const uint8_t *bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
#else
  return bytes[2] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[0] << 16;
#endif
}

// ---- Samples

static double easel_tiff_half(uint16_t half) {
  int exponent = half >> 10 & 31;
  double fraction = half & 1023;
  double value = exponent == 0    ? ldexp(fraction, -24)
                 : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                  : ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -value : value;
}

// Converts a number with seven bits of exponent and sixteen of fraction.
static double easel_tiff_float24(uint32_t bits) {
  int exponent = bits >> 16 & 127;
  double fraction = bits & 0xFFFF;
  double value = exponent == 0     ? ldexp(fraction, -78)
                 : exponent == 127 ? (fraction == 0 ? INFINITY : NAN)
                                   : ldexp(65536 + fraction, exponent - 79);
  return bits & 0x800000 ? -value : value;
}

static double easel_tiff_real(const uint8_t *bytes, uint32_t bits) {
  switch (bits) {
    case 16: return easel_tiff_half(easel_tiff_word_at(bytes));
    case 24: return easel_tiff_float24(easel_tiff_three_bytes_at(bytes));
    case 32: {
      float value;
      memcpy(&value, bytes, sizeof value);
      return value;
    }
    default: {
      double value;
      memcpy(&value, bytes, sizeof value);
      return value;
    }
  }
}

static uint16_t easel_tiff_scaled(double value, double least, double greatest) {
  double share = (value - least) / (greatest - least);
  // A value that is not a number becomes black.
  return share > 0 ? share < 1 ? (uint16_t)(share * 65535 + 0.5) : 65535 : 0;
}

// The bits of a sample. For these widths, libtiff has put the bytes in the order of the processor. Samples of other
// widths are in the order of the file, the highest bit first.
static uint64_t easel_tiff_whole(const uint8_t *row, size_t index, uint32_t bits) {
  switch (bits) {
    case 8: return row[index];
    case 16: return easel_tiff_word_at(row + 2 * index);
    case 24: return easel_tiff_three_bytes_at(row + 3 * index);
    case 32: {
      uint32_t value;
      memcpy(&value, row + 4 * index, sizeof value);
      return value;
    }
    case 64: {
      uint64_t value;
      memcpy(&value, row + 8 * index, sizeof value);
      return value;
    }
    default: {
      uint64_t place = (uint64_t)index * bits, value = 0;
      const uint8_t *bytes = row + place / 8;
      uint32_t needed = (uint32_t)(place % 8) + bits;
      for (uint32_t got = 0; got < needed; got += 8) value = value << 8 | *bytes++;
      value >>= (8 - needed % 8) % 8;
      return value & ((1ull << bits) - 1);
    }
  }
}

// Reads the samples of a channel, scaled to the range of words. The indices of a palette are not scaled.
static void easel_tiff_unpack(const easel_tiff_form *form, const uint8_t *row, size_t first, size_t step, size_t count,
                              bool is_number, uint16_t *words) {
  uint32_t bits = form->bits;
  if (form->is_float) {
    double least = form->has_range ? form->least : 0, greatest = form->has_range ? form->greatest : 1;
    size_t bytes = bits / 8;
    for (size_t i = 0; i < count; i++) {
      words[i] = easel_tiff_scaled(easel_tiff_real(row + (first + i * step) * bytes, bits), least, greatest);
    }
    return;
  }
  if (form->is_signed) {
    uint64_t sign = 1ull << (bits - 1);
    for (size_t i = 0; i < count; i++) {
      uint64_t whole = easel_tiff_whole(row, first + i * step, bits);
      // Extends the sign of the sample to 64 bits.
      int64_t value = (int64_t)((whole ^ sign) - sign);
      double top = (double)sign;
      words[i] = form->has_range ? easel_tiff_scaled((double)value, form->least, form->greatest)
                                 : easel_tiff_scaled((double)value, -top, top - 1);
    }
    return;
  }
  if (bits == 8) {
    const uint8_t *bytes = row + first;
    uint16_t factor = is_number ? 1 : 257;
    for (size_t i = 0; i < count; i++) words[i] = (uint16_t)(bytes[i * step] * factor);
  } else if (bits == 16) {
    for (size_t i = 0; i < count; i++) words[i] = easel_tiff_word_at(row + 2 * (first + i * step));
  } else if (bits > 16) {
    for (size_t i = 0; i < count; i++) {
      words[i] = (uint16_t)(easel_tiff_whole(row, first + i * step, bits) >> (bits - 16));
    }
  } else {
    uint32_t most = (1u << bits) - 1;
    for (size_t i = 0; i < count; i++) {
      uint32_t value = (uint32_t)easel_tiff_whole(row, first + i * step, bits);
      words[i] = (uint16_t)(is_number ? value : (value * 65535 + most / 2) / most);
    }
  }
}

// ---- Pixels

typedef struct {
  bool is_wide;
  void *target;
} easel_tiff_output;

static inline void easel_tiff_put(easel_tiff_output output, size_t i, const uint16_t rgb[3], uint16_t alpha) {
  if (output.is_wide) {
    uint16_t *pixel = (uint16_t *)output.target + 4 * i;
    pixel[0] = rgb[0];
    pixel[1] = rgb[1];
    pixel[2] = rgb[2];
    pixel[3] = alpha;
  } else {
    uint8_t *pixel = (uint8_t *)output.target + 4 * i;
    pixel[0] = easel_tiff_byte(rgb[0]);
    pixel[1] = easel_tiff_byte(rgb[1]);
    pixel[2] = easel_tiff_byte(rgb[2]);
    pixel[3] = easel_tiff_byte(alpha);
  }
}

static void easel_tiff_divide(uint16_t *words, const uint16_t *alpha, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t cover = alpha[i];
    uint32_t value = cover > 0 ? ((uint32_t)words[i] * 65535u + cover / 2) / cover : 0;
    words[i] = value > 65535 ? 65535 : (uint16_t)value;
  }
}

static uint16_t easel_tiff_clamp(float value) {
  return value > 0 ? value < 65535 ? (uint16_t)(value + 0.5f) : 65535 : 0;
}

// Converts samples of 8 bits to red, green and blue.
static void easel_tiff_ycbcr(const easel_tiff_form *form, uint32_t y, uint32_t cb, uint32_t cr, uint16_t rgb[3]) {
  const float *luma = form->luma, *range = form->range;
  float light = ((float)y - range[0]) * 255 / (range[1] - range[0]);
  float blue = ((float)cb - range[2]) * 127 / (range[3] - range[2]);
  float red = ((float)cr - range[4]) * 127 / (range[5] - range[4]);
  float r = light + red * (2 - 2 * luma[0]);
  float b = light + blue * (2 - 2 * luma[2]);
  float g = (light - luma[0] * r - luma[2] * b) / luma[1];
  // The colours are first rounded to bytes, as in other readers.
  rgb[0] = (uint16_t)(easel_tiff_clamp(r * 257) / 257.0f + 0.5f) * 257;
  rgb[1] = (uint16_t)(easel_tiff_clamp(g * 257) / 257.0f + 0.5f) * 257;
  rgb[2] = (uint16_t)(easel_tiff_clamp(b * 257) / 257.0f + 0.5f) * 257;
}

// Converts a row of blocks: each has its luma, row by row, and then one sample of each chroma.
static void easel_tiff_convert_blocks(const easel_tiff_form *form, const uint8_t *blocks, uint32_t line, size_t count,
                                      easel_tiff_output output) {
  size_t across = form->across, size = across * form->down + 2;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *block = blocks + i / across * size;
    uint16_t rgb[3];
    easel_tiff_ycbcr(form, block[line * across + i % across], block[size - 2], block[size - 1], rgb);
    easel_tiff_put(output, i, rgb, 65535);
  }
}

static void easel_tiff_lab(const easel_tiff_form *form, const uint16_t *samples[3], size_t i, uint16_t rgb[3]) {
  bool is_byte = form->bits == 8;
  float l, a = 0, b = 0;
  bool has_colors = samples[1] != NULL;
  if (is_byte) {
    l = samples[0][i] / 257 * 100.0f / 255;
    if (has_colors) {
      uint8_t x = (uint8_t)(samples[1][i] / 257), y = (uint8_t)(samples[2][i] / 257);
      a = form->lab == PHOTOMETRIC_CIELAB ? (float)(int8_t)x : (float)x - 128;
      b = form->lab == PHOTOMETRIC_CIELAB ? (float)(int8_t)y : (float)y - 128;
      if (form->lab == PHOTOMETRIC_ITULAB) {
        a = (float)x / 255 * 170 - 85;
        b = (float)y / 255 * 200 - 75;
      }
    }
  } else {
    float top = form->lab == PHOTOMETRIC_ICCLAB ? 65280 : 65535;
    l = samples[0][i] * 100.0f / top;
    if (has_colors) {
      a = form->lab == PHOTOMETRIC_CIELAB ? (float)(int16_t)samples[1][i] / 256 : (float)samples[1][i] / 256 - 128;
      b = form->lab == PHOTOMETRIC_CIELAB ? (float)(int16_t)samples[2][i] / 256 : (float)samples[2][i] / 256 - 128;
      if (form->lab == PHOTOMETRIC_ITULAB) {
        a = (float)samples[1][i] / 65535 * 170 - 85;
        b = (float)samples[2][i] / 65535 * 200 - 75;
      }
    }
  }
  easel_tiff_lab_to_rgb(form->white, l, a, b, rgb);
}

// ---- The usual forms, without words in between

static bool easel_tiff_convert_bytes(const easel_tiff_form *form, const uint8_t *row, size_t count, uint8_t *target) {
  size_t step = form->step;
  if (form->kind == EASEL_TIFF_RGB && !form->has_alpha) {
    for (size_t i = 0; i < count; i++, row += step, target += 4) {
      target[0] = row[0];
      target[1] = row[1];
      target[2] = row[2];
      target[3] = 255;
    }
    return true;
  }
  if (form->kind == EASEL_TIFF_RGB && !form->is_premultiplied) {
    uint32_t alpha = form->place[3];
    if (step == 4) {
      memcpy(target, row, 4 * count);
      return true;
    }
    for (size_t i = 0; i < count; i++, row += step, target += 4) {
      target[0] = row[0];
      target[1] = row[1];
      target[2] = row[2];
      target[3] = row[alpha];
    }
    return true;
  }
  if (form->kind == EASEL_TIFF_GRAY && !form->has_alpha) {
    uint8_t flip = form->is_inverted ? 255 : 0;
    for (size_t i = 0; i < count; i++, row += step, target += 4) {
      target[0] = target[1] = target[2] = row[0] ^ flip;
      target[3] = 255;
    }
    return true;
  }
  return false;
}

static void easel_tiff_convert_bilevel(const uint8_t *row, bool is_inverted, size_t count, uint8_t *target) {
  uint8_t flip = is_inverted ? 255 : 0;
  for (size_t i = 0; i < count; i++, target += 4) {
    uint8_t value = (uint8_t)((row[i / 8] >> (7 - i % 8) & 1 ? 255 : 0) ^ flip);
    target[0] = target[1] = target[2] = value;
    target[3] = 255;
  }
}

static bool easel_tiff_convert_simply(const easel_tiff_form *form, const uint8_t *row, size_t count, bool is_wide,
                                      void *target) {
  if (form->is_float || form->is_signed || form->has_planes) return false;
  if (form->bits == 8 && !is_wide) return easel_tiff_convert_bytes(form, row, count, target);
  if (form->bits == 1 && form->step == 1 && form->kind == EASEL_TIFF_GRAY && !is_wide) {
    easel_tiff_convert_bilevel(row, form->is_inverted, count, target);
    return true;
  }
  if (form->bits != 16 || form->kind != EASEL_TIFF_RGB || form->has_alpha) return false;
  easel_tiff_output output = {is_wide, target};
  for (size_t i = 0; i < count; i++, row += 2 * (size_t)form->step) {
    uint16_t rgb[3];
    memcpy(rgb, row, sizeof rgb);
    easel_tiff_put(output, i, rgb, 65535);
  }
  return true;
}

// ---- All forms

static void easel_tiff_put_inks(const uint16_t *const words[EASEL_TIFF_MOST_CHANNELS], size_t count, bool has_alpha,
                                uint8_t *target, uint8_t *alpha) {
  for (size_t i = 0; i < count; i++, target += 4) {
    for (int ink = 0; ink < 4; ink++) target[ink] = easel_tiff_byte(words[ink][i]);
    if (alpha) alpha[i] = has_alpha ? easel_tiff_byte(words[4][i]) : 255;
  }
}

void easel_tiff_convert(const easel_tiff_form *form, const uint8_t *const planes[EASEL_TIFF_MOST_CHANNELS],
                        uint32_t line, size_t count, bool is_wide, uint16_t *channels, void *target, uint8_t *alpha) {
  easel_tiff_output output = {is_wide, target};
  if (form->across > 0) {
    easel_tiff_convert_blocks(form, planes[0], line, count, output);
    return;
  }
  if (easel_tiff_convert_simply(form, planes[0], count, is_wide, target)) return;
  bool is_number = form->kind == EASEL_TIFF_PALETTE;
  uint32_t colors = form->channels - form->has_alpha;
  uint16_t *words[EASEL_TIFF_MOST_CHANNELS] = {NULL};
  for (uint32_t channel = 0; channel < form->channels; channel++) {
    words[channel] = channels + channel * count;
    const uint8_t *row = form->has_planes ? planes[channel] : planes[0];
    size_t first = form->has_planes ? 0 : form->place[channel], step = form->has_planes ? 1 : form->step;
    easel_tiff_unpack(form, row, first, step, count, is_number && channel < colors, words[channel]);
  }
  const uint16_t *cover = form->has_alpha ? words[colors] : NULL;
  if (form->is_inverted) {
    for (size_t i = 0; i < count; i++) words[0][i] = 65535 - words[0][i];
  }
  if (form->is_premultiplied && form->kind != EASEL_TIFF_PALETTE && form->kind != EASEL_TIFF_LAB) {
    for (uint32_t channel = 0; channel < colors; channel++) easel_tiff_divide(words[channel], cover, count);
  }
  if (form->kind == EASEL_TIFF_INKS) {
    const uint16_t *inks[EASEL_TIFF_MOST_CHANNELS] = {words[0], words[1], words[2], words[3], words[4]};
    easel_tiff_put_inks(inks, count, form->has_alpha, target, alpha);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    uint16_t rgb[3] = {0, 0, 0};
    switch (form->kind) {
      case EASEL_TIFF_GRAY: rgb[0] = rgb[1] = rgb[2] = words[0][i]; break;
      case EASEL_TIFF_PALETTE:
        for (int c = 0; c < 3 && words[0][i] < form->palette_count; c++) {
          uint32_t entry = form->palette[c][words[0][i]];
          // If the result has bytes, they are the upper halves of the words, as in every reader of palettes.
          rgb[c] = (uint16_t)(form->has_small_palette ? entry * 257 : is_wide ? entry : (entry >> 8) * 257);
        }
        break;
      case EASEL_TIFF_YCBCR:
        easel_tiff_ycbcr(form, words[0][i] / 257, words[1][i] / 257, words[2][i] / 257, rgb);
        break;
      case EASEL_TIFF_LAB: {
        const uint16_t *lab[3] = {words[0], colors > 1 ? words[1] : NULL, colors > 1 ? words[2] : NULL};
        easel_tiff_lab(form, lab, i, rgb);
        break;
      }
      default:
        for (int c = 0; c < 3; c++) rgb[c] = words[c][i];
    }
    easel_tiff_put(output, i, rgb, cover ? cover[i] : 65535);
  }
}
