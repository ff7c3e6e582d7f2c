#include "resample.h"

typedef enum { EASEL_ENGINE_COPY, EASEL_ENGINE_NEAREST, EASEL_ENGINE_INTEGER, EASEL_ENGINE_LIGHT, EASEL_ENGINE_FLOAT } easel_engine;

// With longer sides, weights would lose their precision, and indices would exceed 32 bits.
static const size_t easel_longest_side = (size_t)1 << 24;

struct easel_resampler {
  easel_resample_spec spec;
  easel_engine engine;
  size_t channels, pixel_bytes;
  easel_axis horizontal, vertical;
  easel_weights horizontal_weights, vertical_weights;
  float *horizontal_floats, *vertical_floats;
  // For opaque bytes whose light is filtered.
  easel_light_weights horizontal_light, vertical_light;
  easel_light_table *light;
  bool same_columns;
  // True to filter columns before rows; the ring then has source rows, and not filtered ones.
  bool columns_first;
  // The source columns that at least one window needs.
  size_t first_column, end_column;
  // For nearest and copy: the source column of each target pixel, and the source row of each target row.
  uint32_t *columns, *rows;
  uint8_t *ring;
  size_t ring_rows, ring_stride;
  // One source row in the form that the filter needs: as floats, or with room after its end.
  uint8_t *scratch;
  // One filtered row of floats, or of light.
  float *result;
  float *decoded;
  uint8_t *encoded;
  const uint8_t **window;
  int32_t *pairs;
  size_t first_row, end_row;
  size_t pushed, pulled;
  size_t bytes;
  // Replaces this resampler for straight bytes from the first row on that is not opaque; see easel_change_to_floats.
  easel_resampler *floats;
};

static void *easel_take(easel_resampler *r, size_t count, size_t size) {
  void *memory = easel_allocate(count, size);
  if (memory) r->bytes += count * size;
  return memory;
}

static bool easel_is_valid(const easel_resample_spec *s) {
  if (s->source_width == 0 || s->source_height == 0 || s->width == 0 || s->height == 0) return false;
  if ((unsigned)s->format > EASEL_FORMAT_RGBA16 || (unsigned)s->alpha > EASEL_ALPHA_PREMULTIPLIED) return false;
  if ((unsigned)s->filter > EASEL_FILTER_LANCZOS3) return false;
  if (!(s->box_x >= 0 && s->box_y >= 0 && s->box_width > 0 && s->box_height > 0)) return false;
  return s->box_x + s->box_width <= (double)s->source_width && s->box_y + s->box_height <= (double)s->source_height;
}

static uint32_t *easel_nearest_indices(easel_resampler *r, double from, double length, size_t source, size_t outputs) {
  uint32_t *indices = easel_take(r, outputs, sizeof *indices);
  if (!indices) return NULL;
  double step = length / (double)outputs, position = from + step * 0.5;
  for (size_t i = 0; i < outputs; i++, position += step) {
    size_t index = (size_t)position;
    indices[i] = (uint32_t)(index < source ? index : source - 1);
  }
  return indices;
}

static easel_status easel_prepare_nearest(easel_resampler *r) {
  const easel_resample_spec *s = &r->spec;
  r->columns = easel_nearest_indices(r, s->box_x, s->box_width, s->source_width, s->width);
  r->rows = easel_nearest_indices(r, s->box_y, s->box_height, s->source_height, s->height);
  if (!easel_multiply(s->width, r->pixel_bytes, &r->ring_stride)) return EASEL_TOO_LARGE;
  r->ring = easel_take(r, 1, r->ring_stride);
  if (!r->columns || !r->rows || !r->ring) return EASEL_NO_MEMORY;
  r->ring_rows = 1;
  r->first_row = r->rows[0];
  r->end_row = (size_t)r->rows[s->height - 1] + 1;
  return EASEL_OK;
}

static easel_status easel_prepare_axes(easel_resampler *r, size_t round_taps_to) {
  const easel_resample_spec *s = &r->spec;
  easel_status status = easel_axis_create(s->filter, s->source_width, s->box_x, s->box_width, s->width, round_taps_to,
                                          true, &r->horizontal);
  if (status != EASEL_OK) return status;
  status = easel_axis_create(s->filter, s->source_height, s->box_y, s->box_height, s->height, 1, false, &r->vertical);
  if (status != EASEL_OK) return status;
  r->bytes += (s->width + s->height) * 3 * sizeof(uint32_t);
  r->first_column = s->source_width;
  r->end_column = 0;
  for (size_t i = 0; i < s->width; i++) {
    size_t start = r->horizontal.start[i], end = start + r->horizontal.taps;
    if (start < r->first_column) r->first_column = start;
    if (end > r->end_column) r->end_column = end;
  }
  if (r->end_column > s->source_width) r->end_column = s->source_width;
  r->first_row = r->vertical.start[0];
  r->end_row = 0;
  for (size_t i = 0; i < s->height; i++) {
    size_t end = (size_t)r->vertical.start[i] + r->vertical.count[i];
    if (r->vertical.start[i] < r->first_row) r->first_row = r->vertical.start[i];
    if (end > r->end_row) r->end_row = end;
  }
  r->ring_rows = r->vertical.taps;
  r->window = easel_take(r, r->vertical.taps, sizeof *r->window);
  return r->window ? EASEL_OK : EASEL_NO_MEMORY;
}

// Filtering columns first is faster if the height shrinks much more than the width, and the ring of source rows stays
// small.
static bool easel_prefers_columns_first(const easel_resampler *r, size_t pixel_bytes) {
  const easel_resample_spec *s = &r->spec;
  double fewer_rows = (double)s->source_height - (double)s->height;
  double fewer_columns = (double)s->source_width - (double)s->width;
  if (fewer_rows <= 0 || fewer_rows <= 2 * fewer_columns) return false;
  double strip = (double)s->source_width * (double)r->ring_rows * (double)pixel_bytes;
  return s->source_width <= 2 * s->width || strip <= 4 * 1024 * 1024;
}

static easel_status easel_prepare_ring(easel_resampler *r, size_t sample_bytes) {
  size_t row, total, width = r->spec.width;
  if (r->columns_first) width = r->spec.source_width;
  if (!easel_multiply(width, sample_bytes, &row) || !easel_padded(row, &r->ring_stride)) return EASEL_TOO_LARGE;
  if (!easel_multiply(r->ring_stride, r->ring_rows, &total)) return EASEL_TOO_LARGE;
  r->ring = easel_take(r, total, 1);
  return r->ring ? EASEL_OK : EASEL_NO_MEMORY;
}

static easel_status easel_prepare_scratch(easel_resampler *r, size_t sample_bytes) {
  size_t pixels = r->spec.source_width + r->horizontal.taps, total;
  if (!easel_multiply(pixels, sample_bytes, &total)) return EASEL_TOO_LARGE;
  r->scratch = easel_take(r, total, 1);
  if (!r->scratch) return EASEL_NO_MEMORY;
  memset(r->scratch, 0, total);
  return EASEL_OK;
}

static easel_status easel_prepare_integer(easel_resampler *r) {
  easel_status status = easel_prepare_axes(r, r->channels == 4 ? 4 : 8);
  if (status == EASEL_OK) status = easel_weights_create(&r->horizontal, &r->horizontal_weights);
  if (status == EASEL_OK) status = easel_weights_create(&r->vertical, &r->vertical_weights);
  if (status == EASEL_OK && r->channels == 4) status = easel_weights_widen(&r->horizontal, &r->horizontal_weights);
  if (status != EASEL_OK) return status;
  size_t horizontal_weights = r->horizontal.phases * r->horizontal.taps * (r->channels == 4 ? 5 : 1);
  size_t vertical_weights = r->vertical.phases * r->vertical.taps;
  r->bytes += horizontal_weights * sizeof(int16_t) * (r->horizontal_weights.low ? 2 : 1);
  r->bytes += vertical_weights * sizeof(int16_t) * (r->vertical_weights.low ? 2 : 1);
  r->pairs = easel_take(r, r->vertical.taps + 2, sizeof *r->pairs);
  if (!r->pairs) return EASEL_NO_MEMORY;
  r->columns_first = easel_prefers_columns_first(r, r->channels);
  if (status == EASEL_OK) status = easel_prepare_ring(r, r->channels);
  bool needs_scratch = r->columns_first || r->spec.source_width < r->horizontal.taps;
  if (status == EASEL_OK && needs_scratch) status = easel_prepare_scratch(r, r->channels);
  free(r->horizontal.weights);
  free(r->vertical.weights);
  r->horizontal.weights = r->vertical.weights = NULL;
  return status;
}

static easel_status easel_prepare_light(easel_resampler *r) {
  easel_status status = easel_prepare_axes(r, 4);
  if (status == EASEL_OK) status = easel_light_weights_create(&r->horizontal, &r->horizontal_light);
  if (status == EASEL_OK) status = easel_light_weights_create(&r->vertical, &r->vertical_light);
  if (status == EASEL_OK) status = easel_light_table_create(&r->light);
  if (status != EASEL_OK) return status;
  size_t weights = r->horizontal.phases * r->horizontal.taps + r->vertical.phases * r->vertical.taps;
  r->bytes += weights * 5 * sizeof(int16_t) + sizeof *r->light;
  r->columns_first = easel_prefers_columns_first(r, 4 * sizeof(int16_t));
  r->result = easel_take(r, r->spec.width * 4 + 16, sizeof(int16_t));
  if (!r->result) return EASEL_NO_MEMORY;
  status = easel_prepare_ring(r, 4 * sizeof(int16_t));
  if (status == EASEL_OK) status = easel_prepare_scratch(r, 4 * sizeof(int16_t));
  free(r->horizontal.weights);
  free(r->vertical.weights);
  r->horizontal.weights = r->vertical.weights = NULL;
  return status;
}

static float *easel_floats(easel_resampler *r, easel_axis *axis) {
  size_t total = axis->phases * axis->taps;
  float *floats = easel_take(r, total, sizeof *floats);
  for (size_t i = 0; floats && i < total; i++) floats[i] = (float)axis->weights[i];
  free(axis->weights);
  axis->weights = NULL;
  return floats;
}

static easel_status easel_prepare_curves(easel_resampler *r) {
  bool deep = r->spec.format == EASEL_FORMAT_RGBA16;
  size_t values = deep ? 65536 : 256;
  r->decoded = easel_take(r, values, sizeof *r->decoded);
  if (!r->decoded) return EASEL_NO_MEMORY;
  for (size_t i = 0; i < values; i++) r->decoded[i] = easel_srgb_decode((float)i / (float)(values - 1));
  if (deep) return EASEL_OK;
  r->encoded = easel_take(r, 65536, 1);
  if (!r->encoded) return EASEL_NO_MEMORY;
  size_t from = 0;
  for (size_t value = 0; value < 256; value++) {
    float edge = easel_srgb_decode(((float)value + 0.5f) / 255);
    size_t end = value == 255 ? 65536 : (size_t)(edge * 65535 + 0.5f);
    for (; from < end; from++) r->encoded[from] = (uint8_t)value;
  }
  return EASEL_OK;
}

static easel_status easel_prepare_float(easel_resampler *r, const easel_resampler *before) {
  easel_status status = easel_prepare_axes(r, 2);
  if (status != EASEL_OK) return status;
  r->columns_first = before ? before->columns_first : easel_prefers_columns_first(r, 4 * sizeof(float));
  r->horizontal_floats = easel_floats(r, &r->horizontal);
  r->vertical_floats = easel_floats(r, &r->vertical);
  r->result = easel_take(r, r->spec.width * 4 + 16, sizeof *r->result);
  if (!r->horizontal_floats || !r->vertical_floats || !r->result) return EASEL_NO_MEMORY;
  if (r->spec.linear_light) status = easel_prepare_curves(r);
  if (status == EASEL_OK) status = easel_prepare_ring(r, 4 * sizeof(float));
  if (status == EASEL_OK) status = easel_prepare_scratch(r, 4 * sizeof(float));
  return status;
}

static bool easel_is_whole(double from, double length, size_t target) {
  return from == floor(from) && length == (double)target;
}

// If `before` is given, the new resampler continues in floats at the position of `before`.
static easel_status easel_create(const easel_resample_spec *spec, const easel_resampler *before,
                                 easel_resampler **resampler) {
  easel_resampler *r = calloc(1, sizeof *r);
  if (!r) return EASEL_NO_MEMORY;
  r->spec = *spec;
  r->bytes = sizeof *r;
  r->channels = spec->format == EASEL_FORMAT_GRAY8 ? 1 : 4;
  r->pixel_bytes = easel_pixel_bytes(spec->format);
  if (r->channels == 1) r->spec.alpha = EASEL_ALPHA_OPAQUE;
  easel_status status;
  bool copies = easel_is_whole(spec->box_x, spec->box_width, spec->width) &&
                easel_is_whole(spec->box_y, spec->box_height, spec->height);
  if (copies || spec->filter == EASEL_FILTER_NEAREST) {
    r->engine = copies ? EASEL_ENGINE_COPY : EASEL_ENGINE_NEAREST;
    status = easel_prepare_nearest(r);
  } else if (!before && spec->linear_light && spec->format == EASEL_FORMAT_RGBA8 &&
             spec->alpha != EASEL_ALPHA_PREMULTIPLIED) {
    r->engine = EASEL_ENGINE_LIGHT;
    status = easel_prepare_light(r);
  } else if (before || spec->linear_light || spec->format == EASEL_FORMAT_RGBA16) {
    r->engine = EASEL_ENGINE_FLOAT;
    status = easel_prepare_float(r, before);
  } else {
    r->engine = EASEL_ENGINE_INTEGER;
    status = easel_prepare_integer(r);
  }
  if (status != EASEL_OK) {
    easel_resampler_destroy(r);
    return status;
  }
  r->same_columns = easel_is_whole(spec->box_x, spec->box_width, spec->width);
  *resampler = r;
  return EASEL_OK;
}

easel_status easel_resampler_create(const easel_resample_spec *spec, easel_resampler **resampler) {
  *resampler = NULL;
  if (!easel_is_valid(spec)) return EASEL_BAD_ARGUMENT;
  if (spec->source_width > easel_longest_side || spec->source_height > easel_longest_side ||
      spec->width > easel_longest_side || spec->height > easel_longest_side) {
    return EASEL_TOO_LARGE;
  }
  return easel_create(spec, NULL, resampler);
}

void easel_resampler_destroy(easel_resampler *r) {
  if (!r) return;
  easel_axis_destroy(&r->horizontal);
  easel_axis_destroy(&r->vertical);
  easel_weights_destroy(&r->horizontal_weights);
  easel_weights_destroy(&r->vertical_weights);
  easel_light_weights_destroy(&r->horizontal_light);
  easel_light_weights_destroy(&r->vertical_light);
  free(r->light);
  free(r->horizontal_floats);
  free(r->vertical_floats);
  free(r->columns);
  free(r->rows);
  free(r->ring);
  free(r->scratch);
  free(r->result);
  free(r->decoded);
  free(r->encoded);
  free(r->window);
  free(r->pairs);
  easel_resampler_destroy(r->floats);
  free(r);
}

void easel_resampler_reset(easel_resampler *r) {
  r->pushed = r->pulled = 0;
  // The next picture may be opaque, so it starts again without floats.
  easel_resampler_destroy(r->floats);
  r->floats = NULL;
}

size_t easel_resampler_first_row(const easel_resampler *r) { return r->first_row; }
size_t easel_resampler_end_row(const easel_resampler *r) { return r->end_row; }
size_t easel_resampler_bytes(const easel_resampler *r) { return r->bytes + (r->floats ? r->floats->bytes : 0); }
size_t easel_resampler_pushed_rows(const easel_resampler *r) { return r->pushed; }
size_t easel_resampler_pulled_rows(const easel_resampler *r) { return r->pulled; }

// Values of sRGB are cut off between the passes, as by the engine of integers, which may have filtered the first rows.
// Light is not: it would lose what the second pass takes back.
static bool easel_clamps(const easel_resampler *r) { return !r->spec.linear_light; }

static bool easel_is_ready(const easel_resampler *r) {
  if (r->pulled >= r->spec.height) return false;
  if (r->engine == EASEL_ENGINE_COPY || r->engine == EASEL_ENGINE_NEAREST) return r->rows[r->pulled] < r->pushed;
  return (size_t)r->vertical.start[r->pulled] + r->vertical.count[r->pulled] <= r->pushed;
}

static void easel_push_nearest(easel_resampler *r, const uint8_t *row) {
  size_t width = r->spec.width;
  const uint32_t *columns = r->columns;
  if (r->engine == EASEL_ENGINE_COPY) {
    memcpy(r->ring, row + columns[0] * r->pixel_bytes, width * r->pixel_bytes);
    return;
  }
  switch (r->pixel_bytes) {
    case 1:
      for (size_t x = 0; x < width; x++) r->ring[x] = row[columns[x]];
      break;
    case 4:
      for (size_t x = 0; x < width; x++) memcpy(r->ring + x * 4, row + (size_t)columns[x] * 4, 4);
      break;
    default:
      for (size_t x = 0; x < width; x++) memcpy(r->ring + x * 8, row + (size_t)columns[x] * 8, 8);
      break;
  }
}

static void easel_filter_row(const easel_resampler *r, const uint8_t *row, uint8_t *target) {
  if (r->same_columns) {
    memcpy(target, row + (size_t)r->spec.box_x * r->channels, r->spec.width * r->channels);
  } else if (r->channels == 4) {
    easel_resample_row4(row, &r->horizontal, &r->horizontal_weights, target);
  } else {
    easel_resample_row1(row, &r->horizontal, &r->horizontal_weights, target);
  }
}

static void easel_filter_columns(const easel_resampler *r, size_t count, size_t offset, uint8_t *target, size_t bytes) {
  if (r->vertical.taps == 1) {
    memcpy(target, r->window[0], bytes);
  } else {
    easel_resample_column(r->window, count, &r->vertical_weights, offset, r->pairs, target, bytes);
  }
}

// Rows of opaque pixels need not be premultiplied.
static void easel_push_integer(easel_resampler *r, const uint8_t *row, uint8_t *slot) {
  size_t from = r->first_column * r->channels, pixels = r->end_column - r->first_column;
  uint8_t *prepared = r->columns_first ? slot : r->scratch;
  if (prepared) {
    memcpy(prepared + from, row + from, pixels * r->channels);
  }
  if (!r->columns_first) easel_filter_row(r, prepared ? prepared : row, slot);
}

static void easel_push_light(easel_resampler *r, const uint8_t *row, uint8_t *slot) {
  size_t from = r->first_column * 4;
  int16_t *light = (int16_t *)(void *)(r->columns_first ? slot : r->scratch);
  easel_light_of_bytes(r->light, row + from, light + from, r->end_column - r->first_column);
  if (!r->columns_first) easel_light_row(light, &r->horizontal, &r->horizontal_light, (int16_t *)(void *)slot);
}

static void easel_pull_light(easel_resampler *r, size_t count, size_t offset, uint8_t *row) {
  const int16_t *const *rows = (const int16_t *const *)(const void *)r->window;
  int16_t *result = (int16_t *)(void *)r->result;
  if (r->columns_first) {
    int16_t *line = (int16_t *)(void *)r->scratch;
    easel_light_column(rows, count, &r->vertical_light, offset, r->first_column * 4, r->end_column * 4, line);
    easel_light_row(line, &r->horizontal, &r->horizontal_light, result);
  } else {
    easel_light_column(rows, count, &r->vertical_light, offset, 0, r->spec.width * 4, result);
  }
  easel_bytes_of_light(r->light, result, row, r->spec.width);
}

// The premultiplied samples of straight bytes. The products are whole numbers, which floats hold exactly. The colour of
// each pixel can therefore be restored, even if it is nearly transparent.
static void easel_floats_of_straight8(const uint8_t *row, float *floats, size_t pixels) {
  const float scale = 1.0f / (255 * 255);
  for (size_t x = 0; x < pixels; x++, row += 4, floats += 4) {
    int32_t alpha = row[3];
    floats[0] = (float)(row[0] * alpha) * scale;
    floats[1] = (float)(row[1] * alpha) * scale;
    floats[2] = (float)(row[2] * alpha) * scale;
    floats[3] = (float)(255 * alpha) * scale;
  }
}

// The light of opaque bytes.
static void easel_light_of_opaque8(const float *decoded, const uint8_t *row, float *floats, size_t pixels) {
  for (size_t x = 0; x < pixels; x++, row += 4, floats += 4) {
    floats[0] = decoded[row[0]];
    floats[1] = decoded[row[1]];
    floats[2] = decoded[row[2]];
    floats[3] = 1;
  }
}

// The premultiplied light of straight bytes.
static void easel_light_of_straight8(const float *decoded, const uint8_t *row, float *floats, size_t pixels) {
  for (size_t x = 0; x < pixels; x++, row += 4, floats += 4) {
    float alpha = (float)row[3] / 255;
    floats[0] = decoded[row[0]] * alpha;
    floats[1] = decoded[row[1]] * alpha;
    floats[2] = decoded[row[2]] * alpha;
    floats[3] = alpha;
  }
}

// Converts bytes of the most usual formats to floats; returns false for other formats.
static bool easel_floats_of_bytes(const easel_resampler *r, const uint8_t *row, float *floats) {
  size_t from = r->first_column, pixels = r->end_column - from;
  if (r->spec.format != EASEL_FORMAT_RGBA8 || r->spec.alpha == EASEL_ALPHA_PREMULTIPLIED) return false;
  row += from * 4, floats += from * 4;
  if (r->spec.alpha == EASEL_ALPHA_STRAIGHT) {
    if (r->decoded) {
      easel_light_of_straight8(r->decoded, row, floats, pixels);
    } else {
      easel_floats_of_straight8(row, floats, pixels);
    }
    return true;
  }
  if (r->decoded) easel_light_of_opaque8(r->decoded, row, floats, pixels);
  return r->decoded;
}

static void easel_floats_of_row(const easel_resampler *r, const uint8_t *row, float *floats) {
  if (easel_floats_of_bytes(r, row, floats)) return;
  const float *decoded = r->decoded;
  bool opaque = r->spec.alpha == EASEL_ALPHA_OPAQUE, straight = r->spec.alpha == EASEL_ALPHA_STRAIGHT;
  for (size_t x = r->first_column; x < r->end_column; x++) {
    float *f = floats + x * 4;
    if (r->spec.format == EASEL_FORMAT_GRAY8) {
      f[0] = f[1] = f[2] = decoded[row[x]];
      f[3] = 1;
      continue;
    }
    uint32_t sample[4];
    float one;
    if (r->spec.format == EASEL_FORMAT_RGBA8) {
      for (size_t c = 0; c < 4; c++) sample[c] = row[x * 4 + c];
      one = 255;
    } else {
      uint16_t deep[4];
      memcpy(deep, row + x * 8, 8);
      for (size_t c = 0; c < 4; c++) sample[c] = deep[c];
      one = 65535;
    }
    f[3] = opaque ? 1 : (float)sample[3] / one;
    if (!decoded) {
      for (size_t c = 0; c < 3; c++) f[c] = (float)sample[c] / one;
    } else if (opaque || straight || sample[3] == 0) {
      for (size_t c = 0; c < 3; c++) f[c] = decoded[sample[c]];
    } else {
      // Light is computed from the colour before it is premultiplied.
      for (size_t c = 0; c < 3; c++) {
        float colour = (float)sample[c] / (float)sample[3];
        f[c] = easel_srgb_decode(colour > 1 ? 1 : colour) * f[3];
      }
    }
    if (straight) {
      for (size_t c = 0; c < 3; c++) f[c] *= f[3];
    }
  }
}

static uint32_t easel_encoded_light(const easel_resampler *r, float light, float one) {
  light = light < 0 ? 0 : light > 1 ? 1 : light;
  if (!r->decoded) return (uint32_t)(light * one + 0.5f);
  if (r->encoded) return r->encoded[(size_t)(light * 65535 + 0.5f)];
  return (uint32_t)(easel_srgb_encode(light) * one + 0.5f);
}

static void easel_row_of_floats(const easel_resampler *r, const float *floats, uint8_t *row) {
  bool opaque = r->spec.alpha == EASEL_ALPHA_OPAQUE, straight = r->spec.alpha == EASEL_ALPHA_STRAIGHT;
  float one = r->spec.format == EASEL_FORMAT_RGBA16 ? 65535 : 255;
  for (size_t x = 0; x < r->spec.width; x++) {
    const float *f = floats + x * 4;
    if (r->spec.format == EASEL_FORMAT_GRAY8) {
      row[x] = (uint8_t)easel_encoded_light(r, f[0], one);
      continue;
    }
    float alpha = f[3] < 0 ? 0 : f[3] > 1 ? 1 : f[3];
    uint32_t whole_alpha = opaque ? (uint32_t)one : (uint32_t)(alpha * one + 0.5f);
    uint32_t sample[4] = {0, 0, 0, whole_alpha};
    for (size_t c = 0; c < 3 && whole_alpha; c++) {
      if (opaque) {
        sample[c] = easel_encoded_light(r, f[c], one);
      } else if (straight) {
        sample[c] = easel_encoded_light(r, f[c] / alpha, one);
      } else {
        float colour = f[c];
        if (r->decoded) {
          float light = colour / alpha;
          colour = easel_srgb_encode(light < 0 ? 0 : light > 1 ? 1 : light) * alpha;
        }
        sample[c] = colour < 0 ? 0 : (uint32_t)((colour > alpha ? alpha : colour) * one + 0.5f);
      }
    }
    if (r->spec.format == EASEL_FORMAT_RGBA8) {
      for (size_t c = 0; c < 4; c++) row[x * 4 + c] = (uint8_t)sample[c];
    } else {
      uint16_t deep[4] = {(uint16_t)sample[0], (uint16_t)sample[1], (uint16_t)sample[2], (uint16_t)sample[3]};
      memcpy(row + x * 8, deep, 8);
    }
  }
}

// Premultiplied bytes would lose the colours of nearly transparent pixels. The first row with transparent pixels
// therefore changes the picture to floats. The rows before it that are still needed are opaque, and are converted too.
static easel_status easel_change_to_floats(easel_resampler *r, size_t row) {
  easel_status status = easel_create(&r->spec, r, &r->floats);
  if (status != EASEL_OK) return status;
  easel_resampler *f = r->floats;
  f->pushed = row;
  f->pulled = r->pulled;
  size_t first = row > r->ring_rows ? row - r->ring_rows : 0;
  if (first < r->first_row) first = r->first_row;
  size_t from = r->columns_first ? r->first_column : 0;
  size_t pixels = r->columns_first ? r->end_column - from : r->spec.width;
  for (size_t y = first; y < row; y++) {
    size_t slot = y % r->ring_rows;
    float *floats = (float *)(void *)(f->ring + slot * f->ring_stride);
    const uint8_t *opaque = r->ring + slot * r->ring_stride;
    if (r->engine == EASEL_ENGINE_LIGHT) {
      easel_floats_of_light((const int16_t *)(const void *)opaque + from * 4, floats + from * 4, pixels);
    } else {
      easel_floats_of_straight8(opaque + from * 4, floats + from * 4, pixels);
    }
  }
  return EASEL_OK;
}

// True if the numbers of opaque pixels are not enough for a row.
static bool easel_needs_floats(const easel_resampler *r, const uint8_t *row) {
  return (r->engine == EASEL_ENGINE_INTEGER || r->engine == EASEL_ENGINE_LIGHT) &&
         r->spec.alpha == EASEL_ALPHA_STRAIGHT &&
         !easel_is_opaque8_row(row + r->first_column * 4, r->end_column - r->first_column);
}

void easel_resampler_skip_to_row(easel_resampler *r, size_t row) {
  size_t end = row < r->first_row ? row : r->first_row;
  if (r->pushed < end) r->pushed = end;
}

easel_status easel_resampler_push_row(easel_resampler *r, const void *row) {
  if (r->pushed >= r->spec.source_height) return EASEL_BAD_ARGUMENT;
  if (easel_is_ready(r)) return EASEL_ROWS_PENDING;
  size_t y = r->pushed++;
  if (y < r->first_row || y >= r->end_row || r->pulled >= r->spec.height) return EASEL_OK;
  if (!r->floats && easel_needs_floats(r, row)) {
    easel_status status = easel_change_to_floats(r, y);
    if (status != EASEL_OK) return status;
  }
  if (r->floats) {
    r->floats->pushed = y;
    return easel_resampler_push_row(r->floats, row);
  }
  uint8_t *slot = r->ring + y % r->ring_rows * r->ring_stride;
  switch (r->engine) {
    case EASEL_ENGINE_COPY:
    case EASEL_ENGINE_NEAREST:
      if (r->rows[r->pulled] == y) easel_push_nearest(r, row);
      break;
    case EASEL_ENGINE_INTEGER: easel_push_integer(r, row, slot); break;
    case EASEL_ENGINE_LIGHT: easel_push_light(r, row, slot); break;
    case EASEL_ENGINE_FLOAT:
      if (r->columns_first) {
        easel_floats_of_row(r, row, (float *)(void *)slot);
      } else {
        easel_floats_of_row(r, row, (float *)(void *)r->scratch);
        easel_resample_float_row((const float *)(const void *)r->scratch, &r->horizontal, r->horizontal_floats,
                                 easel_clamps(r), (float *)(void *)slot);
      }
      break;
  }
  return EASEL_OK;
}

bool easel_resampler_pull_row(easel_resampler *r, void *row) {
  if (!easel_is_ready(r)) return false;
  if (r->floats) {
    r->pulled++;
    return easel_resampler_pull_row(r->floats, row);
  }
  size_t y = r->pulled++, width = r->spec.width;
  if (r->engine == EASEL_ENGINE_COPY || r->engine == EASEL_ENGINE_NEAREST) {
    memcpy(row, r->ring, width * r->pixel_bytes);
    if (r->spec.alpha == EASEL_ALPHA_OPAQUE && r->pixel_bytes == 4) easel_force_opaque8_row(row, width);
    if (r->spec.alpha == EASEL_ALPHA_OPAQUE && r->pixel_bytes == 8) {
      for (size_t x = 0; x < width; x++) memset((uint8_t *)row + x * 8 + 6, 255, 2);
    }
    return true;
  }
  size_t first = r->vertical.start[y], count = r->vertical.count[y], slot = first % r->ring_rows;
  for (size_t i = 0; i < count; i++) {
    r->window[i] = r->ring + slot * r->ring_stride;
    slot = slot + 1 == r->ring_rows ? 0 : slot + 1;
  }
  size_t offset = r->vertical.phase[y] * r->vertical.taps;
  if (r->engine == EASEL_ENGINE_LIGHT) {
    easel_pull_light(r, count, offset, row);
    return true;
  }
  if (r->engine == EASEL_ENGINE_FLOAT) {
    const float *const *rows = (const float *const *)(const void *)r->window;
    const float *weights = r->vertical_floats + offset;
    if (r->columns_first) {
      float *line = (float *)(void *)r->scratch;
      easel_resample_float_column(rows, count, weights, r->first_column * 4, r->end_column * 4, easel_clamps(r), line);
      easel_resample_float_row(line, &r->horizontal, r->horizontal_floats, easel_clamps(r), r->result);
    } else {
      easel_resample_float_column(rows, count, weights, 0, width * 4, easel_clamps(r), r->result);
    }
    easel_row_of_floats(r, r->result, row);
    return true;
  }
  if (r->columns_first) {
    size_t from = r->first_column * r->channels, bytes = (r->end_column - r->first_column) * r->channels;
    for (size_t i = 0; i < count; i++) r->window[i] += from;
    easel_filter_columns(r, count, offset, r->scratch + from, bytes);
    easel_filter_row(r, r->scratch, row);
  } else {
    easel_filter_columns(r, count, offset, row, width * r->channels);
  }
  if (r->channels == 1) return true;
  switch (r->spec.alpha) {
    case EASEL_ALPHA_OPAQUE: easel_force_opaque8_row(row, width); break;
    case EASEL_ALPHA_STRAIGHT: easel_force_opaque8_row(row, width); break;
    case EASEL_ALPHA_PREMULTIPLIED: easel_clamp_to_alpha8_row(row, width); break;
  }
  return true;
}

easel_status easel_resampler_run(easel_resampler *r, const void *source, ptrdiff_t source_stride, void *target,
                                 ptrdiff_t target_stride, size_t most_source_rows, bool *finished) {
  easel_resampler_skip_to_row(r, r->first_row);
  for (size_t used = 0;;) {
    while (easel_is_ready(r)) {
      easel_resampler_pull_row(r, (uint8_t *)target + (ptrdiff_t)r->pulled * target_stride);
    }
    *finished = r->pulled == r->spec.height;
    if (*finished || used == most_source_rows) return EASEL_OK;
    easel_status status = easel_resampler_push_row(r, (const uint8_t *)source + (ptrdiff_t)r->pushed * source_stride);
    if (status != EASEL_OK) return status;
    used++;
  }
}
