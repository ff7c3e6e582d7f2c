#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

// ---- Halves

typedef struct {
  const easel_jpeg_decoder *decoder;
  const easel_jpeg_layout *layout;
  uint8_t *target;
  ptrdiff_t stride;
  uint32_t middle;
  easel_jpeg_decoder_status status;
} easel_jpeg_half;

// Finds the part of the scan that begins behind this many markers. Null if the markers are not in order.
static const uint8_t *easel_jpeg_part(const easel_jpeg_headers *headers, uint64_t markers) {
  const uint8_t *at = headers->bytes + headers->scan, *end = headers->bytes + headers->count;
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
static bool easel_jpeg_source_seek(easel_jpeg_source *source, uint32_t row) {
  const easel_jpeg_headers *headers = source->layout->headers;
  uint64_t groups = (uint64_t)row * source->layout->columns, markers = groups / headers->restart;
  uint32_t rest = (uint32_t)(groups % headers->restart);
  const uint8_t *part = easel_jpeg_part(headers, markers);
  if (!part) return false;
  easel_jpeg_bits_begin(&source->bits, part, source->bits.end, source->bits.window);
  source->restart = (int)(markers & 7);
  int16_t levels[EASEL_JPEG_BATCH * 640 + 64];
  uint8_t lasts[EASEL_JPEG_BATCH * 10];
  while (rest) {
    uint32_t count = rest < EASEL_JPEG_BATCH ? rest : EASEL_JPEG_BATCH;
    if (!easel_jpeg_source_read(source, count, levels, lasts)) return false;
    rest -= count;
  }
  return true;
}

static void *easel_jpeg_lower_half(void *argument) {
  easel_jpeg_half *half = argument;
  const easel_jpeg_layout *layout = half->layout;
  uint8_t *window = malloc(EASEL_JPEG_WINDOW_SIZE);
  easel_jpeg_sink sink;
  half->status = EASEL_JPEG_DECODER_NO_MEMORY;
  if (window && easel_jpeg_sink_begin(&sink, layout, half->target, half->stride)) {
    // The row of groups above gives the colours above the first row of pixels.
    uint32_t first = half->middle - 1;
    sink.first = half->middle * (uint32_t)layout->group_height;
    easel_jpeg_source source;
    easel_jpeg_source_begin(&source, half->decoder, layout, window);
    bool is_whole =
        easel_jpeg_source_seek(&source, first) && easel_jpeg_decode_rows(&source, &sink, first, layout->rows);
    half->status = is_whole ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
    free(sink.memory);
  }
  free(window);
  return NULL;
}

easel_jpeg_decoder_status easel_jpeg_decode_halves(const easel_jpeg_decoder *decoder, easel_jpeg_source *source,
                                                   easel_jpeg_sink *sink) {
  const easel_jpeg_layout *layout = source->layout;
  easel_jpeg_half half = {decoder, layout, sink->target, sink->stride, layout->rows / 2, EASEL_JPEG_DECODER_OK};
  pthread_t thread;
  bool has_thread = !pthread_create(&thread, NULL, easel_jpeg_lower_half, &half);
  uint32_t end = layout->rows;
  if (has_thread) {
    sink->end = half.middle * (uint32_t)layout->group_height;
    // The row of groups below gives the colours below the last row of pixels.
    end = half.middle + 1;
  }
  bool is_whole = easel_jpeg_decode_rows(source, sink, 0, end);
  if (has_thread) pthread_join(thread, NULL);
  if (!is_whole) return EASEL_JPEG_DECODER_DAMAGED;
  return half.status;
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

static uint32_t easel_jpeg_portion(const easel_jpeg_layout *layout, uint32_t column) {
  uint32_t left = layout->columns - column;
  return left < EASEL_JPEG_PORTION ? left : EASEL_JPEG_PORTION;
}

static void *easel_jpeg_read_codes_in_line(void *argument) {
  easel_jpeg_line *line = argument;
  const easel_jpeg_layout *layout = line->source->layout;
  uint32_t place = 0;
  bool is_sound = true;
  for (uint32_t row = 0; row < layout->rows && is_sound; row++) {
    for (uint32_t column = 0; column < layout->columns && is_sound; column += EASEL_JPEG_PORTION, place++) {
      while (sem_wait(&line->is_free)) continue;
      uint32_t here = place % EASEL_JPEG_PLACES;
      is_sound = easel_jpeg_source_read(line->source, easel_jpeg_portion(layout, column), line->levels[here],
                                        line->lasts[here]);
      if (!is_sound) atomic_store(&line->is_damaged, true);
      sem_post(&line->is_full);
    }
  }
  return NULL;
}

static bool easel_jpeg_make_pixels_in_line(easel_jpeg_line *line, easel_jpeg_sink *sink) {
  const easel_jpeg_layout *layout = sink->layout;
  uint32_t place = 0;
  for (uint32_t row = 0; row < layout->rows; row++) {
    for (uint32_t column = 0; column < layout->columns; column += EASEL_JPEG_PORTION, place++) {
      while (sem_wait(&line->is_full)) continue;
      if (atomic_load(&line->is_damaged)) return false;
      easel_jpeg_sink_take(sink, column, easel_jpeg_portion(layout, column), line->levels[place % EASEL_JPEG_PLACES],
                           line->lasts[place % EASEL_JPEG_PLACES]);
      sem_post(&line->is_free);
    }
    easel_jpeg_sink_finish_row(sink, row);
  }
  return true;
}

easel_jpeg_decoder_status easel_jpeg_decode_in_line(easel_jpeg_source *source, easel_jpeg_sink *sink) {
  const easel_jpeg_layout *layout = source->layout;
  size_t portion = (EASEL_JPEG_PORTION * (size_t)layout->levels + 64) * sizeof(int16_t);
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
    is_whole = easel_jpeg_decode_rows(source, sink, 0, layout->rows);
  } else {
    is_whole = easel_jpeg_make_pixels_in_line(&line, sink);
    pthread_join(thread, NULL);
  }
  is_whole = is_whole && easel_jpeg_bits_are_sound(&source->bits);
  sem_destroy(&line.is_full);
  sem_destroy(&line.is_free);
  free(memory);
  return is_whole ? EASEL_JPEG_DECODER_OK : EASEL_JPEG_DECODER_DAMAGED;
}
