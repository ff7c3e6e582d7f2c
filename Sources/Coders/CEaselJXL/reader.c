// This declares the clock.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "internal.h"

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Collects rows that arrive in pieces and out of order.
typedef struct {
  pthread_mutex_t lock;
  easel_jxl_take_row take;
  void *context;
  size_t bytes_per_pixel, width, height;
  // The rows that were not taken yet, the number of pixels that have arrived of each, and the number of threads that
  // write in it.
  uint8_t **rows;
  uint32_t *filled, *writers;
  // The memory of rows that were taken.
  uint8_t *spare;
  size_t next;
  bool is_taking, is_broken;
} easel_jxl_rows;

typedef enum { NO_BLOCK, EXIF_BLOCK, XMP_BLOCK } easel_jxl_kind;

// A portion so large that it contains every file as a whole.
static const size_t EASEL_JXL_WHOLE = SIZE_MAX / 4;

struct easel_jxl_reader {
  JxlDecoder *decoder;
  easel_jxl_reading reading;
  easel_jxl_threads pool;
  size_t consumed, portion;
  // The frame with which the decoder started, and the number of events since then.
  size_t first_frame, events;
  // The number of times that a target was needed since this start, and whether the last target is still in use.
  size_t targets;
  bool has_target;
  // The target, if it is in memory.
  void *target;
  size_t target_count;
  bool is_target_wide, keeps_black;
  JxlBasicInfo info;
  bool has_info, has_black;
  // The index of black among the components besides colours, and its values in the frame.
  uint32_t black_index;
  uint8_t *black;
  // True if the last event was that bytes are missing.
  bool is_waiting;
  // True if the colours are known, but the first frame has not begun.
  bool awaits_frame;
  // True if the last frame has begun.
  bool has_last;
  easel_jxl_kind kind;
  easel_jxl_block exif, xmp, block, jpeg;
  bool has_jpeg, is_jpeg_complete;
  easel_jxl_rows *rows;
};

static JxlPixelFormat easel_jxl_form(bool is_wide) {
  return (JxlPixelFormat){4, is_wide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
}

static const JxlPixelFormat easel_jxl_floats = {4, JXL_TYPE_FLOAT, JXL_NATIVE_ENDIAN, 0};

// The first arguments of calls about colours. Before libjxl 0.9, these calls also took a form of pixels, which they
// ignored.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define EASEL_JXL_COLORS_OF(reader) (reader)->decoder
#else
static const JxlPixelFormat easel_jxl_ignored_form = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
#define EASEL_JXL_COLORS_OF(reader) (reader)->decoder, &easel_jxl_ignored_form
#endif

// ---- Rows in order

static void easel_jxl_rows_destroy(easel_jxl_rows *rows) {
  if (!rows) return;
  if (rows->rows) {
    for (size_t y = 0; y < rows->height; y++) free(rows->rows[y]);
  }
  free(rows->rows);
  free(rows->filled);
  free(rows->writers);
  free(rows->spare);
  pthread_mutex_destroy(&rows->lock);
  free(rows);
}

static easel_jxl_rows *easel_jxl_rows_create(size_t width, size_t height, size_t bytes_per_pixel,
                                             easel_jxl_take_row take, void *context) {
  easel_jxl_rows *rows = calloc(1, sizeof *rows);
  if (!rows) return NULL;
  if (pthread_mutex_init(&rows->lock, NULL) != 0) {
    free(rows);
    return NULL;
  }
  rows->take = take;
  rows->context = context;
  rows->bytes_per_pixel = bytes_per_pixel;
  rows->width = width;
  rows->height = height;
  rows->rows = calloc(height, sizeof *rows->rows);
  rows->filled = calloc(height, sizeof *rows->filled);
  rows->writers = calloc(height, sizeof *rows->writers);
  if (!rows->rows || !rows->filled || !rows->writers) {
    easel_jxl_rows_destroy(rows);
    return NULL;
  }
  return rows;
}

// Drops the pixels of rows that were not taken yet, because all rows will come again.
static void easel_jxl_rows_rewind(easel_jxl_rows *rows) {
  memset(rows->filled, 0, rows->height * sizeof *rows->filled);
  memset(rows->writers, 0, rows->height * sizeof *rows->writers);
}

static bool easel_jxl_rows_is_complete(const easel_jxl_rows *rows, size_t y) {
  return rows->filled[y] >= rows->width && rows->writers[y] == 0;
}

// Takes all rows that are complete, one thread at a time. The caller holds the lock, which is free during the work.
static void easel_jxl_rows_take(easel_jxl_rows *rows) {
  if (rows->is_taking) return;
  rows->is_taking = true;
  while (!rows->is_broken && rows->next < rows->height && easel_jxl_rows_is_complete(rows, rows->next)) {
    uint8_t *row = rows->rows[rows->next];
    rows->rows[rows->next++] = NULL;
    pthread_mutex_unlock(&rows->lock);
    bool is_taken = rows->take(rows->context, row, rows->width * rows->bytes_per_pixel);
    pthread_mutex_lock(&rows->lock);
    if (!is_taken) rows->is_broken = true;
    if (rows->spare) {
      free(row);
    } else {
      rows->spare = row;
    }
  }
  rows->is_taking = false;
}

// Returns the memory of a row that was not taken yet; NULL if there is none.
static uint8_t *easel_jxl_rows_room(easel_jxl_rows *rows, size_t y) {
  pthread_mutex_lock(&rows->lock);
  uint8_t *row = NULL;
  if (!rows->is_broken && y >= rows->next) {
    if (!rows->rows[y]) {
      rows->rows[y] = rows->spare ? rows->spare : malloc(rows->width * rows->bytes_per_pixel);
      rows->spare = NULL;
    }
    row = rows->rows[y];
    if (row) {
      rows->writers[y]++;
    } else {
      rows->is_broken = true;
    }
  }
  pthread_mutex_unlock(&rows->lock);
  return row;
}

static void easel_jxl_rows_fill(easel_jxl_rows *rows, size_t y, size_t count) {
  pthread_mutex_lock(&rows->lock);
  rows->filled[y] += (uint32_t)count;
  rows->writers[y]--;
  easel_jxl_rows_take(rows);
  pthread_mutex_unlock(&rows->lock);
}

// Scales a component to a range from 0 to `most`, and rounds it as libjxl does; a value that is not a number becomes 0.
static float easel_jxl_scaled(float value, float most) {
  float bounded = value > 0 ? (value < 1 ? value : 1) : 0;
  // A sum of this size has no bits for fractions, so it is rounded to even.
  return (bounded * most + 0x1.8p23f) - 0x1.8p23f;
}

// Takes floating-point pixels, because for a callback libjxl 0.7 makes other numbers only from a whole floating-point
// picture.
//
// Parts of a row may come from several threads at once.
static void easel_jxl_rows_put(void *argument, size_t x, size_t y, size_t count, const void *pixels) {
  easel_jxl_rows *rows = argument;
  if (y >= rows->height || x > rows->width || count > rows->width - x) return;
  uint8_t *row = easel_jxl_rows_room(rows, y);
  if (!row) return;
  const float *from = pixels;
  if (rows->bytes_per_pixel == 4) {
    uint8_t *to = row + 4 * x;
    for (size_t i = 0; i < 4 * count; i++) to[i] = (uint8_t)easel_jxl_scaled(from[i], 255);
  } else {
    uint16_t *to = (uint16_t *)(void *)row + 4 * x;
    for (size_t i = 0; i < 4 * count; i++) to[i] = (uint16_t)easel_jxl_scaled(from[i], 65535);
  }
  easel_jxl_rows_fill(rows, y, count);
}

// ---- Opening

static bool easel_jxl_reader_prepare(easel_jxl_reader *reader) {
  JxlDecoder *decoder = reader->decoder;
  const easel_jxl_reading *reading = &reader->reading;
  int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME;
  if (reading->reads_pixels) events |= JXL_DEC_FULL_IMAGE;
  if (reading->reads_boxes) events |= JXL_DEC_BOX;
  if (reading->reads_jpeg) events |= JXL_DEC_JPEG_RECONSTRUCTION | JXL_DEC_FULL_IMAGE;
  return JxlDecoderSubscribeEvents(decoder, events) == JXL_DEC_SUCCESS &&
         JxlDecoderSetParallelRunner(decoder, easel_jxl_run, &reader->pool) == JXL_DEC_SUCCESS &&
         JxlDecoderSetKeepOrientation(decoder, JXL_TRUE) == JXL_DEC_SUCCESS &&
         JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE) == JXL_DEC_SUCCESS &&
         JxlDecoderSetCoalescing(decoder, !reading->shows_layers) == JXL_DEC_SUCCESS &&
         JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE) == JXL_DEC_SUCCESS;
}

easel_jxl_reader *easel_jxl_reader_create(const easel_jxl_reading *reading) {
  easel_jxl_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  easel_jxl_keep_quiet();
  reader->reading = *reading;
  // Skipping layers is so quick that it need not be stopped. If libjxl got layers in pieces, it would copy them and
  // lose count.
  reader->portion = reading->reads_pixels && reading->shows_layers ? EASEL_JXL_WHOLE : 1 << 19;
  if (easel_jxl_threads_open(&reader->pool, 1)) reader->decoder = JxlDecoderCreate(NULL);
  if (!reader->decoder || !easel_jxl_reader_prepare(reader)) {
    easel_jxl_reader_destroy(reader);
    return NULL;
  }
  return reader;
}

void easel_jxl_reader_destroy(easel_jxl_reader *reader) {
  if (!reader) return;
  if (reader->decoder) JxlDecoderDestroy(reader->decoder);
  easel_jxl_threads_close(&reader->pool);
  easel_jxl_rows_destroy(reader->rows);
  free(reader->black);
  free(reader->exif.bytes);
  free(reader->xmp.bytes);
  free(reader->block.bytes);
  free(reader->jpeg.bytes);
  free(reader);
}

// Restarts the decoder; the rows stay.
static void easel_jxl_rewind(easel_jxl_reader *reader) {
  // If a decoder is only rewound, it reads no frames.
  JxlDecoderReset(reader->decoder);
  easel_jxl_reader_prepare(reader);
  reader->consumed = 0;
  reader->kind = NO_BLOCK;
  reader->has_last = false;
  reader->awaits_frame = false;
  reader->has_jpeg = false;
  if (reader->first_frame > 0) JxlDecoderSkipFrames(reader->decoder, reader->first_frame);
}

void easel_jxl_reader_restart(easel_jxl_reader *reader, size_t frame) {
  easel_jxl_rows_destroy(reader->rows);
  reader->rows = NULL;
  reader->target = NULL;
  reader->has_target = false;
  reader->first_frame = frame;
  reader->events = reader->targets = 0;
  easel_jxl_rewind(reader);
}

size_t easel_jxl_reader_consumed(const easel_jxl_reader *reader) { return reader->consumed; }

// ---- Blocks of metadata

static void easel_jxl_finish_block(easel_jxl_reader *reader) {
  if (reader->kind == NO_BLOCK) return;
  size_t rest = JxlDecoderReleaseBoxBuffer(reader->decoder);
  reader->block.count = reader->block.room - rest;
  // The first block of each kind counts.
  easel_jxl_block *place = reader->kind == EXIF_BLOCK ? &reader->exif : &reader->xmp;
  if (!place->bytes) {
    *place = reader->block;
    reader->block = (easel_jxl_block){NULL, 0, 0};
  }
  reader->kind = NO_BLOCK;
}

static easel_jxl_event easel_jxl_begin_block(easel_jxl_reader *reader) {
  easel_jxl_finish_block(reader);
  JxlBoxType type;
  if (JxlDecoderGetBoxType(reader->decoder, type, JXL_TRUE) != JXL_DEC_SUCCESS) return EASEL_JXL_BAD_DATA;
  bool is_exif = memcmp(type, "Exif", 4) == 0;
  if (!is_exif && memcmp(type, "xml ", 4) != 0) return EASEL_JXL_END;
  if (is_exif ? reader->exif.bytes != NULL : reader->xmp.bytes != NULL) return EASEL_JXL_END;
  if (!easel_jxl_block_reserve(&reader->block, 4096)) return EASEL_JXL_NO_MEMORY;
  reader->kind = is_exif ? EXIF_BLOCK : XMP_BLOCK;
  return JxlDecoderSetBoxBuffer(reader->decoder, reader->block.bytes, reader->block.room) == JXL_DEC_SUCCESS
             ? EASEL_JXL_END
             : EASEL_JXL_BAD_DATA;
}

static easel_jxl_event easel_jxl_enlarge_block(easel_jxl_reader *reader) {
  size_t filled = reader->block.room - JxlDecoderReleaseBoxBuffer(reader->decoder);
  if (reader->block.room >= reader->reading.most_box_bytes) return EASEL_JXL_TOO_LARGE;
  if (!easel_jxl_block_reserve(&reader->block, 2 * reader->block.room)) return EASEL_JXL_NO_MEMORY;
  return JxlDecoderSetBoxBuffer(reader->decoder, reader->block.bytes + filled, reader->block.room - filled) ==
                 JXL_DEC_SUCCESS
             ? EASEL_JXL_END
             : EASEL_JXL_BAD_DATA;
}

// ---- The JPEG inside

static easel_jxl_event easel_jxl_begin_jpeg(easel_jxl_reader *reader) {
  reader->has_jpeg = true;
  size_t most = reader->reading.most_jpeg_bytes;
  if (most == 0) return EASEL_JXL_TOO_LARGE;
  if (!easel_jxl_block_reserve(&reader->jpeg, most < 1 << 16 ? most : 1 << 16)) return EASEL_JXL_NO_MEMORY;
  return JxlDecoderSetJPEGBuffer(reader->decoder, reader->jpeg.bytes, reader->jpeg.room) == JXL_DEC_SUCCESS
             ? EASEL_JXL_END
             : EASEL_JXL_BAD_DATA;
}

static easel_jxl_event easel_jxl_enlarge_jpeg(easel_jxl_reader *reader) {
  size_t filled = reader->jpeg.room - JxlDecoderReleaseJPEGBuffer(reader->decoder);
  if (reader->jpeg.room >= reader->reading.most_jpeg_bytes) return EASEL_JXL_TOO_LARGE;
  size_t most = reader->reading.most_jpeg_bytes;
  size_t room = reader->jpeg.room < most / 2 ? 2 * reader->jpeg.room : most;
  if (!easel_jxl_block_reserve(&reader->jpeg, room)) return EASEL_JXL_NO_MEMORY;
  return JxlDecoderSetJPEGBuffer(reader->decoder, reader->jpeg.bytes + filled, reader->jpeg.room - filled) ==
                 JXL_DEC_SUCCESS
             ? EASEL_JXL_END
             : EASEL_JXL_BAD_DATA;
}

static void easel_jxl_finish_jpeg(easel_jxl_reader *reader) {
  if (!reader->has_jpeg || reader->is_jpeg_complete) return;
  reader->jpeg.count = reader->jpeg.room - JxlDecoderReleaseJPEGBuffer(reader->decoder);
  reader->is_jpeg_complete = true;
}

// ---- Events

static void easel_jxl_take_header(easel_jxl_reader *reader) {
  reader->has_info = JxlDecoderGetBasicInfo(reader->decoder, &reader->info) == JXL_DEC_SUCCESS;
  reader->has_black = false;
  for (uint32_t index = 0; index < reader->info.num_extra_channels; index++) {
    JxlExtraChannelInfo extra;
    if (JxlDecoderGetExtraChannelInfo(reader->decoder, index, &extra) != JXL_DEC_SUCCESS) continue;
    // The first channel of black counts.
    if (extra.type != JXL_CHANNEL_BLACK || reader->has_black) continue;
    reader->has_black = true;
    reader->black_index = index;
  }
  // For a small picture, starting threads takes longer than they save.
  uint64_t area = (uint64_t)reader->info.xsize * reader->info.ysize;
  reader->pool.threads = area < 1 << 18 ? 1 : reader->reading.threads;
}

static void easel_jxl_take_frame(easel_jxl_reader *reader) {
  JxlFrameHeader header;
  if (JxlDecoderGetFrameHeader(reader->decoder, &header) == JXL_DEC_SUCCESS && header.is_last) reader->has_last = true;
}

// Lossy pictures with their own profile are decoded to linear light, for which 8 bits are too few.
static void easel_jxl_prefer_colors(easel_jxl_reader *reader) {
  JxlColorEncoding colors;
  if (reader->info.uses_original_profile) return;
  if (JxlDecoderGetColorAsEncodedProfile(EASEL_JXL_COLORS_OF(reader), JXL_COLOR_PROFILE_TARGET_ORIGINAL, &colors) ==
      JXL_DEC_SUCCESS) {
    return;
  }
  JxlColorEncodingSetToSRGB(&colors, reader->info.num_color_channels == 1);
  JxlDecoderSetPreferredColorProfile(reader->decoder, &colors);
}

// The number of bytes for libjxl's next call: those that it left unread, and one more portion, so that the work can be
// stopped in between.
static size_t easel_jxl_portion(const easel_jxl_reader *reader, size_t unread, size_t count) {
  size_t portion = 2 * unread + reader->portion;
  return portion < count ? portion : count;
}

// A small portion has too few parts for all threads, so portions grow as long as they take little time.
static void easel_jxl_adapt_portion(easel_jxl_reader *reader, const struct timespec *start) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  int64_t milliseconds = (int64_t)(end.tv_sec - start->tv_sec) * 1000 + (end.tv_nsec - start->tv_nsec) / 1000000;
  if (milliseconds < 150 && reader->portion < SIZE_MAX / 4) reader->portion *= 2;
}

static easel_jxl_event easel_jxl_advance(easel_jxl_reader *reader, const uint8_t *bytes, size_t count,
                                         easel_jxl_check check, void *context) {
  JxlDecoder *decoder = reader->decoder;
  if (reader->consumed > count) return EASEL_JXL_BAD_DATA;
  reader->pool.check = check;
  reader->pool.context = context;
  size_t given = easel_jxl_portion(reader, 0, count - reader->consumed);
  if (JxlDecoderSetInput(decoder, bytes + reader->consumed, given) != JXL_DEC_SUCCESS) return EASEL_JXL_BAD_DATA;
  easel_jxl_event event = EASEL_JXL_END;
  for (bool is_done = false; !is_done;) {
    is_done = true;
    if (!easel_jxl_may_go_on(&reader->pool)) {
      event = EASEL_JXL_STOPPED;
      break;
    }
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    switch (JxlDecoderProcessInput(decoder)) {
      case JXL_DEC_SUCCESS:
        easel_jxl_finish_block(reader);
        event = EASEL_JXL_END;
        break;
      case JXL_DEC_NEED_MORE_INPUT: {
        size_t unread = JxlDecoderReleaseInput(decoder);
        reader->consumed += given - unread;
        easel_jxl_adapt_portion(reader, &start);
        given = easel_jxl_portion(reader, unread, count - reader->consumed);
        if (JxlDecoderSetInput(decoder, bytes + reader->consumed, given) != JXL_DEC_SUCCESS) {
          event = EASEL_JXL_BAD_DATA;
          break;
        }
        if (given > unread) {
          is_done = false;
          break;
        }
        // More boxes could follow the frames. The heads of boxes tell whether they are complete.
        event = reader->has_last && !reader->reading.reads_pixels ? EASEL_JXL_END : EASEL_JXL_CUT_OFF;
        if (event == EASEL_JXL_END) easel_jxl_finish_block(reader);
        break;
      }
      case JXL_DEC_BASIC_INFO:
        easel_jxl_take_header(reader);
        event = reader->has_info ? EASEL_JXL_HEADER : EASEL_JXL_BAD_DATA;
        break;
      case JXL_DEC_COLOR_ENCODING:
        easel_jxl_prefer_colors(reader);
        reader->awaits_frame = true;
        event = EASEL_JXL_COLORS;
        break;
      case JXL_DEC_FRAME:
        easel_jxl_take_frame(reader);
        reader->awaits_frame = false;
        event = EASEL_JXL_FRAME;
        break;
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: event = EASEL_JXL_NEEDS_TARGET; break;
      case JXL_DEC_FULL_IMAGE:
        easel_jxl_finish_jpeg(reader);
        event = reader->rows && reader->rows->is_broken ? EASEL_JXL_STOPPED : EASEL_JXL_PIXELS;
        break;
      case JXL_DEC_BOX:
        event = easel_jxl_begin_block(reader);
        is_done = event != EASEL_JXL_END;
        break;
      case JXL_DEC_BOX_NEED_MORE_OUTPUT:
        event = easel_jxl_enlarge_block(reader);
        is_done = event != EASEL_JXL_END;
        break;
      case JXL_DEC_JPEG_RECONSTRUCTION:
        event = easel_jxl_begin_jpeg(reader);
        is_done = event != EASEL_JXL_END;
        break;
      case JXL_DEC_JPEG_NEED_MORE_OUTPUT:
        event = easel_jxl_enlarge_jpeg(reader);
        is_done = event != EASEL_JXL_END;
        break;
      default:
        event = EASEL_JXL_BAD_DATA;
        break;
    }
  }
  reader->consumed += given - JxlDecoderReleaseInput(decoder);
  easel_jxl_threads_rest(&reader->pool);
  reader->pool.check = NULL;
  reader->is_waiting = event == EASEL_JXL_CUT_OFF;
  return event;
}

// Sets the same target as before.
static bool easel_jxl_set_target_again(easel_jxl_reader *reader) {
  if (!reader->has_target) return easel_jxl_reader_discard(reader);
  if (reader->rows) {
    easel_jxl_rows_rewind(reader->rows);
    return JxlDecoderSetImageOutCallback(reader->decoder, &easel_jxl_floats, easel_jxl_rows_put, reader->rows) ==
           JXL_DEC_SUCCESS;
  }
  bool keeps_black = reader->keeps_black;
  return easel_jxl_reader_set_target(reader, reader->is_target_wide, reader->target, reader->target_count) &&
         (!keeps_black || easel_jxl_reader_keep_black(reader));
}

// Reads everything again up to the last event, this time as one portion, and continues from there.
static easel_jxl_event easel_jxl_advance_whole(easel_jxl_reader *reader, const uint8_t *bytes, size_t count,
                                               easel_jxl_check check, void *context) {
  reader->portion = EASEL_JXL_WHOLE;
  easel_jxl_rewind(reader);
  for (size_t told = 0, asked = 0; told < reader->events; told++) {
    easel_jxl_event event = easel_jxl_advance(reader, bytes, count, check, context);
    if (event == EASEL_JXL_STOPPED || event == EASEL_JXL_NO_MEMORY || event == EASEL_JXL_TOO_LARGE) return event;
    if (event < EASEL_JXL_HEADER) return EASEL_JXL_BAD_DATA;
    if (event != EASEL_JXL_NEEDS_TARGET) continue;
    // The targets of earlier frames are complete, and have other owners.
    bool is_set = ++asked < reader->targets ? easel_jxl_reader_discard(reader) : easel_jxl_set_target_again(reader);
    if (!is_set) return EASEL_JXL_BAD_DATA;
  }
  return easel_jxl_advance(reader, bytes, count, check, context);
}

easel_jxl_event easel_jxl_reader_next(easel_jxl_reader *reader, const uint8_t *bytes, size_t count,
                                      easel_jxl_check check, void *context) {
  // If the header of a frame comes in pieces, the frame gets other noise, because libjxl 0.7 counts it once for each
  // piece.
  if (reader->reading.reads_pixels && reader->is_waiting && reader->awaits_frame) easel_jxl_reader_restart(reader, 0);
  easel_jxl_event event = easel_jxl_advance(reader, bytes, count, check, context);
  // libjxl 0.7 refuses some intact pictures in portions, but reads them as a whole.
  if (event == EASEL_JXL_BAD_DATA && reader->portion < EASEL_JXL_WHOLE) {
    event = easel_jxl_advance_whole(reader, bytes, count, check, context);
  }
  if (event >= EASEL_JXL_HEADER) reader->events++;
  if (event == EASEL_JXL_NEEDS_TARGET) reader->targets++;
  if (event == EASEL_JXL_PIXELS) reader->has_target = false;
  return event;
}

// ---- What is known

bool easel_jxl_reader_header(const easel_jxl_reader *reader, easel_jxl_header *header) {
  memset(header, 0, sizeof *header);
  if (!reader->has_info) return false;
  const JxlBasicInfo *info = &reader->info;
  header->width = info->xsize;
  header->height = info->ysize;
  header->depth = info->bits_per_sample;
  header->alpha_depth = info->alpha_bits;
  header->is_gray = info->num_color_channels == 1;
  header->is_float = info->exponent_bits_per_sample > 0;
  header->extra_count = info->num_extra_channels;
  header->has_black = reader->has_black;
  header->orientation = info->orientation;
  header->moves = info->have_animation;
  header->ticks_above = info->animation.tps_numerator;
  header->ticks_below = info->animation.tps_denominator;
  header->plays = info->animation.num_loops;
  return true;
}

bool easel_jxl_reader_colors(const easel_jxl_reader *reader, easel_jxl_colors *colors) {
  memset(colors, 0, sizeof *colors);
  JxlColorEncoding encoding;
  if (JxlDecoderGetColorAsEncodedProfile(EASEL_JXL_COLORS_OF(reader), JXL_COLOR_PROFILE_TARGET_DATA, &encoding) !=
      JXL_DEC_SUCCESS) {
    return false;
  }
  bool is_gray = encoding.color_space == JXL_COLOR_SPACE_GRAY;
  colors->is_gray = is_gray;
  colors->is_known = is_gray || encoding.color_space == JXL_COLOR_SPACE_RGB;
  colors->white = (uint32_t)encoding.white_point;
  colors->primaries = (uint32_t)encoding.primaries;
  colors->transfer = (uint32_t)encoding.transfer_function;
  return true;
}

size_t easel_jxl_reader_profile_count(const easel_jxl_reader *reader) {
  size_t count = 0;
  if (JxlDecoderGetICCProfileSize(EASEL_JXL_COLORS_OF(reader), JXL_COLOR_PROFILE_TARGET_DATA, &count) != JXL_DEC_SUCCESS) {
    return 0;
  }
  return count;
}

bool easel_jxl_reader_profile(const easel_jxl_reader *reader, uint8_t *profile, size_t count) {
  return JxlDecoderGetColorAsICCProfile(EASEL_JXL_COLORS_OF(reader), JXL_COLOR_PROFILE_TARGET_DATA, profile, count) ==
         JXL_DEC_SUCCESS;
}

bool easel_jxl_reader_frame(const easel_jxl_reader *reader, easel_jxl_frame *frame) {
  JxlFrameHeader header;
  if (JxlDecoderGetFrameHeader(reader->decoder, &header) != JXL_DEC_SUCCESS) return false;
  frame->ticks = header.duration;
  frame->is_last = header.is_last;
  frame->width = header.layer_info.xsize;
  frame->height = header.layer_info.ysize;
  return true;
}

const uint8_t *easel_jxl_reader_exif(const easel_jxl_reader *reader, size_t *count) {
  *count = reader->exif.count;
  return reader->exif.bytes;
}

const uint8_t *easel_jxl_reader_xmp(const easel_jxl_reader *reader, size_t *count) {
  *count = reader->xmp.count;
  return reader->xmp.bytes;
}

const uint8_t *easel_jxl_reader_jpeg(const easel_jxl_reader *reader, size_t *count) {
  *count = reader->jpeg.count;
  return reader->is_jpeg_complete ? reader->jpeg.bytes : NULL;
}

// ---- Pixels

bool easel_jxl_reader_set_target(easel_jxl_reader *reader, bool is_wide, void *pixels, size_t count) {
  JxlPixelFormat form = easel_jxl_form(is_wide);
  easel_jxl_rows_destroy(reader->rows);
  reader->rows = NULL;
  reader->target = pixels;
  reader->target_count = count;
  reader->is_target_wide = is_wide;
  reader->has_target = true;
  reader->keeps_black = false;
  return JxlDecoderSetImageOutBuffer(reader->decoder, &form, pixels, count) == JXL_DEC_SUCCESS;
}

bool easel_jxl_reader_keep_black(easel_jxl_reader *reader) {
  JxlPixelFormat form = {1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  size_t count = 0;
  if (!reader->has_black || JxlDecoderExtraChannelBufferSize(reader->decoder, &form, &count, reader->black_index) !=
                                JXL_DEC_SUCCESS) {
    return false;
  }
  if (!reader->black) reader->black = calloc(1, count);
  if (!reader->black) return false;
  reader->keeps_black = true;
  return JxlDecoderSetExtraChannelBuffer(reader->decoder, &form, reader->black, count, reader->black_index) ==
         JXL_DEC_SUCCESS;
}

const uint8_t *easel_jxl_reader_black(const easel_jxl_reader *reader) { return reader->black; }

void easel_jxl_take_black(uint8_t *pixels, const uint8_t *black, uint8_t *alpha, size_t count) {
  for (size_t i = 0; i < count; i++) {
    alpha[i] = pixels[4 * i + 3];
    pixels[4 * i + 3] = black[i];
  }
}

bool easel_jxl_reader_set_rows(easel_jxl_reader *reader, bool is_wide, easel_jxl_take_row take, void *context) {
  easel_jxl_rows_destroy(reader->rows);
  reader->has_target = true;
  reader->rows =
      easel_jxl_rows_create(reader->info.xsize, reader->info.ysize, is_wide ? 8 : 4, take, context);
  return reader->rows && JxlDecoderSetImageOutCallback(reader->decoder, &easel_jxl_floats, easel_jxl_rows_put,
                                                       reader->rows) == JXL_DEC_SUCCESS;
}

bool easel_jxl_reader_flush(easel_jxl_reader *reader) {
  // libjxl 0.7 writes black only at the end, and without black the other inks show a wrong picture.
  if (!reader->is_waiting || reader->black) return false;
  bool is_flushed = JxlDecoderFlushImage(reader->decoder) == JXL_DEC_SUCCESS;
  easel_jxl_threads_rest(&reader->pool);
  return is_flushed;
}

static void easel_jxl_put_nowhere(void *context, size_t x, size_t y, size_t count, const void *pixels) {
  (void)context, (void)x, (void)y, (void)count, (void)pixels;
}

bool easel_jxl_reader_discard(easel_jxl_reader *reader) {
  return JxlDecoderSetImageOutCallback(reader->decoder, &easel_jxl_floats, easel_jxl_put_nowhere, NULL) ==
         JXL_DEC_SUCCESS;
}

// Moves forward by the size of the layer, but not beyond the bytes; returns the distance.
static size_t easel_jxl_move_on(easel_jxl_reader *reader, const uint8_t *bytes, size_t count) {
  if (JxlDecoderSetInput(reader->decoder, bytes, count) != JXL_DEC_SUCCESS ||
      JxlDecoderSkipCurrentFrame(reader->decoder) != JXL_DEC_SUCCESS) {
    JxlDecoderReleaseInput(reader->decoder);
    return SIZE_MAX;
  }
  return count - JxlDecoderReleaseInput(reader->decoder);
}

easel_jxl_event easel_jxl_reader_pass(easel_jxl_reader *reader, const uint8_t *bytes, size_t count) {
  if (reader->consumed > count) return EASEL_JXL_BAD_DATA;
  size_t rest = count - reader->consumed, passed;
  if (!reader->has_last) {
    passed = easel_jxl_move_on(reader, bytes + reader->consumed, rest);
  } else {
    // After the last layer, libjxl needs no more bytes. If it takes an additional byte that the file does not have, the
    // layer is cut off.
    uint8_t *longer = malloc(rest + 1);
    if (!longer) return EASEL_JXL_NO_MEMORY;
    memcpy(longer, bytes + reader->consumed, rest);
    longer[rest] = 0;
    passed = easel_jxl_move_on(reader, longer, rest + 1);
    free(longer);
    if (passed == rest + 1) return EASEL_JXL_CUT_OFF;
  }
  if (passed == SIZE_MAX) return EASEL_JXL_BAD_DATA;
  reader->consumed += passed;
  return EASEL_JXL_PIXELS;
}
