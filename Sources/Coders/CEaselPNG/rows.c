#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inflater.h"
#include "internal.h"

enum { EASEL_PNG_INFLATED = 64 << 10, EASEL_PNG_PASSES = 7 };

// The pixels of an interlace pass, and the block of pixels that each one fills until later passes arrive.
typedef struct {
  uint8_t x, y, dx, dy, width, height;
} easel_png_pass;

static const easel_png_pass easel_png_passes[EASEL_PNG_PASSES] = {
    {0, 0, 8, 8, 8, 8}, {4, 0, 8, 8, 4, 8}, {0, 4, 4, 8, 4, 4}, {2, 0, 4, 4, 2, 4},
    {0, 2, 2, 4, 2, 2}, {1, 0, 2, 2, 1, 2}, {0, 1, 1, 2, 1, 1},
};

struct easel_png_rows {
  easel_png_inflater inflater;
  bool is_over;
  easel_png_layout layout;
  easel_png_expander expander;
  // The part that is being read: the whole picture, or the pass with this number.
  easel_png_layout part;
  int pass;
  uint32_t row;
  size_t row_bytes;
  // The previous row, if there is one, and after it rows in the form in which they are inflated.
  uint8_t *buffer;
  size_t capacity, filled;
  // The pixels of rows that are not written directly to the target.
  uint8_t *pixels;
  bool has_failed, is_complete;
  uint64_t progress;
  char message[128];
  // The arguments of the current call to feed; null outside a call.
  uint8_t *target;
  ptrdiff_t target_stride;
  easel_png_row_handler handler;
  void *context;
};

// ---- Parts

static bool easel_png_begin_part(easel_png_rows *rows) {
  rows->part = rows->layout;
  if (rows->layout.is_interlaced) {
    const easel_png_pass *pass = &easel_png_passes[rows->pass];
    rows->part.width = (rows->layout.width + pass->dx - 1 - pass->x) / pass->dx;
    rows->part.height = (rows->layout.height + pass->dy - 1 - pass->y) / pass->dy;
    if (rows->layout.width <= pass->x) rows->part.width = 0;
    if (rows->layout.height <= pass->y) rows->part.height = 0;
  }
  rows->row = 0;
  rows->filled = 0;
  rows->row_bytes = easel_png_filtered_row_bytes(&rows->part);
  return rows->part.width > 0 && rows->part.height > 0;
}

static void easel_png_next_part(easel_png_rows *rows) {
  do {
    rows->pass++;
    rows->is_complete = !rows->layout.is_interlaced || rows->pass == EASEL_PNG_PASSES;
  } while (!rows->is_complete && !easel_png_begin_part(rows));
}

static void easel_png_begin(easel_png_rows *rows) {
  rows->pass = 0;
  rows->progress = 0;
  rows->is_over = rows->is_complete = rows->has_failed = false;
  // The first pass always has pixels.
  easel_png_begin_part(rows);
}

easel_png_status easel_png_rows_create(const easel_png_layout *layout, easel_png_rows **made) {
  *made = NULL;
  easel_png_rows *rows = calloc(1, sizeof *rows);
  if (!rows) return EASEL_PNG_NO_MEMORY;
  rows->layout = *layout;
  easel_png_prepare(&rows->expander, layout);
  easel_png_begin(rows);
  // The rows of passes are no longer than those of the picture.
  size_t longest = easel_png_filtered_row_bytes(layout);
  rows->capacity = 2 * longest > EASEL_PNG_INFLATED ? 2 * longest : EASEL_PNG_INFLATED;
  rows->buffer = malloc(rows->capacity);
  rows->pixels = malloc((size_t)layout->width * easel_png_bytes_per_pixel(layout));
  if (!rows->buffer || !rows->pixels || !easel_png_inflater_open(&rows->inflater, EASEL_PNG_FAST)) {
    easel_png_rows_destroy(rows);
    return EASEL_PNG_NO_MEMORY;
  }
  *made = rows;
  return EASEL_PNG_OK;
}

bool easel_png_rows_are_strict(const easel_png_rows *rows) { return rows->inflater.kind == EASEL_PNG_STRICT; }

easel_png_status easel_png_rows_restart_strictly(easel_png_rows *rows) {
  easel_png_inflater_close(&rows->inflater);
  easel_png_begin(rows);
  return easel_png_inflater_open(&rows->inflater, EASEL_PNG_STRICT) ? EASEL_PNG_OK : EASEL_PNG_NO_MEMORY;
}

void easel_png_rows_destroy(easel_png_rows *rows) {
  if (!rows) return;
  easel_png_inflater_close(&rows->inflater);
  free(rows->buffer);
  free(rows->pixels);
  free(rows);
}

// ---- Pixels

// Each pixel of a pass also fills the pixels around it, until the passes of those arrive.
static void easel_png_scatter(easel_png_rows *rows) {
  const easel_png_pass *pass = &easel_png_passes[rows->pass];
  size_t bytes = easel_png_bytes_per_pixel(&rows->layout);
  size_t top = pass->y + (size_t)rows->row * pass->dy, bottom = top + pass->height;
  if (bottom > rows->layout.height) bottom = rows->layout.height;
  for (size_t y = top; y < bottom; y++) {
    uint8_t *line = rows->target + (ptrdiff_t)y * rows->target_stride;
    for (size_t i = 0; i < rows->part.width; i++) {
      size_t left = pass->x + i * pass->dx, right = left + pass->width;
      if (right > rows->layout.width) right = rows->layout.width;
      for (size_t x = left; x < right; x++) memcpy(line + x * bytes, rows->pixels + i * bytes, bytes);
    }
  }
}

static bool easel_png_take_row(easel_png_rows *rows, uint8_t *filtered, const uint8_t *above) {
  bool is_direct = rows->target && !rows->layout.is_interlaced;
  uint8_t *pixels = is_direct ? rows->target + (ptrdiff_t)rows->row * rows->target_stride : rows->pixels;
  if (!easel_png_expand_row(&rows->expander, &rows->part, filtered, above, pixels)) {
    snprintf(rows->message, sizeof rows->message, "a row has filter %d", filtered[0]);
    return false;
  }
  if (rows->layout.is_interlaced) {
    if (rows->target) easel_png_scatter(rows);
  } else if (!is_direct && rows->handler) {
    rows->handler(rows->context, pixels, rows->row);
  }
  rows->row++;
  rows->progress++;
  return true;
}

// Processes the complete rows, then moves the last row and the bytes after it to the front.
static bool easel_png_take_rows(easel_png_rows *rows) {
  size_t start = rows->row == 0 ? 0 : rows->row_bytes;
  while (rows->filled - start >= rows->row_bytes && rows->row < rows->part.height) {
    uint8_t *filtered = rows->buffer + start;
    if (!easel_png_take_row(rows, filtered, rows->row == 0 ? NULL : filtered - rows->row_bytes + 1)) return false;
    start += rows->row_bytes;
  }
  if (rows->row == rows->part.height) {
    easel_png_next_part(rows);
  } else if (start > rows->row_bytes) {
    size_t kept = start - rows->row_bytes;
    memmove(rows->buffer, rows->buffer + kept, rows->filled - kept);
    rows->filled -= kept;
  }
  return true;
}

// ---- Bytes

// The number of bytes to inflate at once: no more than the current part still needs, so that the next part starts
// cleanly.
static size_t easel_png_room(const easel_png_rows *rows) {
  size_t above = rows->row == 0 ? 0 : rows->row_bytes;
  uint64_t missing = (uint64_t)(rows->part.height - rows->row) * rows->row_bytes - (rows->filled - above);
  size_t room = rows->capacity - rows->filled;
  return missing < room ? (size_t)missing : room;
}

static easel_png_status easel_png_rows_inflate(easel_png_rows *rows, const uint8_t *bytes, size_t bytes_left) {
  uint8_t surplus;
  while (!rows->is_over) {
    // After the last row, the stream normally ends, and its checksum is compared. Additional data is ignored.
    size_t room = rows->is_complete ? 1 : easel_png_room(rows), count;
    uint8_t *target = rows->is_complete ? &surplus : rows->buffer + rows->filled;
    easel_png_step step = easel_png_inflater_step(&rows->inflater, &bytes, &bytes_left, target, room, &count);
    rows->is_over = step == EASEL_PNG_STREAM_ENDS || (rows->is_complete && count > 0);
    if (rows->is_complete && count > 0) break;
    rows->filled += count;
    if (count > 0 && !easel_png_take_rows(rows)) return EASEL_PNG_BAD_DATA;
    if (step == EASEL_PNG_WANTS_MORE) break;
    if (step == EASEL_PNG_HAS_NO_MEMORY) return EASEL_PNG_NO_MEMORY;
    if (step == EASEL_PNG_STREAM_IS_BAD) {
      snprintf(rows->message, sizeof rows->message, "%s", easel_png_inflater_message(&rows->inflater));
      return EASEL_PNG_BAD_DATA;
    }
  }
  return EASEL_PNG_OK;
}

easel_png_status easel_png_rows_feed(easel_png_rows *rows, const void *bytes, size_t count, void *target,
                                     ptrdiff_t target_stride, easel_png_row_handler handler, void *context) {
  if (rows->has_failed) return EASEL_PNG_BAD_DATA;
  if (rows->is_over || count == 0) return EASEL_PNG_OK;
  rows->target = target;
  rows->target_stride = target_stride;
  rows->handler = handler;
  rows->context = context;
  easel_png_status status = easel_png_rows_inflate(rows, bytes, count);
  rows->target = NULL;
  rows->handler = NULL;
  rows->context = NULL;
  rows->has_failed = status != EASEL_PNG_OK;
  return status;
}

uint64_t easel_png_rows_progress(const easel_png_rows *rows) { return rows->progress; }
bool easel_png_rows_are_complete(const easel_png_rows *rows) { return rows->is_complete; }
const char *easel_png_rows_message(const easel_png_rows *rows) { return rows->message; }
