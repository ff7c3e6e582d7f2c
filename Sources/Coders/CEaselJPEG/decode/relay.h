#ifndef EASEL_JPEG_DECODER_RELAY_H
#define EASEL_JPEG_DECODER_RELAY_H

#include <pthread.h>

#include "layers.h"

// Reads the first scans of a row of groups on a second thread, while the caller's reads the other scans of the row before
// and makes its pixels. The thread works only during calls that read rows, because the bytes of the file are there only
// then.
typedef struct {
  const easel_jpeg_grid *grid;
  easel_jpeg_layer *layers;
  // The number of scans that the thread reads.
  int count;
  // Of a row of an even number and of an odd one.
  easel_jpeg_row_levels levels[2];
  uint8_t *memory[2];
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t has_work, has_news;
  const easel_jpeg_file *file;
  // The rows that are to be read, and those that have been.
  uint32_t wanted, read;
  bool is_wrong, is_stopped;
} easel_jpeg_relay;

// Returns null if there is no memory or no thread for it, or if there is but one scan.
easel_jpeg_relay *easel_jpeg_relay_begin(const easel_jpeg_grid *grid, easel_jpeg_layer *layers, int count,
                                         int eighths);
void easel_jpeg_relay_end(easel_jpeg_relay *relay);
// Begins a call, during which the file is there.
void easel_jpeg_relay_open(easel_jpeg_relay *relay, const easel_jpeg_file *file);
// Waits until the thread reads nothing.
void easel_jpeg_relay_close(easel_jpeg_relay *relay);
// Gives what the first scans tell of a row, and has the thread read the next one. Wrong if the codes are.
easel_jpeg_state easel_jpeg_relay_take(easel_jpeg_relay *relay, uint32_t row, easel_jpeg_row_levels *levels);

#endif
