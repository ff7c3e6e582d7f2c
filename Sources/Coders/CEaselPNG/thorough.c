#include "thorough.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

enum {
  EASEL_PNG_TRIAL_LEVEL = 8,
  EASEL_PNG_BEST_LEVEL = 12,
  EASEL_PNG_ROW_LEVEL = 6,
  // Beyond this size, the best level takes seconds.
  EASEL_PNG_MOST_BEST = 24 << 20,
  // The bytes before a row with which its filters are compared.
  EASEL_PNG_ROW_PAST = 12 << 10,
  // The filters for all rows, the smallest bytes, the fewest different bytes, and the best compressed rows.
  EASEL_PNG_VARIED = EASEL_PNG_FILTERS,
  EASEL_PNG_BY_ROW,
  EASEL_PNG_WAYS,
};

typedef struct {
  const easel_png_source *source;
  easel_png_filterer filterer;
  uint8_t *filtered, *best_filtered, *target;
  size_t bytes, capacity;
  struct libdeflate_compressor *trial, *row;
  bool (*may_go_on)(void *);
  void *context;
} easel_png_thorough;

static bool easel_png_goes_on(const easel_png_thorough *work) {
  return !work->may_go_on || work->may_go_on(work->context);
}

// The number of different pairs of neighbouring bytes, which tells how much a row repeats itself.
static size_t easel_png_pairs(const uint8_t *row, size_t count, uint64_t seen[1024]) {
  size_t pairs = 0;
  memset(seen, 0, 1024 * sizeof *seen);
  for (size_t i = 1; i < count; i++) {
    unsigned pair = (unsigned)row[i - 1] << 8 | row[i];
    uint64_t bit = (uint64_t)1 << pair % 64;
    pairs += (seen[pair / 64] & bit) == 0;
    seen[pair / 64] |= bit;
  }
  return pairs;
}

// Chooses a filter for each row; false if it was stopped.
static bool easel_png_filter_each(easel_png_thorough *work, int way) {
  const easel_png_source *source = work->source;
  size_t line = source->bytes + 1;
  uint64_t seen[1024];
  // The rows so far are in their place, each choice is tried behind them.
  uint8_t *least_row = work->target;
  for (uint32_t y = 0; y < source->layout->height; y++) {
    if (!easel_png_goes_on(work)) return false;
    uint8_t *place = work->filtered + y * line;
    size_t least = SIZE_MAX, past = (size_t)(place - work->filtered);
    if (past > EASEL_PNG_ROW_PAST) past = EASEL_PNG_ROW_PAST;
    for (int filter = 0; filter < EASEL_PNG_SMALLEST; filter++) {
      easel_png_filter_rows(&work->filterer, source, filter, y, 1, place);
      size_t size = way == EASEL_PNG_VARIED
                        ? easel_png_pairs(place + 1, source->bytes, seen)
                        : libdeflate_zlib_compress(work->row, place - past, past + line, work->target + line,
                                                   work->capacity - line);
      if (size >= least || size == 0) continue;
      least = size;
      memcpy(least_row, place, line);
    }
    memcpy(place, least_row, line);
  }
  return true;
}

static bool easel_png_filter_way(easel_png_thorough *work, int way) {
  if (way >= EASEL_PNG_FILTERS) return easel_png_filter_each(work, way);
  const easel_png_source *source = work->source;
  easel_png_filter_rows(&work->filterer, source, way, 0, source->layout->height, work->filtered);
  return easel_png_goes_on(work);
}

// Leaves the best filtered rows in `best_filtered`; false if it was stopped.
static bool easel_png_try_ways(easel_png_thorough *work, bool is_exhaustive) {
  // Indices of a palette are not similar to their neighbours, so filters are mostly useless.
  bool is_palette = work->source->layout->color_type == 3;
  size_t least = SIZE_MAX;
  for (int way = 0; way < EASEL_PNG_WAYS; way++) {
    if ((is_palette && way > 0 && !is_exhaustive) || (way == EASEL_PNG_BY_ROW && !is_exhaustive)) continue;
    if (!easel_png_filter_way(work, way)) return false;
    bool is_only = is_palette && !is_exhaustive;
    size_t size = is_only ? 0
                          : libdeflate_zlib_compress(work->trial, work->filtered, work->bytes, work->target,
                                                     work->capacity);
    if (size >= least) continue;
    least = size;
    uint8_t *rows = work->filtered;
    work->filtered = work->best_filtered;
    work->best_filtered = rows;
  }
  return easel_png_goes_on(work);
}

static bool easel_png_thorough_open(easel_png_thorough *work) {
  const easel_png_source *source = work->source;
  work->bytes = (source->bytes + 1) * source->layout->height;
  work->capacity = libdeflate_zlib_compress_bound(NULL, work->bytes + EASEL_PNG_ROW_PAST) + source->bytes + 1;
  work->filtered = malloc(work->bytes);
  work->best_filtered = malloc(work->bytes);
  work->target = malloc(work->capacity);
  work->trial = libdeflate_alloc_compressor(EASEL_PNG_TRIAL_LEVEL);
  work->row = libdeflate_alloc_compressor(EASEL_PNG_ROW_LEVEL);
  return easel_png_filterer_open(&work->filterer, source) && work->filtered && work->best_filtered && work->target &&
         work->trial && work->row;
}

static void easel_png_thorough_close(easel_png_thorough *work) {
  easel_png_filterer_close(&work->filterer);
  free(work->filtered);
  free(work->best_filtered);
  free(work->target);
  libdeflate_free_compressor(work->trial);
  libdeflate_free_compressor(work->row);
}

static easel_png_status easel_png_finish_thoroughly(easel_png_thorough *work, easel_png_piece *piece) {
  int level = work->bytes > EASEL_PNG_MOST_BEST ? EASEL_PNG_TRIAL_LEVEL : EASEL_PNG_BEST_LEVEL;
  struct libdeflate_compressor *best = libdeflate_alloc_compressor(level);
  if (!best) return EASEL_PNG_NO_MEMORY;
  size_t count = libdeflate_zlib_compress(best, work->best_filtered, work->bytes, work->target, work->capacity);
  libdeflate_free_compressor(best);
  piece->bytes = count > 0 ? malloc(count) : NULL;
  if (!piece->bytes) return EASEL_PNG_NO_MEMORY;
  memcpy(piece->bytes, work->target, count);
  piece->count = count;
  return EASEL_PNG_OK;
}

easel_png_status easel_png_compress_thoroughly(const easel_png_source *source, bool is_exhaustive,
                                               bool (*may_go_on)(void *), void *context, easel_png_piece *piece) {
  easel_png_thorough work = {.source = source, .may_go_on = may_go_on, .context = context};
  easel_png_status status = EASEL_PNG_NO_MEMORY;
  if (easel_png_thorough_open(&work)) {
    status = easel_png_try_ways(&work, is_exhaustive) ? easel_png_finish_thoroughly(&work, piece) : EASEL_PNG_STOPPED;
  }
  easel_png_thorough_close(&work);
  return status;
}
