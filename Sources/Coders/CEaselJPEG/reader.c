#include <stdlib.h>
#include <string.h>

#include <CEaselPixels.h>

#include "reader.h"

static void easel_jpeg_source_nothing(j_decompress_ptr info) { (void)info; }

static boolean easel_jpeg_fill(j_decompress_ptr info) {
  static const JOCTET end[] = {0xFF, JPEG_EOI};
  easel_jpeg_reader *reader = easel_jpeg_reader_of((j_common_ptr)info);
  if (!reader->is_end) return FALSE;
  WARNMS(info, JWRN_JPEG_EOF);
  reader->source.next_input_byte = end;
  reader->source.bytes_in_buffer = sizeof end;
  return TRUE;
}

static void easel_jpeg_skip(j_decompress_ptr info, long count) {
  easel_jpeg_reader *reader = easel_jpeg_reader_of((j_common_ptr)info);
  size_t wanted = count > 0 ? (size_t)count : 0, there = reader->source.bytes_in_buffer;
  size_t taken = wanted < there ? wanted : there;
  reader->source.next_input_byte += taken;
  reader->source.bytes_in_buffer -= taken;
  reader->skip += wanted - taken;
}

static void easel_jpeg_keep_frame(easel_jpeg_reader *reader) {
  const struct jpeg_decompress_struct *info = &reader->info;
  easel_jpeg_frame frame = {info->data_precision, info->num_components,   info->image_width,
                            info->image_height,   info->progressive_mode, info->arith_code};
  reader->frame = frame;
  reader->has_frame = true;
}

// Called after every call that may have read markers, because a second frame header may have overwritten these fields,
// which determine the output.
static void easel_jpeg_restore_frame(easel_jpeg_reader *reader) {
  struct jpeg_decompress_struct *info = &reader->info;
  if (!reader->has_frame) return;
  info->data_precision = reader->frame.data_precision;
  info->num_components = reader->frame.num_components;
  info->image_width = reader->frame.image_width;
  info->image_height = reader->frame.image_height;
  info->progressive_mode = reader->frame.progressive_mode;
  info->arith_code = reader->frame.arith_code;
}

static void easel_jpeg_open(easel_jpeg_reader *reader, const easel_jpeg_input *input) {
  reader->source.next_input_byte = input->bytes;
  reader->source.bytes_in_buffer = input->count;
  reader->is_end = input->is_end;
  reader->skip = 0;
}

// Counts the bytes used and forgets the pointer, because the bytes at hand are not valid after the call.
static void easel_jpeg_close(easel_jpeg_reader *reader, easel_jpeg_input *input) {
  const JOCTET *next = reader->source.next_input_byte;
  bool is_inside = input->count > 0 && next >= input->bytes && next <= input->bytes + input->count;
  input->consumed = (ptrdiff_t)((is_inside ? (size_t)(next - input->bytes) : input->count) + reader->skip);
  reader->position += (size_t)input->consumed;
  reader->source.next_input_byte = NULL;
  reader->source.bytes_in_buffer = 0;
  easel_jpeg_restore_frame(reader);
}

static easel_jpeg_status easel_jpeg_failure(const easel_jpeg_reader *reader) {
  switch (reader->errors.msg_code) {
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL: return EASEL_JPEG_UNSUPPORTED;
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE: return EASEL_JPEG_NO_MEMORY;
    default: return EASEL_JPEG_BAD_DATA;
  }
}

easel_jpeg_reader *easel_jpeg_reader_create(void) {
  easel_jpeg_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  struct jpeg_decompress_struct *info = &reader->info;
  easel_jpeg_reader_listen(reader);
  if (setjmp(reader->jump)) {
    free(reader);
    return NULL;
  }
  jpeg_create_decompress(info);
  reader->source.init_source = easel_jpeg_source_nothing;
  reader->source.term_source = easel_jpeg_source_nothing;
  reader->source.fill_input_buffer = easel_jpeg_fill;
  reader->source.skip_input_data = easel_jpeg_skip;
  reader->source.resync_to_restart = jpeg_resync_to_restart;
  info->src = &reader->source;
  return reader;
}

void easel_jpeg_reader_destroy(easel_jpeg_reader *reader) {
  if (!reader) return;
  easel_jpeg_decoder_destroy(reader->taken.decoder);
  easel_jpeg_leave_scans(&reader->scans);
  if (!setjmp(reader->jump)) jpeg_destroy_decompress(&reader->info);
  free(reader);
}

static easel_jpeg_status easel_jpeg_describe(easel_jpeg_reader *reader, easel_jpeg_info *result) {
  struct jpeg_decompress_struct *info = &reader->info;
  result->width = info->image_width;
  result->height = info->image_height;
  result->has_several_scans = jpeg_has_multiple_scans(info);
  switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: result->kind = EASEL_JPEG_GRAY; break;
    case JCS_RGB:
    case JCS_YCbCr: result->kind = EASEL_JPEG_COLOR; break;
    case JCS_CMYK:
    case JCS_YCCK: result->kind = EASEL_JPEG_INKS; break;
    default:
      snprintf(reader->message, sizeof reader->message, "%d components of unknown meaning", info->num_components);
      return EASEL_JPEG_UNSUPPORTED;
  }
  return EASEL_JPEG_OK;
}

easel_jpeg_status easel_jpeg_reader_header(easel_jpeg_reader *reader, easel_jpeg_input *input,
                                           easel_jpeg_info *result) {
  easel_jpeg_open(reader, input);
  if (setjmp(reader->jump)) {
    easel_jpeg_close(reader, input);
    return easel_jpeg_failure(reader);
  }
  bool is_there = jpeg_read_header(&reader->info, TRUE) == JPEG_HEADER_OK;
  if (is_there) easel_jpeg_keep_frame(reader);
  easel_jpeg_close(reader, input);
  return is_there ? easel_jpeg_describe(reader, result) : EASEL_JPEG_NEEDS_BYTES;
}

// Errors leave through `jump`.
static void easel_jpeg_start(easel_jpeg_reader *reader) {
  struct jpeg_decompress_struct *info = &reader->info;
  reader->has_started = true;
  // This reads no input, with one scan or with several.
  jpeg_start_decompress(info);
  if (info->out_color_space != JCS_GRAYSCALE) return;
  size_t count = (size_t)info->output_width * EASEL_JPEG_ROWS;
  reader->gray = info->mem->alloc_large((j_common_ptr)info, JPOOL_IMAGE, count);
}

easel_jpeg_status easel_jpeg_reader_begin(easel_jpeg_reader *reader, int eighths, uint32_t *width,
                                          uint32_t *height) {
  struct jpeg_decompress_struct *info = &reader->info;
  if (setjmp(reader->jump)) return easel_jpeg_failure(reader);
  info->scale_num = (unsigned)eighths;
  info->scale_denom = 8;
  info->dct_method = JDCT_ISLOW;
  info->do_fancy_upsampling = TRUE;
  info->buffered_image = jpeg_has_multiple_scans(info);
  bool is_gray = info->jpeg_color_space == JCS_GRAYSCALE;
  info->out_color_space = info->num_components == 4 ? JCS_CMYK : is_gray ? JCS_GRAYSCALE : JCS_EXT_RGBA;
  jpeg_calc_output_dimensions(info);
  if (info->buffered_image) easel_jpeg_take_scans(&reader->scans, info, reader->position, eighths);
  else easel_jpeg_take(&reader->taken, info, eighths);
  if (!reader->taken.decoder && !reader->scans.is_active) easel_jpeg_start(reader);
  *width = info->output_width;
  *height = info->output_height;
  return EASEL_JPEG_OK;
}

void easel_jpeg_reader_read_ahead(easel_jpeg_reader *reader) {
  if (reader->taken.decoder) easel_jpeg_decoder_read_ahead(reader->taken.decoder);
  reader->scans.may_relay = true;
}

// The number of rows, of those just read, before the first row with missing data.
static uint32_t easel_jpeg_sound_rows(const easel_jpeg_reader *reader, uint32_t count) {
  uint32_t next = reader->info.output_scanline, first = next - count;
  if (!reader->has_lost_rows || reader->lost_row >= next) return count;
  return reader->lost_row > first ? reader->lost_row - first : 0;
}

// Reads at most EASEL_JPEG_ROWS rows; returns none when it needs bytes.
static uint32_t easel_jpeg_some_rows(easel_jpeg_reader *reader, uint8_t *target, ptrdiff_t stride, uint32_t most) {
  struct jpeg_decompress_struct *info = &reader->info;
  JSAMPROW rows[EASEL_JPEG_ROWS];
  uint32_t wanted = most < EASEL_JPEG_ROWS ? most : EASEL_JPEG_ROWS;
  ptrdiff_t width = (ptrdiff_t)info->output_width;
  for (uint32_t i = 0; i < wanted; i++) rows[i] = reader->gray ? reader->gray + i * width : target + i * stride;
  uint32_t count = jpeg_read_scanlines(info, rows, wanted);
  if (reader->gray) easel_gray8_to_rgba8(reader->gray, width, target, stride, info->output_width, count);
  return count;
}

static bool easel_jpeg_rows_are_over(const easel_jpeg_reader *reader) {
  const struct jpeg_decompress_struct *info = &reader->info;
  if (reader->has_lost_rows && info->output_scanline >= reader->lost_row) return true;
  return info->output_scanline >= info->output_height;
}

static bool easel_jpeg_has_rows_to_drop(const easel_jpeg_reader *reader) {
  return reader->info.output_scanline < reader->taken.rows && !easel_jpeg_rows_are_over(reader);
}

// Reads rows again that the decoder gave before it gave up, about as many as `most`; false if bytes for that are missing.
static bool easel_jpeg_drop_rows(easel_jpeg_reader *reader, uint32_t most) {
  struct jpeg_decompress_struct *info = &reader->info;
  size_t stride = 4 * (size_t)info->output_width;
  if (!reader->has_started) easel_jpeg_start(reader);
  for (uint32_t count = 0; count < most && easel_jpeg_has_rows_to_drop(reader);) {
    if (!reader->dropped)
      reader->dropped = info->mem->alloc_large((j_common_ptr)info, JPOOL_IMAGE, stride * EASEL_JPEG_ROWS);
    uint32_t left = reader->taken.rows - info->output_scanline;
    uint32_t got = easel_jpeg_some_rows(reader, reader->dropped, (ptrdiff_t)stride, left);
    if (!got) return false;
    count += got;
  }
  return true;
}

easel_jpeg_status easel_jpeg_reader_rows(easel_jpeg_reader *reader, easel_jpeg_input *input, void *target,
                                         ptrdiff_t stride, uint32_t most, uint32_t *count) {
  *count = 0;
  if (reader->taken.decoder) return easel_jpeg_taken_rows(&reader->taken, input, target, stride, most, count);
  easel_jpeg_open(reader, input);
  if (setjmp(reader->jump)) {
    easel_jpeg_close(reader, input);
    return easel_jpeg_failure(reader);
  }
  bool waits = !easel_jpeg_drop_rows(reader, most), drops = easel_jpeg_has_rows_to_drop(reader);
  while (*count < most && !easel_jpeg_rows_are_over(reader) && !waits && !drops) {
    uint32_t got =
        easel_jpeg_some_rows(reader, (uint8_t *)target + (ptrdiff_t)*count * stride, stride, most - *count);
    waits = got == 0;
    *count += easel_jpeg_sound_rows(reader, got);
  }
  easel_jpeg_close(reader, input);
  if (waits) return EASEL_JPEG_NEEDS_BYTES;
  return easel_jpeg_rows_are_over(reader) ? EASEL_JPEG_ENDED : EASEL_JPEG_OK;
}

// True if the scans so far hold every bit of every coefficient.
static bool easel_jpeg_has_every_bit(const struct jpeg_decompress_struct *info) {
  for (int i = 0; i < info->num_components; i++) {
    // Each component gets its table with its first scan.
    if (!info->comp_info || !info->comp_info[i].quant_table) return false;
    if (!info->progressive_mode) continue;
    // The lowest bit of each coefficient that is known; -1 if none is.
    for (int k = 0; k < DCTSIZE2; k++) {
      if (!info->coef_bits || info->coef_bits[i][k] != 0) return false;
    }
  }
  return true;
}

easel_jpeg_status easel_jpeg_reader_finish(easel_jpeg_reader *reader, easel_jpeg_input *input) {
  if (reader->taken.decoder) return easel_jpeg_taken_end(&reader->taken, input);
  easel_jpeg_open(reader, input);
  if (setjmp(reader->jump)) {
    easel_jpeg_close(reader, input);
    return easel_jpeg_failure(reader);
  }
  bool waits = !easel_jpeg_drop_rows(reader, 1024);
  if (waits || easel_jpeg_has_rows_to_drop(reader)) {
    easel_jpeg_close(reader, input);
    return waits ? EASEL_JPEG_NEEDS_BYTES : EASEL_JPEG_OK;
  }
  if (!reader->is_finished) reader->needed_no_scan = easel_jpeg_has_every_bit(&reader->info);
  bool is_there = jpeg_finish_decompress(&reader->info);
  if (is_there) reader->is_finished = true;
  easel_jpeg_close(reader, input);
  return is_there ? EASEL_JPEG_ENDED : EASEL_JPEG_NEEDS_BYTES;
}

// Looks for scans without reading them.
static easel_jpeg_status easel_jpeg_absorb_scans(easel_jpeg_reader *reader, easel_jpeg_input *input, int most_scans) {
  int before = easel_jpeg_taken_whole_scans(&reader->scans);
  easel_jpeg_status status = easel_jpeg_taken_absorb(&reader->scans, input, most_scans);
  reader->position += (size_t)input->consumed;
  if (!reader->scans.is_active) return status;
  bool has_more = reader->scans.keeps_levels ? input->consumed != 0
                                             : easel_jpeg_taken_whole_scans(&reader->scans) > before;
  if (has_more) reader->progress++;
  return status;
}

easel_jpeg_status easel_jpeg_reader_absorb(easel_jpeg_reader *reader, easel_jpeg_input *input, int most_block_rows,
                                           int most_scans) {
  struct jpeg_decompress_struct *info = &reader->info;
  if (reader->scans.is_active) return easel_jpeg_absorb_scans(reader, input, most_scans);
  easel_jpeg_open(reader, input);
  if (setjmp(reader->jump)) {
    easel_jpeg_close(reader, input);
    return easel_jpeg_failure(reader);
  }
  if (!reader->has_started) easel_jpeg_start(reader);
  easel_jpeg_status status = EASEL_JPEG_OK;
  for (int i = 0; i < most_block_rows && status == EASEL_JPEG_OK; i++) {
    int step = jpeg_consume_input(info);
    if (step == JPEG_SUSPENDED) {
      status = EASEL_JPEG_NEEDS_BYTES;
    } else if (step == JPEG_REACHED_EOI) {
      status = EASEL_JPEG_ENDED;
    } else if (info->input_scan_number > most_scans) {
      status = EASEL_JPEG_TOO_MANY_SCANS;
    } else {
      reader->progress++;
    }
  }
  easel_jpeg_close(reader, input);
  return status;
}

// libjpeg-turbo begins with the first scan.
static void easel_jpeg_note_scans(easel_jpeg_reader *reader) {
  if (!reader->scans.is_active) reader->position = reader->scans.start;
}

easel_jpeg_status easel_jpeg_reader_restart_rows(easel_jpeg_reader *reader) {
  struct jpeg_decompress_struct *info = &reader->info;
  easel_jpeg_input none = {NULL, 0, false, 0};
  if (reader->scans.is_active) {
    easel_jpeg_status status = easel_jpeg_taken_restart(&reader->scans);
    easel_jpeg_note_scans(reader);
    return status;
  }
  easel_jpeg_open(reader, &none);
  if (setjmp(reader->jump)) {
    easel_jpeg_close(reader, &none);
    return easel_jpeg_failure(reader);
  }
  // The previous rows can only be finished between two scans.
  bool is_ready = !reader->is_showing || jpeg_finish_output(info);
  if (is_ready) {
    // Rows of the scan being read would have to wait for its bytes, so show the previous scan, if there is one.
    bool is_over = jpeg_input_complete(info);
    int scan = is_over || info->input_scan_number < 2 ? info->input_scan_number : info->input_scan_number - 1;
    reader->is_showing = jpeg_start_output(info, scan);
  }
  easel_jpeg_close(reader, &none);
  return is_ready && reader->is_showing ? EASEL_JPEG_OK : EASEL_JPEG_NEEDS_BYTES;
}

easel_jpeg_status easel_jpeg_reader_keep_scans(easel_jpeg_reader *reader) {
  return easel_jpeg_taken_keep(&reader->scans);
}

easel_jpeg_status easel_jpeg_reader_read_scans(easel_jpeg_reader *reader, const easel_jpeg_file *file,
                                               int most_block_rows) {
  if (!reader->scans.is_active) return EASEL_JPEG_NEEDS_BYTES;
  easel_jpeg_status status = easel_jpeg_taken_read(&reader->scans, file, (uint32_t)most_block_rows);
  easel_jpeg_note_scans(reader);
  return status;
}

easel_jpeg_status easel_jpeg_reader_scan_rows(easel_jpeg_reader *reader, const easel_jpeg_file *file, void *target,
                                              ptrdiff_t stride, uint32_t most, uint32_t *count) {
  easel_jpeg_input none = {NULL, 0, false, 0};
  *count = 0;
  if (!reader->scans.is_active) return easel_jpeg_reader_rows(reader, &none, target, stride, most, count);
  easel_jpeg_status status = easel_jpeg_taken_scan_rows(&reader->scans, file, target, stride, most, count);
  easel_jpeg_note_scans(reader);
  return status;
}

bool easel_jpeg_reader_is_in_first_scan(const easel_jpeg_reader *reader) {
  if (reader->scans.is_active) return easel_jpeg_taken_whole_scans(&reader->scans) == 0;
  return reader->info.input_scan_number < 2 && !jpeg_input_complete((j_decompress_ptr)&reader->info);
}

uint64_t easel_jpeg_reader_progress(const easel_jpeg_reader *reader) { return reader->progress; }

const char *easel_jpeg_reader_damage(const easel_jpeg_reader *reader) {
  return reader->damage[0] ? reader->damage : NULL;
}

bool easel_jpeg_reader_has_ended_early(const easel_jpeg_reader *reader) { return reader->has_ended_early; }

bool easel_jpeg_reader_has_odd_scans(const easel_jpeg_reader *reader) { return reader->has_odd_scans; }

bool easel_jpeg_reader_needs_no_scan(const easel_jpeg_reader *reader) {
  if (reader->scans.is_active) return easel_jpeg_scans_are_all(&reader->scans.scans);
  return reader->is_finished ? reader->needed_no_scan : easel_jpeg_has_every_bit(&reader->info);
}

bool easel_jpeg_has_own_decoder(void) { return easel_jpeg_best_vectors() != EASEL_JPEG_PLAIN; }

bool easel_jpeg_reader_has_bad_code(const easel_jpeg_reader *reader) { return reader->has_bad_code; }

const char *easel_jpeg_reader_message(const easel_jpeg_reader *reader) { return reader->message; }
