#include "include/CEaselGIFBaseline.h"

#include <gif_lib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const unsigned char *bytes;
  size_t count;
} easel_baseline_source;

static int easel_baseline_read(GifFileType *gif, GifByteType *target, int count) {
  easel_baseline_source *source = gif->UserData;
  if ((size_t)count > source->count) count = (int)source->count;
  memcpy(target, source->bytes, (size_t)count);
  source->bytes += count;
  source->count -= (size_t)count;
  return count;
}

static void easel_baseline_draw(const GifFileType *gif, const GifByteType *row, int y, int transparent,
                                uint8_t *canvas) {
  const ColorMapObject *map = gif->Image.ColorMap ? gif->Image.ColorMap : gif->SColorMap;
  uint8_t *target = canvas + 4 * ((size_t)(gif->Image.Top + y) * (size_t)gif->SWidth + (size_t)gif->Image.Left);
  for (int x = 0; x < gif->Image.Width; x++, target += 4) {
    if (row[x] == transparent || row[x] >= map->ColorCount) continue;
    GifColorType color = map->Colors[row[x]];
    target[0] = color.Red;
    target[1] = color.Green;
    target[2] = color.Blue;
    target[3] = 255;
  }
}

static bool easel_baseline_frames(GifFileType *gif, uint8_t *canvas, GifByteType *row, size_t *sum) {
  GraphicsControlBlock control = {.TransparentColor = NO_TRANSPARENT_COLOR};
  GifRecordType record;
  do {
    if (DGifGetRecordType(gif, &record) != GIF_OK) return false;
    if (record == EXTENSION_RECORD_TYPE) {
      int code;
      GifByteType *block;
      if (DGifGetExtension(gif, &code, &block) != GIF_OK) return false;
      if (code == GRAPHICS_EXT_FUNC_CODE && block) DGifExtensionToGCB(block[0], block + 1, &control);
      while (block) {
        if (DGifGetExtensionNext(gif, &block) != GIF_OK) return false;
      }
    } else if (record == IMAGE_DESC_RECORD_TYPE) {
      if (DGifGetImageDesc(gif) != GIF_OK) return false;
      for (int y = 0; y < gif->Image.Height; y++) {
        if (DGifGetLine(gif, row, gif->Image.Width) != GIF_OK) return false;
        easel_baseline_draw(gif, row, y, control.TransparentColor, canvas);
      }
      *sum += canvas[4 * (size_t)(gif->SWidth * (gif->SHeight / 2) + gif->SWidth / 2)];
      if (control.DisposalMode == DISPOSE_BACKGROUND) {
        for (int y = 0; y < gif->Image.Height; y++) {
          memset(canvas + 4 * ((size_t)(gif->Image.Top + y) * (size_t)gif->SWidth + (size_t)gif->Image.Left), 0,
                 4 * (size_t)gif->Image.Width);
        }
      }
    }
  } while (record != TERMINATE_RECORD_TYPE);
  return true;
}

bool easel_baseline_decode_gif(const void *bytes, size_t count, void *canvas, size_t width, size_t height,
                               size_t *sum) {
  easel_baseline_source source = {bytes, count};
  int error;
  GifFileType *gif = DGifOpen(&source, easel_baseline_read, &error);
  if (!gif) return false;
  GifByteType *row = malloc(width);
  bool is_done = row && gif->SWidth == (int)width && gif->SHeight == (int)height &&
                 easel_baseline_frames(gif, canvas, row, sum);
  free(row);
  DGifCloseFile(gif, &error);
  return is_done;
}
