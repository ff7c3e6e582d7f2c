#ifndef EASEL_JPEG_DECODER_AHEAD_H
#define EASEL_JPEG_DECODER_AHEAD_H

#include <pthread.h>

#include "picture.h"

// Reads codes ahead on a second thread, while the caller's makes pixels. Where markers divide the scan into short runs
// of groups, the caller's thread reads codes too, those of another part, whenever it would wait.

enum {
  // The most parts in memory: of a scan without markers, whose parts are short, and of a divided one.
  EASEL_JPEG_PLACES = 16,
  EASEL_JPEG_CUT_PLACES = 6,
  // A thread that waits is woken for so many parts, because waking takes as long as a part or two.
  EASEL_JPEG_WAKING = 8,
  // The groups of a part: without markers, with many markers, and the most between two markers. A scan with fewer
  // markers is read as if it had none.
  EASEL_JPEG_STREAM_PART = 32,
  EASEL_JPEG_LEAST_PART = 64,
  EASEL_JPEG_MOST_PART = 512,
  EASEL_JPEG_CHUNK = 65536,
  // Room before a chunk for what was not used of the one before.
  EASEL_JPEG_CHUNK_FRONT = 64,
};

// Groups that follow each other.
typedef struct easel_jpeg_part {
  uint32_t count;
  int16_t *levels;
  uint8_t *lasts;
  easel_jpeg_state state;
  bool is_read;
  // In a scan that is divided: its bytes, with the markers behind each of its runs of groups, but not the one behind
  // the scan. `marker` is the number of the first one.
  uint8_t *bytes;
  size_t size, room;
  uint64_t marker;
  bool is_last;
} easel_jpeg_part;

// Bytes that the caller has handed to the thread.
typedef struct {
  uint8_t *memory;
  size_t count;
  bool is_full, is_end;
} easel_jpeg_chunk;

typedef struct easel_jpeg_ahead {
  const easel_jpeg_grid *grid;
  // The runs of groups in a part; none if the scan is not divided.
  uint32_t runs;
  // Of the second thread and of the caller's.
  easel_jpeg_source sources[2];
  easel_jpeg_part parts[EASEL_JPEG_PLACES];
  uint32_t places;
  uint8_t *memory;
  // Used by the caller's thread alone: the groups and markers before the part that is being cut, and how far that is.
  uint64_t cut_groups, cut_markers;
  uint32_t found;
  bool is_cutting, is_wrong, has_end;

  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t has_work, has_news;
  // The numbers of parts that have been used, that a thread has begun, and that may be begun.
  uint64_t used, begun, cut;
  // The chunk that the thread reads; the other one comes next.
  easel_jpeg_chunk chunks[2];
  int chunk;
  bool is_hungry, is_stopped;
} easel_jpeg_ahead;

// Begins with the first group. Returns null if a thread would save nothing, or if there is no memory or no thread.
easel_jpeg_ahead *easel_jpeg_ahead_begin(const easel_jpeg_decoder *decoder, const easel_jpeg_grid *grid);
// Ends the thread, and returns how many bytes of those taken in were not needed.
size_t easel_jpeg_ahead_end(easel_jpeg_ahead *ahead);
// Finds the next part, and takes bytes in on the way. Hungry if there is none yet.
easel_jpeg_state easel_jpeg_ahead_next(easel_jpeg_ahead *ahead, easel_jpeg_decoder_input *input,
                                       const easel_jpeg_part **part);
// To be called when the part has been used.
void easel_jpeg_ahead_pass(easel_jpeg_ahead *ahead);

// Of a divided scan, adds the parts whose bytes are there. Wrong if markers are not in order; what was added before is
// right.
easel_jpeg_state easel_jpeg_ahead_cut(easel_jpeg_ahead *ahead, easel_jpeg_decoder_input *input);
// Reads the codes of such a part.
easel_jpeg_state easel_jpeg_part_read(easel_jpeg_part *part, easel_jpeg_source *source);

#endif
