#include "reader.h"

static void easel_jpeg_on_error(j_common_ptr info) {
  easel_jpeg_reader *reader = easel_jpeg_reader_of(info);
  info->err->format_message(info, reader->message);
  longjmp(reader->jump, 1);
}

static void easel_jpeg_note_damage(easel_jpeg_reader *reader) {
  if (reader->damage[0]) return;
  j_common_ptr info = (j_common_ptr)&reader->info;
  info->err->format_message(info, reader->damage);
}

static void easel_jpeg_note_loss(easel_jpeg_reader *reader) {
  struct jpeg_decompress_struct *info = &reader->info;
  bool goes_on = info->unread_marker >= JPEG_RST0 && info->unread_marker <= JPEG_RST0 + 7;
  if (reader->has_lost_rows || goes_on || info->input_scan_number > 1 || info->output_height == 0) return;
  reader->has_lost_rows = true;
  reader->lost_row = info->input_iMCU_row * (uint32_t)(info->max_v_samp_factor * info->min_DCT_scaled_size);
}

static bool easel_jpeg_is_arithmetic(const easel_jpeg_reader *reader) { return reader->info.arith_code; }

static void easel_jpeg_on_message(j_common_ptr common, int level) {
  easel_jpeg_reader *reader = easel_jpeg_reader_of(common);
  if (level >= 0) return;
  switch (common->err->msg_code) {
    case JWRN_HUFF_BAD_CODE:
      reader->has_bad_code = true;
      easel_jpeg_note_damage(reader);
      break;
    case JWRN_HIT_MARKER:
      easel_jpeg_note_loss(reader);
      easel_jpeg_note_damage(reader);
      break;
    case JWRN_JPEG_EOF:
      reader->has_ended_early = true;
      // The arithmetic decoder takes missing bytes for zeros without a message.
      if (easel_jpeg_is_arithmetic(reader)) {
        easel_jpeg_note_loss(reader);
        easel_jpeg_note_damage(reader);
      }
      break;
    case JWRN_EXTRANEOUS_DATA:
      // Many programs write stray bytes before a marker, which is harmless. An arithmetic decoder cannot detect bad
      // codes, so there stray bytes are the only sign of damage.
      if (easel_jpeg_is_arithmetic(reader)) easel_jpeg_note_damage(reader);
      break;
    // Only their headers contradict each other; their codes are read all the same.
    case JWRN_BOGUS_PROGRESSION: reader->has_odd_scans = true; break;
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC: easel_jpeg_note_damage(reader); break;
    default: break;
  }
}

static void easel_jpeg_print_nothing(j_common_ptr info) { (void)info; }

void easel_jpeg_reader_listen(easel_jpeg_reader *reader) {
  reader->info.err = jpeg_std_error(&reader->errors);
  reader->info.client_data = reader;
  reader->errors.error_exit = easel_jpeg_on_error;
  reader->errors.emit_message = easel_jpeg_on_message;
  reader->errors.output_message = easel_jpeg_print_nothing;
}
