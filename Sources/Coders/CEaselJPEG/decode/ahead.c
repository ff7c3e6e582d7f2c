#include "ahead.h"

#include <stdlib.h>
#include <string.h>

// ---- The second thread

// Waits for the next chunk; false if there will be none.
static bool easel_jpeg_ahead_feed(easel_jpeg_ahead *ahead) {
  easel_jpeg_bits *bits = &ahead->sources[0].bits;
  size_t left = (size_t)(bits->end - bits->next);
  pthread_mutex_lock(&ahead->lock);
  easel_jpeg_chunk *before = &ahead->chunks[ahead->chunk], *next = &ahead->chunks[!ahead->chunk];
  ahead->is_hungry = true;
  pthread_cond_signal(&ahead->has_news);
  while (!next->is_full && !before->is_end && !ahead->is_stopped) pthread_cond_wait(&ahead->has_work, &ahead->lock);
  ahead->is_hungry = false;
  bool is_fed = next->is_full && left <= EASEL_JPEG_CHUNK_FRONT;
  if (is_fed) {
    uint8_t *start = next->memory + EASEL_JPEG_CHUNK_FRONT;
    if (left) memcpy(start - left, bits->next, left);
    easel_jpeg_bits_open(bits, start - left, start + next->count, next->is_end);
    before->is_full = false;
    ahead->chunk = !ahead->chunk;
  }
  pthread_mutex_unlock(&ahead->lock);
  return is_fed;
}

// Reads the next groups of a scan that is not divided.
static easel_jpeg_state easel_jpeg_ahead_stream(easel_jpeg_ahead *ahead, easel_jpeg_part *part) {
  const easel_jpeg_grid *grid = ahead->grid;
  easel_jpeg_source *source = &ahead->sources[0];
  easel_jpeg_state state = EASEL_JPEG_HUNGRY;
  for (uint32_t done = 0; state == EASEL_JPEG_HUNGRY;) {
    uint32_t count = part->count - done;
    state = easel_jpeg_source_read(source, &count, part->levels + done * (size_t)grid->levels,
                                   part->lasts + done * (size_t)grid->lasts);
    done += count;
    if (state == EASEL_JPEG_HUNGRY && !easel_jpeg_ahead_feed(ahead)) return EASEL_JPEG_WRONG;
  }
  return easel_jpeg_bits_are_sound(&source->bits) ? state : EASEL_JPEG_WRONG;
}

static void *easel_jpeg_ahead_run(void *argument) {
  easel_jpeg_ahead *ahead = argument;
  easel_jpeg_state state = EASEL_JPEG_SOUND;
  pthread_mutex_lock(&ahead->lock);
  // Nothing can be read of a scan behind wrong codes, unless it is divided.
  while (!ahead->is_stopped && (ahead->runs || state == EASEL_JPEG_SOUND)) {
    if (ahead->begun == ahead->cut) {
      pthread_cond_wait(&ahead->has_work, &ahead->lock);
      continue;
    }
    easel_jpeg_part *part = &ahead->parts[ahead->begun++ % ahead->places];
    pthread_mutex_unlock(&ahead->lock);
    state = ahead->runs ? easel_jpeg_part_read(part, &ahead->sources[0]) : easel_jpeg_ahead_stream(ahead, part);
    pthread_mutex_lock(&ahead->lock);
    part->state = state;
    part->is_read = true;
    bool goes_on = state == EASEL_JPEG_SOUND && ahead->begun < ahead->cut;
    if (ahead->runs || !goes_on || ahead->begun - ahead->used >= EASEL_JPEG_WAKING)
      pthread_cond_signal(&ahead->has_news);
  }
  pthread_mutex_unlock(&ahead->lock);
  return NULL;
}

// ---- Begin and end

// Adds the next part of a scan that is not divided, if there is one.
static void easel_jpeg_ahead_allow(easel_jpeg_ahead *ahead) {
  uint64_t left = (uint64_t)ahead->grid->columns * ahead->grid->rows - ahead->cut_groups;
  if (!left) return;
  uint32_t count = left < EASEL_JPEG_STREAM_PART ? (uint32_t)left : EASEL_JPEG_STREAM_PART;
  ahead->parts[ahead->cut % ahead->places].count = count;
  ahead->cut_groups += count;
  ahead->cut++;
}

static uint8_t *easel_jpeg_take_room(uint8_t **next, size_t count) {
  uint8_t *start = *next;
  *next += (count + 63) & ~(size_t)63;
  return start;
}

static bool easel_jpeg_ahead_make_room(easel_jpeg_ahead *ahead, uint32_t most) {
  // A block's end is stored one place behind it.
  size_t levels = (most * (size_t)ahead->grid->levels + 64) * sizeof(int16_t), lasts = most * 10;
  size_t chunk = EASEL_JPEG_CHUNK_FRONT + EASEL_JPEG_CHUNK;
  size_t all = ahead->places * (levels + lasts + 128) + 2 * (EASEL_JPEG_WINDOW_SIZE + chunk + 128) + 64;
  ahead->memory = malloc(all);
  if (!ahead->memory) return false;
  uint8_t *next = ahead->memory + (64 - (uintptr_t)ahead->memory % 64);
  for (uint32_t i = 0; i < ahead->places; i++) {
    ahead->parts[i].levels = (int16_t *)(void *)easel_jpeg_take_room(&next, levels);
    ahead->parts[i].lasts = easel_jpeg_take_room(&next, lasts);
  }
  for (int i = 0; i < 2; i++) {
    easel_jpeg_bits_begin(&ahead->sources[i].bits, easel_jpeg_take_room(&next, EASEL_JPEG_WINDOW_SIZE));
    ahead->chunks[i].memory = easel_jpeg_take_room(&next, chunk);
  }
  return true;
}

static void easel_jpeg_ahead_free(easel_jpeg_ahead *ahead) {
  for (int i = 0; i < EASEL_JPEG_PLACES; i++) free(ahead->parts[i].bytes);
  pthread_cond_destroy(&ahead->has_news);
  pthread_cond_destroy(&ahead->has_work);
  pthread_mutex_destroy(&ahead->lock);
  free(ahead->memory);
  free(ahead);
}

easel_jpeg_ahead *easel_jpeg_ahead_begin(const easel_jpeg_decoder *decoder, const easel_jpeg_grid *grid) {
  uint32_t restart = grid->headers->restart;
  bool is_divided = restart && restart <= EASEL_JPEG_MOST_PART;
  // At an eighth there are hardly any pixels to make meanwhile.
  if (!is_divided && grid->sizes[0] == 1) return NULL;
  easel_jpeg_ahead *ahead = calloc(1, sizeof *ahead);
  if (!ahead) return NULL;
  ahead->grid = grid;
  ahead->places = is_divided ? EASEL_JPEG_CUT_PLACES : EASEL_JPEG_PLACES;
  if (is_divided) ahead->runs = restart < EASEL_JPEG_LEAST_PART ? EASEL_JPEG_LEAST_PART / restart : 1;
  pthread_mutex_init(&ahead->lock, NULL);
  pthread_cond_init(&ahead->has_work, NULL);
  pthread_cond_init(&ahead->has_news, NULL);
  if (easel_jpeg_ahead_make_room(ahead, is_divided ? ahead->runs * restart : EASEL_JPEG_STREAM_PART)) {
    for (int i = 0; i < 2; i++)
      easel_jpeg_source_begin(&ahead->sources[i], decoder, grid, ahead->sources[i].bits.window);
    for (int i = 0; i < EASEL_JPEG_PLACES && !is_divided; i++) easel_jpeg_ahead_allow(ahead);
    if (pthread_create(&ahead->thread, NULL, easel_jpeg_ahead_run, ahead) == 0) return ahead;
  }
  easel_jpeg_ahead_free(ahead);
  return NULL;
}

size_t easel_jpeg_ahead_end(easel_jpeg_ahead *ahead) {
  pthread_mutex_lock(&ahead->lock);
  ahead->is_stopped = true;
  pthread_cond_signal(&ahead->has_work);
  pthread_mutex_unlock(&ahead->lock);
  pthread_join(ahead->thread, NULL);
  const easel_jpeg_bits *bits = &ahead->sources[0].bits;
  const easel_jpeg_chunk *next = &ahead->chunks[!ahead->chunk];
  size_t unused = ahead->runs ? 0 : (size_t)(bits->end - bits->next) + (next->is_full ? next->count : 0);
  easel_jpeg_ahead_free(ahead);
  return unused;
}

// ---- The caller's thread

// Hands the next bytes to the thread, if it has room for them.
static void easel_jpeg_ahead_offer(easel_jpeg_ahead *ahead, easel_jpeg_decoder_input *input) {
  pthread_mutex_lock(&ahead->lock);
  easel_jpeg_chunk *chunk = &ahead->chunks[!ahead->chunk];
  bool is_full = chunk->is_full;
  pthread_mutex_unlock(&ahead->lock);
  size_t left = input->count - (size_t)input->consumed, count = left < EASEL_JPEG_CHUNK ? left : EASEL_JPEG_CHUNK;
  if (is_full || ahead->has_end || (!count && !input->is_end)) return;
  if (count) memcpy(chunk->memory + EASEL_JPEG_CHUNK_FRONT, input->bytes + input->consumed, count);
  input->consumed += (ptrdiff_t)count;
  ahead->has_end = input->is_end && count == left;
  pthread_mutex_lock(&ahead->lock);
  chunk->count = count;
  chunk->is_end = ahead->has_end;
  chunk->is_full = true;
  pthread_cond_signal(&ahead->has_work);
  pthread_mutex_unlock(&ahead->lock);
}

// Reads a part in place of the second thread. Called under the lock.
static void easel_jpeg_ahead_help(easel_jpeg_ahead *ahead) {
  easel_jpeg_part *part = &ahead->parts[ahead->begun++ % ahead->places];
  pthread_mutex_unlock(&ahead->lock);
  easel_jpeg_state state = easel_jpeg_part_read(part, &ahead->sources[1]);
  pthread_mutex_lock(&ahead->lock);
  part->state = state;
  part->is_read = true;
}

easel_jpeg_state easel_jpeg_ahead_next(easel_jpeg_ahead *ahead, easel_jpeg_decoder_input *input,
                                       const easel_jpeg_part **part) {
  for (;;) {
    easel_jpeg_state state = EASEL_JPEG_SOUND;
    if (ahead->runs) state = easel_jpeg_ahead_cut(ahead, input);
    else easel_jpeg_ahead_offer(ahead, input);
    easel_jpeg_part *due = &ahead->parts[ahead->used % ahead->places];
    pthread_mutex_lock(&ahead->lock);
    bool is_read = ahead->used < ahead->begun && due->is_read, waits = !is_read;
    if (waits && ahead->runs && ahead->begun < ahead->cut) {
      easel_jpeg_ahead_help(ahead);
      waits = false;
    }
    bool has_none = ahead->runs ? ahead->used == ahead->cut : ahead->is_hungry && !ahead->chunks[!ahead->chunk].is_full;
    if (waits && !has_none) pthread_cond_wait(&ahead->has_news, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    if (is_read) {
      *part = due;
      return due->state;
    }
    if (!waits || !has_none) continue;
    if (ahead->runs) return state;
    bool has_bytes = input->count > (size_t)input->consumed || (input->is_end && !ahead->has_end);
    if (!has_bytes) return ahead->has_end ? EASEL_JPEG_WRONG : EASEL_JPEG_HUNGRY;
  }
}

void easel_jpeg_ahead_pass(easel_jpeg_ahead *ahead) {
  pthread_mutex_lock(&ahead->lock);
  ahead->parts[ahead->used++ % ahead->places].is_read = false;
  if (!ahead->runs) {
    easel_jpeg_ahead_allow(ahead);
    uint64_t groups = (uint64_t)ahead->grid->columns * ahead->grid->rows;
    if (ahead->cut - ahead->begun >= EASEL_JPEG_WAKING || ahead->cut_groups == groups)
      pthread_cond_signal(&ahead->has_work);
  }
  pthread_mutex_unlock(&ahead->lock);
}
