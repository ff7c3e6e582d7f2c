#ifndef CEASEL_PIXELS_H
#define CEASEL_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pixel kernels. Every picture is a pointer to its first row and a stride in bytes, which may be negative.
// Samples of 16 bits are in host order and their rows start at even addresses. Pointers are used during the call only.
// Wherever a format says rgba, bgra is meant as well: the fourth sample is alpha, the order of the others is kept.

typedef enum {
  EASEL_OK = 0,
  EASEL_NO_MEMORY = 1,
  EASEL_BAD_ARGUMENT = 2,
  EASEL_TOO_LARGE = 3,
  // The resampler has finished rows that must be pulled before another one is pushed.
  EASEL_ROWS_PENDING = 4,
} easel_status;

typedef enum { EASEL_FORMAT_GRAY8 = 0, EASEL_FORMAT_RGBA8 = 1, EASEL_FORMAT_RGBA16 = 2 } easel_format;

// Opaque: alpha is not read, and written as its maximum.
typedef enum { EASEL_ALPHA_OPAQUE = 0, EASEL_ALPHA_STRAIGHT = 1, EASEL_ALPHA_PREMULTIPLIED = 2 } easel_alpha;

// ---- Processor

enum { EASEL_LEVEL_SCALAR = 0, EASEL_LEVEL_SSE41 = 1, EASEL_LEVEL_AVX2 = 2 };

// What the kernels use now: the best this processor has, up to the limit. NEON counts as the level after scalar.
int easel_pixels_level(void);
// For tests: nothing above this level is used from now on. Returns the limit before.
int easel_pixels_limit_level(int level);

// ---- Resampler

typedef enum {
  EASEL_FILTER_NEAREST = 0,
  EASEL_FILTER_BOX = 1,
  EASEL_FILTER_BILINEAR = 2,
  EASEL_FILTER_BICUBIC = 3,
  EASEL_FILTER_LANCZOS3 = 4,
} easel_filter;

typedef struct {
  easel_format format;
  easel_alpha alpha;
  easel_filter filter;
  size_t source_width, source_height;
  // The part of the source that fills the target. Filters may reach beyond it, never beyond the source.
  double box_x, box_y, box_width, box_height;
  size_t width, height;
  // Filter light instead of sRGB values.
  bool linear_light;
} easel_resample_spec;

typedef struct easel_resampler easel_resampler;

easel_status easel_resampler_create(const easel_resample_spec *spec, easel_resampler **resampler);
void easel_resampler_destroy(easel_resampler *resampler);
// Ready for another picture of the same spec.
void easel_resampler_reset(easel_resampler *resampler);
// Source rows outside first ..< end influence nothing: pushing them is allowed and costs nothing.
size_t easel_resampler_first_row(const easel_resampler *resampler);
size_t easel_resampler_end_row(const easel_resampler *resampler);
// Everything the resampler has allocated.
size_t easel_resampler_bytes(const easel_resampler *resampler);
// The next source row, from the top.
easel_status easel_resampler_push_row(easel_resampler *resampler, const void *row);
// Counts as pushing rows that influence nothing, up to (not including) this one.
void easel_resampler_skip_to_row(easel_resampler *resampler, size_t row);
// The next target row, if the rows pushed so far decide it.
bool easel_resampler_pull_row(easel_resampler *resampler, void *row);
size_t easel_resampler_pushed_rows(const easel_resampler *resampler);
size_t easel_resampler_pulled_rows(const easel_resampler *resampler);
// Pushes and pulls until the target is complete or this many source rows are used. To be called until it says finished.
easel_status easel_resampler_run(easel_resampler *resampler, const void *source, ptrdiff_t source_stride, void *target,
                                 ptrdiff_t target_stride, size_t most_source_rows, bool *finished);

// ---- Alpha

// Rounded to nearest. Source and target may be the same. Grey pictures are left alone.
void easel_premultiply(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                       ptrdiff_t target_stride, size_t width, size_t height);
// Alpha 0 gives four zeros.
void easel_unpremultiply(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height);
// Whether every pixel's alpha is the maximum.
bool easel_is_opaque(easel_format format, const void *source, ptrdiff_t stride, size_t width, size_t height);

#ifdef __cplusplus
}
#endif

#endif
