// Runs each pixel kernel at every level of this processor on random pictures, and compares all bytes with those of the
// scalar level. Prints a sum of each kernel's bytes, so that processors can be compared as well.
//
// usage: kernels [ROUNDS [HIGHEST-LEVEL]]

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

typedef struct {
  const picture *source;
  easel_alpha alpha;
  noise noise;
} trial;

// The kernel writes into the target only, and draws its settings from the noise of its copy of the trial.
typedef void (*kernel)(trial t, picture *target);

#define SOURCE t.source->first, t.source->stride
#define TARGET target->first, target->stride
#define SIZE t.source->width, t.source->height

// A result that is no picture.
static void store(picture *target, const void *result, size_t count) {
  memcpy(target->bytes, result, count < target->count ? count : target->count);
}

// ---- Alpha and conversions

static void premultiply(trial t, picture *target) { easel_premultiply(target->format, SOURCE, TARGET, SIZE); }
static void unpremultiply(trial t, picture *target) { easel_unpremultiply(target->format, SOURCE, TARGET, SIZE); }

static void premultiply_in_place(trial t, picture *target) {
  easel_premultiply(target->format, TARGET, TARGET, SIZE);
}

static void is_opaque(trial t, picture *target) {
  uint8_t result = easel_is_opaque(target->format, SOURCE, SIZE);
  store(target, &result, 1);
}

static void swap(trial t, picture *target) { easel_swap_red_blue(target->format, SOURCE, TARGET, SIZE); }

// These four read or write pixels of another size than the target's, so they use fewer of them.
static void gray_to_rgba(trial t, picture *target) {
  easel_gray8_to_rgba8(SOURCE, TARGET, target->format == EASEL_FORMAT_RGBA8 ? target->width : target->width / 4,
                       target->height);
}

static void rgb_to_rgba(trial t, picture *target) {
  size_t width = target->format == EASEL_FORMAT_RGBA8 ? target->width : target->width / 4;
  bool is_bgr = next(&t.noise) & 1;
  easel_rgb8_to_rgba8(is_bgr, SOURCE, TARGET, width, target->height);
}

static void rgba_to_rgb(trial t, picture *target) {
  size_t width = target->format == EASEL_FORMAT_RGBA8 ? target->width : target->width / 4;
  bool is_bgr = next(&t.noise) & 1;
  easel_rgba8_to_rgb8(is_bgr, SOURCE, TARGET, width, target->height);
}

static void widen(trial t, picture *target) { easel_rgba8_to_rgba16(SOURCE, TARGET, SIZE); }
static void narrow(trial t, picture *target) { easel_rgba16_to_rgba8(SOURCE, TARGET, SIZE); }

static void fill(trial t, picture *target) {
  uint64_t pixel = next(&t.noise);
  easel_fill(target->format, &pixel, TARGET, SIZE);
}

static void map_gray(trial t, picture *target) {
  size_t bytes = target->format == EASEL_FORMAT_RGBA16 ? 65536 * 6 : 256 * 3;
  uint8_t *table = malloc(bytes);
  for (size_t i = 0; i < bytes; i++) table[i] = (uint8_t)(next(&t.noise) >> 32);
  easel_map_gray(target->format, table, TARGET, SIZE);
  free(table);
}

// Every pair of a colour and an alpha, since rounding may fail for few of them.
static void all_pairs(trial t, picture *target) {
  enum { count = 65536 };
  (void)t;
  uint8_t *pixels = malloc(count * 4), *results = malloc(count * 4);
  for (size_t i = 0; i < count; i++) {
    memcpy(pixels + i * 4, (uint8_t[]){(uint8_t)i, (uint8_t)(i * 7), (uint8_t)(255 - i), (uint8_t)(i >> 8)}, 4);
  }
  easel_premultiply(EASEL_FORMAT_RGBA8, pixels, 0, results, 0, count, 1);
  uint64_t sum = sum_of(EMPTY_SUM, results, count * 4);
  easel_unpremultiply(EASEL_FORMAT_RGBA8, pixels, 0, results, 0, count, 1);
  sum = sum_of(sum, results, count * 4);
  store(target, &sum, sizeof sum);
  free(pixels);
  free(results);
}

// Pixels with every alpha, and with every colour for some alphas: few products lie next to a half.
static void deep_pairs(trial t, picture *target) {
  enum { count = 65536 };
  uint16_t *pixels = malloc(count * 8), *results = malloc(count * 8);
  uint64_t sum = EMPTY_SUM;
  for (int pass = 0; pass < 4; pass++) {
    uint16_t alpha = (uint16_t)(next(&t.noise) >> 32);
    for (size_t i = 0; i < count; i++) {
      uint16_t pixel[4] = {(uint16_t)i, (uint16_t)(i * 7), (uint16_t)(i * 13), pass ? alpha : (uint16_t)(i * 5)};
      memcpy(pixels + i * 4, pixel, 8);
    }
    easel_premultiply(EASEL_FORMAT_RGBA16, pixels, 0, results, 0, count, 1);
    sum = sum_of(sum, results, count * 8);
    easel_unpremultiply(EASEL_FORMAT_RGBA16, pixels, 0, results, 0, count, 1);
    sum = sum_of(sum, results, count * 8);
  }
  store(target, &sum, sizeof sum);
  free(pixels);
  free(results);
}

// ---- Flips and turns

static void flip(trial t, picture *target) {
  size_t which = below(&t.noise, 4);
  easel_flip(target->format, which & 1, which & 2, SOURCE, TARGET, SIZE);
}

static void flip_in_place(trial t, picture *target) {
  size_t which = below(&t.noise, 4);
  easel_flip(target->format, which & 1, which & 2, TARGET, TARGET, SIZE);
}

static void orient(trial t, picture *target) {
  easel_orient(target->format, 1 + (int)below(&t.noise, 4), SOURCE, SIZE, TARGET);
}

static void turn(trial t, picture *target) {
  easel_orient(target->format, 5 + (int)below(&t.noise, 4), SOURCE, SIZE, TARGET);
}

static void rotate(trial t, picture *target) {
  bool is_cubic = below(&t.noise, 2);
  easel_rotate(target->format, t.alpha, is_cubic, SOURCE, SIZE, TARGET, t.alpha, target->width, target->height,
               fraction(&t.noise) * 6, 0, target->height);
}

// ---- Effects

static void blur(trial t, picture *target) {
  double radius = fraction(&t.noise) * 12;
  int passes = 1 + (int)below(&t.noise, 3);
  if (easel_blur_rows(target->format, t.alpha, radius, passes, SOURCE, TARGET, SIZE) != EASEL_OK ||
      easel_blur_columns(target->format, t.alpha, radius, passes, TARGET, SIZE, 0, target->width) != EASEL_OK) {
    exit(2);
  }
}

static void matrix(trial t, picture *target) {
  float numbers[20];
  for (size_t i = 0; i < 20; i++) numbers[i] = (float)(fraction(&t.noise) * 2 - 0.7);
  easel_color_matrix(target->format, t.alpha, SOURCE, TARGET, SIZE, numbers);
}

static easel_blend_mode any_mode(noise *n) {
  size_t mode = below(n, 23);
  return (easel_blend_mode)(mode < 12 ? mode : mode + 4);
}

static void blend(trial t, picture *target) {
  easel_blend_mode mode = any_mode(&t.noise);
  easel_blend(target->format, mode, (float)fraction(&t.noise), SOURCE, t.alpha, TARGET,
              (easel_alpha)below(&t.noise, 3), SIZE);
}

static void blend_normally(trial t, picture *target) {
  easel_blend(target->format, EASEL_BLEND_NORMAL, (float)fraction(&t.noise), SOURCE, t.alpha, TARGET,
              (easel_alpha)below(&t.noise, 3), SIZE);
}

static void blend_color(trial t, picture *target) {
  float color[4];
  for (size_t i = 0; i < 4; i++) color[i] = (float)fraction(&t.noise);
  easel_blend_mode mode = any_mode(&t.noise);
  easel_blend_color(target->format, mode, color, TARGET, t.alpha, SIZE);
}

static void lay_over(trial t, picture *target) { easel_lay_over(target->format, SOURCE, TARGET, SIZE); }

static void corners(trial t, picture *target) {
  const float ink[4] = {0.2f, 0.9f, 0.4f, 0.7f};
  double radius = fraction(&t.noise) * 20, border = fraction(&t.noise) * 3;
  easel_round_corners(target->format, t.alpha, SOURCE, TARGET, EASEL_ALPHA_PREMULTIPLIED, SIZE, 0, target->height,
                      radius, (unsigned)below(&t.noise, 16), border, below(&t.noise, 2) ? ink : NULL);
}

static void convolve(trial t, picture *target) {
  float numbers[EASEL_MOST_MATRIX_SIDE * EASEL_MOST_MATRIX_SIDE];
  size_t columns = 1 + 2 * below(&t.noise, EASEL_MOST_MATRIX_SIDE / 2 + 1);
  size_t rows = 1 + 2 * below(&t.noise, EASEL_MOST_MATRIX_SIDE / 2 + 1);
  for (size_t i = 0; i < columns * rows; i++) numbers[i] = (float)(fraction(&t.noise) * 2 - 0.8);
  easel_convolve(target->format, t.alpha, SOURCE, TARGET, SIZE, 0, target->height, numbers, columns, rows);
}

static void unsharp(trial t, picture *target) {
  easel_unsharp(target->format, t.alpha, SOURCE, TARGET, SIZE, (float)fraction(&t.noise) * 2, 0.02f);
}

static void find_outside(trial t, picture *target) {
  size_t most = target->format == EASEL_FORMAT_RGBA16 ? 65535 : 255, ends[2] = {0, 0};
  uint16_t low[4], high[4];
  for (size_t i = 0; i < 4; i++) {
    low[i] = (uint16_t)below(&t.noise, most / 50 + 1);
    high[i] = (uint16_t)(most - below(&t.noise, most / 50 + 1));
  }
  bool is_there = easel_find_outside(target->format, t.alpha, t.source->first, t.source->width, low, high, &ends[0],
                                     &ends[1]);
  uint32_t result[3] = {is_there, is_there ? (uint32_t)ends[0] : 0, is_there ? (uint32_t)ends[1] : 0};
  store(target, result, sizeof result);
}

static void salience(trial t, picture *target) {
  size_t width = 1 + below(&t.noise, 16), height = 1 + below(&t.noise, 16), x = 0, y = 0;
  uint8_t cells[16 * 16 * 4];
  for (size_t i = 0; i < width * height * 4; i++) cells[i] = (uint8_t)(next(&t.noise) >> 32);
  uint32_t scores[16 * 16 + 2] = {0};
  easel_salience(cells, width, height, scores);
  easel_best_window(scores, width, height, 1 + below(&t.noise, width), 1 + below(&t.noise, height), &x, &y);
  scores[width * height] = (uint32_t)(x * 100 + y);
  store(target, scores, sizeof scores);
}

// ---- Comparison

static void compare(trial t, picture *target) {
  easel_differences sum = {0, 0, 0};
  easel_compare(SOURCE, TARGET, SIZE, target->format, &sum);
  uint64_t result[3] = {sum.squares, sum.pixels, sum.largest};
  store(target, result, sizeof result);
}

static void similarity(trial t, picture *target) {
  double result = 0;
  if (easel_similarity(SOURCE, TARGET, SIZE, target->format, below(&t.noise, 2), &result) != EASEL_OK) exit(2);
  store(target, &result, sizeof result);
}

static void visual_score(trial t, picture *target) {
  easel_visual_pair pair = {.width = t.source->width, .height = t.source->height, .background = 0.1f};
  pair.pictures[0] = (easel_visual_picture){SOURCE, target->format, t.alpha, false};
  pair.pictures[1] = (easel_visual_picture){TARGET, target->format, t.alpha, true};
  easel_visual_band *band;
  if (easel_visual_band_create(&pair, 0, pair.height, &band) != EASEL_OK) exit(2);
  while (!easel_visual_band_run(band, 5)) continue;
  easel_visual_sums sums;
  easel_visual_band_sums(band, &sums);
  easel_visual_band_destroy(band);
  uint64_t sum = sum_of(EMPTY_SUM, (const uint8_t *)&sums, sizeof sums);
  store(target, &sum, sizeof sum);
}

static void draw_differences(trial t, picture *target) {
  picture out = random_picture(EASEL_FORMAT_RGBA8, target->width, target->height, &t.noise);
  easel_draw_differences(SOURCE, TARGET, SIZE, target->format, out.first, out.stride);
  uint64_t sum = sum_of(EMPTY_SUM, out.bytes, out.count);
  store(target, &sum, sizeof sum);
  release(&out);
}

// ---- Decoders' planes and rows

static void ycc(trial t, picture *target) {
  easel_ycc_planes planes = {.width = target->width, .height = target->height};
  planes.depth = below(&t.noise, 2) ? 8 : 10;
  planes.color_depth = below(&t.noise, 2) ? 8 : 12;
  planes.halves_width = below(&t.noise, 2);
  planes.halves_height = below(&t.noise, 2);
  uint16_t *samples[3];
  for (size_t i = 0; i < 3; i++) {
    unsigned depth = i ? planes.color_depth : planes.depth;
    size_t count = target->width * target->height;
    samples[i] = malloc(count * 2);
    for (size_t k = 0; k < count; k++) {
      uint64_t value = next(&t.noise) >> 32;
      if (depth > 8) {
        samples[i][k] = (uint16_t)(value & ((1u << depth) - 1));
      } else {
        ((uint8_t *)samples[i])[k] = (uint8_t)value;
      }
    }
    planes.planes[i] = samples[i];
    planes.strides[i] = target->width * (depth > 8 ? 2 : 1);
  }
  bool is_wide = target->format == EASEL_FORMAT_RGBA16;
  float most = is_wide ? 65535 : 255, luma = most / (float)((1u << planes.depth) - 1);
  float color = most / (float)((1u << planes.color_depth) - 1) / 16;
  const float numbers[3][4] = {{luma, 0, 1.5748f * color, -0.8f * most},
                               {luma, -0.1873f * color, -0.4681f * color, 0.33f * most},
                               {luma, 1.8556f * color, 0, -0.93f * most}};
  if (easel_ycc_to_rgba(&planes, numbers, 0, target->height, is_wide, TARGET) != EASEL_OK) exit(2);
  if (below(&t.noise, 2)) easel_ycc_to_alpha(&planes, luma, 0, 0, target->height, is_wide, TARGET);
  for (size_t i = 0; i < 3; i++) free(samples[i]);
}

static void unfilter(trial t, picture *target) {
  static const size_t sizes[] = {1, 2, 3, 4, 6, 8};
  size_t bytes = target->width * bytes_per_pixel(target->format), pixel = sizes[below(&t.noise, 6)];
  for (size_t y = 0; y < target->height; y++) {
    const uint8_t *above = y ? row_of(target, y - 1) : NULL;
    easel_png_unfilter((int)below(&t.noise, 5), pixel, row_of(target, y), above, bytes - bytes % pixel);
  }
}

// The rows of the target are filtered into each other, from the last to the first.
static void filter(trial t, picture *target) {
  static const size_t sizes[] = {1, 2, 3, 4, 6, 8};
  size_t bytes = target->width * bytes_per_pixel(target->format), pixel = sizes[below(&t.noise, 6)];
  for (size_t y = target->height; y-- > 2;) {
    easel_png_filter((int)below(&t.noise, 5), pixel, row_of(target, y - 1), row_of(target, y - 2), bytes,
                     row_of(target, y));
  }
}

static void filter_sums(trial t, picture *target) {
  static const size_t sizes[] = {1, 2, 3, 4, 6, 8};
  size_t bytes = target->width * bytes_per_pixel(target->format), pixel = sizes[below(&t.noise, 6)];
  uint64_t sums[5], sum = EMPTY_SUM;
  for (size_t y = 1; y < t.source->height; y++) {
    easel_png_filter_sums(pixel, row_of(t.source, y), row_of(t.source, y - 1), bytes, sums);
    sum = sum_of(sum, sums, sizeof sums);
  }
  store(target, &sum, sizeof sum);
}

static void swap_bytes(trial t, picture *target) {
  for (size_t y = 0; y < target->height; y++) {
    easel_swap_bytes16(row_of(t.source, y), row_of(target, y), target->width * 4);
  }
}

// ---- Resamplers

static void resample(trial t, picture *target) {
  easel_resample_spec spec = {.format = target->format, .alpha = t.alpha, .source_width = t.source->width,
                              .source_height = t.source->height, .width = target->width, .height = target->height};
  spec.filter = (easel_filter)below(&t.noise, 5);
  spec.box_x = fraction(&t.noise) * (double)spec.source_width / 4;
  spec.box_y = below(&t.noise, 2) ? 0 : fraction(&t.noise) * (double)spec.source_height / 4;
  spec.box_width = (double)spec.source_width - spec.box_x;
  spec.box_height = (double)spec.source_height - spec.box_y;
  spec.linear_light = below(&t.noise, 4) == 0;
  easel_resampler *resampler;
  bool is_finished = false;
  if (easel_resampler_create(&spec, &resampler) != EASEL_OK) exit(2);
  while (!is_finished) {
    if (easel_resampler_run(resampler, SOURCE, TARGET, 7, &is_finished) != EASEL_OK) exit(2);
  }
  easel_resampler_destroy(resampler);
}

static void resample_plane(trial t, picture *target) {
  easel_plane_spec spec = {.source_width = t.source->width, .source_height = t.source->height};
  spec.box_width = (double)spec.source_width;
  spec.box_height = (double)spec.source_height;
  spec.width = 1 + below(&t.noise, 70);
  spec.height = 1 + below(&t.noise, 30);
  easel_plane_resampler *resampler;
  if (easel_plane_resampler_create(&spec, &resampler) != EASEL_OK) exit(2);
  float *rows = calloc(spec.width * spec.height, sizeof *rows);
  size_t read = 0;
  // The planes of decoders begin with the top row, so that their strides are never negative.
  const uint8_t *samples = t.source->bytes;
  size_t stride = (size_t)labs(t.source->stride);
  while (easel_plane_resampler_read(resampler, samples, stride, rows + read * spec.width)) {
    if (++read == spec.height) break;
  }
  uint64_t sum = sum_of(EMPTY_SUM, rows, spec.width * read * sizeof *rows);
  easel_plane_resampler_reset(resampler);
  for (size_t y = 0, pulled = 0; pulled < spec.height;) {
    if (easel_plane_resampler_pull(resampler, rows + pulled * spec.width)) {
      pulled++;
    } else if (y >= spec.source_height || !easel_plane_resampler_push(resampler, samples + y++ * stride, false, NULL)) {
      exit(2);
    }
  }
  sum = sum_of(sum, rows, spec.width * spec.height * sizeof *rows);
  store(target, &sum, sizeof sum);
  free(rows);
  easel_plane_resampler_destroy(resampler);
}

// ---- All of them

// Large ones have their own pixels, and run but a few times.
enum { GRAY = 1, RGBA8 = 2, RGBA16 = 4, ALL = 7, LARGE = 8 + RGBA16 };

// The form of the target beside that of the source.
typedef enum { SAME, TURNED, OTHER_SIZE, RGBA8_OF_GRAY, RGBA16_OF_8, RGBA8_OF_16 } shape;

static const struct {
  const char *name;
  kernel run;
  unsigned formats;
  shape shape;
} kernels[] = {
  {"premultiply", premultiply, ALL, SAME}, {"premultiply in place", premultiply_in_place, ALL, SAME},
  {"unpremultiply", unpremultiply, ALL, SAME}, {"all pairs of colour and alpha", all_pairs, LARGE, SAME},
  {"pairs of 16 bits", deep_pairs, LARGE, SAME}, {"is opaque", is_opaque, RGBA8 | RGBA16, SAME},
  {"swap red and blue", swap, ALL, SAME}, {"grey to RGBA", gray_to_rgba, GRAY, RGBA8_OF_GRAY},
  {"RGB to RGBA", rgb_to_rgba, RGBA8, SAME}, {"RGBA to RGB", rgba_to_rgb, RGBA8, SAME},
  {"8 to 16 bits", widen, RGBA8, RGBA16_OF_8},
  {"16 to 8 bits", narrow, RGBA16, RGBA8_OF_16}, {"fill", fill, ALL, SAME}, {"map grey", map_gray, ALL, SAME},
  {"flip", flip, ALL, SAME}, {"flip in place", flip_in_place, ALL, SAME}, {"orient", orient, ALL, SAME},
  {"turn", turn, ALL, TURNED}, {"rotate", rotate, ALL, OTHER_SIZE}, {"blur", blur, ALL, SAME},
  {"matrix", matrix, ALL, SAME}, {"blend", blend, ALL, SAME}, {"blend normally", blend_normally, ALL, SAME},
  {"blend a colour", blend_color, ALL, SAME}, {"lay over", lay_over, ALL, SAME}, {"corners", corners, ALL, SAME},
  {"convolve", convolve, ALL, SAME}, {"unsharp", unsharp, ALL, SAME}, {"find outside", find_outside, ALL, SAME},
  {"salience", salience, RGBA8, SAME}, {"compare", compare, ALL, SAME}, {"similarity", similarity, ALL, SAME},
  {"visual score", visual_score, ALL, SAME}, {"draw differences", draw_differences, ALL, SAME},
  {"planes to RGBA", ycc, RGBA8 | RGBA16, SAME},
  {"unfilter", unfilter, ALL, SAME}, {"filter", filter, ALL, SAME}, {"filter sums", filter_sums, ALL, SAME},
  {"swap bytes", swap_bytes, RGBA16, SAME}, {"resample", resample, ALL, OTHER_SIZE},
  {"resample a plane", resample_plane, GRAY, OTHER_SIZE},
};

static picture target_for(const picture *source, shape shape, noise *n) {
  easel_format format = source->format;
  size_t width = source->width, height = source->height;
  if (shape == TURNED) width = source->height, height = source->width;
  if (shape == OTHER_SIZE) width = 1 + below(n, 90), height = 1 + below(n, 40);
  if (shape == RGBA8_OF_GRAY || shape == RGBA8_OF_16) format = EASEL_FORMAT_RGBA8;
  if (shape == RGBA16_OF_8) format = EASEL_FORMAT_RGBA16;
  return random_picture(format, width, height, n);
}

// Runs a kernel at every level; returns false when bytes differ.
static bool agrees(size_t which, easel_format format, int levels, noise *n, uint64_t *sum) {
  picture source = random_picture(format, 1 + below(n, 130), 1 + below(n, 24), n);
  picture backdrop = target_for(&source, kernels[which].shape, n);
  trial t = {.source = &source, .alpha = (easel_alpha)below(n, 3), .noise = noise_of(next(n))};
  picture expected = copy_of(&backdrop);
  easel_pixels_limit_level(EASEL_LEVEL_SCALAR);
  kernels[which].run(t, &expected);
  *sum = sum_of(*sum, expected.bytes, expected.count);
  bool agrees = true;
  for (int level = 1; level <= levels; level++) {
    picture target = copy_of(&backdrop);
    easel_pixels_limit_level(level);
    kernels[which].run(t, &target);
    for (size_t i = 0; i < target.count; i++) {
      if (target.bytes[i] == expected.bytes[i]) continue;
      printf("%s: level %d differs at byte %zu of %zux%zu, format %d, alpha %d: %u instead of %u\n",
             kernels[which].name, level, i, source.width, source.height, format, t.alpha, target.bytes[i],
             expected.bytes[i]);
      agrees = false;
      break;
    }
    release(&target);
  }
  release(&expected);
  release(&backdrop);
  release(&source);
  return agrees;
}

int main(int argument_count, char **arguments) {
  size_t rounds = argument_count > 1 ? (size_t)atoi(arguments[1]) : 200, compared = 0, failures = 0;
  if (argument_count > 2) easel_pixels_limit_level(atoi(arguments[2]));
  int levels = easel_pixels_level();
  for (size_t which = 0; which < sizeof kernels / sizeof kernels[0]; which++) {
    noise n = noise_of(which + 1);
    uint64_t sum = EMPTY_SUM;
    size_t most = kernels[which].formats & 8 ? 4 : rounds;
    for (size_t round = 0; round < rounds && round < most; round++) {
      for (int format = 0; format < 3; format++) {
        if (!(kernels[which].formats & 1u << format)) continue;
        compared += (size_t)levels;
        failures += !agrees(which, (easel_format)format, levels, &n, &sum);
      }
    }
    printf("sum %016llx %s\n", (unsigned long long)sum, kernels[which].name);
  }
#if defined(__x86_64__)
  static const char *const names[] = {"SSE2 alone", "SSE2 and SSE4.1", "SSE2, SSE4.1 and AVX2"};
#elif defined(__aarch64__)
  static const char *const names[] = {"scalar code alone", "scalar code and NEON"};
#else
  static const char *const names[] = {"scalar code alone"};
#endif
  printf("kernels: %zu kernels with %s, %zu comparisons, %zu differ\n", sizeof kernels / sizeof kernels[0],
         names[levels], compared, failures);
  return failures ? 1 : 0;
}
