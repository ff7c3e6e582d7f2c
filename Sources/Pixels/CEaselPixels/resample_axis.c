#include "resample.h"

static double easel_sinc(double x) {
  if (x == 0) return 1;
  x *= 3.14159265358979323846;
  return sin(x) / x;
}

static double easel_filter_value(easel_filter filter, double x) {
  switch (filter) {
    case EASEL_FILTER_BOX: return x > -0.5 && x <= 0.5 ? 1 : 0;
    case EASEL_FILTER_BILINEAR: return fabs(x) < 1 ? 1 - fabs(x) : 0;
    case EASEL_FILTER_BICUBIC:
      x = fabs(x);
      if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
      if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
      return 0;
    case EASEL_FILTER_LANCZOS3: return x >= -3 && x < 3 ? easel_sinc(x) * easel_sinc(x / 3) : 0;
    default: return 0;
  }
}

static double easel_filter_support(easel_filter filter) {
  switch (filter) {
    case EASEL_FILTER_BOX: return 0.5;
    case EASEL_FILTER_BILINEAR: return 1;
    case EASEL_FILTER_BICUBIC: return 2;
    default: return 3;
  }
}

static size_t easel_common_divisor(size_t a, size_t b) {
  while (b) {
    size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

void easel_axis_destroy(easel_axis *axis) {
  free(axis->start);
  free(axis->count);
  free(axis->phase);
  free(axis->weights);
  memset(axis, 0, sizeof *axis);
}

typedef struct {
  double center, inverse_scale;
  ptrdiff_t low, high;
  bool whole;
} easel_window;

static easel_window easel_window_of(easel_filter filter, size_t source, double from, double scale, size_t output) {
  double filter_scale = scale < 1 ? 1 : scale;
  double support = easel_filter_support(filter) * filter_scale;
  easel_window window = {.center = from + ((double)output + 0.5) * scale, .inverse_scale = 1 / filter_scale};
  double low = window.center - support + 0.5, high = window.center + support + 0.5;
  window.whole = low >= 0 && high < (double)source + 1;
  window.low = low < 0 ? 0 : (ptrdiff_t)low;
  window.high = high > (double)source ? (ptrdiff_t)source : (ptrdiff_t)high;
  // A box at the very edge can round to an empty window, which is replaced by the nearest sample.
  if (window.low >= (ptrdiff_t)source) window.low = (ptrdiff_t)source - 1;
  if (window.high <= window.low) window.high = window.low + 1;
  return window;
}

static void easel_window_weights(easel_filter filter, const easel_window *window, double *weights) {
  size_t count = (size_t)(window->high - window->low);
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double x = ((double)(window->low + (ptrdiff_t)i) - window->center + 0.5) * window->inverse_scale;
    weights[i] = easel_filter_value(filter, x);
    sum += weights[i];
  }
  if (sum == 0) {
    weights[count / 2] = 1;
    sum = 1;
  }
  for (size_t i = 0; i < count; i++) weights[i] /= sum;
}

easel_status easel_axis_create(easel_filter filter, size_t source, double from, double length, size_t outputs,
                               size_t round_taps_to, bool keep_inside, easel_axis *axis) {
  memset(axis, 0, sizeof *axis);
  double scale = length / (double)outputs;
  size_t widest = 0;
  for (size_t i = 0; i < outputs; i++) {
    easel_window window = easel_window_of(filter, source, from, scale, i);
    size_t count = (size_t)(window.high - window.low);
    if (count > widest) widest = count;
  }
  size_t taps = (widest + round_taps_to - 1) / round_taps_to * round_taps_to;
  size_t total;
  axis->outputs = outputs;
  axis->taps = taps;
  axis->start = easel_allocate(outputs, sizeof *axis->start);
  axis->count = easel_allocate(outputs, sizeof *axis->count);
  axis->phase = easel_allocate(outputs, sizeof *axis->phase);

  // If the windows are periodic, their weights are too.
  size_t period = 0, period_length = 0;
  if (length == floor(length)) {
    size_t divisor = easel_common_divisor((size_t)length, outputs);
    period = outputs / divisor;
    period_length = (size_t)length / divisor;
  }
  if (!axis->start || !axis->count || !axis->phase) goto no_memory;
  size_t phases = 0;
  for (int pass = 0; pass < 2; pass++) {
    // The first pass counts the different windows, and the second computes their weights.
    if (pass == 1) {
      if (!easel_multiply(phases, taps, &total)) goto no_memory;
      axis->weights = easel_allocate(total, sizeof *axis->weights);
      if (!axis->weights) goto no_memory;
      memset(axis->weights, 0, total * sizeof *axis->weights);
      phases = 0;
    }
    for (size_t i = 0; i < outputs; i++) {
      easel_window window = easel_window_of(filter, source, from, scale, i);
      size_t low = (size_t)window.low, moved = 0;
      size_t count = (size_t)(window.high - window.low);
      if (keep_inside && source >= taps && low + taps > source) moved = low - (source - taps);
      bool repeats = false;
      if (period && i >= period && window.whole && moved == 0) {
        easel_window before = easel_window_of(filter, source, from, scale, i - period);
        size_t before_low = (size_t)before.low;
        bool before_moved = keep_inside && source >= taps && before_low + taps > source;
        repeats = before.whole && !before_moved && before_low + period_length == low &&
                  (size_t)(before.high - before.low) == count;
      }
      axis->start[i] = (uint32_t)(low - moved);
      axis->count[i] = (uint32_t)(count + moved);
      axis->phase[i] = repeats ? axis->phase[i - period] : (uint32_t)phases;
      if (repeats) continue;
      if (pass == 1) easel_window_weights(filter, &window, axis->weights + phases * taps + moved);
      phases++;
    }
  }
  axis->phases = phases;
  return EASEL_OK;
no_memory:
  easel_axis_destroy(axis);
  return EASEL_NO_MEMORY;
}

static void easel_round_phase(const double *exact, size_t taps, int32_t one, int32_t *target) {
  for (size_t i = 0; i < taps; i++) target[i] = (int32_t)floor(exact[i] * (double)one + 0.5);
}

void easel_quantise_phase(const double *exact, size_t taps, int32_t one, int32_t *target) {
  // Each rounding error is carried to the next weight, so that the sum of the weights is one.
  double carried = 0;
  int32_t sum = 0;
  size_t heaviest = 0;
  for (size_t i = 0; i < taps; i++) {
    double wanted = exact[i] * (double)one + (exact[i] == 0 ? 0 : carried);
    double rounded = floor(wanted + 0.5);
    if (exact[i] != 0) carried = wanted - rounded;
    target[i] = (int32_t)rounded;
    sum += target[i];
    if (target[i] > target[heaviest]) heaviest = i;
  }
  target[heaviest] += one - sum;
}

easel_status easel_weights_create(const easel_axis *axis, easel_weights *weights) {
  size_t taps = axis->taps, total = axis->phases * taps;
  memset(weights, 0, sizeof *weights);
  double largest = 0;
  for (size_t i = 0; i < total; i++) {
    if (fabs(axis->weights[i]) > largest) largest = fabs(axis->weights[i]);
  }
  // 22 bits leave room for 255 times the sum of the absolute weights in 32 bits.
  int bits = 22;
  while (largest * (double)(1 << bits) > 32766) bits--;
  bool fine = bits < 16;
  if (fine) bits = 22;
  int32_t *phase_weights = easel_allocate(taps, sizeof *phase_weights);
  weights->high = easel_allocate(total, sizeof *weights->high);
  if (fine) weights->low = easel_allocate(total, sizeof *weights->low);
  if (!phase_weights || !weights->high || (fine && !weights->low)) {
    free(phase_weights);
    easel_weights_destroy(weights);
    return EASEL_NO_MEMORY;
  }
  weights->precision = bits;
  for (size_t offset = 0; offset < total; offset += taps) {
    // With 22 bits, rounding errors are too small to change a picture of one colour, so the sum is not corrected. The
    // weights then equal those of other libraries.
    if (fine) {
      easel_round_phase(axis->weights + offset, taps, 1 << bits, phase_weights);
    } else {
      easel_quantise_phase(axis->weights + offset, taps, 1 << bits, phase_weights);
    }
    for (size_t i = 0; i < taps; i++) {
      int32_t value = phase_weights[i];
      weights->high[offset + i] = (int16_t)(fine ? value >> 8 : value);
      if (fine) weights->low[offset + i] = (int16_t)(value & 255);
    }
  }
  free(phase_weights);
  return EASEL_OK;
}

void easel_weights_destroy(easel_weights *weights) {
  free(weights->high);
  free(weights->low);
  free(weights->wide_high);
  free(weights->wide_low);
  memset(weights, 0, sizeof *weights);
}

// Repeats each pair of weights for the four channels. The order is that in which the row kernels load them: in groups
// of eight taps, with four in the last group.
static int16_t *easel_widened(const int16_t *narrow, size_t taps, size_t phases) {
  size_t total;
  if (!easel_multiply(taps * 4, phases, &total)) return NULL;
  int16_t *wide = easel_allocate(total, sizeof *wide), *w = wide;
  if (!wide) return NULL;
  static const size_t order_of_eight[4] = {0, 4, 2, 6}, order_of_four[2] = {0, 2};
  for (size_t phase = 0; phase < phases; phase++) {
    const int16_t *k = narrow + phase * taps;
    for (size_t t = 0; t < taps;) {
      size_t group = taps - t >= 8 ? 8 : 4;
      const size_t *order = group == 8 ? order_of_eight : order_of_four;
      for (size_t pair = 0; pair < group / 2; pair++) {
        for (size_t c = 0; c < 4; c++) {
          *w++ = k[t + order[pair]];
          *w++ = k[t + order[pair] + 1];
        }
      }
      t += group;
    }
  }
  return wide;
}

easel_status easel_weights_widen(const easel_axis *axis, easel_weights *weights) {
  weights->wide_high = easel_widened(weights->high, axis->taps, axis->phases);
  if (weights->low) weights->wide_low = easel_widened(weights->low, axis->taps, axis->phases);
  return weights->wide_high && (!weights->low || weights->wide_low) ? EASEL_OK : EASEL_NO_MEMORY;
}
