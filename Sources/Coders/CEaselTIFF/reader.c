#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

// A strip of at most this many bytes is decoded as a whole, which is much faster in some codecs; longer strips are
// decoded row by row.
enum { EASEL_TIFF_STRIP_AT_ONCE = 4 << 20 };

// A handle of libtiff with its position in the file.
typedef struct {
  const easel_tiff_source *source;
  uint64_t position;
} easel_tiff_stream;

typedef enum {
  // A code marks the end of each line.
  EASEL_TIFF_ENDS_STATED = 0,
  // Nothing separates the lines.
  EASEL_TIFF_ENDS_LACK = 1,
  // Each line begins at a whole byte.
  EASEL_TIFF_ENDS_OF_BYTES = 2,
} easel_tiff_ends;

struct easel_tiff_reader {
  easel_tiff_source source;
  size_t most_bytes, most_working_bytes;
  easel_tiff_stream streams[EASEL_TIFF_MOST_CHANNELS];
  // Most pictures need one handle; if planes are read row by row, each needs one.
  TIFF *handles[EASEL_TIFF_MOST_CHANNELS];
  uint32_t handle_count;
  uint64_t directory;

  uint32_t width, height;
  easel_tiff_form form;
  // The way in which the rows of a fax follow one another.
  easel_tiff_ends ends;
  uint32_t warnings;
  // The part that is wanted, all columns if there are none.
  uint32_t part_column, part_columns, part_row;
  // The height of a strip or tile, the width of a tile, and the number of tiles beside each other, from the first one.
  uint32_t unit_height, tile_width, tiles_across, first_tile;
  // The columns of these tiles.
  uint32_t columns;
  bool is_tiled, is_by_row;
  // The number of bytes of a strip or tile of one plane, and of one of its rows or rows of blocks.
  size_t unit_bytes, row_bytes;
  uint32_t planes;
  // A row of tiles, a strip or a row of each plane.
  uint8_t *raw;
  // For each unit in `raw`, true if it could not be read.
  bool *is_missing;
  uint16_t *channels;

  uint32_t row;
  // The first row in `raw`, and the first row after it.
  uint32_t raw_first, raw_end;
  bool is_damaged, has_reread;
  // Rows before this one could not be read, because they are at the end of a damaged strip.
  uint32_t skips_to;
  char message[EASEL_TIFF_MESSAGE_SIZE];
};

// ---- Bytes

static tmsize_t easel_tiff_read(thandle_t handle, void *target, tmsize_t wanted) {
  easel_tiff_stream *stream = handle;
  const easel_tiff_source *source = stream->source;
  if (wanted <= 0 || stream->position >= source->count) return 0;
  size_t count = (size_t)wanted;
  if (count > source->count - stream->position) count = (size_t)(source->count - stream->position);
  if (source->bytes) {
    memcpy(target, source->bytes + stream->position, count);
  } else {
    count = source->read(source->context, stream->position, target, count);
  }
  stream->position += count;
  return (tmsize_t)count;
}

static tmsize_t easel_tiff_refuse(thandle_t handle, void *bytes, tmsize_t count) {
  (void)handle, (void)bytes, (void)count;
  return 0;
}

static toff_t easel_tiff_seek(thandle_t handle, toff_t offset, int whence) {
  easel_tiff_stream *stream = handle;
  if (whence == SEEK_CUR) offset += stream->position;
  if (whence == SEEK_END) offset += stream->source->count;
  return stream->position = offset;
}

static int easel_tiff_close(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t easel_tiff_size(thandle_t handle) { return ((easel_tiff_stream *)handle)->source->count; }

int easel_tiff_keep_message(TIFF *tiff, void *message, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module;
  char *text = message;
  if (!text[0]) {
    vsnprintf(text, EASEL_TIFF_MESSAGE_SIZE, format, arguments);
    // Names and numbers from a file may contain any byte.
    for (char *c = text; *c; c++) {
      if ((unsigned char)*c < 32 || (unsigned char)*c > 126) *c = '?';
    }
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '.') text[--length] = 0;
  }
  return 1;
}

int easel_tiff_ignore_message(TIFF *tiff, void *message, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)message, (void)module, (void)format, (void)arguments;
  return 1;
}

// Counts the warnings of a reader.
static int easel_tiff_count_warning(TIFF *tiff, void *count, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module, (void)format, (void)arguments;
  ++*(uint32_t *)count;
  return 1;
}

static TIFF *easel_tiff_open(easel_tiff_reader *reader, uint32_t index) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  tmsize_t most = reader->most_bytes > INT64_MAX ? INT64_MAX : (tmsize_t)reader->most_bytes;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, most);
  TIFFOpenOptionsSetErrorHandlerExtR(options, easel_tiff_keep_message, reader->message);
  TIFFOpenOptionsSetWarningHandlerExtR(options, easel_tiff_count_warning, &reader->warnings);
  reader->streams[index] = (easel_tiff_stream){&reader->source, 0};
  // Opens only the header, because directories are chosen by their offset; long strips without compression are read in
  // parts. Bytes in memory are read like those of a file, because libtiff gives up more of a damaged picture that it
  // has as a whole.
  TIFF *tiff = TIFFClientOpenExt("", "rhC", &reader->streams[index], easel_tiff_read, easel_tiff_refuse,
                                 easel_tiff_seek, easel_tiff_close, easel_tiff_size, NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

easel_tiff_status easel_tiff_reader_create(const easel_tiff_source *source, size_t most_bytes,
                                           size_t most_working_bytes, easel_tiff_reader **made) {
  easel_tiff_reader *reader = *made = calloc(1, sizeof *reader);
  if (!reader) return EASEL_TIFF_NO_MEMORY;
  reader->source = *source;
  reader->most_bytes = most_bytes;
  reader->most_working_bytes = most_working_bytes;
  reader->handles[0] = easel_tiff_open(reader, 0);
  if (!reader->handles[0]) return EASEL_TIFF_BAD_DATA;
  reader->handle_count = 1;
  return EASEL_TIFF_OK;
}

static void easel_tiff_forget(easel_tiff_reader *reader) {
  free(reader->raw);
  free(reader->is_missing);
  free(reader->channels);
  reader->raw = NULL;
  reader->is_missing = NULL;
  reader->channels = NULL;
  while (reader->handle_count > 1) TIFFClose(reader->handles[--reader->handle_count]);
}

void easel_tiff_reader_destroy(easel_tiff_reader *reader) {
  if (!reader) return;
  easel_tiff_forget(reader);
  if (reader->handle_count > 0) TIFFClose(reader->handles[0]);
  free(reader);
}

const char *easel_tiff_reader_message(const easel_tiff_reader *reader) { return reader->message; }

bool easel_tiff_reader_is_damaged(const easel_tiff_reader *reader) { return reader->is_damaged; }

bool easel_tiff_reads_compression(uint16_t compression) { return TIFFIsCODECConfigured(compression) != 0; }

// ---- Directories

static easel_tiff_status easel_tiff_unsupported(easel_tiff_reader *reader, const char *message) {
  snprintf(reader->message, sizeof reader->message, "%s", message);
  return EASEL_TIFF_UNSUPPORTED;
}

static size_t easel_tiff_bytes_at(const easel_tiff_reader *reader, uint64_t offset, uint8_t *target, size_t count) {
  easel_tiff_stream stream = {&reader->source, offset};
  return (size_t)easel_tiff_read(&stream, target, (tmsize_t)count);
}

// Tells whether the first strip of a fax lacks ends of lines, without which libtiff finds no row. Six ends in a row
// mark the end of a page, even if its lines have no ends.
static bool easel_tiff_has_no_ends(const easel_tiff_reader *reader, TIFF *tiff) {
  enum { ZEROS_OF_END = 11, ENDS_OF_PAGE = 6, LEAST_ROWS = 13 };
  uint32_t options = 0, rows = 0, zeros = 0, ends = 0;
  uint16_t order = FILLORDER_MSB2LSB;
  TIFFGetField(tiff, TIFFTAG_GROUP3OPTIONS, &options);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_FILLORDER, &order);
  // A bit after each end tells how the next line is coded, so files with two kinds of lines need the ends.
  if (TIFFIsTiled(tiff) || (options & GROUP3OPT_2DENCODING)) return false;
  if (rows > reader->height) rows = reader->height;
  uint64_t place = TIFFGetStrileOffset(tiff, 0), left = TIFFGetStrileByteCount(tiff, 0);
  uint8_t bytes[4096];
  while (left > 0) {
    size_t count = easel_tiff_bytes_at(reader, place, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes);
    if (count == 0) break;
    for (size_t i = 0; i < count; i++) {
      for (int bit = 0; bit < 8; bit++) {
        bool is_one = bytes[i] >> (order == FILLORDER_LSB2MSB ? bit : 7 - bit) & 1;
        if (is_one && zeros >= ZEROS_OF_END && ++ends > ENDS_OF_PAGE) return false;
        zeros = is_one ? 0 : zeros + (zeros < ZEROS_OF_END);
      }
    }
    place += count;
    left -= count;
  }
  return ends == 0 || rows >= LEAST_ROWS;
}

// Describes a JPEG that libjpeg cannot decode, from the first strip or tile.
static easel_tiff_status easel_tiff_check_jpeg(easel_tiff_reader *reader, TIFF *tiff) {
  uint64_t place = TIFFGetStrileOffset(tiff, 0);
  uint8_t head[5];
  if (easel_tiff_bytes_at(reader, place, head, 2) < 2 || head[0] != 0xFF || head[1] != 0xD8) return EASEL_TIFF_OK;
  place += 2;
  for (int parts = 0; parts < 256 && easel_tiff_bytes_at(reader, place, head, 5) == 5 && head[0] == 0xFF; parts++) {
    uint8_t code = head[1];
    if (code == 0xDA || code == 0xD9) break;
    if (code == 0xFF) {
      place++;
      continue;
    }
    place += 2 + ((uint32_t)head[2] << 8 | head[3]);
    if (code < 0xC0 || code > 0xCF || code == 0xC4 || code == 0xC8 || code == 0xCC) continue;
    if (code == 0xC3 || code == 0xCB) {
      return easel_tiff_unsupported(reader, "the pixels are compressed as lossless JPEG, which libjpeg cannot read");
    }
    if (code > 0xC3 && code != 0xC9 && code != 0xCA) {
      return easel_tiff_unsupported(reader, "the pixels are compressed as hierarchical JPEG, which nobody reads");
    }
    if (head[4] > 8) {
      return easel_tiff_unsupported(reader, "the pixels are compressed as JPEG of 12 bits, which is not read");
    }
    break;
  }
  return EASEL_TIFF_OK;
}

// Finds the alpha among the samples that are not colours.
static void easel_tiff_find_alpha(TIFF *tiff, easel_tiff_form *form, uint32_t colors) {
  uint16_t count = 0, *kinds = NULL;
  if (!TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) || !kinds) return;
  for (uint32_t i = 0; i < count && colors + i < form->step; i++) {
    if (kinds[i] != EXTRASAMPLE_ASSOCALPHA && kinds[i] != EXTRASAMPLE_UNASSALPHA) continue;
    form->has_alpha = true;
    form->is_premultiplied = kinds[i] == EXTRASAMPLE_ASSOCALPHA;
    form->place[form->channels++] = colors + i;
    return;
  }
}

static easel_tiff_status easel_tiff_find_palette(easel_tiff_reader *reader, TIFF *tiff, easel_tiff_form *form) {
  uint16_t *red, *green, *blue;
  if (form->bits > 16 || form->is_float || form->is_signed) {
    return easel_tiff_unsupported(reader, "the numbers of a palette's entries have no such form");
  }
  if (!TIFFGetField(tiff, TIFFTAG_COLORMAP, &red, &green, &blue)) return EASEL_TIFF_BAD_DATA;
  form->palette[0] = red;
  form->palette[1] = green;
  form->palette[2] = blue;
  form->palette_count = 1u << form->bits;
  // Some old programs wrote bytes in the place of words.
  form->has_small_palette = true;
  for (uint32_t i = 0; i < form->palette_count; i++) {
    if (red[i] > 255 || green[i] > 255 || blue[i] > 255) form->has_small_palette = false;
  }
  return EASEL_TIFF_OK;
}

static easel_tiff_status easel_tiff_find_luma(easel_tiff_reader *reader, TIFF *tiff, easel_tiff_form *form) {
  float *luma, *range;
  uint16_t across = 1, down = 1;
  if (form->bits != 8 || form->is_float || form->is_signed) {
    return easel_tiff_unsupported(reader, "YCbCr is read with 8 bits a sample only");
  }
  if (!TIFFGetFieldDefaulted(tiff, TIFFTAG_YCBCRCOEFFICIENTS, &luma)) return EASEL_TIFF_BAD_DATA;
  memcpy(form->luma, luma, sizeof form->luma);
  if (!TIFFGetFieldDefaulted(tiff, TIFFTAG_REFERENCEBLACKWHITE, &range)) return EASEL_TIFF_BAD_DATA;
  memcpy(form->range, range, sizeof form->range);
  for (int i = 0; i < 3; i++) {
    // A value that is not a number fails here as well.
    if (!(form->luma[i] > 0.001f && form->luma[i] < 1)) return EASEL_TIFF_BAD_DATA;
    if (!(form->range[2 * i] > -1e6f && form->range[2 * i] < 1e6f)) return EASEL_TIFF_BAD_DATA;
    if (!(form->range[2 * i + 1] - form->range[2 * i] >= 1 && form->range[2 * i + 1] < 1e6f)) return EASEL_TIFF_BAD_DATA;
  }
  TIFFGetFieldDefaulted(tiff, TIFFTAG_YCBCRSUBSAMPLING, &across, &down);
  if ((across != 1 && across != 2 && across != 4) || (down != 1 && down != 2 && down != 4)) return EASEL_TIFF_BAD_DATA;
  if (form->has_planes) {
    if (across == 1 && down == 1) return EASEL_TIFF_OK;
    return easel_tiff_unsupported(reader, "subsampled YCbCr in planes is not read");
  }
  if (across == 1 && down == 1 && form->step != 3) return EASEL_TIFF_OK;
  if (form->step != 3) return easel_tiff_unsupported(reader, "subsampled YCbCr has exactly three samples");
  form->across = across;
  form->down = down;
  return EASEL_TIFF_OK;
}

static void easel_tiff_find_range(TIFF *tiff, easel_tiff_form *form) {
  double *least = NULL, *greatest = NULL;
  // With this setting, libtiff returns one value for each sample.
  TIFFSetField(tiff, TIFFTAG_PERSAMPLE, PERSAMPLE_MULTI);
  bool has_both = TIFFGetField(tiff, TIFFTAG_SMINSAMPLEVALUE, &least) &&
                  TIFFGetField(tiff, TIFFTAG_SMAXSAMPLEVALUE, &greatest) && least && greatest;
  if (has_both && *greatest > *least && *greatest - *least < 1e300) {
    form->has_range = true;
    form->least = *least;
    form->greatest = *greatest;
  }
  TIFFSetField(tiff, TIFFTAG_PERSAMPLE, PERSAMPLE_MERGED);
}

// Sets the options of the codec itself; call this for every handle.
static void easel_tiff_prepare(const easel_tiff_reader *reader, TIFF *tiff, uint16_t compression,
                               uint16_t photometric) {
  bool has_planes = reader->form.has_planes;
  if (reader->ends != EASEL_TIFF_ENDS_STATED) {
    // The codes are the same, but without ends of lines.
    int gaps = reader->ends == EASEL_TIFF_ENDS_OF_BYTES ? FAXMODE_BYTEALIGN : 0;
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_CCITTRLE);
    TIFFSetField(tiff, TIFFTAG_FAXMODE, FAXMODE_NORTC | FAXMODE_NOEOL | gaps);
  }
  if (compression == COMPRESSION_JPEG && photometric == PHOTOMETRIC_YCBCR && !has_planes) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  if (compression == COMPRESSION_SGILOG || compression == COMPRESSION_SGILOG24) {
    TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_8BIT);
  }
}

static easel_tiff_status easel_tiff_find_form(easel_tiff_reader *reader, TIFF *tiff) {
  easel_tiff_form *form = &reader->form;
  memset(form, 0, sizeof *form);
  uint16_t bits = 1, samples = 1, format = SAMPLEFORMAT_UINT, planar = PLANARCONFIG_CONTIG, compression, photometric;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
  if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric)) {
    bool is_fax = compression == COMPRESSION_CCITTFAX3 || compression == COMPRESSION_CCITTFAX4 ||
                  compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTRLEW;
    photometric = is_fax ? PHOTOMETRIC_MINISWHITE : samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
  }
  form->has_planes = planar == PLANARCONFIG_SEPARATE && samples > 1;
  if (compression == COMPRESSION_JPEG || compression == COMPRESSION_OJPEG) {
    easel_tiff_status status = easel_tiff_check_jpeg(reader, tiff);
    if (status != EASEL_TIFF_OK) return status;
  }
  if (reader->ends == EASEL_TIFF_ENDS_STATED && compression == COMPRESSION_CCITTFAX3 &&
      easel_tiff_has_no_ends(reader, tiff)) {
    uint32_t options = 0;
    TIFFGetField(tiff, TIFFTAG_GROUP3OPTIONS, &options);
    reader->ends = options & GROUP3OPT_FILLBITS ? EASEL_TIFF_ENDS_OF_BYTES : EASEL_TIFF_ENDS_LACK;
  }
  easel_tiff_prepare(reader, tiff, compression, photometric);
  // The codec may have changed these values.
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
  if (compression == COMPRESSION_SGILOG || compression == COMPRESSION_SGILOG24) {
    bits = 8;
    format = SAMPLEFORMAT_UINT;
    photometric = photometric == PHOTOMETRIC_LOGL ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
  }
  form->bits = bits;
  form->step = samples;
  form->is_signed = format == SAMPLEFORMAT_INT;
  form->is_float = format == SAMPLEFORMAT_IEEEFP;
  if (format == SAMPLEFORMAT_COMPLEXINT || format == SAMPLEFORMAT_COMPLEXIEEEFP) {
    return easel_tiff_unsupported(reader, "complex numbers are no colours");
  }
  bool is_known = form->is_float ? bits == 16 || bits == 24 || bits == 32 || bits == 64
                                 : (bits >= 1 && bits <= 32) || bits == 64;
  if (!is_known) return easel_tiff_unsupported(reader, "samples of this many bits are not read");
  uint32_t colors = 3;
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE: form->is_inverted = true;  // Falls through.
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK:
      form->kind = EASEL_TIFF_GRAY;
      colors = 1;
      break;
    case PHOTOMETRIC_RGB: form->kind = EASEL_TIFF_RGB; break;
    case PHOTOMETRIC_PALETTE:
      form->kind = EASEL_TIFF_PALETTE;
      colors = 1;
      break;
    case PHOTOMETRIC_SEPARATED: {
      uint16_t inks = INKSET_CMYK;
      TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &inks);
      if (inks != INKSET_CMYK) return easel_tiff_unsupported(reader, "inks other than CMYK are not read");
      form->kind = EASEL_TIFF_INKS;
      colors = 4;
      break;
    }
    case PHOTOMETRIC_YCBCR:
      form->kind = compression == COMPRESSION_JPEG && !form->has_planes ? EASEL_TIFF_RGB : EASEL_TIFF_YCBCR;
      break;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
    case PHOTOMETRIC_ITULAB: {
      if ((bits != 8 && bits != 16) || form->is_float) {
        return easel_tiff_unsupported(reader, "Lab is read with 8 and 16 bits a sample only");
      }
      form->kind = EASEL_TIFF_LAB;
      form->lab = photometric;
      form->is_signed = false;
      if (samples < 3) colors = 1;
      // Whites other than D50 are rare, and ICC profiles always use D50.
      form->white[0] = 0.9642f;
      form->white[1] = 1;
      form->white[2] = 0.8249f;
      break;
    }
    default: return easel_tiff_unsupported(reader, "the meaning of the samples (PhotometricInterpretation) is unknown");
  }
  if (samples < colors) {
    snprintf(reader->message, sizeof reader->message, "a pixel has %u samples, of which %u should be colours", samples,
             colors);
    return EASEL_TIFF_BAD_DATA;
  }
  for (form->channels = 0; form->channels < colors; form->channels++) form->place[form->channels] = form->channels;
  easel_tiff_find_alpha(tiff, form, colors);
  if (form->is_float || form->is_signed) easel_tiff_find_range(tiff, form);
  // If bytes are declared as signed, they are shown unsigned, as in all other programs.
  if (bits <= 8 && !form->has_range) form->is_signed = false;
  if (form->kind == EASEL_TIFF_PALETTE) return easel_tiff_find_palette(reader, tiff, form);
  if (form->kind == EASEL_TIFF_YCBCR) return easel_tiff_find_luma(reader, tiff, form);
  return EASEL_TIFF_OK;
}

// Finds the parts in which the pixels are stored, and the memory that one part takes.
static easel_tiff_status easel_tiff_find_units(easel_tiff_reader *reader, TIFF *tiff) {
  const easel_tiff_form *form = &reader->form;
  reader->is_tiled = TIFFIsTiled(tiff) != 0;
  reader->is_by_row = false;
  reader->tile_width = reader->width;
  reader->tiles_across = 1;
  reader->first_tile = 0;
  reader->columns = reader->width;
  if (reader->is_tiled) {
    if (!TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &reader->tile_width) ||
        !TIFFGetField(tiff, TIFFTAG_TILELENGTH, &reader->unit_height) || reader->tile_width == 0) {
      return EASEL_TIFF_BAD_DATA;
    }
    reader->tiles_across = (reader->width - 1) / reader->tile_width + 1;
    if (reader->part_columns > 0) {
      if (reader->part_column >= reader->width || reader->part_columns > reader->width - reader->part_column) {
        return EASEL_TIFF_BAD_DATA;
      }
      reader->first_tile = reader->part_column / reader->tile_width;
      uint32_t last = (reader->part_column + reader->part_columns - 1) / reader->tile_width;
      uint32_t start = reader->first_tile * reader->tile_width;
      reader->columns = last + 1 == reader->tiles_across ? reader->width - start
                                                         : (last + 1 - reader->first_tile) * reader->tile_width;
      reader->tiles_across = last + 1 - reader->first_tile;
    }
    reader->unit_bytes = (size_t)TIFFTileSize(tiff);
    reader->row_bytes = (size_t)TIFFTileRowSize(tiff);
  } else {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &reader->unit_height);
    if (reader->unit_height > reader->height) reader->unit_height = reader->height;
    reader->unit_bytes = (size_t)TIFFStripSize(tiff);
    reader->row_bytes = (size_t)TIFFScanlineSize(tiff);
  }
  if (reader->unit_height == 0) return EASEL_TIFF_BAD_DATA;
  reader->planes = form->has_planes ? form->channels : 1;
  uint64_t step = form->has_planes ? 1 : form->step;
  uint64_t least_row = ((uint64_t)reader->tile_width * step * form->bits + 7) / 8, rows = reader->unit_height;
  if (form->across > 0) {
    uint64_t blocks = ((uint64_t)reader->tile_width + form->across - 1) / form->across;
    least_row = blocks * (form->across * form->down + 2);
    reader->row_bytes = (size_t)least_row;
    rows = (rows + form->down - 1) / form->down;
  } else if (!reader->is_tiled && (reader->unit_bytes > EASEL_TIFF_STRIP_AT_ONCE || reader->unit_bytes == 0)) {
    // Each plane that is read row by row needs its own handle, which stays in its strip.
    reader->is_by_row = true;
    reader->unit_bytes = reader->row_bytes;
    rows = 1;
  }
  // If a codec gives fewer bytes than the samples need, some pixels would never be set.
  if (reader->row_bytes < least_row || reader->unit_bytes / rows < least_row) return EASEL_TIFF_BAD_DATA;
  return EASEL_TIFF_OK;
}

static easel_tiff_status easel_tiff_take_memory(easel_tiff_reader *reader, easel_tiff_layout *layout) {
  size_t units = (size_t)reader->tiles_across * reader->planes, bytes, words;
  if (__builtin_mul_overflow(units, reader->unit_bytes, &bytes) ||
      __builtin_mul_overflow((size_t)reader->tile_width, EASEL_TIFF_MOST_CHANNELS * sizeof(uint16_t), &words) ||
      __builtin_add_overflow(bytes, words, &layout->working_bytes) ||
      layout->working_bytes > reader->most_working_bytes) {
    return EASEL_TIFF_TOO_LARGE;
  }
  // There are a few more bytes, because bits are read in groups.
  reader->raw = calloc(bytes + 8, 1);
  reader->is_missing = calloc(units, sizeof *reader->is_missing);
  reader->channels = malloc(words);
  return reader->raw && reader->is_missing && reader->channels ? EASEL_TIFF_OK : EASEL_TIFF_NO_MEMORY;
}

static void easel_tiff_forget_complaints(easel_tiff_reader *reader) {
  reader->warnings = 0;
  reader->message[0] = 0;
}

// Tells whether libtiff has complained about rows without ends; it then fills them with other pixels.
static bool easel_tiff_has_complaint(const easel_tiff_reader *reader) {
  return reader->ends != EASEL_TIFF_ENDS_STATED && (reader->warnings > 0 || reader->message[0]);
}

static void easel_tiff_read_row(easel_tiff_reader *reader);

// Tells whether the first rows can be read without a complaint.
static bool easel_tiff_reads_well(easel_tiff_reader *reader) {
  enum { MOST_ROWS = 64 };
  uint32_t rows = reader->unit_height < MOST_ROWS ? reader->unit_height : MOST_ROWS;
  easel_tiff_forget_complaints(reader);
  bool reads_well = true;
  for (uint32_t y = 0; y < rows && reads_well; y++) {
    reads_well = TIFFReadScanline(reader->handles[0], reader->raw, y, 0) >= 0 && !easel_tiff_has_complaint(reader);
  }
  easel_tiff_forget_complaints(reader);
  return reads_well;
}

static easel_tiff_status easel_tiff_select(easel_tiff_reader *reader, uint64_t directory, easel_tiff_layout *layout) {
  memset(layout, 0, sizeof *layout);
  easel_tiff_forget(reader);
  reader->row = reader->raw_first = reader->raw_end = reader->skips_to = 0;
  reader->is_damaged = reader->has_reread = false;
  reader->message[0] = 0;
  reader->directory = directory;
  TIFF *tiff = reader->handles[0];
  if (!TIFFSetSubDirectory(tiff, directory)) return EASEL_TIFF_BAD_DATA;
  // A message about something that libtiff could repair is not a failure.
  reader->message[0] = 0;
  if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &reader->width) ||
      !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &reader->height) || reader->width == 0 || reader->height == 0) {
    return EASEL_TIFF_BAD_DATA;
  }
  easel_tiff_status status = easel_tiff_find_form(reader, tiff);
  if (status == EASEL_TIFF_OK) status = easel_tiff_find_units(reader, tiff);
  layout->width = reader->width;
  layout->height = reader->height;
  layout->kind = reader->form.kind;
  layout->bits = reader->form.bits;
  layout->has_alpha = reader->form.has_alpha;
  layout->is_tiled = reader->is_tiled;
  layout->first_column = reader->first_tile * reader->tile_width;
  layout->columns = reader->columns;
  if (status == EASEL_TIFF_OK && reader->part_row >= reader->height) status = EASEL_TIFF_BAD_DATA;
  reader->row = reader->part_row;
  if (status == EASEL_TIFF_OK) status = easel_tiff_take_memory(reader, layout);
  while (status == EASEL_TIFF_OK && reader->is_by_row && reader->handle_count < reader->planes) {
    uint32_t index = reader->handle_count;
    reader->handles[index] = easel_tiff_open(reader, index);
    if (!reader->handles[index]) return EASEL_TIFF_NO_MEMORY;
    reader->handle_count++;
    if (!TIFFSetSubDirectory(reader->handles[index], directory)) return EASEL_TIFF_BAD_DATA;
    reader->message[0] = 0;
  }
  if (status == EASEL_TIFF_OK && reader->is_by_row && reader->row > 0) {
    // Most codecs find a row only after those before it in its strip.
    for (reader->row -= reader->row % reader->unit_height; reader->row < reader->part_row; reader->row++) {
      easel_tiff_read_row(reader);
    }
  }
  return status;
}

void easel_tiff_reader_restrict(easel_tiff_reader *reader, uint32_t first_column, uint32_t columns, uint32_t first_row) {
  reader->part_column = first_column;
  reader->part_columns = columns;
  reader->part_row = first_row;
}

easel_tiff_status easel_tiff_reader_select(easel_tiff_reader *reader, uint64_t directory, easel_tiff_layout *layout) {
  reader->ends = EASEL_TIFF_ENDS_STATED;
  easel_tiff_status status = easel_tiff_select(reader, directory, layout);
  if (status != EASEL_TIFF_OK || reader->ends == EASEL_TIFF_ENDS_STATED) return status;
  // Nothing in the file tells where a row without an end begins, so both ways are tried.
  easel_tiff_ends ways[2] = {reader->ends, EASEL_TIFF_ENDS_LACK + EASEL_TIFF_ENDS_OF_BYTES - reader->ends};
  bool reads_well = easel_tiff_reads_well(reader);
  if (!reads_well) {
    reader->ends = ways[1];
    if (easel_tiff_select(reader, directory, layout) == EASEL_TIFF_OK) reads_well = easel_tiff_reads_well(reader);
  }
  // Neither way works, so the first one is used, and the picture is damaged.
  if (!reads_well) reader->ends = ways[0];
  return easel_tiff_select(reader, directory, layout);
}

// ---- Rows

static uint16_t easel_tiff_sample(const easel_tiff_reader *reader, uint32_t plane) {
  return reader->form.has_planes ? (uint16_t)reader->form.place[plane] : 0;
}

// Reads a strip again row by row, to get the rows before its damage; returns the number of bytes.
static size_t easel_tiff_reread(easel_tiff_reader *reader, uint32_t plane, uint8_t *target) {
  TIFF *tiff = reader->handles[0];
  if (reader->form.across > 0 || reader->has_reread) return 0;
  reader->has_reread = true;
  uint16_t compression, photometric = 0;
  if (!TIFFSetSubDirectory(tiff, reader->directory)) return 0;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
  easel_tiff_prepare(reader, tiff, compression, photometric);
  size_t row = (size_t)TIFFScanlineSize(tiff);
  size_t good = 0;
  easel_tiff_forget_complaints(reader);
  for (uint32_t y = reader->raw_first; y < reader->raw_end && row == reader->row_bytes; y++, good += row) {
    if (TIFFReadScanline(tiff, target + good, y, easel_tiff_sample(reader, plane)) < 0) break;
    if (easel_tiff_has_complaint(reader)) break;
  }
  // The next strip is read as if this one had never been read.
  TIFFSetSubDirectory(tiff, reader->directory);
  easel_tiff_prepare(reader, tiff, compression, photometric);
  // The directory is read again, so the palette is too.
  if (reader->form.kind == EASEL_TIFF_PALETTE &&
      easel_tiff_find_palette(reader, tiff, &reader->form) != EASEL_TIFF_OK) {
    reader->form.palette_count = 0;
  }
  return good;
}

// Reads one tile or strip of a plane; returns false if all of it is missing.
static bool easel_tiff_read_unit(easel_tiff_reader *reader, uint32_t tile, uint32_t plane, uint8_t *target) {
  TIFF *tiff = reader->handles[0];
  uint16_t sample = easel_tiff_sample(reader, plane);
  size_t bytes = reader->unit_bytes;
  tmsize_t count;
  if (reader->is_tiled) {
    uint32_t index = TIFFComputeTile(tiff, (reader->first_tile + tile) * reader->tile_width, reader->raw_first, 0, sample);
    count = TIFFReadEncodedTile(tiff, index, target, (tmsize_t)bytes);
  } else {
    uint32_t index = TIFFComputeStrip(tiff, reader->raw_first, sample);
    if (reader->ends != EASEL_TIFF_ENDS_STATED) easel_tiff_forget_complaints(reader);
    count = TIFFReadEncodedStrip(tiff, index, target, (tmsize_t)bytes);
    if (easel_tiff_has_complaint(reader)) count = -1;
    // The last strip is shorter.
    uint32_t rows = reader->raw_end - reader->raw_first;
    uint32_t lines = reader->form.across > 0 ? (rows + reader->form.down - 1) / reader->form.down : rows;
    if ((size_t)lines * reader->row_bytes < bytes) bytes = (size_t)lines * reader->row_bytes;
  }
  if (count >= (tmsize_t)bytes) return true;
  reader->is_damaged = true;
  size_t good = count > 0 ? (size_t)count : 0;
  if (count < 0 && !reader->is_tiled) good = easel_tiff_reread(reader, plane, target);
  memset(target + good, 0, bytes - good);
  if (!reader->is_tiled && good > 0) {
    // The rows after the damage are missing.
    uint32_t whole = (uint32_t)(good / reader->row_bytes);
    uint32_t rows = reader->form.across > 0 ? whole * reader->form.down : whole;
    if (reader->raw_first + rows < reader->raw_end) {
      reader->skips_to = reader->raw_end;
      reader->raw_end = reader->raw_first + rows;
    }
    return rows > 0;
  }
  return good > 0;
}

static void easel_tiff_read_units(easel_tiff_reader *reader) {
  reader->raw_first = reader->row - reader->row % reader->unit_height;
  reader->raw_end = reader->unit_height > reader->height - reader->raw_first ? reader->height
                                                                            : reader->raw_first + reader->unit_height;
  for (uint32_t tile = 0; tile < reader->tiles_across; tile++) {
    for (uint32_t plane = 0; plane < reader->planes; plane++) {
      size_t index = (size_t)tile * reader->planes + plane;
      reader->is_missing[index] = !easel_tiff_read_unit(reader, tile, plane, reader->raw + index * reader->unit_bytes);
    }
  }
}

static void easel_tiff_read_row(easel_tiff_reader *reader) {
  reader->raw_first = reader->row;
  reader->raw_end = reader->row + 1;
  bool is_missing = reader->row < reader->skips_to;
  for (uint32_t plane = 0; plane < reader->planes && !is_missing; plane++) {
    TIFF *tiff = reader->handles[reader->handle_count > plane ? plane : 0];
    uint8_t *target = reader->raw + plane * reader->unit_bytes;
    bool is_read = TIFFReadScanline(tiff, target, reader->row, easel_tiff_sample(reader, plane)) >= 0;
    if (is_read && !easel_tiff_has_complaint(reader)) continue;
    reader->is_damaged = is_missing = true;
    uint32_t next = reader->row - reader->row % reader->unit_height;
    reader->skips_to = reader->unit_height > reader->height - next ? reader->height : next + reader->unit_height;
  }
  for (uint32_t plane = 0; plane < reader->planes; plane++) reader->is_missing[plane] = is_missing;
}

static bool easel_tiff_convert_row(easel_tiff_reader *reader, bool is_wide, uint8_t *target, uint8_t *alpha) {
  const easel_tiff_form *form = &reader->form;
  uint32_t line = reader->row - reader->raw_first, lines = line;
  if (form->across > 0) {
    lines = line / form->down;
    line %= form->down;
  }
  bool has_some = false;
  size_t pixel_bytes = is_wide ? 8 : 4;
  for (uint32_t tile = 0; tile < reader->tiles_across; tile++) {
    uint32_t first = tile * reader->tile_width, count = reader->columns - first;
    if (count > reader->tile_width) count = reader->tile_width;
    const uint8_t *planes[EASEL_TIFF_MOST_CHANNELS] = {NULL};
    bool is_missing = false;
    for (uint32_t plane = 0; plane < reader->planes; plane++) {
      size_t index = (size_t)tile * reader->planes + plane;
      is_missing = is_missing || reader->is_missing[index];
      planes[plane] = reader->raw + index * reader->unit_bytes + (size_t)lines * reader->row_bytes;
    }
    uint8_t *place = target + first * pixel_bytes;
    if (is_missing) {
      memset(place, 0, count * pixel_bytes);
      if (alpha) memset(alpha + first, 0, count);
    } else {
      has_some = true;
      easel_tiff_convert(form, planes, line, count, is_wide, reader->channels, place, alpha ? alpha + first : NULL);
    }
  }
  return has_some;
}

easel_tiff_status easel_tiff_reader_rows(easel_tiff_reader *reader, uint32_t most, bool is_wide, void *target,
                                         size_t stride, uint8_t *alpha, uint32_t *count, uint32_t *good) {
  *count = *good = 0;
  if (!reader->raw) return EASEL_TIFF_BAD_DATA;
  size_t row_bytes = (size_t)reader->columns * (is_wide ? 8 : 4);
  for (; *count < most && reader->row < reader->height; ++*count, reader->row++) {
    uint8_t *place = (uint8_t *)target + *count * stride, *cover = alpha ? alpha + (size_t)*count * reader->columns : NULL;
    bool has_some = false;
    if (reader->is_by_row) {
      easel_tiff_read_row(reader);
      has_some = easel_tiff_convert_row(reader, is_wide, place, cover);
    } else {
      if (reader->row >= reader->raw_end && reader->row >= reader->skips_to) easel_tiff_read_units(reader);
      if (reader->row < reader->raw_end) {
        has_some = easel_tiff_convert_row(reader, is_wide, place, cover);
      } else {
        memset(place, 0, row_bytes);
        if (cover) memset(cover, 0, reader->columns);
      }
    }
    *good += has_some;
  }
  return EASEL_TIFF_OK;
}
