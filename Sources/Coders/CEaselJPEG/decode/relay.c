#include "relay.h"

#include <stdlib.h>
#include <string.h>

#include "store.h"

static easel_jpeg_state easel_jpeg_relay_read(easel_jpeg_relay *relay, uint32_t row) {
  const easel_jpeg_row_levels *levels = &relay->levels[row & 1];
  size_t blocks = (size_t)relay->grid->columns * (size_t)relay->grid->blocks;
  memset(levels->levels, 0, 128 * blocks);
  memset(levels->masks, 0, 8 * blocks);
  for (int i = 0; i < relay->count; i++) {
    easel_jpeg_state state = easel_jpeg_layer_read(&relay->layers[i], relay->file, levels, row);
    if (state != EASEL_JPEG_SOUND) return EASEL_JPEG_WRONG;
  }
  return EASEL_JPEG_SOUND;
}

static void *easel_jpeg_relay_run(void *argument) {
  easel_jpeg_relay *relay = argument;
  pthread_mutex_lock(&relay->lock);
  while (!relay->is_stopped && !relay->is_wrong) {
    if (relay->read == relay->wanted) {
      pthread_cond_wait(&relay->has_work, &relay->lock);
      continue;
    }
    uint32_t row = relay->read;
    pthread_mutex_unlock(&relay->lock);
    easel_jpeg_state state = easel_jpeg_relay_read(relay, row);
    pthread_mutex_lock(&relay->lock);
    if (state == EASEL_JPEG_SOUND) relay->read++;
    else relay->is_wrong = true;
    pthread_cond_signal(&relay->has_news);
  }
  pthread_mutex_unlock(&relay->lock);
  return NULL;
}

// ---- Begin and end

// The number of scans with about as much work as the others and the pixels.
static int easel_jpeg_relay_share(const easel_jpeg_layer *layers, int count, int eighths) {
  size_t all = 0, some = 0;
  for (int i = 0; i < count; i++) all += layers[i].scan->end - layers[i].scan->start;
  // All pixels take a third of the time of all codes.
  size_t half = (all + all * (size_t)eighths / 24) / 2;
  int share = 0;
  while (share < count - 1) {
    size_t more = layers[share].scan->end - layers[share].scan->start;
    // The nearer one of both sums.
    if (share && some + more > half && some + more - half > half - some) break;
    some += more;
    share++;
    if (some >= half) break;
  }
  return share;
}

static void easel_jpeg_relay_free(easel_jpeg_relay *relay) {
  for (int i = 0; i < 2; i++) free(relay->memory[i]);
  pthread_cond_destroy(&relay->has_news);
  pthread_cond_destroy(&relay->has_work);
  pthread_mutex_destroy(&relay->lock);
  free(relay);
}

easel_jpeg_relay *easel_jpeg_relay_begin(const easel_jpeg_grid *grid, easel_jpeg_layer *layers, int count,
                                         int eighths) {
  if (count < 2) return NULL;
  easel_jpeg_relay *relay = calloc(1, sizeof *relay);
  if (!relay) return NULL;
  relay->grid = grid;
  relay->layers = layers;
  relay->count = easel_jpeg_relay_share(layers, count, eighths);
  pthread_mutex_init(&relay->lock, NULL);
  pthread_cond_init(&relay->has_work, NULL);
  pthread_cond_init(&relay->has_news, NULL);
  for (int i = 0; i < 2; i++) relay->memory[i] = easel_jpeg_row_levels_make(&relay->levels[i], grid);
  if (relay->memory[0] && relay->memory[1] &&
      pthread_create(&relay->thread, NULL, easel_jpeg_relay_run, relay) == 0)
    return relay;
  easel_jpeg_relay_free(relay);
  return NULL;
}

void easel_jpeg_relay_end(easel_jpeg_relay *relay) {
  pthread_mutex_lock(&relay->lock);
  relay->is_stopped = true;
  pthread_cond_signal(&relay->has_work);
  pthread_mutex_unlock(&relay->lock);
  pthread_join(relay->thread, NULL);
  easel_jpeg_relay_free(relay);
}

// ---- The caller's thread

void easel_jpeg_relay_open(easel_jpeg_relay *relay, const easel_jpeg_file *file) { relay->file = file; }

void easel_jpeg_relay_close(easel_jpeg_relay *relay) {
  pthread_mutex_lock(&relay->lock);
  while (relay->read < relay->wanted && !relay->is_wrong) pthread_cond_wait(&relay->has_news, &relay->lock);
  pthread_mutex_unlock(&relay->lock);
}

easel_jpeg_state easel_jpeg_relay_take(easel_jpeg_relay *relay, uint32_t row, easel_jpeg_row_levels *levels) {
  pthread_mutex_lock(&relay->lock);
  if (relay->wanted == row) {
    relay->wanted = row + 1;
    pthread_cond_signal(&relay->has_work);
  }
  while (relay->read <= row && !relay->is_wrong) pthread_cond_wait(&relay->has_news, &relay->lock);
  bool is_read = relay->read > row;
  if (is_read && row + 1 < relay->grid->rows) {
    relay->wanted = row + 2;
    pthread_cond_signal(&relay->has_work);
  }
  pthread_mutex_unlock(&relay->lock);
  *levels = relay->levels[row & 1];
  return is_read ? EASEL_JPEG_SOUND : EASEL_JPEG_WRONG;
}
