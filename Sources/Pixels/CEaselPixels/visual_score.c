#include "visual.h"

// Both pictures at one of the sizes. Rows come from the top, and only the planes of the last nine are kept.
typedef struct {
  size_t width, height;
  // The rows whose errors count, the rows whose planes these need, and the rows that are pushed, also for the next
  // size.
  size_t first, end, planes_first, planes_end, from, to;
  // The linear colours of two rows of both pictures.
  float *linear;
  size_t linear_stride;
  float *planes;
  size_t stride;
} easel_visual_scale;

struct easel_visual_band {
  easel_visual_pair pair;
  easel_visual_light light;
  easel_visual_scale scales[EASEL_VISUAL_SCALES];
  size_t count, next, bytes;
  // A row of zeros for rows outside the picture.
  float *zeros;
  double errors[EASEL_VISUAL_SCALES][3][3][2];
};

// ---- Sizes

// In smaller pictures, the pixels at the edges are repeated up to this size.
enum { EASEL_VISUAL_LEAST = 8 };

EASEL_INLINE size_t easel_visual_side(size_t side) { return side < EASEL_VISUAL_LEAST ? EASEL_VISUAL_LEAST : side; }

// The number of sizes: a size is halved unless one of its sides is less than 8.
static size_t easel_visual_sizes(size_t width, size_t height, size_t sizes[EASEL_VISUAL_SCALES][2]) {
  size_t w = easel_visual_side(width), h = easel_visual_side(height), count = 0;
  while (true) {
    sizes[count][0] = w, sizes[count][1] = h;
    count++;
    if (count == EASEL_VISUAL_SCALES || w < EASEL_VISUAL_LEAST || h < EASEL_VISUAL_LEAST) return count;
    w = (w + 1) / 2, h = (h + 1) / 2;
  }
}

EASEL_INLINE size_t easel_least(size_t a, size_t b) { return a < b ? a : b; }
EASEL_INLINE size_t easel_most(size_t a, size_t b) { return a > b ? a : b; }

static void easel_visual_plan(easel_visual_band *band, size_t first, size_t end) {
  size_t sizes[EASEL_VISUAL_SCALES][2];
  band->count = easel_visual_sizes(band->pair.width, band->pair.height, sizes);
  bool is_last = end >= band->pair.height;
  for (size_t i = band->count; i-- > 0;) {
    easel_visual_scale *s = &band->scales[i];
    s->width = sizes[i][0], s->height = sizes[i][1];
    s->first = easel_least(first >> i, s->height);
    s->end = is_last ? s->height : easel_least(end >> i, s->height);
    s->planes_first = s->first > EASEL_VISUAL_REACH ? s->first - EASEL_VISUAL_REACH : 0;
    s->planes_end = easel_least(s->end + EASEL_VISUAL_REACH, s->height);
    s->from = s->planes_first, s->to = s->planes_end;
    if (i + 1 < band->count) {
      s->from = easel_least(s->from, 2 * band->scales[i + 1].from);
      s->to = easel_least(s->height, easel_most(s->to, 2 * band->scales[i + 1].to));
    }
    s->stride = easel_visual_eights(s->width) + 2 * EASEL_VISUAL_MARGIN;
    s->linear_stride = ((s->width + 15) & ~(size_t)15) + 16;
  }
  band->next = band->scales[0].from;
}

// ---- Memory

static float *easel_visual_zeroed(size_t rows, size_t stride, size_t *sum) {
  size_t count;
  if (!easel_multiply(rows, stride, &count)) return NULL;
  float *floats = easel_allocate(count, sizeof(float));
  if (!floats) return NULL;
  memset(floats, 0, count * sizeof(float));
  *sum += count * sizeof(float);
  return floats;
}

easel_status easel_visual_band_create(const easel_visual_pair *pair, size_t first, size_t end,
                                      easel_visual_band **result) {
  if (pair->width == 0 || pair->height == 0 || first % EASEL_VISUAL_ROWS != 0 || first >= end ||
      (end < pair->height && end % EASEL_VISUAL_ROWS != 0)) {
    return EASEL_BAD_ARGUMENT;
  }
  // The sizes of the planes of a row must not overflow.
  if (pair->width > SIZE_MAX / 4096 || pair->height > SIZE_MAX / 4) return EASEL_TOO_LARGE;
  easel_visual_band *band = calloc(1, sizeof *band);
  if (!band) return EASEL_NO_MEMORY;
  band->pair = *pair;
  band->bytes = sizeof *band;
  easel_visual_light_make(&band->light);
  easel_visual_plan(band, first, end);
  band->zeros = easel_visual_zeroed(1, band->scales[0].stride, &band->bytes);
  bool has_memory = band->zeros != NULL;
  for (size_t i = 0; i < band->count && has_memory; i++) {
    easel_visual_scale *s = &band->scales[i];
    s->linear = easel_visual_zeroed(2 * EASEL_VISUAL_COLORS, s->linear_stride, &band->bytes);
    s->planes = easel_visual_zeroed(EASEL_VISUAL_PLANES * EASEL_VISUAL_TAPS, s->stride, &band->bytes);
    has_memory = s->linear && s->planes;
  }
  if (!has_memory) {
    easel_visual_band_destroy(band);
    return EASEL_NO_MEMORY;
  }
  *result = band;
  return EASEL_OK;
}

void easel_visual_band_destroy(easel_visual_band *band) {
  if (!band) return;
  for (size_t i = 0; i < EASEL_VISUAL_SCALES; i++) {
    free(band->scales[i].linear);
    free(band->scales[i].planes);
  }
  free(band->zeros);
  free(band);
}

size_t easel_visual_band_bytes(const easel_visual_band *band) { return band->bytes; }

// ---- Rows

EASEL_INLINE float *easel_visual_linear(const easel_visual_scale *s, size_t y, size_t color) {
  return s->linear + ((y & 1) * EASEL_VISUAL_COLORS + color) * s->linear_stride;
}

EASEL_INLINE float *easel_visual_plane(const easel_visual_scale *s, size_t y, size_t plane) {
  return s->planes + (plane * EASEL_VISUAL_TAPS + y % EASEL_VISUAL_TAPS) * s->stride;
}

static void easel_visual_score_row(easel_visual_band *band, size_t index, size_t y) {
  const easel_visual_scale *s = &band->scales[index];
  const float *rows[EASEL_VISUAL_PLANES][EASEL_VISUAL_TAPS];
  for (size_t plane = 0; plane < EASEL_VISUAL_PLANES; plane++) {
    for (size_t tap = 0; tap < EASEL_VISUAL_TAPS; tap++) {
      size_t place = y + tap;
      bool is_inside = place >= EASEL_VISUAL_REACH && place - EASEL_VISUAL_REACH < s->height;
      rows[plane][tap] = is_inside ? easel_visual_plane(s, place - EASEL_VISUAL_REACH, plane) : band->zeros;
    }
  }
  easel_visual_add_row((const float *const(*)[EASEL_VISUAL_TAPS])rows, s->width, band->errors[index]);
}

// Takes the current linear row, and scores all rows that now have everything that they need.
static void easel_visual_take_row(easel_visual_band *band, size_t index, size_t y) {
  const easel_visual_scale *s = &band->scales[index];
  if (y < s->planes_first || y >= s->planes_end) return;
  const float *colors[EASEL_VISUAL_COLORS];
  float *planes[EASEL_VISUAL_PLANES];
  for (size_t i = 0; i < EASEL_VISUAL_COLORS; i++) colors[i] = easel_visual_linear(s, y, i);
  for (size_t i = 0; i < EASEL_VISUAL_PLANES; i++) planes[i] = easel_visual_plane(s, y, i) + EASEL_VISUAL_MARGIN;
  easel_visual_planes_row(colors, s->width, planes);
  if (y >= s->first + EASEL_VISUAL_REACH && y - EASEL_VISUAL_REACH < s->end) {
    easel_visual_score_row(band, index, y - EASEL_VISUAL_REACH);
  }
  // Below the last row there are only zeros, so the remaining rows can be scored.
  if (y + 1 < s->height) return;
  size_t next = y >= s->first + EASEL_VISUAL_REACH ? y - EASEL_VISUAL_REACH + 1 : s->first;
  for (; next < s->end; next++) easel_visual_score_row(band, index, next);
}

// Makes a row of the next size if the current linear row completes one.
static bool easel_visual_halve(easel_visual_band *band, size_t index, size_t y) {
  if (index + 1 == band->count) return false;
  easel_visual_scale *s = &band->scales[index], *next = &band->scales[index + 1];
  bool is_alone = y % 2 == 0 && y + 1 == s->height;
  if ((y % 2 == 0 && !is_alone) || y / 2 < next->from || y / 2 >= next->to) return false;
  for (size_t i = 0; i < EASEL_VISUAL_COLORS; i++) {
    float *below = easel_visual_linear(s, y, i), *above = is_alone ? below : easel_visual_linear(s, y - 1, i);
    if (s->width % 2 == 1) above[s->width] = above[s->width - 1], below[s->width] = below[s->width - 1];
    easel_visual_halve_row(above, below, s->width, easel_visual_linear(next, y / 2, i));
  }
  return true;
}

static void easel_visual_push_row(easel_visual_band *band, size_t y) {
  const easel_visual_pair *pair = &band->pair;
  size_t row = easel_least(y, pair->height - 1);
  for (size_t i = 0; i < 2; i++) {
    const easel_visual_picture *picture = &pair->pictures[i];
    const uint8_t *pixels = (const uint8_t *)picture->pixels + (ptrdiff_t)row * picture->stride;
    float *colors[3];
    for (size_t k = 0; k < 3; k++) colors[k] = easel_visual_linear(&band->scales[0], y, 3 * i + k);
    easel_visual_linear_row(picture, pixels, pair->width, band->scales[0].width, pair->background, &band->light,
                            colors[0], colors[1], colors[2]);
  }
  size_t index = 0;
  easel_visual_take_row(band, index, y);
  while (easel_visual_halve(band, index, y)) {
    index++, y /= 2;
    easel_visual_take_row(band, index, y);
  }
}

bool easel_visual_band_run(easel_visual_band *band, size_t rows) {
  size_t end = band->scales[0].to;
  for (; rows > 0 && band->next < end; rows--, band->next++) easel_visual_push_row(band, band->next);
  return band->next == end;
}

void easel_visual_band_sums(const easel_visual_band *band, easel_visual_sums *sums) {
  memcpy(sums->errors, band->errors, sizeof sums->errors);
}

// ---- The score

// The weights of SSIMULACRA 2.1, which its author found from scores that people gave. There are weights for each
// component and size, for the mean and for the fourth root of the mean fourth power, and for structure, added edges and
// lost edges.
static const double easel_visual_score_weights[108] = {
    0.0, 0.0007376606707406586, 0.0, 0.0, 0.0007793481682867309, 0.0, 0.0, 0.0004371155730107379, 0.0,
    1.1041726426657346, 0.00066284834129271, 0.00015231632783718752, 0.0, 0.0016406437456599754, 0.0,
    1.8422455520539298, 11.441172603757666, 0.0, 0.0007989109436015163, 0.000176816438078653, 0.0, 1.8787594979546387,
    10.94906990605142, 0.0, 0.0007289346991508072, 0.9677937080626833, 0.0, 0.00014003424285435884, 0.9981766977854967,
    0.00031949755934435053, 0.0004550992113792063, 0.0, 0.0, 0.0013648766163243398, 0.0, 0.0, 0.0, 0.0, 0.0,
    7.466890328078848, 0.0, 17.445833984131262, 0.0006235601634041466, 0.0, 0.0, 6.683678146179332,
    0.00037724407979611296, 1.027889937768264, 225.20515300849274, 0.0, 0.0, 19.213238186143016,
    0.0011401524586618361, 0.001237755635509985, 176.39317598450694, 0.0, 0.0, 24.43300999870476,
    0.28520802612117757, 0.0004485436923833408, 0.0, 0.0, 0.0, 34.77906344483772, 44.835625328877896, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0008680556573291698, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0005313191874358747, 0.0,
    0.00016533814161379112, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0004179171803251336, 0.0017290828234722833, 0.0,
    0.0020827005846636437, 0.0, 0.0, 8.826982764996862, 23.19243343998926, 0.0, 95.1080498811086, 0.9863978034400682,
    0.9834382792465353, 0.0012286405048278493, 171.2667255897307, 0.9807858872435379, 0.0, 0.0, 0.0,
    0.0005130064588990679, 0.0, 0.00010854057858411537,
};

double easel_visual_score(size_t width, size_t height, const easel_visual_sums *sums, size_t count) {
  size_t sizes[EASEL_VISUAL_SCALES][2];
  size_t scales = easel_visual_sizes(width, height, sizes), weight = 0;
  double sum = 0;
  // The weights are used one after another, so pictures with fewer sizes use other weights than larger ones. The
  // published program does the same, and people know its scores.
  for (size_t component = 0; component < 3; component++) {
    for (size_t i = 0; i < scales; i++) {
      double pixels = (double)sizes[i][0] * (double)sizes[i][1];
      for (size_t norm = 0; norm < 2; norm++) {
        for (size_t map = 0; map < 3; map++, weight++) {
          double errors = 0;
          for (size_t k = 0; k < count; k++) errors += sums[k].errors[((i * 3 + component) * 3 + map) * 2 + norm];
          double mean = errors / pixels;
          sum += easel_visual_score_weights[weight] * (norm == 0 ? mean : sqrt(sqrt(mean)));
        }
      }
    }
  }
  sum *= 0.9562382616834844;
  sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum;
  return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}
