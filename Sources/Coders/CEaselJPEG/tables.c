#include "thrifty.h"

#include <math.h>

#pragma STDC FP_CONTRACT OFF

// The numbers here were found by trying: half of 27 photographs, made 500 pixels large, were written with all of them
// varied one after another, until the bytes at equal SSIMULACRA 2 scores fell no further. The other half confirmed
// them.

// The quanta of brightness and of colours, for colours of a quarter of the pixels, at the scale 1. A table for each colour
// would cost more bytes than it saves.
static const float easel_jpeg_base_quanta[2][64] = {
    {
        8.0, 13.2, 12.6, 14.9, 19.1, 25.6, 35.9, 40.2,
        13.2, 13.3, 14.1, 17.7, 21.7, 36.7, 44.0, 42.6,
        12.6, 14.1, 16.1, 21.9, 33.7, 44.0, 50.1, 42.0,
        14.9, 17.7, 21.9, 26.0, 44.1, 55.0, 53.4, 41.9,
        19.1, 21.7, 33.7, 44.1, 51.4, 63.3, 60.0, 45.4,
        25.6, 36.7, 44.0, 55.0, 63.3, 62.3, 60.4, 41.4,
        35.9, 44.0, 50.1, 53.4, 60.0, 60.4, 53.3, 37.8,
        40.2, 42.6, 42.0, 41.9, 45.4, 41.4, 37.8, 30.6,
    },
    {
        7.1, 7.8, 10.0, 18.9, 38.2, 36.5, 34.7, 33.0,
        7.8, 9.0, 10.8, 26.4, 38.0, 36.3, 34.5, 32.8,
        10.0, 10.8, 22.7, 38.8, 37.3, 35.8, 34.1, 32.5,
        18.9, 26.4, 38.8, 37.7, 36.5, 35.0, 33.5, 31.9,
        38.2, 38.0, 37.3, 36.5, 35.3, 34.0, 32.6, 31.1,
        36.5, 36.3, 35.8, 35.0, 34.0, 32.8, 31.5, 30.1,
        34.7, 34.5, 34.1, 33.5, 32.6, 31.5, 30.3, 29.0,
        33.0, 32.8, 32.5, 31.9, 31.1, 30.1, 29.0, 27.9,
    },
};

// Tenths of the bits of a level with its code, by the zeros before it and its size, as they are on average.
static const uint8_t easel_jpeg_code_tenths[2][16][10] = {
    {
        {28, 43, 61, 83, 108, 141, 192, 255, 255, 255},
        {48, 71, 98, 126, 158, 190, 255, 255, 255, 255},
        {62, 93, 126, 158, 201, 255, 255, 255, 255, 255},
        {70, 104, 136, 163, 182, 223, 255, 255, 255, 255},
        {75, 116, 167, 197, 224, 255, 255, 255, 255, 255},
        {78, 114, 139, 183, 236, 255, 255, 255, 255, 255},
        {85, 126, 180, 219, 252, 255, 255, 255, 255, 255},
        {87, 120, 153, 201, 220, 255, 255, 255, 255, 255},
        {97, 137, 173, 210, 252, 255, 255, 255, 255, 255},
        {101, 143, 166, 242, 252, 255, 255, 255, 255, 255},
        {109, 157, 232, 242, 252, 255, 255, 255, 255, 255},
        {104, 143, 195, 242, 252, 255, 255, 255, 255, 255},
        {111, 159, 216, 242, 252, 255, 255, 255, 255, 255},
        {116, 199, 232, 242, 252, 255, 255, 255, 255, 255},
        {144, 194, 232, 242, 252, 255, 255, 255, 255, 255},
        {196, 222, 232, 242, 252, 255, 255, 255, 255, 255},
    },
    {
        {30, 44, 65, 90, 122, 169, 251, 255, 255, 255},
        {51, 68, 98, 131, 168, 225, 251, 255, 255, 255},
        {67, 96, 133, 165, 203, 241, 251, 255, 255, 255},
        {73, 96, 140, 221, 231, 241, 251, 255, 255, 255},
        {82, 115, 195, 198, 231, 241, 251, 255, 255, 255},
        {86, 133, 195, 221, 231, 241, 251, 255, 255, 255},
        {101, 142, 211, 221, 231, 241, 251, 255, 255, 255},
        {99, 139, 211, 221, 231, 241, 251, 255, 255, 255},
        {108, 150, 211, 221, 231, 241, 251, 255, 255, 255},
        {113, 157, 211, 221, 231, 241, 251, 255, 255, 255},
        {111, 169, 211, 221, 231, 241, 251, 255, 255, 255},
        {116, 160, 211, 221, 231, 241, 251, 255, 255, 255},
        {118, 160, 195, 221, 231, 241, 251, 255, 255, 255},
        {116, 185, 211, 221, 231, 241, 251, 255, 255, 255},
        {141, 201, 211, 221, 231, 241, 251, 255, 255, 255},
        {175, 201, 211, 221, 231, 241, 251, 255, 255, 255},
    },
};
static const uint8_t easel_jpeg_end_tenths[2] = {31, 19}, easel_jpeg_skip_tenths[2] = {179, 181};

// The scale at which a file has the score of one that libjpeg-turbo writes at this quality. At 100 nothing is lost that
// whole numbers can express.
static float easel_jpeg_scale(int quality) {
  if (quality >= 100) return 0;
  float usual = quality < 50 ? 50.0f / (float)(quality > 0 ? quality : 1) : 2.0f - (float)quality / 50.0f;
  return usual * 1.13f + 0.035f;
}

// By how much larger the quanta of colours are, by the pixels that share a colour: of more samples each is seen less.
static float easel_jpeg_color_scale(int pixels_per_color) {
  return pixels_per_color >= 4 ? 1.0f : pixels_per_color == 2 ? 1.5f : 2.3f;
}

void easel_jpeg_quanta(int kind, int quality, int pixels_per_color, uint16_t quanta[64]) {
  float scale = easel_jpeg_scale(quality) * (kind ? easel_jpeg_color_scale(pixels_per_color) : 1);
  for (int i = 0; i < 64; i++) {
    int quantum = (int)(easel_jpeg_base_quanta[kind][i] * scale + 0.5f);
    // Eight bits, which every reader knows.
    quanta[i] = (uint16_t)(quantum < 1 ? 1 : quantum > 255 ? 255 : quantum);
  }
}

void easel_jpeg_pricing_make(easel_jpeg_pricing *pricing, int kind, const uint16_t quanta[64]) {
  for (int i = 0; i < 64; i++) {
    int turned = (i & 7) * 8 + (i >> 3);
    float root = sqrtf(easel_jpeg_base_quanta[kind][i]);
    pricing->reciprocals[turned] = 1.0f / (float)quanta[i];
    pricing->weights[turned] = 1.15f * root * sqrtf(root);
    pricing->margins[turned] = 1.0f / pricing->weights[turned];
  }
  for (int size = 0; size < 16; size++) {
    pricing->fewest[size] = INFINITY;
    for (int run = 0; run < 16; run++) {
      bool is_known = size >= 1 && size <= 10;
      float bits = is_known ? (float)easel_jpeg_code_tenths[kind][run][size - 1] * 0.1f : INFINITY;
      pricing->bits[16 * size + run] = bits;
      if (bits < pricing->fewest[size]) pricing->fewest[size] = bits;
    }
  }
  pricing->end_bits = (float)easel_jpeg_end_tenths[kind] * 0.1f;
  pricing->skip_bits = (float)easel_jpeg_skip_tenths[kind] * 0.1f;
}

// Errors hide in what is busy. The power is -3/16, made of roots, which every processor rounds alike.
EASEL_JPEG_INLINE void easel_jpeg_patience_body(const float *activity, size_t count, float *patience) {
  for (size_t i = 0; i < count; i++) {
    float eighth = sqrtf(sqrtf(sqrtf(1.0f + activity[i] * (1 / 80.0f))));
    patience[i] = 1.0f / (eighth * sqrtf(eighth));
  }
}

EASEL_JPEG_CLONES(easel_jpeg_patience, (const float *activity, size_t count, float *patience),
                  (activity, count, patience))
