#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

// ---- Halves

typedef struct {
  const easel_jpeg_decoder *decoder;
  const easel_jpeg_grid *grid;
  // The bytes of the scan.
  const uint8_t *scan, *end;
  easel_jpeg_target target;
  uint32_t middle;
  easel_jpeg_decoder_status status;
} easel_jpeg_half;

// Finds the part of the scan that begins behind this many markers. Null if the markers are not in order.
static const uint8_t *easel_jpeg_part(const uint8_t *at, const uint8_t *end, uint64_t markers) {
  for (uint64_t found = 0; found < markers;) {
    at = memchr(at, 0xFF, (size_t)(end - at));
    if (!at || end - at < 2) return NULL;
    int next = at[1];
    at += next == 0xFF ? 1 : 2;
    if (next == 0 || next == 0xFF) continue;
    if (next != 0xD0 + (int)(found & 7)) return NULL;
    found++;
  }
  return at;
}

// Moves to a row of groups: to the marker before it, and then past the groups up to it.
static bool easel_jpeg_source_seek(easel_jpeg_source *source, const uint8_t *scan, const uint8_t *end, uint32_t row) {
  const easel_jpeg_headers *headers = source->grid->headers;
  uint64_t groups = (uint64_t)row * source->grid->columns, markers = groups / headers->restart;
  uint32_t rest = (uint32_t)(groups % headers->restart);
  const uint8_t *part = easel_jpeg_part(scan, end, markers);
  if (!part) return false;
  easel_jpeg_bits_open(&source->bits, part, end, true);
  source->restart = (int)(markers & 7);
  int16_t levels[EASEL_JPEG_BATCH * 640 + 64];
  uint8_t lasts[EASEL_JPEG_BATCH * 10];
  while (rest) {
    uint32_t count = rest < EASEL_JPEG_BATCH ? rest : EASEL_JPEG_BATCH;
    if (easel_jpeg_source_read(source, &count, levels, lasts) != EASEL_JPEG_SOUND) return false;
    rest -= count;
  }
  return true;
}

static void *easel_jpeg_lower_half(void *argument) {
  easel_jpeg_half *half = argument;
  const easel_jpeg_grid *grid = half->grid;
  uint8_t *window = malloc(EASEL_JPEG_WINDOW_SIZE);
  easel_jpeg_sink sink;
  half->status = EASEL_JPEG_DECODER_NO_MEMORY;
  if (window && easel_jpeg_sink_begin(&sink, grid)) {
    // The row of groups above gives the colours above the first row of pixels.
    uint32_t first = half->middle - 1;
    easel_jpeg_source source;
    easel_jpeg_source_begin(&source, half->decoder, grid, window);
    bool is_whole = easel_jpeg_source_seek(&source, half->scan, half->end, first) &&
                    easel_jpeg_decode_rows(&source, &sink, &half->target, first, grid->rows);
    half->status = is_whole ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
    free(sink.memory);
  }
  free(window);
  return NULL;
}

easel_jpeg_decoder_status easel_jpeg_decode_halves(const easel_jpeg_decoder *decoder, easel_jpeg_source *source,
                                                   easel_jpeg_sink *sink, const easel_jpeg_target *target) {
  const easel_jpeg_grid *grid = source->grid;
  easel_jpeg_half half = {.decoder = decoder, .grid = grid, .scan = source->bits.next, .end = source->bits.end};
  half.middle = grid->rows / 2;
  half.target = *target;
  half.target.first = half.middle * (uint32_t)grid->group_height;
  pthread_t thread;
  if (pthread_create(&thread, NULL, easel_jpeg_lower_half, &half)) {
    bool is_whole = easel_jpeg_decode_rows(source, sink, target, 0, grid->rows);
    return is_whole ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
  }
  easel_jpeg_target upper = *target;
  upper.end = half.target.first;
  // The row of groups below gives the colours below the last row of pixels.
  bool is_whole = easel_jpeg_decode_rows(source, sink, &upper, 0, half.middle + 1);
  pthread_join(thread, NULL);
  return is_whole ? half.status : EASEL_JPEG_DECODER_DAMAGED;
}

// ---- In line

enum { EASEL_JPEG_PLACES = 8, EASEL_JPEG_PORTION = 64 };

typedef struct {
  easel_jpeg_source *source;
  sem_t is_free, is_full;
  atomic_bool is_damaged;
  int16_t *levels[EASEL_JPEG_PLACES];
  uint8_t *lasts[EASEL_JPEG_PLACES];
} easel_jpeg_line;

static uint32_t easel_jpeg_portion(const easel_jpeg_grid *grid, uint32_t column) {
  uint32_t left = grid->columns - column;
  return left < EASEL_JPEG_PORTION ? left : EASEL_JPEG_PORTION;
}

static void *easel_jpeg_read_codes_in_line(void *argument) {
  easel_jpeg_line *line = argument;
  const easel_jpeg_grid *grid = line->source->grid;
  uint32_t place = 0;
  bool is_sound = true;
  for (uint32_t row = 0; row < grid->rows && is_sound; row++) {
    for (uint32_t column = 0; column < grid->columns && is_sound; column += EASEL_JPEG_PORTION, place++) {
      while (sem_wait(&line->is_free)) continue;
      uint32_t here = place % EASEL_JPEG_PLACES;
      uint32_t count = easel_jpeg_portion(grid, column);
      easel_jpeg_state state =
          easel_jpeg_source_read(line->source, &count, line->levels[here], line->lasts[here]);
      is_sound = state == EASEL_JPEG_SOUND;
      if (!is_sound) atomic_store(&line->is_damaged, true);
      sem_post(&line->is_full);
    }
  }
  return NULL;
}

static bool easel_jpeg_make_pixels_in_line(easel_jpeg_line *line, easel_jpeg_sink *sink,
                                           const easel_jpeg_target *target) {
  const easel_jpeg_grid *grid = sink->grid;
  uint32_t place = 0;
  for (uint32_t row = 0; row < grid->rows; row++) {
    for (uint32_t column = 0; column < grid->columns; column += EASEL_JPEG_PORTION, place++) {
      while (sem_wait(&line->is_full)) continue;
      if (atomic_load(&line->is_damaged)) return false;
      easel_jpeg_sink_take(sink, column, easel_jpeg_portion(grid, column), line->levels[place % EASEL_JPEG_PLACES],
                           line->lasts[place % EASEL_JPEG_PLACES]);
      sem_post(&line->is_free);
    }
    easel_jpeg_sink_finish_row(sink, row);
    easel_jpeg_put_rows(sink, target);
  }
  return true;
}

easel_jpeg_decoder_status easel_jpeg_decode_in_line(easel_jpeg_source *source, easel_jpeg_sink *sink,
                                                    const easel_jpeg_target *target) {
  const easel_jpeg_grid *grid = source->grid;
  size_t portion = (EASEL_JPEG_PORTION * (size_t)grid->levels + 64) * sizeof(int16_t);
  size_t marks = EASEL_JPEG_PORTION * 10;
  uint8_t *memory = malloc(EASEL_JPEG_PLACES * (portion + marks));
  if (!memory) return EASEL_JPEG_DECODER_NO_MEMORY;
  easel_jpeg_line line = {.source = source};
  for (int i = 0; i < EASEL_JPEG_PLACES; i++) {
    line.levels[i] = (int16_t *)(void *)(memory + (size_t)i * portion);
    line.lasts[i] = memory + EASEL_JPEG_PLACES * portion + (size_t)i * marks;
  }
  sem_init(&line.is_free, 0, EASEL_JPEG_PLACES);
  sem_init(&line.is_full, 0, 0);
  pthread_t thread;
  bool is_whole;
  if (pthread_create(&thread, NULL, easel_jpeg_read_codes_in_line, &line)) {
    is_whole = easel_jpeg_decode_rows(source, sink, target, 0, grid->rows);
  } else {
    is_whole = easel_jpeg_make_pixels_in_line(&line, sink, target);
    pthread_join(thread, NULL);
  }
  is_whole = is_whole && easel_jpeg_bits_are_sound(&source->bits);
  sem_destroy(&line.is_full);
  sem_destroy(&line.is_free);
  free(memory);
  return is_whole ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
}
