#include "include/CEaselHEIFBaseline.h"

#include <libde265/de265.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const easel_baseline_cell *cells;
  size_t count;
  uint32_t width, height;
  // RGBA, or nothing where planes are wanted.
  uint8_t *pixels;
  uint8_t *planes[3];
  atomic_size_t next;
  atomic_bool has_failed;
} easel_baseline_job;

static uint8_t easel_baseline_clamp(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

static void easel_baseline_row(const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *target,
                               size_t width) {
  for (size_t x = 0; x < width; x++) {
    int y = (luma[x] << 16) + (1 << 15), u = blue[x / 2] - 128, v = red[x / 2] - 128;
    target[4 * x] = easel_baseline_clamp((y + 91881 * v) >> 16);
    target[4 * x + 1] = easel_baseline_clamp((y - 22554 * u - 46802 * v) >> 16);
    target[4 * x + 2] = easel_baseline_clamp((y + 116130 * u) >> 16);
    target[4 * x + 3] = 255;
  }
}

static void easel_baseline_place(easel_baseline_job *job, const easel_baseline_cell *cell,
                                 const struct de265_image *image) {
  uint32_t width = (uint32_t)de265_get_image_width(image, 0), height = (uint32_t)de265_get_image_height(image, 0);
  if (width > job->width - cell->x) width = job->width - cell->x;
  if (height > job->height - cell->y) height = job->height - cell->y;
  const uint8_t *planes[3];
  int strides[3];
  for (int plane = 0; plane < 3; plane++) planes[plane] = de265_get_image_plane(image, plane, &strides[plane]);
  if (job->pixels) {
    for (uint32_t y = 0; y < height; y++) {
      easel_baseline_row(planes[0] + (size_t)y * (size_t)strides[0], planes[1] + (size_t)(y / 2) * (size_t)strides[1],
                         planes[2] + (size_t)(y / 2) * (size_t)strides[2],
                         job->pixels + 4 * ((size_t)(cell->y + y) * job->width + cell->x), width);
    }
    return;
  }
  for (int plane = 0; plane < 3; plane++) {
    uint32_t divisor = plane > 0 ? 2 : 1;
    size_t stride = (job->width + divisor - 1) / divisor;
    uint8_t *to = job->planes[plane] + cell->y / divisor * stride + cell->x / divisor;
    for (uint32_t y = 0; y < (height + divisor - 1) / divisor; y++) {
      memcpy(to + y * stride, planes[plane] + (size_t)y * (size_t)strides[plane], (width + divisor - 1) / divisor);
    }
  }
}

static bool easel_baseline_decode_cell(easel_baseline_job *job, const easel_baseline_cell *cell) {
  de265_decoder_context *decoder = de265_new_decoder();
  if (!decoder) return false;
  bool is_right = true;
  for (size_t i = 0; i < cell->count && is_right; i++) {
    is_right = de265_isOK(de265_push_NAL(decoder, cell->units[i].bytes, (int)cell->units[i].count, 0, NULL));
  }
  is_right = is_right && de265_isOK(de265_flush_data(decoder));
  const struct de265_image *image = NULL;
  for (int more = 1; is_right && more && !(image = de265_peek_next_picture(decoder));) {
    is_right = de265_isOK(de265_decode(decoder, &more));
  }
  if (!image) image = de265_peek_next_picture(decoder);
  is_right = is_right && image && de265_get_chroma_format(image) == de265_chroma_420 &&
             de265_get_bits_per_pixel(image, 0) == 8 && cell->x < job->width && cell->y < job->height;
  if (is_right) easel_baseline_place(job, cell, image);
  de265_free_decoder(decoder);
  return is_right;
}

static void *easel_baseline_work(void *argument) {
  easel_baseline_job *job = argument;
  size_t index;
  while ((index = atomic_fetch_add(&job->next, 1)) < job->count) {
    if (!easel_baseline_decode_cell(job, &job->cells[index])) atomic_store(&job->has_failed, true);
  }
  return NULL;
}

static bool easel_baseline_run(easel_baseline_job *job, int threads) {
  pthread_t others[16];
  int started = 0;
  while (started + 1 < threads && started < 16 && (size_t)started + 1 < job->count &&
         pthread_create(&others[started], NULL, easel_baseline_work, job) == 0) {
    started++;
  }
  easel_baseline_work(job);
  for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
  return !atomic_load(&job->has_failed);
}

bool easel_baseline_decode_heif(const easel_baseline_cell *cells, size_t count, uint32_t width, uint32_t height,
                                int threads, void *target) {
  easel_baseline_job job = {.cells = cells, .count = count, .width = width, .height = height, .pixels = target};
  return easel_baseline_run(&job, threads);
}

// The mean of the samples of a plane that fall on each sample of the result.
static void easel_baseline_mean(const uint8_t *plane, size_t width, size_t height, uint8_t *target,
                                size_t target_width, size_t target_height, uint32_t *sums) {
  for (size_t y = 0; y < target_height; y++) {
    size_t top = y * height / target_height, bottom = (y + 1) * height / target_height;
    memset(sums, 0, width * sizeof *sums);
    for (size_t row = top; row < bottom; row++) {
      for (size_t x = 0; x < width; x++) sums[x] += plane[row * width + x];
    }
    for (size_t x = 0; x < target_width; x++) {
      size_t left = x * width / target_width, right = (x + 1) * width / target_width, sum = 0;
      for (size_t i = left; i < right; i++) sum += sums[i];
      target[y * target_width + x] = (uint8_t)(sum / ((right - left) * (bottom - top)));
    }
  }
}

bool easel_baseline_shrink_heif(const easel_baseline_cell *cells, size_t count, uint32_t width, uint32_t height,
                                int threads, uint32_t target_width, uint32_t target_height, void *target) {
  easel_baseline_job job = {.cells = cells, .count = count, .width = width, .height = height};
  size_t wide[3] = {width, (width + 1) / 2, (width + 1) / 2}, high[3] = {height, (height + 1) / 2, (height + 1) / 2};
  size_t area = (size_t)target_width * target_height;
  uint8_t *small = malloc(3 * area);
  uint32_t *sums = malloc(width * sizeof *sums);
  bool is_right = small && sums;
  for (int plane = 0; plane < 3; plane++) {
    job.planes[plane] = malloc(wide[plane] * high[plane]);
    is_right = is_right && job.planes[plane];
  }
  is_right = is_right && easel_baseline_run(&job, threads);
  if (is_right) {
    for (int plane = 0; plane < 3; plane++) {
      easel_baseline_mean(job.planes[plane], wide[plane], high[plane], small + (size_t)plane * area, target_width,
                          target_height, sums);
    }
    uint8_t *to = target;
    for (size_t i = 0; i < area; i++) {
      int y = (small[i] << 16) + (1 << 15), u = small[area + i] - 128, v = small[2 * area + i] - 128;
      to[4 * i] = easel_baseline_clamp((y + 91881 * v) >> 16);
      to[4 * i + 1] = easel_baseline_clamp((y - 22554 * u - 46802 * v) >> 16);
      to[4 * i + 2] = easel_baseline_clamp((y + 116130 * u) >> 16);
      to[4 * i + 3] = 255;
    }
  }
  for (int plane = 0; plane < 3; plane++) free(job.planes[plane]);
  free(small);
  free(sums);
  return is_right;
}
