#include <stdlib.h>
#include <string.h>

#include "ahead.h"

// ---- Cutting

static void easel_jpeg_begin_part(easel_jpeg_ahead *ahead, easel_jpeg_part *part) {
  const easel_jpeg_grid *grid = ahead->grid;
  uint64_t left = (uint64_t)grid->columns * grid->rows - ahead->cut_groups;
  uint64_t most = (uint64_t)ahead->runs * grid->headers->restart;
  part->is_last = left <= most;
  part->count = (uint32_t)(part->is_last ? left : most);
  part->marker = ahead->cut_markers;
  part->size = 0;
  ahead->found = 0;
  ahead->is_cutting = true;
}

static void easel_jpeg_end_part(easel_jpeg_ahead *ahead, easel_jpeg_part *part) {
  ahead->is_cutting = false;
  ahead->cut_groups += part->count;
  ahead->cut_markers += ahead->found;
  pthread_mutex_lock(&ahead->lock);
  ahead->cut++;
  pthread_cond_signal(&ahead->has_work);
  pthread_mutex_unlock(&ahead->lock);
}

// True if the next marker, of whatever kind, is behind the last code.
static bool easel_jpeg_is_in_last_run(const easel_jpeg_ahead *ahead, const easel_jpeg_part *part) {
  return part->is_last && ahead->found == (part->count - 1) / ahead->grid->headers->restart;
}

static bool easel_jpeg_part_add(easel_jpeg_ahead *ahead, easel_jpeg_part *part, const uint8_t *from, size_t count) {
  // No codes take more, even if each of their bytes had another one stuffed in behind it.
  size_t most = 2 * (size_t)part->count * EASEL_JPEG_MOST_GROUP + EASEL_JPEG_CHUNK;
  if (part->size + count > most) {
    // Bytes behind the codes at the end are skipped.
    if (!easel_jpeg_is_in_last_run(ahead, part)) return false;
    count = most - part->size;
  }
  if (part->size + count >= part->room) {
    size_t room = 2 * part->room + count + 4096;
    uint8_t *bytes = realloc(part->bytes, room);
    if (!bytes) return false;
    part->bytes = bytes;
    part->room = room;
  }
  if (count) memcpy(part->bytes + part->size, from, count);
  part->size += count;
  return true;
}

// Moves to the end of the part, or to that of the bytes. Returns true at the end of the part.
static bool easel_jpeg_find_part_end(easel_jpeg_ahead *ahead, const easel_jpeg_part *part, const uint8_t **next,
                                     const uint8_t *end, bool is_end) {
  for (;;) {
    const uint8_t *found = *next < end ? memchr(*next, 0xFF, (size_t)(end - *next)) : NULL;
    *next = found ? found : end;
    if (!found) return is_end && easel_jpeg_is_in_last_run(ahead, part);
    const uint8_t *code = found + 1;
    while (code < end && *code == 0xFF) code++;
    if (code == end) return is_end && easel_jpeg_is_in_last_run(ahead, part);
    if (*code == 0 && code == found + 1) {
      *next = code + 1;
      continue;
    }
    if (easel_jpeg_is_in_last_run(ahead, part)) return true;
    if (*code != 0xD0 + (int)((ahead->cut_markers + ahead->found) & 7)) {
      ahead->is_wrong = true;
      return false;
    }
    ahead->found++;
    *next = code + 1;
    if (!part->is_last && ahead->found == ahead->runs) return true;
  }
}

easel_jpeg_state easel_jpeg_ahead_cut(easel_jpeg_ahead *ahead, easel_jpeg_decoder_input *input) {
  uint64_t groups = (uint64_t)ahead->grid->columns * ahead->grid->rows;
  while (!ahead->is_wrong && ahead->cut_groups < groups && ahead->cut - ahead->used < ahead->places) {
    easel_jpeg_part *part = &ahead->parts[ahead->cut % ahead->places];
    if (!ahead->is_cutting) easel_jpeg_begin_part(ahead, part);
    const uint8_t *start = input->bytes + input->consumed, *next = start, *end = input->bytes + input->count;
    bool is_whole = easel_jpeg_find_part_end(ahead, part, &next, end, input->is_end);
    if (!easel_jpeg_part_add(ahead, part, start, (size_t)(next - start))) ahead->is_wrong = true;
    input->consumed += next - start;
    if (!is_whole) return ahead->is_wrong || input->is_end ? EASEL_JPEG_WRONG : EASEL_JPEG_HUNGRY;
    if (!ahead->is_wrong) easel_jpeg_end_part(ahead, part);
  }
  return ahead->is_wrong ? EASEL_JPEG_WRONG : EASEL_JPEG_SOUND;
}

// ---- Reading

easel_jpeg_state easel_jpeg_part_read(easel_jpeg_part *part, easel_jpeg_source *source) {
  easel_jpeg_bits *bits = &source->bits;
  easel_jpeg_bits_begin(bits, bits->window);
  easel_jpeg_bits_open(bits, part->bytes, part->bytes + part->size, true);
  memset(source->groups.means, 0, sizeof source->groups.means);
  source->until_restart = source->grid->headers->restart;
  source->restart = (int)(part->marker & 7);
  uint32_t count = part->count;
  easel_jpeg_state state = easel_jpeg_source_read(source, &count, part->levels, part->lasts);
  if (state != EASEL_JPEG_SOUND || !easel_jpeg_bits_are_sound(bits)) return EASEL_JPEG_WRONG;
  return part->is_last ? EASEL_JPEG_SOUND : easel_jpeg_bits_pass(bits, 0xD0 + source->restart);
}
