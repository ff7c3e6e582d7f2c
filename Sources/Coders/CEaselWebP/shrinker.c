#include <stdlib.h>

#include "shrink.h"

struct easel_webp_shrinker {
  easel_webp_planes planes;
  easel_webp_axis light_axis, color_axis;
  // The plane of light, then the two planes of colour.
  easel_webp_plane all[3];
  // The samples of one row of each small plane.
  uint8_t *samples[3];
  // The block of memory that all these pointers refer to.
  void *memory;
  uint32_t width, height;
  bool is_plain;
  // The number of rows that are still to be made.
  uint32_t missing;
  // For each plane, the number of rows that were taken from the present ones.
  size_t taken[3];
};

static size_t easel_webp_rounded(size_t count, size_t step) { return (count + step - 1) / step * step; }

easel_webp_planes easel_webp_planes_of(uint32_t width, uint32_t height) {
  easel_webp_planes planes = {.width = width, .height = height};
  // Kernels read a few bytes before a row.
  planes.light = 64;
  planes.color = planes.light + easel_webp_rounded(width, 64);
  planes.stride = planes.color + easel_webp_rounded((width + 1) / 2, 64);
  planes.bytes = planes.stride * easel_webp_rounded(height, 2);
  return planes;
}

bool easel_webp_can_shrink(uint32_t width, uint32_t height, uint32_t target_width, uint32_t target_height) {
  const uint64_t w = width, h = height, tw = target_width, th = target_height;
  if (w > EASEL_WEBP_LONGEST_SIDE || h > EASEL_WEBP_LONGEST_SIDE || tw == 0 || th == 0) return false;
  const uint64_t color_width = (w + 1) / 2, color_height = (h + 1) / 2;
  if (tw > color_width || th > color_height) return false;
  // Only below three quarters of the size does libwebp skip the filter that smooths the borders of blocks.
  if (tw >= w * 3 / 4 || th >= h * 3 / 4) return false;
  // The reciprocal of a box's area must be less than one, and sums must be less than 31 bits.
  return th < color_width * color_height && 255 * w * (h / th + 2) < (uint64_t)1 << 31;
}

// Hands out parts of memory one after another. Without memory, it only counts.
typedef struct {
  uint8_t *memory;
  size_t used;
} easel_webp_parts;

static void *easel_webp_part(easel_webp_parts *parts, size_t count, size_t size) {
  void *part = parts->memory ? parts->memory + parts->used : NULL;
  parts->used += easel_webp_rounded(count * size, 64);
  return part;
}

static void easel_webp_place_axis(easel_webp_axis *axis, easel_webp_parts *parts) {
  const size_t count = axis->padded;
  axis->end = easel_webp_part(parts, count, sizeof *axis->end);
  axis->rest = easel_webp_part(parts, count, sizeof *axis->rest);
  axis->share_high = easel_webp_part(parts, count, sizeof *axis->share_high);
  axis->share_low = easel_webp_part(parts, count, sizeof *axis->share_low);
  axis->is_short = easel_webp_part(parts, count, sizeof *axis->is_short);
  axis->factors = easel_webp_part(parts, 2 * count, sizeof *axis->factors);
}

static void easel_webp_place(easel_webp_shrinker *s, easel_webp_parts *parts) {
  const size_t count = s->light_axis.padded;
  easel_webp_place_axis(&s->light_axis, parts);
  easel_webp_place_axis(&s->color_axis, parts);
  for (size_t i = 0; i < 3; i++) {
    s->all[i].sums = easel_webp_part(parts, count, sizeof *s->all[i].sums);
    s->all[i].last = easel_webp_part(parts, count, sizeof *s->all[i].last);
    s->samples[i] = easel_webp_part(parts, count, sizeof *s->samples[i]);
  }
}

static uint32_t easel_webp_reciprocal(uint64_t times, uint64_t number) { return (uint32_t)((times << 32) / number); }

static void easel_webp_measure_axis(easel_webp_axis *axis, uint32_t source, uint32_t target) {
  axis->source = source;
  axis->target = target;
  axis->padded = (uint32_t)easel_webp_rounded(target, 8);
  axis->most = (source + target - 1) / target;
  axis->reciprocal = easel_webp_reciprocal(1, target);
}

static void easel_webp_fill_axis(easel_webp_axis *axis) {
  const uint32_t source = axis->source, target = axis->target;
  for (uint32_t x = 0; x < axis->padded; x++) {
    if (x >= target) {
      axis->end[x] = source;
      continue;
    }
    // Box x ends at (x + 1) * source / target, and the box before it at x * source / target. Both are rounded up.
    uint64_t border = (uint64_t)(x + 1) * source;
    uint64_t end = (border + target - 1) / target, next = (border + source + target - 1) / target;
    uint32_t rest = (uint32_t)(end * target - border), share = rest * axis->reciprocal;
    axis->end[x] = (uint32_t)end;
    axis->rest[x] = (uint16_t)rest;
    axis->share_high[x] = (uint16_t)(share >> 16);
    axis->share_low[x] = (uint16_t)share;
    axis->is_short[x] = next - end < axis->most ? 0xffff : 0;
    axis->factors[2 * x] = (int16_t)target;
    axis->factors[2 * x + 1] = (int16_t)-(int32_t)rest;
  }
}

easel_webp_status easel_webp_shrinker_create(uint32_t width, uint32_t height, uint32_t target_width,
                                             uint32_t target_height, easel_webp_shrinker **made) {
  *made = NULL;
  if (!easel_webp_can_shrink(width, height, target_width, target_height)) return EASEL_WEBP_BAD_DATA;
  easel_webp_shrinker *s = calloc(1, sizeof *s);
  if (!s) return EASEL_WEBP_NO_MEMORY;
  s->planes = easel_webp_planes_of(width, height);
  s->width = target_width;
  s->height = s->missing = target_height;
  easel_webp_measure_axis(&s->light_axis, width, target_width);
  easel_webp_measure_axis(&s->color_axis, (width + 1) / 2, target_width);
  easel_webp_parts parts = {0};
  easel_webp_place(s, &parts);
  s->memory = calloc(1, parts.used);
  if (!s->memory) {
    free(s);
    return EASEL_WEBP_NO_MEMORY;
  }
  parts = (easel_webp_parts){.memory = s->memory};
  easel_webp_place(s, &parts);
  easel_webp_fill_axis(&s->light_axis);
  easel_webp_fill_axis(&s->color_axis);
  for (size_t i = 0; i < 3; i++) {
    easel_webp_plane *plane = &s->all[i];
    plane->axis = i == 0 ? &s->light_axis : &s->color_axis;
    plane->height = i == 0 ? height : (height + 1) / 2;
    plane->missing = (int32_t)plane->height;
  }
  *made = s;
  return EASEL_WEBP_OK;
}

void easel_webp_shrinker_destroy(easel_webp_shrinker *s) {
  if (!s) return;
  free(s->memory);
  free(s);
}

void easel_webp_shrinker_be_plain(easel_webp_shrinker *s) { s->is_plain = true; }

// Takes rows of a plane from the given ones until a row of boxes is complete.
static void easel_webp_take_rows(easel_webp_shrinker *s, size_t index, const uint8_t *rows, size_t stride,
                                 size_t count) {
  easel_webp_plane *plane = &s->all[index];
  for (; plane->missing > 0 && s->taken[index] < count; s->taken[index]++) {
    const uint8_t *row = rows + s->taken[index] * stride;
    plane->missing -= (int32_t)s->height;
    uint32_t *sums = plane->missing > 0 ? plane->sums : plane->last;
    if (s->is_plain) {
      easel_webp_add_row_plainly(plane->axis, row, sums);
    } else {
      easel_webp_add_row(plane->axis, row, sums);
    }
  }
}

static void easel_webp_end_row(easel_webp_shrinker *s, uint8_t *pixels) {
  for (size_t i = 0; i < 3; i++) {
    easel_webp_plane *plane = &s->all[i];
    uint32_t later_part = easel_webp_reciprocal(1, s->height) * (uint32_t)-plane->missing;
    uint32_t scale = easel_webp_reciprocal(s->height, (uint64_t)plane->axis->source * plane->height);
    if (s->is_plain) {
      easel_webp_end_boxes_plainly(plane->sums, plane->last, later_part, scale, 0, s->width, s->samples[i]);
    } else {
      easel_webp_end_boxes(plane->sums, plane->last, later_part, scale, s->width, s->samples[i]);
    }
    plane->missing += (int32_t)plane->height;
  }
  easel_webp_mix(s->samples[0], s->samples[1], s->samples[2], s->width, pixels);
  s->missing--;
}

bool easel_webp_shrinker_next(easel_webp_shrinker *s, const void *rows, size_t count, void *pixels) {
  const uint8_t *start = rows;
  const size_t stride = s->planes.stride, pairs = (count + 1) / 2;
  if (s->missing > 0) {
    easel_webp_take_rows(s, 0, start + s->planes.light, stride, count);
    easel_webp_take_rows(s, 1, start + s->planes.color, 2 * stride, pairs);
    easel_webp_take_rows(s, 2, start + s->planes.color + stride, 2 * stride, pairs);
    if (s->all[0].missing <= 0 && s->all[1].missing <= 0) {
      easel_webp_end_row(s, pixels);
      return true;
    }
  }
  // The rows of the next call follow these.
  memset(s->taken, 0, sizeof s->taken);
  return false;
}
