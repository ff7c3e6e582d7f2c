#include "coding.h"

#include <math.h>
#include <string.h>

// ---- Primaries

typedef struct {
  int code;
  // The x and y of red, green, blue and white.
  double xy[8];
} primaries;

#define D65 0.3127, 0.3290
#define ILLUMINANT_C 0.310, 0.316
#define EQUAL_ENERGY 1.0 / 3, 1.0 / 3

static const primaries known_primaries[] = {
    {1, {0.640, 0.330, 0.300, 0.600, 0.150, 0.060, D65}},
    {4, {0.67, 0.33, 0.21, 0.71, 0.14, 0.08, ILLUMINANT_C}},
    {5, {0.64, 0.33, 0.29, 0.60, 0.15, 0.06, D65}},
    {6, {0.630, 0.340, 0.310, 0.595, 0.155, 0.070, D65}},
    {7, {0.630, 0.340, 0.310, 0.595, 0.155, 0.070, D65}},
    {8, {0.681, 0.319, 0.243, 0.692, 0.145, 0.049, ILLUMINANT_C}},
    {9, {0.708, 0.292, 0.170, 0.797, 0.131, 0.046, D65}},
    {10, {1, 0, 0, 1, 0, 0, EQUAL_ENERGY}},
    {11, {0.680, 0.320, 0.265, 0.690, 0.150, 0.060, 0.314, 0.351}},
    {12, {0.680, 0.320, 0.265, 0.690, 0.150, 0.060, D65}},
    {22, {0.630, 0.340, 0.295, 0.605, 0.155, 0.077, D65}},
};

static const primaries *find_primaries(int code) {
  for (size_t i = 0; i < sizeof known_primaries / sizeof *known_primaries; i++)
    if (known_primaries[i].code == code) return &known_primaries[i];
  return NULL;
}

bool easel_transfer_is_high(int transfer) { return transfer == EASEL_TRANSFER_PQ || transfer == EASEL_TRANSFER_HLG; }

static bool is_known_transfer(int code) { return (code >= 4 && code <= 18) || code == 1; }

static int effective_transfer(const easel_coding *coding) {
  return is_known_transfer(coding->transfer) ? coding->transfer : 13;
}

static int effective_primaries(const easel_coding *coding) {
  if (find_primaries(coding->primaries)) return coding->primaries;
  return easel_transfer_is_high(coding->transfer) ? 9 : 1;
}

bool easel_coding_is_srgb(const easel_coding *coding) {
  int code = effective_primaries(coding);
  return (code == 1) && effective_transfer(coding) == 13;
}

// ---- Matrices

typedef struct {
  double m[3][3];
} matrix;

static matrix multiply(const matrix *a, const matrix *b) {
  matrix result;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      result.m[i][j] = 0;
      for (int k = 0; k < 3; k++) result.m[i][j] += a->m[i][k] * b->m[k][j];
    }
  return result;
}

static void apply(const matrix *a, const double v[3], double result[3]) {
  double r[3];
  for (int i = 0; i < 3; i++) r[i] = a->m[i][0] * v[0] + a->m[i][1] * v[1] + a->m[i][2] * v[2];
  memcpy(result, r, sizeof r);
}

static matrix inverse(const matrix *a) {
  const double(*m)[3] = a->m;
  matrix result;
  double determinant = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
      result.m[i][j] = m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
    }
  for (int j = 0; j < 3; j++) determinant += m[0][j] * result.m[j][0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) result.m[i][j] /= determinant;
  return result;
}

static void white_of(const primaries *p, double xyz[3]) {
  xyz[0] = p->xy[6] / p->xy[7];
  xyz[1] = 1;
  xyz[2] = (1 - p->xy[6] - p->xy[7]) / p->xy[7];
}

// The matrix from linear components to XYZ.
static matrix to_xyz(const primaries *p) {
  matrix result;
  for (int c = 0; c < 3; c++) {
    double x = p->xy[2 * c], y = p->xy[2 * c + 1];
    result.m[0][c] = x;
    result.m[1][c] = y;
    result.m[2][c] = 1 - x - y;
  }
  matrix back = inverse(&result);
  double white[3], scale[3];
  white_of(p, white);
  apply(&back, white, scale);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) result.m[r][c] *= scale[c];
  return result;
}

// Bradford's adaptation from one white to another.
static matrix adaptation(const double from[3], const double to[3]) {
  static const matrix cones = {{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}};
  matrix back = inverse(&cones), scaled = cones;
  double source[3], target[3];
  apply(&cones, from, source);
  apply(&cones, to, target);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) scaled.m[r][c] *= target[r] / source[r];
  return multiply(&back, &scaled);
}

static matrix between(const primaries *from, const primaries *to) {
  matrix in = to_xyz(from), out = to_xyz(to);
  out = inverse(&out);
  double white[3], wanted[3];
  white_of(from, white);
  white_of(to, wanted);
  matrix adapted = adaptation(white, wanted);
  adapted = multiply(&adapted, &in);
  return multiply(&out, &adapted);
}

static void luminance_weights(const primaries *p, double weights[3]) {
  matrix m = to_xyz(p);
  memcpy(weights, m.m[1], sizeof m.m[1]);
}

// ---- Transfer curves

static const double pq_m1 = 2610.0 / 16384, pq_m2 = 2523.0 / 4096 * 128;
static const double pq_c1 = 3424.0 / 4096, pq_c2 = 2413.0 / 4096 * 32, pq_c3 = 2392.0 / 4096 * 32;

// From a PQ signal to candela per square metre.
static double pq_to_nits(double signal) {
  double power = pow(fmax(signal, 0), 1 / pq_m2);
  return 10000 * pow(fmax(power - pq_c1, 0) / (pq_c2 - pq_c3 * power), 1 / pq_m1);
}

static double pq_from_nits(double nits) {
  double power = pow(fmax(nits, 0) / 10000, pq_m1);
  return pow((pq_c1 + pq_c2 * power) / (1 + pq_c3 * power), pq_m2);
}

static const double hlg_a = 0.17883277, hlg_b = 0.28466892, hlg_c = 0.55991073;

static double hlg_to_scene(double signal) {
  return signal <= 0.5 ? signal * signal / 3 : (exp((signal - hlg_c) / hlg_a) + hlg_b) / 12;
}

static double hlg_from_scene(double light) {
  return light <= 1.0 / 12 ? sqrt(3 * light) : hlg_a * log(12 * light - hlg_b) + hlg_c;
}

static double from_bt709(double v) {
  const double alpha = 1.09929682680944, beta = 0.018053968510807;
  return v < 4.5 * beta ? v / 4.5 : pow((v + alpha - 1) / alpha, 1 / 0.45);
}

static double to_bt709(double l) {
  const double alpha = 1.09929682680944, beta = 0.018053968510807;
  return l < beta ? 4.5 * l : alpha * pow(l, 0.45) - (alpha - 1);
}

static double from_srgb(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }

static double to_srgb(double l) { return l <= 0.0031308 ? 12.92 * l : 1.055 * pow(l, 1 / 2.4) - 0.055; }

// The curves of IEC 61966-2-4 and BT.1361 also go below black, but stored numbers are never negative.
double easel_transfer_to_linear(int transfer, double v) {
  switch (transfer) {
    case 1:
    case 6:
    case 11:
    case 12:
    case 14:
    case 15: return from_bt709(v);
    case 4: return pow(v, 2.2);
    case 5: return pow(v, 2.8);
    case 7: {
      const double alpha = 1.111572195921731, beta = 0.022821585529445;
      return v < 4 * beta ? v / 4 : pow((v + alpha - 1) / alpha, 1 / 0.45);
    }
    case 8: return v;
    case 9: return v <= 0 ? 0 : pow(10, (v - 1) * 2);
    case 10: return v <= 0 ? 0 : pow(10, (v - 1) * 2.5);
    case 17: return 52.37 / 48 * pow(v, 2.6);
    case EASEL_TRANSFER_PQ: return pq_to_nits(v) / EASEL_WHITE_NITS;
    case EASEL_TRANSFER_HLG: return hlg_to_scene(v);
    default: return from_srgb(v);
  }
}

static double from_linear(int transfer, double l) {
  switch (transfer) {
    case 1:
    case 6:
    case 11:
    case 12:
    case 14:
    case 15: return to_bt709(l);
    case 4: return pow(l, 1 / 2.2);
    case 5: return pow(l, 1 / 2.8);
    case 7: {
      const double alpha = 1.111572195921731, beta = 0.022821585529445;
      return l < beta ? 4 * l : alpha * pow(l, 0.45) - (alpha - 1);
    }
    case 8: return l;
    case 9: return l < 0.01 ? 0 : 1 + log10(l) / 2;
    case 10: return l < sqrt(10) / 1000 ? 0 : 1 + log10(l) / 2.5;
    case 17: return pow(48 * l / 52.37, 1 / 2.6);
    case EASEL_TRANSFER_PQ: return pq_from_nits(l * EASEL_WHITE_NITS);
    case EASEL_TRANSFER_HLG: return hlg_from_scene(l);
    default: return to_srgb(l);
  }
}

// ---- Tone mapping

// The EETF of BT.2390: maps light up to `peak` to light up to the white of sRGB; black stays zero.
double easel_tone_mapped(double light, double peak) {
  double nits = light * EASEL_WHITE_NITS;
  if (peak <= EASEL_WHITE_NITS) return fmin(light, 1);
  double white = pq_from_nits(peak), most = pq_from_nits(EASEL_WHITE_NITS) / white;
  double e = fmin(pq_from_nits(nits) / white, 1), knee = 1.5 * most - 0.5;
  if (e < knee) return light;
  double t = (e - knee) / (1 - knee), t2 = t * t, t3 = t2 * t;
  e = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * most;
  return pq_to_nits(e * white) / EASEL_WHITE_NITS;
}

// A colour outside sRGB moves towards the grey of its luminance. Its share is its distance from that grey, with the
// edge of sRGB at 1. Shares up to `EASEL_GAMUT_KNEE` are kept; greater ones, up to `EASEL_FARTHEST`, are pressed below
// 1.
double easel_pressed_share(double share) {
  const double knee = EASEL_GAMUT_KNEE, far = EASEL_FARTHEST;
  if (share <= knee) return share;
  double scale = (far - knee) * (1 - knee) / (far - 1);
  double over = fmin(share, far) - knee;
  return knee + over / (1 + over / scale);
}

void easel_pressed_into_gamut(double rgb[3]) {
  double grey = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  if (grey <= 0) {
    rgb[0] = rgb[1] = rgb[2] = 0;
    return;
  }
  double share = (grey - fmin(rgb[0], fmin(rgb[1], rgb[2]))) / grey;
  if (share <= EASEL_GAMUT_KNEE) return;
  double pressed = easel_pressed_share(share) / share;
  for (int c = 0; c < 3; c++) rgb[c] = fmax(grey + (rgb[c] - grey) * pressed, 0);
}

// ---- Whole conversions

double easel_coding_peak(const easel_coding *coding) {
  if (coding->transfer == EASEL_TRANSFER_HLG) return EASEL_HLG_NITS;
  return coding->peak >= EASEL_WHITE_NITS ? fmin(coding->peak, 10000) : coding->peak > 0 ? EASEL_WHITE_NITS : 1000;
}

void easel_coding_prepare(const easel_coding *coding, easel_coding_plan *plan) {
  const primaries *from = find_primaries(effective_primaries(coding));
  matrix m = between(from, find_primaries(1));
  memcpy(plan->matrix, m.m, sizeof m.m);
  luminance_weights(from, plan->weights);
  plan->transfer = effective_transfer(coding);
  plan->is_high = easel_transfer_is_high(plan->transfer);
  plan->peak = easel_coding_peak(coding);
}

static double clipped(double value) { return value > 0 ? fmin(value, 1) : 0; }

void easel_coding_to_srgb(const easel_coding *coding, const double color[3], double srgb[3]) {
  easel_coding_plan plan;
  easel_coding_prepare(coding, &plan);
  double light[3];
  for (int c = 0; c < 3; c++) light[c] = easel_transfer_to_linear(plan.transfer, color[c]);
  if (plan.transfer == EASEL_TRANSFER_HLG) {
    double scene = 0;
    for (int c = 0; c < 3; c++) scene += plan.weights[c] * light[c];
    double factor = EASEL_HLG_NITS / EASEL_WHITE_NITS * pow(fmax(scene, 0), EASEL_HLG_GAMMA - 1);
    for (int c = 0; c < 3; c++) light[c] *= factor;
  }
  matrix m;
  memcpy(m.m, plan.matrix, sizeof m.m);
  apply(&m, light, light);
  if (plan.is_high) {
    // In this order, no component ends above white, so nothing has to be clipped.
    easel_pressed_into_gamut(light);
    double most = fmax(light[0], fmax(light[1], light[2]));
    double factor = most > 0 ? easel_tone_mapped(most, plan.peak) / most : 1;
    for (int c = 0; c < 3; c++) light[c] *= factor;
  }
  for (int c = 0; c < 3; c++) srgb[c] = to_srgb(clipped(light[c]));
}

void easel_coding_from_srgb(const easel_coding *coding, const double srgb[3], double color[3]) {
  const primaries *to = find_primaries(effective_primaries(coding));
  int transfer = effective_transfer(coding);
  matrix m = between(find_primaries(1), to);
  double light[3];
  for (int c = 0; c < 3; c++) light[c] = from_srgb(clipped(srgb[c]));
  apply(&m, light, light);
  for (int c = 0; c < 3; c++) light[c] = fmax(light[c], 0);
  if (transfer == EASEL_TRANSFER_HLG) {
    double weights[3], shown = 0;
    luminance_weights(to, weights);
    for (int c = 0; c < 3; c++) {
      light[c] *= EASEL_WHITE_NITS / EASEL_HLG_NITS;
      shown += weights[c] * light[c];
    }
    double factor = shown > 0 ? pow(shown, 1 / EASEL_HLG_GAMMA - 1) : 0;
    for (int c = 0; c < 3; c++) light[c] *= factor;
  }
  for (int c = 0; c < 3; c++) color[c] = clipped(from_linear(transfer, light[c]));
}

void easel_coding_row_from_srgb(const easel_coding *coding, uint16_t *pixels, size_t count) {
  uint16_t before[3] = {0}, after[3] = {0};
  bool is_known = false;
  for (size_t x = 0; x < count; x++) {
    uint16_t *pixel = pixels + 4 * x;
    // In pictures that are drawn over others, neighbouring pixels often have the same colour.
    if (!is_known || memcmp(pixel, before, sizeof before) != 0) {
      double color[3];
      memcpy(before, pixel, sizeof before);
      for (int c = 0; c < 3; c++) color[c] = pixel[c] / 65535.0;
      easel_coding_from_srgb(coding, color, color);
      for (int c = 0; c < 3; c++) after[c] = (uint16_t)(color[c] * 65535 + 0.5);
      is_known = true;
    }
    memcpy(pixel, after, sizeof after);
  }
}
