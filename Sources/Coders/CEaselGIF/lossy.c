#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

#include "writing.h"

// Codes of GIF stand for runs of pixels that occurred before. Here a run may also stand for pixels that are like it, so
// that runs become longer and codes fewer. The first pixel of a run is always exact.

enum {
  EASEL_GIF_MOST_CODES = 4096,
  // The share of an error that goes on to the next pixel, in sixteenths.
  EASEL_GIF_CARRIED = 12,
  // The runs that are compared for one code.
  EASEL_GIF_MOST_RUNS = 600,
};

typedef struct {
  easel_gif_writer *writer;
  // The bits that are not yet in a block, and the block, whose first byte is its length.
  uint32_t bits;
  unsigned bit_count;
  uint8_t block[256];
  bool has_failed;
} easel_gif_codes;

typedef struct {
  int red, green, blue;
} easel_gif_error;

typedef struct {
  const easel_gif_lossy *picture;
  size_t count;
  // The runs that continue a run by one pixel: the first, and for each the next; 0 if there is none.
  uint16_t first[EASEL_GIF_MOST_CODES], next[EASEL_GIF_MOST_CODES];
  uint8_t suffix[EASEL_GIF_MOST_CODES];
  unsigned clear, free, width;
  unsigned runs;
  // The longest run so far, of equal ones the nearest.
  unsigned best;
  size_t best_length;
  uint64_t best_error;
  easel_gif_error best_carried;
} easel_gif_search;

static void easel_gif_put(easel_gif_codes *codes, unsigned code, unsigned width) {
  codes->bits |= (uint32_t)code << codes->bit_count;
  codes->bit_count += width;
  while (codes->bit_count >= 8) {
    codes->block[++codes->block[0]] = (uint8_t)codes->bits;
    codes->bits >>= 8;
    codes->bit_count -= 8;
    if (codes->block[0] < 255) continue;
    if (EGifPutCodeNext(codes->writer->gif, codes->block) != GIF_OK) codes->has_failed = true;
    codes->block[0] = 0;
  }
}

static void easel_gif_put_end(easel_gif_codes *codes) {
  if (codes->bit_count > 0) easel_gif_put(codes, 0, 8 - codes->bit_count);
  if (codes->block[0] > 0 && EGifPutCodeNext(codes->writer->gif, codes->block) != GIF_OK) codes->has_failed = true;
  if (EGifPutCodeNext(codes->writer->gif, NULL) != GIF_OK) codes->has_failed = true;
}

// Green is seen best, blue least.
static uint32_t easel_gif_square(easel_gif_error error) {
  return (uint32_t)(2 * error.red * error.red + 4 * error.green * error.green + error.blue * error.blue);
}

// The error of a colour at a place, to which the error of the pixel before is added.
static easel_gif_error easel_gif_error_of(const easel_gif_search *search, size_t place, uint8_t index,
                                          easel_gif_error carried) {
  const easel_gif_lossy *picture = search->picture;
  const uint8_t *pixel = (const uint8_t *)picture->pixels + (ptrdiff_t)(place / picture->width) * picture->stride +
                         4 * (place % picture->width);
  const uint8_t *color = picture->colors + 3 * index;
  bool is_first = place % picture->width == 0;
  return (easel_gif_error){pixel[0] - color[0] + (is_first ? 0 : carried.red * EASEL_GIF_CARRIED / 16),
                           pixel[1] - color[1] + (is_first ? 0 : carried.green * EASEL_GIF_CARRIED / 16),
                           pixel[2] - color[2] + (is_first ? 0 : carried.blue * EASEL_GIF_CARRIED / 16)};
}

static void easel_gif_forget(easel_gif_search *search) {
  memset(search->first, 0, sizeof search->first);
  search->free = search->clear + 2;
}

// Follows the runs that continue this one, as long as they are like the picture.
static void easel_gif_follow(easel_gif_search *search, unsigned run, size_t place, size_t length, uint64_t sum,
                             easel_gif_error carried) {
  if (length > search->best_length || (length == search->best_length && sum < search->best_error)) {
    search->best = run;
    search->best_length = length;
    search->best_error = sum;
    search->best_carried = carried;
  }
  size_t next = place + length;
  if (next >= search->count) return;
  const easel_gif_lossy *picture = search->picture;
  uint8_t own = picture->indices[next];
  for (unsigned child = search->first[run]; child != 0; child = search->next[child]) {
    uint8_t index = search->suffix[child];
    if (index != own && (index == picture->transparent || own == picture->transparent)) continue;
    easel_gif_error error = {0};
    if (own != picture->transparent) error = easel_gif_error_of(search, next, index, carried);
    uint32_t square = easel_gif_square(error);
    if (index != own && (square > picture->limits[next] || search->runs >= EASEL_GIF_MOST_RUNS)) continue;
    search->runs++;
    easel_gif_follow(search, child, place, length + 1, sum + square, error);
  }
}

static void easel_gif_add_run(easel_gif_search *search, unsigned run, uint8_t suffix) {
  search->suffix[search->free] = suffix;
  search->next[search->free] = search->first[run];
  search->first[run] = (uint16_t)search->free++;
}

easel_gif_status easel_gif_writer_add_lossy(easel_gif_writer *writer, const easel_gif_lossy *picture, size_t count,
                                            bool (*may_go_on)(void *), void *context) {
  if (writer->has_failed) return EASEL_GIF_NO_MEMORY;
  easel_gif_search *search = malloc(sizeof *search);
  if (!search) return EASEL_GIF_NO_MEMORY;
  easel_gif_codes codes = {.writer = writer};
  unsigned least = 2;
  while (1u << least < picture->color_count) least++;
  search->picture = picture;
  search->count = count;
  search->clear = 1u << least;
  search->width = least + 1;
  easel_gif_forget(search);
  easel_gif_put(&codes, search->clear, search->width);
  bool goes_on = true;
  easel_gif_error carried = {0};
  for (size_t place = 0, asked = 0; place < count && goes_on && !codes.has_failed; asked++) {
    if (asked % 1024 == 0 && may_go_on) goes_on = may_go_on(context);
    search->runs = 0;
    search->best_length = 0;
    easel_gif_error error = {0};
    uint8_t index = picture->indices[place];
    if (index != picture->transparent) error = easel_gif_error_of(search, place, index, carried);
    easel_gif_follow(search, index, place, 1, 0, error);
    carried = search->best_carried;
    easel_gif_put(&codes, search->best, search->width);
    place += search->best_length;
    if (place == count) break;
    if (search->free < EASEL_GIF_MOST_CODES) {
      easel_gif_add_run(search, search->best, picture->indices[place]);
      // Readers know a run one code later.
      if (search->free > 1u << search->width) search->width++;
    } else {
      easel_gif_put(&codes, search->clear, search->width);
      easel_gif_forget(search);
      search->width = least + 1;
    }
  }
  // After the last code, readers know one run more.
  if (search->free == 1u << search->width && search->width < 12) search->width++;
  easel_gif_put(&codes, search->clear + 1, search->width);
  easel_gif_put_end(&codes);
  free(search);
  writer->has_failed |= codes.has_failed;
  return codes.has_failed ? EASEL_GIF_NO_MEMORY : goes_on ? EASEL_GIF_OK : EASEL_GIF_STOPPED;
}
