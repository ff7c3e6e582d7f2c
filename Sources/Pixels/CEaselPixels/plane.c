#include "resample.h"

typedef float easel_f8 __attribute__((vector_size(32), aligned(4)));

struct easel_plane_resampler {
  easel_plane_spec spec;
  easel_axis horizontal, vertical;
  float *horizontal_weights, *vertical_weights;
  // The vertical weights as integers of 16 bits, in pairs; null if these are too coarse.
  int32_t *pairs;
  size_t pairs_per_phase;
  int precision;
  // One source row, with zeros after its end for windows that go beyond it.
  float *row;
  // The filtered rows that later target rows need.
  float *ring;
  size_t ring_rows, ring_stride;
  const float **window;
  size_t first_row, end_row;
  size_t pushed, pulled;
  size_t bytes;
};

// The step of the row kernel, in samples.
static const size_t easel_plane_step = 16;
// With longer sides, indices would exceed 32 bits.
static const size_t easel_plane_longest_side = (size_t)1 << 24;

static bool easel_plane_is_valid(const easel_plane_spec *s) {
  if (s->source_width == 0 || s->source_height == 0 || s->width == 0 || s->height == 0) return false;
  if (!(s->box_x >= 0 && s->box_y >= 0 && s->box_width > 0 && s->box_height > 0)) return false;
  return s->box_x + s->box_width <= (double)s->source_width && s->box_y + s->box_height <= (double)s->source_height;
}

static void *easel_plane_take(easel_plane_resampler *r, size_t count, size_t size) {
  void *memory = easel_allocate(count, size);
  if (memory) r->bytes += count * size;
  return memory;
}

static float *easel_plane_floats(easel_plane_resampler *r, easel_axis *axis) {
  size_t total = axis->phases * axis->taps;
  float *floats = easel_plane_take(r, total, sizeof *floats);
  for (size_t i = 0; floats && i < total; i++) floats[i] = (float)axis->weights[i];
  free(axis->weights);
  axis->weights = NULL;
  return floats;
}

static easel_status easel_plane_prepare_pairs(easel_plane_resampler *r) {
  easel_weights weights;
  const easel_axis *axis = &r->vertical;
  easel_status status = easel_weights_create(axis, &weights);
  if (status != EASEL_OK) return status;
  if (!weights.low) {
    r->precision = weights.precision;
    r->pairs_per_phase = (axis->taps + 1) / 2;
    r->pairs = easel_plane_take(r, axis->phases * r->pairs_per_phase, sizeof *r->pairs);
    for (size_t i = 0; r->pairs && i < axis->phases; i++) {
      const int16_t *k = weights.high + i * axis->taps;
      for (size_t j = 0; j < axis->taps; j += 2) {
        uint32_t second = j + 1 < axis->taps ? (uint16_t)k[j + 1] : 0;
        r->pairs[i * r->pairs_per_phase + j / 2] = (int32_t)((uint16_t)k[j] | second << 16);
      }
    }
    if (!r->pairs) status = EASEL_NO_MEMORY;
  }
  easel_weights_destroy(&weights);
  return status;
}

static easel_status easel_plane_prepare(easel_plane_resampler *r) {
  const easel_plane_spec *s = &r->spec;
  easel_status status = easel_axis_create(EASEL_FILTER_LANCZOS3, s->source_width, s->box_x, s->box_width, s->width,
                                          easel_plane_step, true, &r->horizontal);
  if (status != EASEL_OK) return status;
  status = easel_axis_create(EASEL_FILTER_LANCZOS3, s->source_height, s->box_y, s->box_height, s->height, 1, false,
                             &r->vertical);
  if (status != EASEL_OK) return status;
  r->bytes += (s->width + s->height) * 3 * sizeof(uint32_t);
  r->first_row = r->vertical.start[0];
  for (size_t i = 0; i < s->height; i++) {
    size_t start = r->vertical.start[i], end = start + r->vertical.count[i];
    if (start < r->first_row) r->first_row = start;
    if (end > r->end_row) r->end_row = end;
  }
  status = easel_plane_prepare_pairs(r);
  if (status != EASEL_OK) return status;
  r->horizontal_weights = easel_plane_floats(r, &r->horizontal);
  r->vertical_weights = easel_plane_floats(r, &r->vertical);
  r->ring_rows = r->vertical.taps;
  r->ring_stride = (s->width + 15) & ~(size_t)15;
  size_t row = s->source_width + r->horizontal.taps, total;
  if (!easel_multiply(r->ring_stride, r->ring_rows, &total)) return EASEL_TOO_LARGE;
  r->row = easel_plane_take(r, row, sizeof *r->row);
  r->ring = easel_plane_take(r, total, sizeof *r->ring);
  r->window = easel_plane_take(r, r->ring_rows, sizeof *r->window);
  if (!r->horizontal_weights || !r->vertical_weights || !r->row || !r->ring || !r->window) return EASEL_NO_MEMORY;
  memset(r->row, 0, row * sizeof *r->row);
  memset(r->ring, 0, total * sizeof *r->ring);
  return EASEL_OK;
}

easel_status easel_plane_resampler_create(const easel_plane_spec *spec, easel_plane_resampler **resampler) {
  *resampler = NULL;
  if (!easel_plane_is_valid(spec)) return EASEL_BAD_ARGUMENT;
  if (spec->source_width > easel_plane_longest_side || spec->source_height > easel_plane_longest_side ||
      spec->width > easel_plane_longest_side || spec->height > easel_plane_longest_side) {
    return EASEL_TOO_LARGE;
  }
  easel_plane_resampler *r = calloc(1, sizeof *r);
  if (!r) return EASEL_NO_MEMORY;
  r->spec = *spec;
  r->bytes = sizeof *r;
  easel_status status = easel_plane_prepare(r);
  if (status != EASEL_OK) {
    easel_plane_resampler_destroy(r);
    return status;
  }
  *resampler = r;
  return EASEL_OK;
}

void easel_plane_resampler_destroy(easel_plane_resampler *r) {
  if (!r) return;
  easel_axis_destroy(&r->horizontal);
  easel_axis_destroy(&r->vertical);
  free(r->horizontal_weights);
  free(r->vertical_weights);
  free(r->pairs);
  free(r->row);
  free(r->ring);
  free(r->window);
  free(r);
}

void easel_plane_resampler_reset(easel_plane_resampler *r) { r->pushed = r->pulled = 0; }
size_t easel_plane_resampler_pushed_rows(const easel_plane_resampler *r) { return r->pushed; }
size_t easel_plane_resampler_bytes(const easel_plane_resampler *r) { return r->bytes; }

bool easel_plane_resampler_is_ready(const easel_plane_resampler *r) {
  if (r->pulled >= r->spec.height) return false;
  return (size_t)r->vertical.start[r->pulled] + r->vertical.count[r->pulled] <= r->pushed;
}

// ---- Kernels

EASEL_INLINE void easel_plane_bytes_body(const uint8_t *source, float *target, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] = (float)source[i];
}

EASEL_INLINE void easel_plane_words_body(const uint16_t *source, float *target, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] = (float)source[i];
}

EASEL_INLINE void easel_plane_weigh_body(const float *weights, float *target, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] *= weights[i];
}

// Two groups of eight taps are summed separately and then added, because the order affects the result.
EASEL_INLINE void easel_plane_row_body(const float *source, const easel_axis *axis, const float *weights,
                                       float *target) {
  for (size_t x = 0; x < axis->outputs; x++) {
    const float *p = source + (size_t)axis->start[x];
    const float *k = weights + axis->phase[x] * axis->taps;
    easel_f8 a = {0}, b = {0};
    for (size_t t = 0; t < axis->taps; t += easel_plane_step) {
      a += *(const easel_f8 *)(const void *)(p + t) * *(const easel_f8 *)(const void *)(k + t);
      b += *(const easel_f8 *)(const void *)(p + t + 8) * *(const easel_f8 *)(const void *)(k + t + 8);
    }
    a += b;
    target[x] = ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
  }
}

EASEL_INLINE void easel_plane_column_body(const float *const *rows, size_t count, const float *weights, size_t width,
                                          float *target) {
  size_t i = 0;
  for (; i + 16 <= width; i += 16) {
    easel_f8 a = {0}, b = {0};
    for (size_t j = 0; j < count; j++) {
      a += *(const easel_f8 *)(const void *)(rows[j] + i) * weights[j];
      b += *(const easel_f8 *)(const void *)(rows[j] + i + 8) * weights[j];
    }
    *(easel_f8 *)(void *)(target + i) = a;
    *(easel_f8 *)(void *)(target + i + 8) = b;
  }
  for (; i < width; i++) {
    float sum = 0;
    for (size_t j = 0; j < count; j++) sum += rows[j][i] * weights[j];
    target[i] = sum;
  }
}

EASEL_CLONES(easel_plane_bytes, (const uint8_t *source, float *target, size_t count), (source, target, count))
EASEL_CLONES(easel_plane_words, (const uint16_t *source, float *target, size_t count), (source, target, count))
EASEL_CLONES(easel_plane_weigh, (const float *weights, float *target, size_t count), (weights, target, count))
EASEL_CLONES(easel_plane_row, (const float *source, const easel_axis *axis, const float *weights, float *target),
             (source, axis, weights, target))
EASEL_CLONES(easel_plane_column,
             (const float *const *rows, size_t count, const float *weights, size_t width, float *target),
             (rows, count, weights, width, target))

EASEL_INLINE int16_t easel_plane_weight(const int32_t *pairs, size_t index) {
  return (int16_t)(index % 2 ? pairs[index / 2] >> 16 : pairs[index / 2]);
}

static void easel_plane_lines_scalar(const uint8_t *samples, size_t stride, size_t count, const int32_t *pairs,
                                     float one, size_t from, size_t width, float *target) {
  for (size_t x = from; x < width; x++) {
    int32_t sum = 0;
    for (size_t j = 0; j < count; j++) sum += samples[j * stride + x] * easel_plane_weight(pairs, j);
    target[x] = (float)sum * one;
  }
}

#if defined(EASEL_X86)
#include "plane_x86.h"
#elif defined(EASEL_NEON)
#include "plane_neon.h"
#endif

// Filters several rows of bytes to one line.
static void easel_plane_lines(const uint8_t *samples, size_t stride, size_t count, const int32_t *pairs, float one,
                              size_t width, float *target) {
  int level = easel_pixels_level();
  size_t done = 0;
#if defined(EASEL_X86)
  if (level >= EASEL_LEVEL_SSE41) {
    done = level >= EASEL_LEVEL_AVX2 ? easel_plane_lines_avx2(samples, stride, count, pairs, one, width, target)
                                     : easel_plane_lines_sse41(samples, stride, count, pairs, one, width, target);
  }
#elif defined(EASEL_NEON)
  if (level >= EASEL_LEVEL_NEON) done = easel_plane_lines_neon(samples, stride, count, pairs, one, width, target);
#endif
  (void)level;
  easel_plane_lines_scalar(samples, stride, count, pairs, one, done, width, target);
}

// ---- Rows

// Returns false if no row may be pushed; `is_needed` tells whether the next row has to be filtered.
static bool easel_plane_begin(easel_plane_resampler *r, bool *is_needed) {
  if (r->pushed >= r->spec.source_height || easel_plane_resampler_is_ready(r)) return false;
  *is_needed = r->pushed >= r->first_row && r->pushed < r->end_row && r->pulled < r->spec.height;
  return true;
}

static void easel_plane_filter(easel_plane_resampler *r, const float *row) {
  float *slot = r->ring + r->pushed % r->ring_rows * r->ring_stride;
  easel_plane_row(row, &r->horizontal, r->horizontal_weights, slot);
}

bool easel_plane_resampler_push(easel_plane_resampler *r, const void *row, bool is_wide, const float *weights) {
  bool is_needed;
  if (!easel_plane_begin(r, &is_needed)) return false;
  if (is_needed) {
    size_t count = r->spec.source_width;
    if (is_wide) {
      easel_plane_words(row, r->row, count);
    } else {
      easel_plane_bytes(row, r->row, count);
    }
    if (weights) easel_plane_weigh(weights, r->row, count);
    easel_plane_filter(r, r->row);
  }
  r->pushed++;
  return true;
}

bool easel_plane_resampler_push_floats(easel_plane_resampler *r, const float *row) {
  bool is_needed;
  if (!easel_plane_begin(r, &is_needed)) return false;
  if (is_needed) {
    memcpy(r->row, row, r->spec.source_width * sizeof *row);
    easel_plane_filter(r, r->row);
  }
  r->pushed++;
  return true;
}

bool easel_plane_resampler_pull(easel_plane_resampler *r, float *row) {
  if (!easel_plane_resampler_is_ready(r)) return false;
  size_t y = r->pulled++, first = r->vertical.start[y], count = r->vertical.count[y], slot = first % r->ring_rows;
  for (size_t i = 0; i < count; i++) {
    r->window[i] = r->ring + slot * r->ring_stride;
    slot = slot + 1 == r->ring_rows ? 0 : slot + 1;
  }
  easel_plane_column(r->window, count, r->vertical_weights + r->vertical.phase[y] * r->vertical.taps, r->spec.width,
                     row);
  return true;
}

bool easel_plane_resampler_read(easel_plane_resampler *r, const uint8_t *samples, size_t stride, float *row) {
  if (!r->pairs || r->pulled >= r->spec.height) return false;
  size_t y = r->pulled++;
  const int32_t *pairs = r->pairs + r->vertical.phase[y] * r->pairs_per_phase;
  easel_plane_lines(samples + (size_t)r->vertical.start[y] * stride, stride, r->vertical.count[y], pairs,
                    1 / (float)(1 << r->precision), r->spec.source_width, r->row);
  easel_plane_row(r->row, &r->horizontal, r->horizontal_weights, row);
  return true;
}
