#include <stdlib.h>
#include <string.h>

#include "CEaselPixels.h"
#include "internal.h"

// A plane that is being made smaller.
typedef struct {
  easel_plane_resampler *resampler;
  // The first sample to read.
  const uint8_t *samples;
  size_t stride;
  // The next row of the result.
  float *row;
} easel_plane;

// The planes of one resolution: the brightness and its alpha, or the two colours and their alpha.
typedef struct {
  easel_plane planes[2];
  size_t count;
  easel_plane alpha;
  easel_plane_spec spec;
  // The place of the first sample in the picture's planes of this resolution.
  size_t x, y;
  // The number of halvings by which this resolution is lower in each direction.
  unsigned shift_x, shift_y;
  // The alpha of a row of the source, from 0 to 1.
  float *weights;
} easel_layer;

// The conversion from brightness and colours to red, green and blue.
typedef struct {
  enum { EASEL_IDENTITY, EASEL_GREEN_ORANGE, EASEL_COEFFICIENTS } kind;
  float red, blue;
  float black, gain, middle, color_gain;
} easel_matrix;

struct easel_avif_reducer {
  const avifImage *image;
  easel_avif_reduction reduction;
  easel_layer luma, chroma;
  bool has_alpha, weighs, is_word;
  easel_matrix matrix;
};

// ---- Preparing

static bool easel_avif_find_matrix(const avifImage *image, easel_matrix *matrix) {
  bool is_full = image->yuvRange == AVIF_RANGE_FULL, is_gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
  float step = (float)(1u << (image->depth - 8)), most = (float)((1u << image->depth) - 1);
  matrix->black = is_full ? 0 : 16 * step;
  matrix->gain = 1 / (is_full ? most : 219 * step);
  matrix->middle = 128 * step;
  matrix->color_gain = 1 / (is_full ? most : 224 * step);
  matrix->kind = EASEL_COEFFICIENTS;
  matrix->red = 0.299f;
  matrix->blue = 0.114f;
  if (is_gray) return true;
  switch (image->matrixCoefficients) {
    case AVIF_MATRIX_COEFFICIENTS_IDENTITY:
      matrix->kind = EASEL_IDENTITY;
      return is_full && image->yuvFormat == AVIF_PIXEL_FORMAT_YUV444;
    case AVIF_MATRIX_COEFFICIENTS_YCGCO: matrix->kind = EASEL_GREEN_ORANGE; return is_full;
    case AVIF_MATRIX_COEFFICIENTS_UNSPECIFIED:
    case AVIF_MATRIX_COEFFICIENTS_BT470BG:
    case AVIF_MATRIX_COEFFICIENTS_BT601: return true;
    case AVIF_MATRIX_COEFFICIENTS_BT709: matrix->red = 0.2126f; matrix->blue = 0.0722f; return true;
    case AVIF_MATRIX_COEFFICIENTS_FCC: matrix->red = 0.3f; matrix->blue = 0.11f; return true;
    case AVIF_MATRIX_COEFFICIENTS_SMPTE240: matrix->red = 0.212f; matrix->blue = 0.087f; return true;
    // For this rare matrix, all programs use the common matrix of the same primaries.
    case AVIF_MATRIX_COEFFICIENTS_BT2020_NCL:
    case AVIF_MATRIX_COEFFICIENTS_BT2020_CL: matrix->red = 0.2627f; matrix->blue = 0.0593f; return true;
    default: return false;
  }
}

static easel_avif_status easel_avif_failure(easel_status status) {
  switch (status) {
    case EASEL_OK: return EASEL_AVIF_OK;
    case EASEL_NO_MEMORY: return EASEL_AVIF_NO_MEMORY;
    default: return EASEL_AVIF_UNSUPPORTED;
  }
}

static easel_avif_status easel_avif_prepare_plane(easel_plane *plane, const easel_layer *layer, const uint8_t *samples,
                                                  size_t stride, size_t sample_bytes) {
  easel_status status = easel_plane_resampler_create(&layer->spec, &plane->resampler);
  if (status != EASEL_OK) return easel_avif_failure(status);
  plane->samples = samples ? samples + layer->y * stride + layer->x * sample_bytes : NULL;
  plane->stride = stride;
  plane->row = malloc(layer->spec.width * sizeof *plane->row);
  return plane->row ? EASEL_AVIF_OK : EASEL_AVIF_NO_MEMORY;
}

// Finds the samples of a layer that the picture's part needs, and their position in the result.
static void easel_avif_place(easel_layer *layer, const easel_avif_reduction *reduction, unsigned shift_x,
                             unsigned shift_y) {
  size_t width = 1u << shift_x, height = 1u << shift_y;
  size_t end_x = ((size_t)reduction->x + reduction->width + width - 1) >> shift_x;
  size_t end_y = ((size_t)reduction->y + reduction->height + height - 1) >> shift_y;
  layer->shift_x = shift_x;
  layer->shift_y = shift_y;
  layer->x = reduction->x >> shift_x;
  layer->y = reduction->y >> shift_y;
  layer->spec = (easel_plane_spec){
      .source_width = end_x - layer->x,
      .source_height = end_y - layer->y,
      .box_x = (double)reduction->x / (double)width - (double)layer->x,
      .box_y = (double)reduction->y / (double)height - (double)layer->y,
      .box_width = (double)reduction->width / (double)width,
      .box_height = (double)reduction->height / (double)height,
      .width = reduction->target_width,
      .height = reduction->target_height,
  };
}

static easel_avif_status easel_avif_prepare_layer(easel_avif_reducer *reducer, easel_layer *layer, int first,
                                                  size_t count, bool has_alpha) {
  const avifImage *image = reducer->image;
  size_t sample_bytes = reducer->is_word ? 2 : 1;
  for (size_t i = 0; i < count; i++) {
    int plane = first + (int)i;
    if (!image->yuvPlanes[plane]) return EASEL_AVIF_UNSUPPORTED;
    easel_avif_status status = easel_avif_prepare_plane(&layer->planes[i], layer, image->yuvPlanes[plane],
                                                        image->yuvRowBytes[plane], sample_bytes);
    if (status != EASEL_AVIF_OK) return status;
    layer->count = i + 1;
  }
  if (!has_alpha) return EASEL_AVIF_OK;
  layer->weights = malloc(layer->spec.source_width * sizeof *layer->weights);
  if (!layer->weights) return EASEL_AVIF_NO_MEMORY;
  return easel_avif_prepare_plane(&layer->alpha, layer, NULL, 0, sample_bytes);
}

static easel_avif_status easel_avif_prepare(easel_avif_reducer *reducer) {
  const avifImage *image = reducer->image;
  const easel_avif_reduction *reduction = &reducer->reduction;
  if (!easel_avif_find_matrix(image, &reducer->matrix)) return EASEL_AVIF_UNSUPPORTED;
  bool is_gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
  unsigned shift_x = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420 || image->yuvFormat == AVIF_PIXEL_FORMAT_YUV422;
  unsigned shift_y = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420;
  easel_avif_place(&reducer->luma, reduction, 0, 0);
  easel_avif_place(&reducer->chroma, reduction, shift_x, shift_y);
  easel_avif_status status = easel_avif_prepare_layer(reducer, &reducer->luma, AVIF_CHAN_Y, 1, reducer->has_alpha);
  if (status != EASEL_AVIF_OK || is_gray) return status;
  // Colours of full resolution use the alpha of the brightness.
  return easel_avif_prepare_layer(reducer, &reducer->chroma, AVIF_CHAN_U, 2, reducer->weighs);
}

easel_avif_status easel_avif_reducer_create(const easel_avif_reader *reader, const easel_avif_reduction *reduction,
                                            easel_avif_reducer **made) {
  *made = NULL;
  const avifImage *image = reader->decoder->image;
  if (!image->yuvPlanes[AVIF_CHAN_Y] || reduction->width == 0 || reduction->height == 0) return EASEL_AVIF_BAD_DATA;
  if (reduction->x > image->width || reduction->width > image->width - reduction->x) return EASEL_AVIF_BAD_DATA;
  if (reduction->y > image->height || reduction->height > image->height - reduction->y) return EASEL_AVIF_BAD_DATA;
  easel_avif_reducer *reducer = calloc(1, sizeof *reducer);
  if (!reducer) return EASEL_AVIF_NO_MEMORY;
  reducer->image = image;
  reducer->reduction = *reduction;
  reducer->has_alpha = image->alphaPlane != NULL;
  reducer->weighs = reducer->has_alpha && !image->alphaPremultiplied;
  reducer->is_word = avifImageUsesU16(image);
  easel_avif_status status = easel_avif_prepare(reducer);
  if (status != EASEL_AVIF_OK) {
    easel_avif_reducer_destroy(reducer);
    return status;
  }
  *made = reducer;
  return EASEL_AVIF_OK;
}

static void easel_avif_destroy_layer(easel_layer *layer) {
  for (size_t i = 0; i < 2; i++) {
    easel_plane_resampler_destroy(layer->planes[i].resampler);
    free(layer->planes[i].row);
  }
  easel_plane_resampler_destroy(layer->alpha.resampler);
  free(layer->alpha.row);
  free(layer->weights);
}

void easel_avif_reducer_destroy(easel_avif_reducer *reducer) {
  if (!reducer) return;
  easel_avif_destroy_layer(&reducer->luma);
  easel_avif_destroy_layer(&reducer->chroma);
  free(reducer);
}

// ---- Reading

static uint32_t easel_avif_alpha_at(const easel_avif_reducer *reducer, size_t x, size_t y) {
  const uint8_t *row = reducer->image->alphaPlane + y * reducer->image->alphaRowBytes;
  return reducer->is_word ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

// The alpha of a row of a layer: for each sample its own, or the mean of those that share a sample of colour.
static void easel_avif_weigh(const easel_avif_reducer *reducer, const easel_layer *layer, size_t row) {
  const avifImage *image = reducer->image;
  size_t y = (layer->y + row) << layer->shift_y, below = y + 1 < image->height ? y + layer->shift_y : y;
  float one = 1 / (float)((1u << image->depth) - 1);
  for (size_t i = 0; i < layer->spec.source_width; i++) {
    size_t x = (layer->x + i) << layer->shift_x;
    if (layer->shift_x == 0) {
      layer->weights[i] = (float)easel_avif_alpha_at(reducer, x, y) * one;
      continue;
    }
    size_t right = x + 1 < image->width ? x + 1 : x;
    uint32_t sum = easel_avif_alpha_at(reducer, x, y) + easel_avif_alpha_at(reducer, right, y) +
                   easel_avif_alpha_at(reducer, x, below) + easel_avif_alpha_at(reducer, right, below);
    layer->weights[i] = (float)sum * 0.25f * one;
  }
}

// Takes the next row of all planes of a layer at once; returns false if the rows of these planes must be pushed.
static bool easel_avif_read_planes(const easel_avif_reducer *reducer, easel_layer *layer) {
  if (reducer->is_word || layer->alpha.resampler) return false;
  for (size_t i = 0; i < layer->count; i++) {
    const easel_plane *plane = &layer->planes[i];
    if (!easel_plane_resampler_read(plane->resampler, plane->samples, plane->stride, plane->row)) return false;
  }
  return true;
}

// Pushes rows of all planes of a layer until the layer's next row is ready, and takes that row.
static void easel_avif_advance(easel_avif_reducer *reducer, easel_layer *layer) {
  if (layer->count == 0 || easel_avif_read_planes(reducer, layer)) return;
  easel_plane_resampler *leader = layer->planes[0].resampler;
  while (!easel_plane_resampler_is_ready(leader)) {
    size_t row = easel_plane_resampler_pushed_rows(leader);
    const float *weights = NULL;
    if (layer->alpha.resampler) {
      easel_avif_weigh(reducer, layer, row);
      easel_plane_resampler_push_floats(layer->alpha.resampler, layer->weights);
      if (reducer->weighs) weights = layer->weights;
    }
    bool is_pushed = true;
    for (size_t i = 0; i < layer->count; i++) {
      const easel_plane *plane = &layer->planes[i];
      is_pushed = easel_plane_resampler_push(plane->resampler, plane->samples + row * plane->stride, reducer->is_word,
                                             weights);
    }
    if (!is_pushed) return;
  }
  for (size_t i = 0; i < layer->count; i++) {
    easel_plane_resampler_pull(layer->planes[i].resampler, layer->planes[i].row);
  }
  if (layer->alpha.resampler) easel_plane_resampler_pull(layer->alpha.resampler, layer->alpha.row);
}

static float easel_avif_bounded(float value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

static void easel_avif_colors(const easel_matrix *matrix, float luma, float u, float v, float rgb[3]) {
  float y = (luma - matrix->black) * matrix->gain;
  float cb = (u - matrix->middle) * matrix->color_gain, cr = (v - matrix->middle) * matrix->color_gain;
  float kr = matrix->red, kb = matrix->blue;
  switch (matrix->kind) {
    case EASEL_IDENTITY:
      rgb[0] = v * matrix->gain;
      rgb[1] = y;
      rgb[2] = u * matrix->gain;
      break;
    case EASEL_GREEN_ORANGE:
      rgb[0] = y - cb + cr;
      rgb[1] = y + cb;
      rgb[2] = y - cb - cr;
      break;
    case EASEL_COEFFICIENTS:
      rgb[0] = y + 2 * (1 - kr) * cr;
      rgb[1] = y - 2 * (kr * (1 - kr) * cr + kb * (1 - kb) * cb) / (1 - kr - kb);
      rgb[2] = y + 2 * (1 - kb) * cb;
      break;
  }
}

static void easel_avif_store(const float rgb[3], float alpha, bool is_wide, size_t x, void *row) {
  float most = is_wide ? 65535 : 255;
  for (size_t c = 0; c < 4; c++) {
    float value = easel_avif_bounded(c < 3 ? rgb[c] : alpha) * most + 0.5f;
    if (is_wide) {
      ((uint16_t *)row)[4 * x + c] = (uint16_t)value;
    } else {
      ((uint8_t *)row)[4 * x + c] = (uint8_t)value;
    }
  }
}

static void easel_avif_finish_row(const easel_avif_reducer *reducer, void *target) {
  const easel_matrix *matrix = &reducer->matrix;
  const easel_layer *luma = &reducer->luma, *chroma = &reducer->chroma;
  bool is_wide = reducer->reduction.is_wide, has_colors = chroma->count > 0;
  float least = 0.5f / (is_wide ? 65535 : 255);
  for (size_t x = 0; x < reducer->reduction.target_width; x++) {
    float y = luma->planes[0].row[x], u = matrix->middle, v = u, alpha = 1, rgb[3] = {0, 0, 0};
    if (has_colors) {
      u = chroma->planes[0].row[x];
      v = chroma->planes[1].row[x];
    }
    if (reducer->has_alpha) {
      alpha = luma->alpha.row[x];
      if (alpha < least) {
        easel_avif_store(rgb, 0, is_wide, x, target);
        continue;
      }
    }
    if (reducer->weighs) {
      y /= alpha;
      float weight = has_colors ? chroma->alpha.row[x] : 0;
      u = weight > least ? u / weight : matrix->middle;
      v = weight > least ? v / weight : matrix->middle;
    }
    easel_avif_colors(matrix, y, u, v, rgb);
    if (has_colors == false) rgb[0] = rgb[1] = rgb[2] = (y - matrix->black) * matrix->gain;
    if (reducer->has_alpha && !reducer->weighs) {
      for (size_t c = 0; c < 3; c++) rgb[c] /= alpha;
    }
    easel_avif_store(rgb, alpha, is_wide, x, target);
  }
}

void easel_avif_reducer_read_rows(easel_avif_reducer *reducer, size_t count, void *target, size_t stride) {
  for (size_t row = 0; row < count; row++) {
    easel_avif_advance(reducer, &reducer->luma);
    easel_avif_advance(reducer, &reducer->chroma);
    easel_avif_finish_row(reducer, (uint8_t *)target + row * stride);
  }
}
