#include <math.h>

#include "internal.h"

static float easel_tiff_unfold(float value) {
  return value > 6.0f / 29 ? value * value * value : (value - 4.0f / 29) * 108 / 841;
}

static uint16_t easel_tiff_encoded(float light) {
  if (!(light > 0)) return 0;
  float value = light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
  return value < 1 ? (uint16_t)(value * 65535 + 0.5f) : 65535;
}

void easel_tiff_lab_to_rgb(const float white[3], float l, float a, float b, uint16_t rgb[3]) {
  float middle = (l + 16) / 116;
  float x = white[0] * easel_tiff_unfold(middle + a / 500);
  float y = white[1] * easel_tiff_unfold(middle);
  float z = white[2] * easel_tiff_unfold(middle - b / 200);
  // Converts from XYZ under D50 to linear sRGB, adapted to D65 with Bradford's method.
  rgb[0] = easel_tiff_encoded(3.1338561f * x - 1.6168667f * y - 0.4906146f * z);
  rgb[1] = easel_tiff_encoded(-0.9787684f * x + 1.9161415f * y + 0.0334540f * z);
  rgb[2] = easel_tiff_encoded(0.0719453f * x - 0.2289914f * y + 1.4052427f * z);
}
