#if !__has_include(<gif_lib.h>)
#error "Install libgif-dev (Debian, Ubuntu) or giflib-devel (Fedora)"
#endif
#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

#include "writing.h"

static bool easel_gif_append(easel_gif_writer *writer, const void *bytes, size_t count) {
  if (count > writer->capacity - writer->count) {
    size_t capacity = writer->capacity * 2 + count + 4096;
    uint8_t *grown = realloc(writer->bytes, capacity);
    if (!grown) return false;
    writer->bytes = grown;
    writer->capacity = capacity;
  }
  memcpy(writer->bytes + writer->count, bytes, count);
  writer->count += count;
  return true;
}

static int easel_gif_take(GifFileType *gif, const GifByteType *bytes, int count) {
  return easel_gif_append(gif->UserData, bytes, (size_t)count) ? count : 0;
}

// The size of a colour table is the next power of two.
static ColorMapObject *easel_gif_table(const uint8_t *colors, size_t count) {
  int size = 2;
  while ((size_t)size < count) size *= 2;
  ColorMapObject *table = GifMakeMapObject(size, NULL);
  if (!table) return NULL;
  for (size_t i = 0; i < (size_t)size; i++) {
    const uint8_t *color = i < count ? colors + 3 * i : (const uint8_t *)"\0\0";
    table->Colors[i] = (GifColorType){color[0], color[1], color[2]};
  }
  return table;
}

static easel_gif_status easel_gif_result(easel_gif_writer *writer, int result) {
  if (result == GIF_OK) return EASEL_GIF_OK;
  writer->has_failed = true;
  return EASEL_GIF_NO_MEMORY;
}

easel_gif_status easel_gif_writer_create(size_t width, size_t height, const uint8_t *colors, size_t color_count,
                                         easel_gif_writer **made) {
  *made = NULL;
  if (width > 0xffff || height > 0xffff) return EASEL_GIF_BAD_DATA;
  easel_gif_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return EASEL_GIF_NO_MEMORY;
  int error = 0;
  writer->gif = EGifOpen(writer, easel_gif_take, &error);
  ColorMapObject *table = writer->gif ? easel_gif_table(colors, color_count) : NULL;
  if (!table) {
    easel_gif_writer_destroy(writer);
    return EASEL_GIF_NO_MEMORY;
  }
  EGifSetGifVersion(writer->gif, true);
  int result = EGifPutScreenDesc(writer->gif, (int)width, (int)height, 8, 0, table);
  GifFreeMapObject(table);
  if (result != GIF_OK) {
    easel_gif_writer_destroy(writer);
    return EASEL_GIF_NO_MEMORY;
  }
  *made = writer;
  return EASEL_GIF_OK;
}

void easel_gif_writer_destroy(easel_gif_writer *writer) {
  if (!writer) return;
  int error = 0;
  if (writer->gif) EGifCloseFile(writer->gif, &error);
  free(writer->bytes);
  free(writer);
}

easel_gif_status easel_gif_writer_add_loop(easel_gif_writer *writer, uint16_t repeats) {
  uint8_t content[3] = {1, (uint8_t)repeats, (uint8_t)(repeats >> 8)};
  return easel_gif_writer_add_application(writer, "NETSCAPE2.0", content, sizeof content, false);
}

// XMP is stored directly, so that programs can find it as text. A reader that skips it as sub-blocks ends somewhere in
// this trailer, in which every byte leads to the end.
static bool easel_gif_append_xmp(easel_gif_writer *writer, const uint8_t *content, size_t count) {
  uint8_t trailer[258] = {1};
  for (int i = 0; i < 256; i++) trailer[i + 1] = (uint8_t)(255 - i);
  trailer[257] = 0;
  return easel_gif_append(writer, content, count) && easel_gif_append(writer, trailer, sizeof trailer);
}

easel_gif_status easel_gif_writer_add_application(easel_gif_writer *writer, const char name[11], const uint8_t *content,
                                                  size_t count, bool is_xmp) {
  if (writer->has_failed) return EASEL_GIF_NO_MEMORY;
  int result = EGifPutExtensionLeader(writer->gif, APPLICATION_EXT_FUNC_CODE);
  if (result == GIF_OK) result = EGifPutExtensionBlock(writer->gif, 11, name);
  if (is_xmp) {
    if (result == GIF_OK && !easel_gif_append_xmp(writer, content, count)) result = GIF_ERROR;
    return easel_gif_result(writer, result);
  }
  for (size_t used = 0; used < count && result == GIF_OK; used += 255) {
    size_t part = count - used < 255 ? count - used : 255;
    result = EGifPutExtensionBlock(writer->gif, (int)part, content + used);
  }
  if (result == GIF_OK) result = EGifPutExtensionTrailer(writer->gif);
  return easel_gif_result(writer, result);
}

easel_gif_status easel_gif_writer_begin_frame(easel_gif_writer *writer, const easel_gif_frame *frame) {
  if (writer->has_failed) return EASEL_GIF_NO_MEMORY;
  const GraphicsControlBlock control = {.DisposalMode = frame->disposal,
                                        .UserInputFlag = false,
                                        .DelayTime = frame->delay,
                                        .TransparentColor = frame->transparent};
  GifByteType packed[4];
  size_t count = EGifGCBToExtension(&control, packed);
  int result = EGifPutExtension(writer->gif, GRAPHICS_EXT_FUNC_CODE, (int)count, packed);
  ColorMapObject *table = frame->color_count > 0 ? easel_gif_table(frame->colors, frame->color_count) : NULL;
  if (frame->color_count > 0 && !table) result = GIF_ERROR;
  if (result == GIF_OK) {
    result = EGifPutImageDesc(writer->gif, (int)frame->x, (int)frame->y, (int)frame->width, (int)frame->height, false,
                              table);
  }
  GifFreeMapObject(table);
  return easel_gif_result(writer, result);
}

easel_gif_status easel_gif_writer_add_rows(easel_gif_writer *writer, const uint8_t *indices, size_t width,
                                           size_t count) {
  if (writer->has_failed) return EASEL_GIF_NO_MEMORY;
  GifPixelType *row = malloc(width);
  int result = row ? GIF_OK : GIF_ERROR;
  for (size_t y = 0; y < count && result == GIF_OK; y++) {
    // giflib overwrites the row that it gets.
    memcpy(row, indices + y * width, width);
    result = EGifPutLine(writer->gif, row, (int)width);
  }
  free(row);
  return easel_gif_result(writer, result);
}

easel_gif_status easel_gif_writer_finish(easel_gif_writer *writer, const uint8_t **bytes, size_t *count) {
  if (writer->has_failed) return EASEL_GIF_NO_MEMORY;
  int error = 0;
  int result = EGifCloseFile(writer->gif, &error);
  writer->gif = NULL;
  *bytes = writer->bytes;
  *count = writer->count;
  return easel_gif_result(writer, result);
}
