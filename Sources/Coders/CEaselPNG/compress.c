#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <zlib.h>

#include "filtering.h"
#include "search.h"
#include "thorough.h"

// A picture is compressed in bands, which several threads share. A band does not use the bands before it, so smaller
// bands make larger files, but larger bands take more memory. The number of bands depends only on the picture, so that
// a picture has the same file on every machine.
enum {
  EASEL_PNG_BAND = 1 << 20,
  EASEL_PNG_UNDIVIDED = 512 << 10,
  EASEL_PNG_MOST_THREADS = 16,
};

// The effort at each level: for the band, and for the samples with which its filter is chosen.
static const struct {
  easel_png_effort band, sample;
  // The filters to try, one bit for each.
  unsigned filters;
} easel_png_efforts[10] = {
    {{8, 0, 0, false}, {8, 0, 0, false}, 1},
    {{4, 1, 8, false}, {8, 1, 8, false}, 50},
    {{4, 2, 16, false}, {8, 1, 16, false}, 50},
    {{4, 4, 32, false}, {6, 2, 32, false}, 54},
    {{4, 6, 32, true}, {6, 2, 32, false}, 63},
    {{4, 12, 128, true}, {6, 2, 32, false}, 63},
    {{4, 16, 128, true}, {6, 2, 32, false}, 63},
    {{4, 32, 258, true}, {6, 4, 64, false}, 63},
    {{4, 128, 258, true}, {6, 4, 64, true}, 63},
    {{4, 512, 258, true}, {6, 8, 64, true}, 63},
};

typedef struct {
  easel_png_source source;
  int level;
  uint32_t bands;
  easel_png_piece *pieces;
  // For each band, the checksum and the number of bytes that it covers.
  uint32_t *sums;
  size_t *counts;
  atomic_uint next;
  atomic_int status;
  bool (*may_go_on)(void *);
  void *context;
} easel_png_work;

// The memory of one thread. It keeps the result of one search while it tries the other.
typedef struct {
  easel_png_filterer filterer;
  easel_png_search *search;
  uint8_t *filtered, *compressed, *second;
} easel_png_worker;

static uint32_t easel_png_band_start(const easel_png_work *work, uint32_t band) {
  return (uint32_t)((uint64_t)work->source.layout->height * band / work->bands);
}

static uint32_t easel_png_bands_of(const easel_png_source *source) {
  uint64_t bytes = (uint64_t)(source->bytes + 1) * source->layout->height;
  if (bytes < EASEL_PNG_UNDIVIDED) return 1;
  uint64_t bands = (bytes + EASEL_PNG_BAND - 1) / EASEL_PNG_BAND;
  if (bands < 2) bands = 2;
  return bands < source->layout->height ? (uint32_t)bands : source->layout->height;
}

// ---- The filter of a band

enum {
  // The share of a band that is tried.
  EASEL_PNG_SHARE = 16,
  EASEL_PNG_LEAST_SAMPLE = 16 << 10,
  EASEL_PNG_PLACES = 4,
  EASEL_PNG_TRIED_PLACES = 8,
  // A sample counts as small if it is compressed to this share of its bytes.
  EASEL_PNG_SMALL = 24,
  EASEL_PNG_ADVANTAGE = 128,
  // A shorter lookup takes more time, so it must save this share of the file.
  EASEL_PNG_WORTHWHILE = 200,
};

typedef struct {
  uint32_t first, count;
  // The number of rows in each place from which samples come; 0 for all rows.
  uint32_t sampled;
} easel_png_rows_of_band;

static uint32_t easel_png_sampled(const easel_png_source *source, uint32_t count) {
  size_t sample = (source->bytes + 1) * count / EASEL_PNG_SHARE;
  if (sample < EASEL_PNG_LEAST_SAMPLE) sample = EASEL_PNG_LEAST_SAMPLE;
  uint32_t rows = (uint32_t)(sample / EASEL_PNG_PLACES / (source->bytes + 1));
  if (rows < 2) rows = 2;
  return (uint64_t)rows * EASEL_PNG_PLACES * 2 >= count ? 0 : rows;
}

// Filters the sample of a band; returns the number of bytes.
static size_t easel_png_sample(easel_png_worker *worker, const easel_png_source *source, int filter,
                               const easel_png_rows_of_band *band) {
  uint8_t *end = worker->filtered;
  if (band->sampled == 0) {
    end = easel_png_filter_rows(&worker->filterer, source, filter, band->first, band->count, end);
  } else {
    for (uint32_t place = 0; place < EASEL_PNG_PLACES; place++) {
      uint64_t room = band->count - band->sampled;
      uint32_t y = band->first + (uint32_t)(room * (2 * place + 1) / (2 * EASEL_PNG_PLACES));
      end = easel_png_filter_rows(&worker->filterer, source, filter, y, band->sampled, end);
    }
  }
  return (size_t)(end - worker->filtered);
}

static size_t easel_png_try(easel_png_worker *worker, const easel_png_work *work, const easel_png_rows_of_band *band,
                            int filter, easel_png_effort effort, size_t *bytes) {
  *bytes = easel_png_sample(worker, &work->source, filter, band);
  return easel_png_search_run(worker->search, effort, worker->filtered, *bytes, true, worker->compressed);
}

// Chooses the filter that makes the smallest file.
static int easel_png_choose_filter(easel_png_worker *worker, const easel_png_work *work,
                                   const easel_png_rows_of_band *band) {
  easel_png_effort trial = easel_png_efforts[work->level].sample;
  size_t bytes = 0, sizes[EASEL_PNG_FILTERS];
  int best = 0, second = 0;
  for (int filter = 0; filter < EASEL_PNG_FILTERS; filter++) {
    bool is_tried = easel_png_efforts[work->level].filters >> filter & 1;
    sizes[filter] = is_tried ? easel_png_try(worker, work, band, filter, trial, &bytes) : SIZE_MAX;
    // Choosing a filter for each row works better in the whole band than in the sample; the other filters are chosen by
    // the sample.
    if (filter == EASEL_PNG_SMALLEST && band->sampled > 0) sizes[filter] -= sizes[filter] / EASEL_PNG_ADVANTAGE;
    if (filter == 0 || sizes[filter] < sizes[best]) {
      second = best;
      best = filter;
    } else if (second == best || sizes[filter] < sizes[second]) {
      second = filter;
    }
  }
  if (sizes[best] > bytes / EASEL_PNG_SMALL) return best;
  // The compressed sample is so small that it says little about the rest. The two best filters are tried in full, which
  // is fast here.
  easel_png_rows_of_band whole = {band->first, band->count, 0};
  easel_png_effort effort = easel_png_efforts[work->level].band;
  size_t least = easel_png_try(worker, work, &whole, best, effort, &bytes);
  return easel_png_try(worker, work, &whole, second, effort, &bytes) < least ? second : best;
}

// Chooses the smallest number of bytes to look up that makes the file smaller.
static unsigned easel_png_choose_lookup(easel_png_worker *worker, const easel_png_work *work,
                                        const easel_png_rows_of_band *band, int filter) {
  easel_png_effort trial = easel_png_efforts[work->level].band;
  if (trial.most_places > EASEL_PNG_TRIED_PLACES) trial.most_places = EASEL_PNG_TRIED_PLACES;
  size_t least = SIZE_MAX, bytes;
  unsigned best = 8;
  for (unsigned looked_up = 8; looked_up >= 3; looked_up -= looked_up > 4 ? 2 : 1) {
    trial.looked_up = looked_up;
    size_t size = easel_png_try(worker, work, band, filter, trial, &bytes);
    // A small picture is tried as a whole, because every byte counts in it.
    size_t saved = band->sampled == 0 ? 0 : size / EASEL_PNG_WORTHWHILE;
    if (looked_up < 8 && size + saved >= least) {
      if (band->sampled > 0) break;
      continue;
    }
    least = size;
    best = looked_up;
  }
  return best;
}

// ---- Bands

enum {
  // zlib is tried for few bytes, and for bytes that are compressed to this share; in large pictures, to a smaller one.
  EASEL_PNG_FEW = 64 << 10,
  EASEL_PNG_REPETITIVE = 16,
  EASEL_PNG_VERY_REPETITIVE = 48,
};

// The sizes of a band after filtering and after compression; its bytes are in the worker's memory.
typedef struct {
  size_t filtered, compressed;
  uint32_t sum;
} easel_png_packed;

// Compresses the filtered rows with zlib, and keeps the result if it is smaller than the best one so far.
static void easel_png_use_zlib_if_smaller(easel_png_worker *worker, int level, int filter, size_t bytes, bool is_last,
                                          easel_png_packed *best) {
  z_stream stream = {.next_in = worker->filtered, .avail_in = (uInt)bytes};
  int strategy = filter == 0 ? Z_DEFAULT_STRATEGY : Z_FILTERED;
  if (deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, strategy) != Z_OK) return;
  stream.next_out = worker->second;
  stream.avail_out = (uInt)best->compressed;
  int status = deflate(&stream, is_last ? Z_FINISH : Z_SYNC_FLUSH);
  bool is_smaller = status == (is_last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0;
  deflateEnd(&stream);
  if (!is_smaller) return;
  uint8_t *longer = worker->compressed;
  worker->compressed = worker->second;
  worker->second = longer;
  best->filtered = bytes;
  best->compressed -= stream.avail_out;
  best->sum = libdeflate_adler32(1, worker->filtered, bytes);
}

static size_t easel_png_filter_band(easel_png_worker *worker, const easel_png_source *source, int filter,
                                    const easel_png_rows_of_band *rows) {
  const uint8_t *end =
      easel_png_filter_rows(&worker->filterer, source, filter, rows->first, rows->count, worker->filtered);
  return (size_t)(end - worker->filtered);
}

static easel_png_packed easel_png_pack(easel_png_worker *worker, const easel_png_work *work,
                                       const easel_png_rows_of_band *rows, bool is_last) {
  const easel_png_source *source = &work->source;
  easel_png_effort effort = easel_png_efforts[work->level].band;
  bool is_stored = effort.most_places == 0;
  // Indices of a palette are not similar to their neighbours, so filters are useless.
  bool has_choice = source->layout->color_type != 3 && !is_stored;
  int filter = has_choice ? easel_png_choose_filter(worker, work, rows) : 0;
  if (!is_stored) effort.looked_up = easel_png_choose_lookup(worker, work, rows, filter);
  size_t bytes = easel_png_filter_band(worker, source, filter, rows);
  easel_png_packed packed = {.filtered = bytes, .sum = libdeflate_adler32(1, worker->filtered, bytes)};
  packed.compressed =
      easel_png_search_run(worker->search, effort, worker->filtered, bytes, is_last, worker->compressed);
  size_t few = bytes / (work->bands == 1 ? EASEL_PNG_REPETITIVE : EASEL_PNG_VERY_REPETITIVE);
  if (is_stored || (bytes > EASEL_PNG_FEW && packed.compressed > few)) return packed;
  // Few bytes say little about prices, and a pattern that repeats in both directions is found far back. In such cases
  // zlib, which looks at more places, may be better, and takes little time.
  if (has_choice && filter != EASEL_PNG_SMALLEST) {
    bytes = easel_png_filter_band(worker, source, EASEL_PNG_SMALLEST, rows);
    filter = EASEL_PNG_SMALLEST;
  }
  easel_png_use_zlib_if_smaller(worker, work->level, filter, bytes, is_last, &packed);
  return packed;
}

static easel_png_status easel_png_compress_band(easel_png_worker *worker, easel_png_work *work, uint32_t band) {
  uint32_t first = easel_png_band_start(work, band), count = easel_png_band_start(work, band + 1) - first;
  easel_png_rows_of_band rows = {first, count, easel_png_sampled(&work->source, count)};
  easel_png_packed packed = easel_png_pack(worker, work, &rows, band + 1 == work->bands);
  work->counts[band] = packed.filtered;
  work->sums[band] = packed.sum;
  easel_png_piece *piece = &work->pieces[band];
  // There is also room for the head and the checksum of the stream.
  piece->bytes = malloc(packed.compressed + 6);
  if (!piece->bytes) return EASEL_PNG_NO_MEMORY;
  size_t head = band == 0 ? 2 : 0;
  memcpy(piece->bytes + head, worker->compressed, packed.compressed);
  piece->count = head + packed.compressed;
  return EASEL_PNG_OK;
}

static bool easel_png_worker_open(easel_png_worker *worker, const easel_png_work *work) {
  *worker = (easel_png_worker){0};
  uint32_t rows = (work->source.layout->height + work->bands - 1) / work->bands;
  size_t bytes = (work->source.bytes + 1) * rows;
  worker->filtered = malloc(bytes);
  worker->compressed = malloc(easel_png_search_bound(bytes));
  worker->second = malloc(easel_png_search_bound(bytes));
  bool has_filterer = easel_png_filterer_open(&worker->filterer, &work->source);
  worker->search = easel_png_search_create();
  return worker->filtered && worker->compressed && worker->second && has_filterer && worker->search;
}

static void easel_png_worker_close(easel_png_worker *worker) {
  free(worker->filtered);
  free(worker->compressed);
  free(worker->second);
  easel_png_filterer_close(&worker->filterer);
  easel_png_search_destroy(worker->search);
}

static void easel_png_work_on(easel_png_work *work) {
  easel_png_worker worker;
  int status = easel_png_worker_open(&worker, work) ? EASEL_PNG_OK : EASEL_PNG_NO_MEMORY;
  while (status == EASEL_PNG_OK && atomic_load(&work->status) == EASEL_PNG_OK) {
    if (work->may_go_on && !work->may_go_on(work->context)) {
      status = EASEL_PNG_STOPPED;
      break;
    }
    uint32_t band = atomic_fetch_add(&work->next, 1);
    if (band >= work->bands) break;
    status = easel_png_compress_band(&worker, work, band);
  }
  if (status != EASEL_PNG_OK) atomic_store(&work->status, status);
  easel_png_worker_close(&worker);
}

static void *easel_png_help(void *work) {
  easel_png_work_on(work);
  return NULL;
}

static void easel_png_share(easel_png_work *work, int threads) {
  pthread_t helpers[EASEL_PNG_MOST_THREADS];
  int most = threads < EASEL_PNG_MOST_THREADS ? threads : EASEL_PNG_MOST_THREADS, started = 0;
  if ((uint32_t)most > work->bands) most = (int)work->bands;
  // If the system allows fewer threads, these do all the work.
  while (started + 1 < most && pthread_create(&helpers[started], NULL, easel_png_help, work) == 0) started++;
  easel_png_work_on(work);
  for (int i = 0; i < started; i++) pthread_join(helpers[i], NULL);
}

// ---- The stream

static void easel_png_frame(easel_png_work *work) {
  // The head says that distances are up to 32 KiB, and how much effort was made.
  static const uint8_t heads[10] = {0x01, 0x01, 0x5e, 0x5e, 0x5e, 0x5e, 0x9c, 0xda, 0xda, 0xda};
  work->pieces[0].bytes[0] = 0x78;
  work->pieces[0].bytes[1] = heads[work->level];
  uint32_t sum = work->sums[0];
  for (uint32_t band = 1; band < work->bands; band++) {
    sum = (uint32_t)adler32_combine(sum, work->sums[band], (z_off_t)work->counts[band]);
  }
  easel_png_piece *last = &work->pieces[work->bands - 1];
  for (int shift = 24; shift >= 0; shift -= 8) last->bytes[last->count++] = (uint8_t)(sum >> shift);
}

static easel_png_status easel_png_compress_whole(const easel_png_source *source, int level, bool (*may_go_on)(void *),
                                                 void *context, easel_png_stream *stream) {
  *stream = (easel_png_stream){1, calloc(1, sizeof *stream->pieces)};
  if (!stream->pieces) return EASEL_PNG_NO_MEMORY;
  easel_png_status status = easel_png_compress_thoroughly(source, level >= EASEL_PNG_EXHAUSTIVE, may_go_on, context,
                                                          stream->pieces);
  if (status != EASEL_PNG_OK) easel_png_stream_destroy(stream);
  return status;
}

easel_png_status easel_png_compress(const easel_png_layout *layout, const void *rows, ptrdiff_t stride, int level,
                                    int threads, bool (*may_go_on)(void *), void *context, easel_png_stream *stream) {
  if (level >= EASEL_PNG_THOROUGH) {
    easel_png_source source = easel_png_source_of(layout, rows, stride);
    return easel_png_compress_whole(&source, level, may_go_on, context, stream);
  }
  easel_png_work work = {
      .source = easel_png_source_of(layout, rows, stride), .level = level, .may_go_on = may_go_on, .context = context};
  work.bands = easel_png_bands_of(&work.source);
  work.pieces = calloc(work.bands, sizeof *work.pieces);
  work.sums = calloc(work.bands, sizeof *work.sums);
  work.counts = calloc(work.bands, sizeof *work.counts);
  bool has_memory = work.pieces && work.sums && work.counts;
  if (has_memory) easel_png_share(&work, threads);
  easel_png_status status = has_memory ? (easel_png_status)atomic_load(&work.status) : EASEL_PNG_NO_MEMORY;
  if (status == EASEL_PNG_OK) easel_png_frame(&work);
  free(work.sums);
  free(work.counts);
  *stream = (easel_png_stream){work.pieces ? work.bands : 0, work.pieces};
  if (status != EASEL_PNG_OK) easel_png_stream_destroy(stream);
  return status;
}

void easel_png_stream_destroy(easel_png_stream *stream) {
  for (size_t i = 0; i < stream->count; i++) free(stream->pieces[i].bytes);
  free(stream->pieces);
  *stream = (easel_png_stream){0, NULL};
}
