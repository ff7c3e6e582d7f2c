#ifndef CEASEL_PIXELS_H
#define CEASEL_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "easel_clones.h"
#include "easel_palette.h"

#ifdef __cplusplus
extern "C" {
#endif

// Pixel kernels. Every picture is a pointer to its first row and a stride in bytes, which may be negative. 16-bit
// samples are in host order, and their rows begin at even addresses. Pointers are used only during the call. A format
// named rgba also stands for bgra: the fourth sample is alpha, and the order of the others is kept.

typedef enum {
  EASEL_OK = 0,
  EASEL_NO_MEMORY = 1,
  EASEL_BAD_ARGUMENT = 2,
  EASEL_TOO_LARGE = 3,
  // Finished rows must be pulled from the resampler before the next row is pushed.
  EASEL_ROWS_PENDING = 4,
} easel_status;

typedef enum { EASEL_FORMAT_GRAY8 = 0, EASEL_FORMAT_RGBA8 = 1, EASEL_FORMAT_RGBA16 = 2 } easel_format;

// Opaque means that alpha is not read, and is written as its maximum.
typedef enum { EASEL_ALPHA_OPAQUE = 0, EASEL_ALPHA_STRAIGHT = 1, EASEL_ALPHA_PREMULTIPLIED = 2 } easel_alpha;

// ---- Processor

// Every processor has the scalar level. SSE4.1 and AVX2 are for x86-64. NEON is for ARM64, where every processor has
// it.
enum { EASEL_LEVEL_SCALAR = 0, EASEL_LEVEL_SSE41 = 1, EASEL_LEVEL_AVX2 = 2, EASEL_LEVEL_NEON = 1 };

// The level that kernels use: the best one of this processor, up to the limit.
int easel_pixels_level(void);
// For tests: from now on, limits the kernels to this level. Returns the previous limit.
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
  // The part of the source that fills the target. Filters may read beyond this part, but never beyond the source.
  double box_x, box_y, box_width, box_height;
  size_t width, height;
  // True to filter light instead of sRGB values.
  bool linear_light;
} easel_resample_spec;

typedef struct easel_resampler easel_resampler;

easel_status easel_resampler_create(const easel_resample_spec *spec, easel_resampler **resampler);
void easel_resampler_destroy(easel_resampler *resampler);
// Prepares the resampler for another picture of the same spec.
void easel_resampler_reset(easel_resampler *resampler);
// Source rows outside first ..< end do not affect the result; pushing them is allowed and costs nothing.
size_t easel_resampler_first_row(const easel_resampler *resampler);
size_t easel_resampler_end_row(const easel_resampler *resampler);
// The bytes allocated by the resampler.
size_t easel_resampler_bytes(const easel_resampler *resampler);
// Pushes the next source row, from the top.
easel_status easel_resampler_push_row(easel_resampler *resampler, const void *row);
// Skips rows that do not affect the result, up to but not including this one.
void easel_resampler_skip_to_row(easel_resampler *resampler, size_t row);
// Writes the next target row if enough rows were pushed; otherwise returns false.
bool easel_resampler_pull_row(easel_resampler *resampler, void *row);
size_t easel_resampler_pushed_rows(const easel_resampler *resampler);
size_t easel_resampler_pulled_rows(const easel_resampler *resampler);
// Pushes and pulls until the target is complete or this many source rows were used. Call it until `finished` is true.
easel_status easel_resampler_run(easel_resampler *resampler, const void *source, ptrdiff_t source_stride, void *target,
                                 ptrdiff_t target_stride, size_t most_source_rows, bool *finished);

// ---- Planes: single components, such as the brightness of a picture, as decoders hold them

// Resizes a plane with the Lanczos filter; its rows arrive one after another. Nothing is rounded: the results are
// floats, which may be outside the range of the samples beside sharp edges.
typedef struct {
  size_t source_width, source_height;
  // The part of the source that fills the target.
  double box_x, box_y, box_width, box_height;
  size_t width, height;
} easel_plane_spec;

typedef struct easel_plane_resampler easel_plane_resampler;

easel_status easel_plane_resampler_create(const easel_plane_spec *spec, easel_plane_resampler **resampler);
void easel_plane_resampler_destroy(easel_plane_resampler *resampler);
// Prepares the resampler for another plane of the same spec.
void easel_plane_resampler_reset(easel_plane_resampler *resampler);
// True when a target row can be pulled; it must be pulled before another row is pushed.
bool easel_plane_resampler_is_ready(const easel_plane_resampler *resampler);
size_t easel_plane_resampler_pushed_rows(const easel_plane_resampler *resampler);
size_t easel_plane_resampler_bytes(const easel_plane_resampler *resampler);
// Pushes the next source row, from the top: 16-bit words if wide, else bytes. If weights are given, one for each
// sample, the samples are multiplied by them. Returns false if a row must be pulled first, or after the last row.
bool easel_plane_resampler_push(easel_plane_resampler *resampler, const void *row, bool is_wide, const float *weights);
// Pushes a row of floats.
bool easel_plane_resampler_push_floats(easel_plane_resampler *resampler, const float *row);
// Writes the next target row if enough rows were pushed; otherwise returns false.
bool easel_plane_resampler_pull(easel_plane_resampler *resampler, float *row);
// Writes the next target row of a plane of bytes that is completely in memory; no rows are pushed for it. This takes
// half the time, and is exact to a twentieth of a sample's step. Returns false after the last row, and always if the
// target is not enough smaller.
bool easel_plane_resampler_read(easel_plane_resampler *resampler, const uint8_t *samples, size_t stride, float *row);

// ---- Alpha

// Multiplies colours by alpha, rounded to nearest. Source and target may be the same. Grey pictures are not changed.
void easel_premultiply(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                       ptrdiff_t target_stride, size_t width, size_t height);
// Divides colours by alpha; where alpha is 0, all four samples become zero.
void easel_unpremultiply(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height);
// True when every pixel's alpha is the maximum.
bool easel_is_opaque(easel_format format, const void *source, ptrdiff_t stride, size_t width, size_t height);

// ---- Conversions. Source and target may be the same if pixels keep their size.

void easel_swap_red_blue(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height);
void easel_gray8_to_rgba8(const void *source, ptrdiff_t source_stride, void *target, ptrdiff_t target_stride,
                          size_t width, size_t height);
// For pixels of three components, blue is first if `is_bgr`.
void easel_rgb8_to_rgba8(bool is_bgr, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height);
void easel_rgba8_to_rgb8(bool is_bgr, const void *source, ptrdiff_t source_stride, void *target,
                         ptrdiff_t target_stride, size_t width, size_t height);
// Swaps the bytes of the 16-bit samples of one row.
void easel_swap_bytes16(const void *source, void *target, size_t samples);
void easel_rgba8_to_rgba16(const void *source, ptrdiff_t source_stride, void *target, ptrdiff_t target_stride,
                           size_t width, size_t height);
void easel_rgba16_to_rgba8(const void *source, ptrdiff_t source_stride, void *target, ptrdiff_t target_stride,
                           size_t width, size_t height);
// Fills a picture; `pixel` is one pixel of the format.
void easel_fill(easel_format format, const void *pixel, void *target, ptrdiff_t target_stride, size_t width,
                size_t height);

// Replaces the colours of grey RGBA pixels (8 or 16 bits) by the table's colours for their levels, and keeps alpha. The
// table has three samples per level, of the same width as those of the pixels.
void easel_map_gray(easel_format format, const void *table, void *pixels, ptrdiff_t stride, size_t width,
                    size_t height);

// ---- Inks

// Converts cyan, magenta, yellow and black to opaque RGBA, in place. Each ink is multiplied by black, because there is
// no profile. 255 is full ink, or no ink if the values are inverted.
void easel_cmyk8_to_rgba8(bool is_inverted, void *pixels, size_t count);
// Gives RGBA pixels the alpha of other pixels.
void easel_set_alpha8(void *pixels, const uint8_t *alpha, size_t count);

// ---- Flips and turns

// Source and target must be the same picture, or must not overlap.
void easel_flip(easel_format format, bool horizontally, bool vertically, const void *source, ptrdiff_t source_stride,
                void *target, ptrdiff_t target_stride, size_t width, size_t height);
// Turns a stored picture upright by its EXIF orientation, 1 to 8. From 5 on, the target is as wide as the source is
// high. 6 is a quarter turn clockwise, 8 a quarter turn counter-clockwise, 3 a half turn, 5 a transpose. Source and
// target must not overlap.
void easel_orient(easel_format format, int orientation, const void *source, ptrdiff_t source_stride,
                  size_t source_width, size_t source_height, void *target, ptrdiff_t target_stride);
// Rotates the source counter-clockwise around its centre, which is placed at the target's centre. Pixels outside the
// source are transparent. Writes only the target rows first_row ..< first_row + rows.
void easel_rotate(easel_format format, easel_alpha alpha, bool cubic, const void *source, ptrdiff_t source_stride,
                  size_t source_width, size_t source_height, void *target, ptrdiff_t target_stride,
                  easel_alpha target_alpha, size_t width, size_t height, double radians, size_t first_row,
                  size_t rows);

// ---- Blur: rows first, then columns, each in any number of parts

// The radius at which `passes` box passes are as wide as this Gaussian.
double easel_gaussian_box_radius(double sigma, int passes);
// Writes premultiplied pixels, unless alpha is opaque. Source and target may be the same.
easel_status easel_blur_rows(easel_format format, easel_alpha alpha, double radius, int passes, const void *source,
                             ptrdiff_t source_stride, void *target, ptrdiff_t target_stride, size_t width,
                             size_t height);
// Blurs the result of easel_blur_rows in place; straight pixels become straight again.
easel_status easel_blur_columns(easel_format format, easel_alpha alpha, double radius, int passes, void *pixels,
                                ptrdiff_t stride, size_t width, size_t height, size_t first_column, size_t columns);

// ---- Colour

// The matrix has a row for each of r, g, b, a, with five weights: of r, g, b, a and one (all from 0 to 1, straight).
void easel_color_matrix(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride,
                        void *target, ptrdiff_t target_stride, size_t width, size_t height, const float matrix[20]);

typedef enum {
  EASEL_BLEND_NORMAL = 0,
  EASEL_BLEND_MULTIPLY = 1,
  EASEL_BLEND_SCREEN = 2,
  EASEL_BLEND_OVERLAY = 3,
  EASEL_BLEND_DARKEN = 4,
  EASEL_BLEND_LIGHTEN = 5,
  EASEL_BLEND_COLOR_DODGE = 6,
  EASEL_BLEND_COLOR_BURN = 7,
  EASEL_BLEND_SOFT_LIGHT = 8,
  EASEL_BLEND_HARD_LIGHT = 9,
  EASEL_BLEND_DIFFERENCE = 10,
  EASEL_BLEND_EXCLUSION = 11,
  EASEL_BLEND_CLEAR = 16,
  EASEL_BLEND_COPY = 17,
  EASEL_BLEND_SOURCE_IN = 18,
  EASEL_BLEND_SOURCE_OUT = 19,
  EASEL_BLEND_SOURCE_ATOP = 20,
  EASEL_BLEND_DESTINATION_OVER = 21,
  EASEL_BLEND_DESTINATION_IN = 22,
  EASEL_BLEND_DESTINATION_OUT = 23,
  EASEL_BLEND_DESTINATION_ATOP = 24,
  EASEL_BLEND_XOR = 25,
  EASEL_BLEND_PLUS_LIGHTER = 26,
} easel_blend_mode;

// Blends the source onto the target, after multiplying the source's alpha by `opacity`. An opaque target stays opaque.
void easel_blend(easel_format format, easel_blend_mode mode, float opacity, const void *source,
                 ptrdiff_t source_stride, easel_alpha source_alpha, void *target, ptrdiff_t target_stride,
                 easel_alpha target_alpha, size_t width, size_t height);
// Blends one straight colour onto the target; its samples are from 0 to 1, in the order of the target.
void easel_blend_color(easel_format format, easel_blend_mode mode, const float color[4], void *target,
                       ptrdiff_t target_stride, easel_alpha target_alpha, size_t width, size_t height);

// Blends a straight picture over another straight one with integers, rounded to nearest. Used for animations.
void easel_lay_over(easel_format format, const void *source, ptrdiff_t source_stride, void *target,
                    ptrdiff_t target_stride, size_t width, size_t height);

// ---- Corners and sharpening. Only the rows first_row ..< first_row + rows are written.

// Corners: top-left 1, top-right 2, bottom-left 4, bottom-right 8. The border is inside the edge; its colour is
// straight, or null for no border. Source and target may be the same. Grey pictures have no alpha and are not changed.
void easel_round_corners(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride,
                         void *target, ptrdiff_t target_stride, easel_alpha target_alpha, size_t width, size_t height,
                         size_t first_row, size_t rows, double radius, unsigned corners, double border,
                         const float border_color[4]);
// The most columns and rows of a matrix for easel_convolve.
enum { EASEL_MOST_MATRIX_SIDE = 15 };
// Makes each pixel of its neighbours, each multiplied by a number; the alpha stays. The matrix has odd sides. Pixels at
// the edges are repeated. Source and target must not overlap.
void easel_convolve(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride, void *target,
                    ptrdiff_t target_stride, size_t width, size_t height, size_t first_row, size_t rows,
                    const float *numbers, size_t matrix_columns, size_t matrix_rows);
// Replaces the blurred picture by the sharpened source: if their difference exceeds `threshold`, `amount` times the
// difference is added to the source.
void easel_unsharp(easel_format format, easel_alpha alpha, const void *source, ptrdiff_t source_stride, void *blurred,
                   ptrdiff_t blurred_stride, size_t width, size_t height, float amount, float threshold);

// ---- Borders

// Finds the pixels in a row that have a sample outside low ... high, with premultiplied samples in the order of the
// row. Grey counts as three equal samples and full alpha. Writes the first such pixel and the end of the last one;
// returns false if there is none.
bool easel_find_outside(easel_format format, easel_alpha alpha, const void *row, size_t width, const uint16_t low[4],
                        const uint16_t high[4], size_t *first, size_t *end);

// ---- Salience: the attraction that parts of a picture have for the eye

enum { EASEL_MOST_CELLS = 64 };

// Scores the pixels of a small copy by their edges, their similarity to skin, and their saturation. The pixels are
// straight RGBA, without gaps between rows. Neither side has more than EASEL_MOST_CELLS pixels.
void easel_salience(const uint8_t *cells, size_t width, size_t height, uint32_t *scores);
// Finds the window with the highest scores, which have more weight towards its middle. If several are equal, the one
// nearest to the middle of the map is chosen. The window is no larger than the map.
void easel_best_window(const uint32_t *scores, size_t width, size_t height, size_t window_width, size_t window_height,
                       size_t *best_x, size_t *best_y);

// ---- Brightness and colours, as decoders of video hold them

// Planes of a picture. Samples of up to 8 bits are bytes, others are 16-bit words; none has more than 12 bits.
typedef struct {
  // The brightness and the two colours; the colours are null for grey pictures.
  const void *planes[3];
  size_t strides[3];
  size_t width, height;
  unsigned depth, color_depth;
  // True where colours have half the resolution; each colour is then in the middle of its pixels.
  bool halves_width, halves_height;
} easel_ycc_planes;

// Writes rows as opaque RGBA: 16-bit words if wide, else bytes. The matrix gives the value of a component, up to 65,535
// or 255, from brightness, both colours as sixteen times their values, and one. Rows are the same whether they are
// written together or separately.
easel_status easel_ycc_to_rgba(const easel_ycc_planes *planes, const float matrix[3][4], size_t first, size_t count,
                               bool is_wide, void *target, ptrdiff_t target_stride);
// Writes the brightness of rows as the alpha of RGBA.
void easel_ycc_to_alpha(const easel_ycc_planes *planes, float scale, float offset, size_t first, size_t count,
                        bool is_wide, void *target, ptrdiff_t target_stride);

// ---- Comparison

typedef struct {
  // The sum of the squared differences of all components; it cannot overflow up to 2^30 pixels of 16 bits.
  uint64_t squares;
  // The number of pixels in which a component differs.
  uint64_t pixels;
  // The largest difference of a component.
  uint32_t largest;
} easel_differences;

// Adds the differences of two pictures of the same format to the sum.
void easel_compare(const void *a, ptrdiff_t a_stride, const void *b, ptrdiff_t b_stride, size_t width, size_t height,
                   easel_format format, easel_differences *sum);
// The structural similarity of the lumas of two pictures, premultiplied or opaque: the mean over windows of 8 by 8
// pixels, whose distance is 4. Those at the right and at the bottom extend to the edge; a smaller picture is a single
// window. Transparent pixels are placed over black or over white.
easel_status easel_similarity(const void *a, ptrdiff_t a_stride, const void *b, ptrdiff_t b_stride, size_t width,
                              size_t height, easel_format format, bool over_white, double *similarity);
// Draws the differences as opaque RGBA: bright colours on a dark grey copy of the first picture.
void easel_draw_differences(const void *a, ptrdiff_t a_stride, const void *b, ptrdiff_t b_stride, size_t width,
                            size_t height, easel_format format, uint8_t *out, ptrdiff_t out_stride);

// ---- Looks

// A picture in sRGB that is compared by its looks. Blue is first if `is_bgr`.
typedef struct {
  const void *pixels;
  ptrdiff_t stride;
  easel_format format;
  easel_alpha alpha;
  bool is_bgr;
} easel_visual_picture;

// The original and a copy of the same size, which are placed over a grey background from 0 to 1.
typedef struct {
  easel_visual_picture pictures[2];
  size_t width, height;
  float background;
} easel_visual_pair;

// The sums of all errors: for six sizes, three components, three kinds and two powers.
typedef struct {
  double errors[108];
} easel_visual_sums;

// Bands of rows begin at multiples of this number.
enum { EASEL_VISUAL_ROWS = 32 };

// Computes the errors of a band of rows. It keeps few rows at a time, about a thousand bytes for each column.
typedef struct easel_visual_band easel_visual_band;

easel_status easel_visual_band_create(const easel_visual_pair *pair, size_t first, size_t end,
                                      easel_visual_band **band);
void easel_visual_band_destroy(easel_visual_band *band);
size_t easel_visual_band_bytes(const easel_visual_band *band);
// Processes up to this many rows. Call it until it returns true.
bool easel_visual_band_run(easel_visual_band *band, size_t rows);
// The errors of a finished band.
void easel_visual_band_sums(const easel_visual_band *band, easel_visual_sums *sums);
// The score of SSIMULACRA 2.1 for the sums of all bands: 100 if nothing differs, and lower without a limit.
double easel_visual_score(size_t width, size_t height, const easel_visual_sums *sums, size_t count);

// ---- PNG

// Undoes the filter of one row (0 to 4) in place. `above` is the previous finished row, or null for the first. Returns
// false for an unknown filter, or for a pixel size that PNG does not have.
bool easel_png_unfilter(int filter, size_t bytes_per_pixel, void *row, const void *above, size_t bytes);
// Filters one row (0 to 4). `above` is the previous row, or zeros for the first; the rows must not overlap. Returns
// false for an unknown filter.
bool easel_png_filter(int filter, size_t bytes_per_pixel, const void *row, const void *above, size_t bytes,
                      void *target);
// For each filter, adds up the distances from zero of the bytes of a filtered row, read as signed numbers.
void easel_png_filter_sums(size_t bytes_per_pixel, const void *row, const void *above, size_t bytes, uint64_t sums[5]);

#ifdef __cplusplus
}
#endif

#endif
