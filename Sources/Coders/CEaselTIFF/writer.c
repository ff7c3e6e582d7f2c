#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct easel_tiff_writer {
  easel_tiff_writing writing;
  TIFF *tiff;
  uint8_t *bytes, *row;
  uint64_t count, room, position;
  uint32_t strip;
  bool has_memory;
  char message[EASEL_TIFF_MESSAGE_SIZE];
};

static tmsize_t easel_tiff_give_back(thandle_t handle, void *target, tmsize_t wanted) {
  easel_tiff_writer *writer = handle;
  if (wanted <= 0 || writer->position >= writer->count) return 0;
  uint64_t count = (uint64_t)wanted;
  if (count > writer->count - writer->position) count = writer->count - writer->position;
  memcpy(target, writer->bytes + writer->position, count);
  writer->position += count;
  return (tmsize_t)count;
}

static tmsize_t easel_tiff_take(thandle_t handle, void *bytes, tmsize_t count) {
  easel_tiff_writer *writer = handle;
  if (count <= 0 || writer->position > writer->count) return 0;
  uint64_t end = writer->position + (uint64_t)count;
  if (end > writer->room) {
    uint64_t room = end + end / 2;
    uint8_t *larger = realloc(writer->bytes, room);
    if (!larger) {
      writer->has_memory = false;
      return 0;
    }
    writer->bytes = larger;
    writer->room = room;
  }
  memcpy(writer->bytes + writer->position, bytes, (size_t)count);
  writer->position = end;
  if (end > writer->count) writer->count = end;
  return count;
}

static toff_t easel_tiff_go(thandle_t handle, toff_t offset, int whence) {
  easel_tiff_writer *writer = handle;
  if (whence == SEEK_CUR) offset += writer->position;
  if (whence == SEEK_END) offset += writer->count;
  return writer->position = offset;
}

static int easel_tiff_end(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t easel_tiff_length(thandle_t handle) { return ((easel_tiff_writer *)handle)->count; }

static TIFF *easel_tiff_begin(easel_tiff_writer *writer) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  TIFFOpenOptionsSetErrorHandlerExtR(options, easel_tiff_keep_message, writer->message);
  TIFFOpenOptionsSetWarningHandlerExtR(options, easel_tiff_ignore_message, NULL);
  TIFF *tiff = TIFFClientOpenExt("", "wlm", writer, easel_tiff_give_back, easel_tiff_take, easel_tiff_go,
                                 easel_tiff_end, easel_tiff_length, NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

static bool easel_tiff_describe(easel_tiff_writer *writer) {
  static const uint16_t codes[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE};
  const easel_tiff_writing *writing = &writer->writing;
  TIFF *tiff = writer->tiff;
  bool has_alpha = writing->components == 2 || writing->components == 4;
  uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
  bool is_set = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, writing->width) &&
                TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, writing->height) &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, writing->is_wide ? 16 : 8) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, writing->components) &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                             writing->components < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB) &&
                TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
                TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, writing->rows_per_strip) &&
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, codes[writing->compression]) &&
                (!has_alpha || TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha));
  if (is_set && writing->compression != EASEL_TIFF_NONE) {
    is_set = TIFFSetField(tiff, TIFFTAG_PREDICTOR, writing->predicts ? PREDICTOR_HORIZONTAL : PREDICTOR_NONE) != 0;
  }
  if (is_set && writing->compression == EASEL_TIFF_DEFLATE) {
    is_set = TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, writing->level) != 0;
  }
  return is_set;
}

easel_tiff_status easel_tiff_writer_create(const easel_tiff_writing *writing, easel_tiff_writer **made) {
  easel_tiff_writer *writer = *made = calloc(1, sizeof *writer);
  if (!writer) return EASEL_TIFF_NO_MEMORY;
  writer->writing = *writing;
  writer->has_memory = true;
  size_t strip = (size_t)writing->width * writing->components * (writing->is_wide ? 2 : 1);
  if (__builtin_mul_overflow(strip, (size_t)writing->rows_per_strip, &strip)) return EASEL_TIFF_TOO_LARGE;
  writer->row = malloc(strip > 0 ? strip : 1);
  writer->tiff = easel_tiff_begin(writer);
  if (!writer->row || !writer->has_memory) return EASEL_TIFF_NO_MEMORY;
  return writer->tiff && easel_tiff_describe(writer) ? EASEL_TIFF_OK : EASEL_TIFF_BAD_DATA;
}

void easel_tiff_writer_destroy(easel_tiff_writer *writer) {
  if (!writer) return;
  // Closing the handle would write a directory, but the caller writes its own.
  if (writer->tiff) TIFFCleanup(writer->tiff);
  free(writer->bytes);
  free(writer->row);
  free(writer);
}

const char *easel_tiff_writer_message(const easel_tiff_writer *writer) { return writer->message; }

// Copies the components to write from each pixel. With constant sizes, the compiler makes no call for a few bytes.
static inline __attribute__((always_inline)) void easel_tiff_pick(const uint8_t *pixels, size_t source, size_t colors,
                                                                  size_t alpha, size_t count, uint8_t *target) {
  for (size_t i = 0; i < count; i++, pixels += source, target += colors + alpha) {
    memcpy(target, pixels, colors);
    memcpy(target + colors, pixels + source - alpha, alpha);
  }
}

static void easel_tiff_pack(const uint8_t *pixels, uint32_t source_components, uint32_t components, bool is_wide,
                            size_t count, uint8_t *target) {
  size_t size = is_wide ? 2 : 1, source = source_components * size, sample = components * size;
  if (source == sample) {
    memcpy(target, pixels, count * sample);
    return;
  }
  // Grey pixels have their value in red, and alpha in the fourth component.
  size_t colors = components < 3 ? 1 : 3;
  bool has_alpha = components == 2 || components == 4;
  if (source_components == 4 && colors == 3 && !has_alpha) {
    if (is_wide) easel_tiff_pick(pixels, 8, 6, 0, count, target);
    else easel_tiff_pick(pixels, 4, 3, 0, count, target);
  } else {
    easel_tiff_pick(pixels, source, colors * size, has_alpha ? size : 0, count, target);
  }
}

easel_tiff_status easel_tiff_writer_strip(easel_tiff_writer *writer, const void *pixels, size_t stride,
                                          uint32_t source_components, uint32_t rows) {
  const easel_tiff_writing *writing = &writer->writing;
  size_t row_bytes = (size_t)writing->width * writing->components * (writing->is_wide ? 2 : 1);
  for (uint32_t y = 0; y < rows; y++) {
    easel_tiff_pack((const uint8_t *)pixels + y * stride, source_components, writing->components, writing->is_wide,
                    writing->width, writer->row + y * row_bytes);
  }
  tmsize_t count = TIFFWriteEncodedStrip(writer->tiff, writer->strip++, writer->row, (tmsize_t)(rows * row_bytes));
  if (!writer->has_memory) return EASEL_TIFF_NO_MEMORY;
  return count < 0 ? EASEL_TIFF_BAD_DATA : EASEL_TIFF_OK;
}

easel_tiff_status easel_tiff_writer_finish(easel_tiff_writer *writer, const uint8_t **bytes, size_t *count,
                                           uint32_t *counts, size_t strips) {
  uint64_t *offsets = NULL, *lengths = NULL;
  if (!TIFFFlushData(writer->tiff)) return writer->has_memory ? EASEL_TIFF_BAD_DATA : EASEL_TIFF_NO_MEMORY;
  if (!TIFFGetField(writer->tiff, TIFFTAG_STRIPOFFSETS, &offsets) ||
      !TIFFGetField(writer->tiff, TIFFTAG_STRIPBYTECOUNTS, &lengths) || TIFFNumberOfStrips(writer->tiff) != strips) {
    return EASEL_TIFF_BAD_DATA;
  }
  // The strips follow the header, in their order and without gaps.
  uint64_t place = 8;
  for (size_t i = 0; i < strips; i++) {
    if (offsets[i] != place || lengths[i] > UINT32_MAX || lengths[i] > writer->count - place) return EASEL_TIFF_BAD_DATA;
    counts[i] = (uint32_t)lengths[i];
    place += lengths[i];
  }
  *bytes = writer->bytes + 8;
  *count = (size_t)(place - 8);
  return EASEL_TIFF_OK;
}

bool easel_tiff_is_gray(const void *pixels, size_t count, bool is_wide) {
  if (is_wide) {
    const uint16_t *pixel = pixels;
    for (size_t i = 0; i < count; i++, pixel += 4) {
      if (pixel[0] != pixel[1] || pixel[0] != pixel[2]) return false;
    }
    return true;
  }
  const uint8_t *pixel = pixels;
  for (size_t i = 0; i < count; i++, pixel += 4) {
    if (pixel[0] != pixel[1] || pixel[0] != pixel[2]) return false;
  }
  return true;
}
