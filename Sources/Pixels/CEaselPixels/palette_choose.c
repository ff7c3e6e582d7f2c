#include "palette_maker.h"

// First the group whose division removes the most error is divided, again and again. Then the centres move to the means
// of what is nearest to them. All is added up in a fixed order, so that equal pictures have equal palettes.

enum { EASEL_PALETTE_BINS = 64, EASEL_PALETTE_ROUNDS = 24 };

typedef struct {
  double weight, sums[4], squares;
} easel_palette_total;

static void easel_palette_count_in(easel_palette_total *total, const easel_palette_sample *sample) {
  double weight = (double)sample->weight;
  total->weight += weight;
  for (size_t k = 0; k < 4; k++) {
    total->sums[k] += weight * (double)sample->point[k];
    total->squares += weight * (double)(sample->point[k] * sample->point[k]);
  }
}

static void easel_palette_join(easel_palette_total *total, const easel_palette_total *other) {
  total->weight += other->weight;
  for (size_t k = 0; k < 4; k++) total->sums[k] += other->sums[k];
  total->squares += other->squares;
}

// The error that is left when all are drawn with their mean.
static double easel_palette_error_of(const easel_palette_total *total) {
  if (total->weight <= 0) return 0;
  double power = 0;
  for (size_t k = 0; k < 4; k++) power += total->sums[k] * total->sums[k];
  double error = total->squares - power / total->weight;
  return error > 0 ? error : 0;
}

static easel_f4 easel_palette_mean(const easel_palette_total *total) {
  easel_f4 mean;
  for (size_t k = 0; k < 4; k++) mean[k] = (float)(total->sums[k] / total->weight);
  return mean;
}

// ---- Groups

typedef struct {
  size_t start, end;
  easel_palette_total total;
  // The best division: what error it removes, along which component, and where.
  double gain;
  size_t axis;
  float cut;
} easel_palette_group;

static void easel_palette_plan(const easel_palette_sample *samples, easel_palette_group *group) {
  group->gain = 0;
  if (group->end - group->start < 2) return;
  easel_f4 low = samples[group->start].point, high = low;
  for (size_t i = group->start + 1; i < group->end; i++) {
    low = easel_min(low, samples[i].point);
    high = easel_max(high, samples[i].point);
  }
  double whole = easel_palette_error_of(&group->total);
  for (size_t axis = 0; axis < 4; axis++) {
    float span = high[axis] - low[axis];
    if (!(span > 0)) continue;
    easel_palette_total bins[EASEL_PALETTE_BINS] = {0};
    float scale = (float)EASEL_PALETTE_BINS * 0.9999f / span;
    for (size_t i = group->start; i < group->end; i++) {
      easel_palette_count_in(&bins[(size_t)((samples[i].point[axis] - low[axis]) * scale)], &samples[i]);
    }
    easel_palette_total below = {0};
    for (size_t bin = 0; bin + 1 < EASEL_PALETTE_BINS; bin++) {
      if (bins[bin].weight <= 0) continue;
      easel_palette_join(&below, &bins[bin]);
      easel_palette_total above = group->total;
      above.weight -= below.weight;
      above.squares -= below.squares;
      for (size_t k = 0; k < 4; k++) above.sums[k] -= below.sums[k];
      double gain = whole - easel_palette_error_of(&below) - easel_palette_error_of(&above);
      if (gain > group->gain) {
        group->gain = gain;
        group->axis = axis;
        group->cut = (float)(bin + 1) / scale + low[axis];
      }
    }
  }
}

// Divides a group; returns false if the cut leaves one half empty.
static bool easel_palette_divide(easel_palette_sample *samples, easel_palette_group *group, easel_palette_group *half) {
  easel_palette_total below = {0}, above = {0};
  size_t middle = group->start;
  for (size_t i = group->start; i < group->end; i++) {
    if (samples[i].point[group->axis] < group->cut) {
      easel_palette_sample sample = samples[i];
      samples[i] = samples[middle];
      samples[middle++] = sample;
      easel_palette_count_in(&below, &sample);
    } else {
      easel_palette_count_in(&above, &samples[i]);
    }
  }
  if (middle == group->start || middle == group->end) return false;
  *half = (easel_palette_group){.start = middle, .end = group->end, .total = above};
  *group = (easel_palette_group){.start = group->start, .end = middle, .total = below};
  easel_palette_plan(samples, group);
  easel_palette_plan(samples, half);
  return true;
}

static size_t easel_palette_group_all(easel_palette_sample *samples, size_t count, size_t most, double wanted,
                                      easel_f4 *centers) {
  easel_palette_group groups[EASEL_PALETTE_MOST];
  size_t made = 1;
  groups[0] = (easel_palette_group){.end = count};
  for (size_t i = 0; i < count; i++) easel_palette_count_in(&groups[0].total, &samples[i]);
  easel_palette_plan(samples, &groups[0]);
  double weight = groups[0].total.weight, error = easel_palette_error_of(&groups[0].total);
  while (made < most && error > wanted * weight) {
    size_t best = 0;
    for (size_t i = 1; i < made; i++) {
      if (groups[i].gain > groups[best].gain) best = i;
    }
    if (groups[best].gain <= 0) break;
    double gain = groups[best].gain;
    if (easel_palette_divide(samples, &groups[best], &groups[made])) {
      error -= gain;
      made++;
    } else {
      groups[best].gain = 0;
    }
  }
  for (size_t i = 0; i < made; i++) centers[i] = easel_palette_mean(&groups[i].total);
  return made;
}

// ---- Centres

EASEL_INLINE void easel_palette_assign_body(const easel_palette_table *table, const easel_palette_sample *samples,
                                            size_t count, uint8_t *nearest, float *distances) {
  for (size_t i = 0; i < count; i++) {
    nearest[i] = (uint8_t)easel_palette_find(table, samples[i].point, distances + i);
  }
}

EASEL_CLONES(easel_palette_assign,
             (const easel_palette_table *table, const easel_palette_sample *samples, size_t count, uint8_t *nearest,
              float *distances),
             (table, samples, count, nearest, distances))

typedef struct {
  uint8_t *nearest;
  float *distances;
  easel_palette_table table;
  easel_palette_total totals[EASEL_PALETTE_MOST];
  // The error of each centre, and its farthest sample.
  double errors[EASEL_PALETTE_MOST];
} easel_palette_centers;

// Moves centres until the error hardly falls; returns the error.
static double easel_palette_settle(easel_palette_centers *state, const easel_palette_sample *samples, size_t count,
                                   easel_f4 *centers, size_t made, easel_palette_caller caller) {
  double error = 0, before = 0;
  for (int round = 0; round < EASEL_PALETTE_ROUNDS && easel_palette_goes_on(caller); round++) {
    easel_palette_table_fill(&state->table, centers, made);
    easel_palette_assign(&state->table, samples, count, state->nearest, state->distances);
    memset(state->totals, 0, sizeof state->totals);
    memset(state->errors, 0, sizeof state->errors);
    error = 0;
    for (size_t i = 0; i < count; i++) {
      easel_palette_count_in(&state->totals[state->nearest[i]], &samples[i]);
      double own = (double)samples[i].weight * (double)state->distances[i];
      state->errors[state->nearest[i]] += own;
      error += own;
    }
    if (round > 0 && error > before * 0.999) break;
    before = error;
    for (size_t i = 0; i < made; i++) {
      if (state->totals[i].weight > 0) centers[i] = easel_palette_mean(&state->totals[i]);
    }
  }
  return error;
}

// ---- Colours

static uint8_t easel_palette_byte(float value) {
  return value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)(value + 0.5f);
}

// The colour whose point this is.
static void easel_palette_color(easel_f4 point, uint8_t *color) {
  float alpha = point[3] * 2;
  color[3] = easel_palette_byte(alpha);
  if (color[3] == 0) {
    memset(color, 0, 4);
    return;
  }
  // Over black, then without alpha.
  float share = 255.0f / alpha, bright = (point[0] + 0.5f * alpha) * share;
  float blue = point[1] * share / EASEL_PALETTE_BLUE, red = point[2] * share / EASEL_PALETTE_RED;
  color[0] = easel_palette_byte(bright + 1.402f * red);
  color[1] = easel_palette_byte(bright - 0.344f * blue - 0.714f * red);
  color[2] = easel_palette_byte(bright + 1.772f * blue);
}

static easel_palette_sample *easel_palette_samples(const easel_palette_maker *maker) {
  easel_palette_sample *samples = easel_allocate(maker->count, sizeof *samples);
  if (!samples) return NULL;
  for (size_t i = 0; i < maker->count; i++) {
    const easel_palette_cell *cell = &maker->cells[i];
    uint8_t pixel[4];
    for (size_t k = 0; k < 4; k++) pixel[k] = (uint8_t)((cell->sums[k] + cell->weight / 2) / cell->weight);
    samples[i] = (easel_palette_sample){easel_palette_point(pixel), (float)cell->weight, (uint32_t)i};
  }
  return samples;
}

// The share of a centre's weight with which a single colour takes its place, so that even areas keep their colour.
static const double easel_palette_share = 0.8;

static void easel_palette_snap(const easel_palette_maker *maker, const easel_palette_centers *state,
                               const easel_palette_sample *samples, uint8_t *colors) {
  if (maker->shift > 0) return;
  for (size_t i = 0; i < maker->count; i++) {
    uint8_t nearest = state->nearest[i];
    const easel_palette_cell *cell = &maker->cells[samples[i].cell];
    if ((double)samples[i].weight < easel_palette_share * state->totals[nearest].weight) continue;
    for (size_t k = 0; k < 4; k++) colors[4 * nearest + k] = (uint8_t)(cell->sums[k] / cell->weight);
  }
}

size_t easel_palette_choose(easel_palette_maker *maker, size_t most, double wanted_error, uint8_t *colors,
                            double *error, easel_palette_caller caller) {
  if (most > EASEL_PALETTE_MOST) most = EASEL_PALETTE_MOST;
  if (maker->count == 0 || most == 0) return 0;
  size_t count = maker->count, made = 0;
  easel_palette_sample *samples = easel_palette_samples(maker);
  easel_palette_centers *state = easel_allocate(1, sizeof *state);
  if (state) {
    state->nearest = easel_allocate(count, 1);
    state->distances = easel_allocate(count, sizeof *state->distances);
    if (samples && state->nearest && state->distances) {
      easel_f4 centers[EASEL_PALETTE_MOST];
      made = easel_palette_group_all(samples, count, most, wanted_error, centers);
      double sum = easel_palette_settle(state, samples, count, centers, made, caller);
      double weight = 0;
      for (size_t i = 0; i < count; i++) weight += (double)samples[i].weight;
      *error = sum / weight;
      for (size_t i = 0; i < made; i++) easel_palette_color(centers[i], colors + 4 * i);
      easel_palette_snap(maker, state, samples, colors);
      if (!easel_palette_goes_on(caller)) made = 0;
    }
    free(state->nearest);
    free(state->distances);
  }
  free(state);
  free(samples);
  return made;
}
