#include "include/CEaselTIFFBaseline.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

typedef struct {
  uint8_t *bytes;
  uint64_t count, room, position;
} easel_baseline_file;

static tmsize_t easel_baseline_read(thandle_t handle, void *target, tmsize_t wanted) {
  easel_baseline_file *file = handle;
  if (wanted <= 0 || file->position >= file->count) return 0;
  uint64_t count = (uint64_t)wanted > file->count - file->position ? file->count - file->position : (uint64_t)wanted;
  memcpy(target, file->bytes + file->position, count);
  file->position += count;
  return (tmsize_t)count;
}

static tmsize_t easel_baseline_write(thandle_t handle, void *bytes, tmsize_t count) {
  easel_baseline_file *file = handle;
  uint64_t end = file->position + (uint64_t)count;
  if (end > file->room) {
    uint8_t *larger = realloc(file->bytes, end + end / 2);
    if (!larger) return 0;
    file->bytes = larger;
    file->room = end + end / 2;
  }
  memcpy(file->bytes + file->position, bytes, (size_t)count);
  file->position = end;
  if (end > file->count) file->count = end;
  return count;
}

static toff_t easel_baseline_seek(thandle_t handle, toff_t offset, int whence) {
  easel_baseline_file *file = handle;
  if (whence == SEEK_CUR) offset += file->position;
  if (whence == SEEK_END) offset += file->count;
  return file->position = offset;
}

static int easel_baseline_close(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t easel_baseline_size(thandle_t handle) { return ((easel_baseline_file *)handle)->count; }

static int easel_baseline_map(thandle_t handle, void **base, toff_t *count) {
  *base = ((easel_baseline_file *)handle)->bytes;
  *count = ((easel_baseline_file *)handle)->count;
  return 1;
}

static void easel_baseline_unmap(thandle_t handle, void *base, toff_t count) { (void)handle, (void)base, (void)count; }

static void easel_baseline_expand(const uint8_t *source, size_t count, uint8_t *target) {
  for (size_t i = 0; i < count; i++, source += 3, target += 4) {
    target[0] = source[0];
    target[1] = source[1];
    target[2] = source[2];
    target[3] = 255;
  }
}

static bool easel_baseline_strips(TIFF *tiff, uint32_t width, uint32_t height, uint8_t *target) {
  uint32_t rows = height;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
  if (rows > height) rows = height;
  uint8_t *strip = malloc((size_t)TIFFStripSize(tiff));
  bool is_right = strip != NULL;
  for (uint32_t y = 0; y < height && is_right; y += rows) {
    uint32_t count = rows > height - y ? height - y : rows;
    is_right = TIFFReadEncodedStrip(tiff, y / rows, strip, -1) >= 0;
    if (is_right) easel_baseline_expand(strip, (size_t)count * width, target + (size_t)y * width * 4);
  }
  free(strip);
  return is_right;
}

static bool easel_baseline_tiles(TIFF *tiff, uint32_t width, uint32_t height, uint8_t *target) {
  uint32_t side = 0, rows = 0;
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &side);
  TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows);
  uint8_t *tile = malloc((size_t)TIFFTileSize(tiff));
  bool is_right = tile && side > 0 && rows > 0;
  for (uint32_t y = 0; y < height && is_right; y += rows) {
    for (uint32_t x = 0; x < width && is_right; x += side) {
      is_right = TIFFReadTile(tiff, tile, x, y, 0, 0) >= 0;
      uint32_t across = side > width - x ? width - x : side, down = rows > height - y ? height - y : rows;
      for (uint32_t row = 0; row < down && is_right; row++) {
        easel_baseline_expand(tile + (size_t)row * side * 3, across, target + ((size_t)(y + row) * width + x) * 4);
      }
    }
  }
  free(tile);
  return is_right;
}

bool easel_baseline_decode_tiff(const void *bytes, size_t count, void *target) {
  easel_baseline_file file = {(uint8_t *)(uintptr_t)bytes, count, count, 0};
  TIFF *tiff = TIFFClientOpen("", "r", &file, easel_baseline_read, easel_baseline_write, easel_baseline_seek,
                              easel_baseline_close, easel_baseline_size, easel_baseline_map, easel_baseline_unmap);
  if (!tiff) return false;
  uint32_t width = 0, height = 0;
  uint16_t samples = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
  bool is_right = samples == 3 && (TIFFIsTiled(tiff) ? easel_baseline_tiles(tiff, width, height, target)
                                                     : easel_baseline_strips(tiff, width, height, target));
  TIFFClose(tiff);
  return is_right;
}

static void easel_baseline_shrink(const uint8_t *source, size_t count, uint8_t *target) {
  for (size_t i = 0; i < count; i++, source += 4, target += 3) {
    target[0] = source[0];
    target[1] = source[1];
    target[2] = source[2];
  }
}

bool easel_baseline_encode_tiff(const void *pixels, uint32_t width, uint32_t height, bool is_lzw, int level,
                                uint32_t rows, uint32_t side, uint8_t **made, size_t *count) {
  easel_baseline_file file = {NULL, 0, 0, 0};
  TIFF *tiff = TIFFClientOpen("", "wlm", &file, easel_baseline_read, easel_baseline_write, easel_baseline_seek,
                              easel_baseline_close, easel_baseline_size, NULL, NULL);
  if (!tiff) return false;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, is_lzw ? COMPRESSION_LZW : COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
  if (!is_lzw) TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, level);
  if (side > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, side);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, side);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows);
  }
  bool is_right = true;
  const uint8_t *source = pixels;
  if (side > 0) {
    uint8_t *tile = calloc((size_t)side * side, 3);
    is_right = tile != NULL;
    for (uint32_t y = 0; y < height && is_right; y += side) {
      for (uint32_t x = 0; x < width && is_right; x += side) {
        uint32_t across = side > width - x ? width - x : side, down = side > height - y ? height - y : side;
        for (uint32_t row = 0; row < down; row++) {
          easel_baseline_shrink(source + ((size_t)(y + row) * width + x) * 4, across, tile + (size_t)row * side * 3);
        }
        is_right = TIFFWriteTile(tiff, tile, x, y, 0, 0) >= 0;
      }
    }
    free(tile);
  } else {
    uint8_t *strip = malloc((size_t)rows * width * 3);
    is_right = strip != NULL;
    for (uint32_t y = 0; y < height && is_right; y += rows) {
      uint32_t down = rows > height - y ? height - y : rows;
      easel_baseline_shrink(source + (size_t)y * width * 4, (size_t)down * width, strip);
      is_right = TIFFWriteEncodedStrip(tiff, y / rows, strip, (tmsize_t)down * width * 3) >= 0;
    }
    free(strip);
  }
  TIFFClose(tiff);
  *made = file.bytes;
  *count = (size_t)file.count;
  return is_right && file.bytes;
}
