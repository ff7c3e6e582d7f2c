#include "take_scans.h"

#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include "take.h"

static bool easel_jpeg_take_first_scan(easel_jpeg_scans *scans, const struct jpeg_decompress_struct *info) {
  easel_jpeg_scan_header header = {.count = info->comps_in_scan,
                                   .first = (uint8_t)info->Ss,
                                   .last = (uint8_t)info->Se,
                                   .high = (uint8_t)info->Ah,
                                   .low = (uint8_t)info->Al};
  if (info->Ss < 0 || info->Ss > 63 || info->Se < 0 || info->Se > 63 || info->comps_in_scan > info->num_components)
    return false;
  for (int i = 0; i < info->comps_in_scan; i++) {
    const jpeg_component_info *component = info->cur_comp_info[i];
    if (i && component->component_index <= info->cur_comp_info[i - 1]->component_index) return false;
    if ((component->dc_tbl_no | component->ac_tbl_no) & ~3) return false;
    header.components[i] = (uint8_t)component->component_index;
    header.dc[i] = (uint8_t)component->dc_tbl_no;
    header.ac[i] = (uint8_t)component->ac_tbl_no;
  }
  return easel_jpeg_scans_add(scans, &header) == EASEL_JPEG_DECODER_OK;
}

void easel_jpeg_take_scans(easel_jpeg_taken_scans *taken, const struct jpeg_decompress_struct *info, size_t at,
                           int eighths) {
  easel_jpeg_headers headers;
  bool is_scale = eighths == 8 || eighths == 4 || eighths == 2 || eighths == 1;
  if (!is_scale || !info->progressive_mode || !easel_jpeg_take_frame(&headers, info)) return;
  easel_jpeg_scans_begin(&taken->scans, &headers, at);
  taken->is_active = true;
  taken->vectors = easel_jpeg_best_vectors();
  taken->start = at;
  taken->eighths = eighths;
  if (!easel_jpeg_take_first_scan(&taken->scans, info)) easel_jpeg_leave_scans(taken);
}

void easel_jpeg_leave_scans(easel_jpeg_taken_scans *taken) {
  if (!taken->is_active) return;
  easel_jpeg_pass_free(&taken->pass);
  if (taken->keeps_levels) easel_jpeg_store_free(&taken->store);
  easel_jpeg_scans_free(&taken->scans);
  taken->is_active = taken->keeps_levels = false;
}

int easel_jpeg_taken_whole_scans(const easel_jpeg_taken_scans *taken) {
  int count = taken->scans.count;
  return count && !taken->scans.scans[count - 1].end ? count - 1 : count;
}

easel_jpeg_status easel_jpeg_taken_absorb(easel_jpeg_taken_scans *taken, easel_jpeg_input *input, int most_scans) {
  easel_jpeg_decoder_input own = {input->bytes, input->count, input->is_end, 0};
  size_t before = taken->scans.at;
  easel_jpeg_decoder_status status = easel_jpeg_scans_read(&taken->scans, &own);
  input->consumed = own.consumed;
  if (taken->scans.count > most_scans) return EASEL_JPEG_TOO_MANY_SCANS;
  switch (status) {
    case EASEL_JPEG_DECODER_OK: return EASEL_JPEG_OK;
    case EASEL_JPEG_DECODER_ENDED: return EASEL_JPEG_ENDED;
    case EASEL_JPEG_DECODER_NEEDS_BYTES: return EASEL_JPEG_NEEDS_BYTES;
    default:
      input->consumed = -(ptrdiff_t)(before - taken->start);
      easel_jpeg_leave_scans(taken);
      return EASEL_JPEG_OK;
  }
}

static easel_jpeg_status easel_jpeg_taken_note(easel_jpeg_taken_scans *taken, easel_jpeg_decoder_status status) {
  switch (status) {
    case EASEL_JPEG_DECODER_OK: return EASEL_JPEG_OK;
    case EASEL_JPEG_DECODER_ENDED: return EASEL_JPEG_ENDED;
    case EASEL_JPEG_DECODER_NEEDS_BYTES: return EASEL_JPEG_NEEDS_BYTES;
    case EASEL_JPEG_DECODER_NO_MEMORY: return EASEL_JPEG_NO_MEMORY;
    default: easel_jpeg_leave_scans(taken); return EASEL_JPEG_SCANS_AGAIN;
  }
}

easel_jpeg_status easel_jpeg_taken_keep(easel_jpeg_taken_scans *taken) {
  if (!taken->is_active || taken->keeps_levels) return EASEL_JPEG_OK;
  taken->keeps_levels = true;
  if (!easel_jpeg_store_begin(&taken->store, &taken->scans.headers, taken->vectors)) return EASEL_JPEG_NO_MEMORY;
  return EASEL_JPEG_OK;
}

easel_jpeg_status easel_jpeg_taken_read(easel_jpeg_taken_scans *taken, const easel_jpeg_file *file, uint32_t most) {
  if (!taken->keeps_levels) return EASEL_JPEG_NEEDS_BYTES;
  return easel_jpeg_taken_note(taken, easel_jpeg_store_read(&taken->store, &taken->scans, file, most));
}

easel_jpeg_status easel_jpeg_taken_restart(easel_jpeg_taken_scans *taken) {
  int count = easel_jpeg_taken_whole_scans(taken);
  if (!count && !taken->keeps_levels) return EASEL_JPEG_NEEDS_BYTES;
  if (taken->keeps_levels) count = 0;
  easel_jpeg_pass_free(&taken->pass);
  easel_jpeg_decoder_status status =
      easel_jpeg_pass_begin(&taken->pass, &taken->scans, count, taken->eighths, taken->vectors);
  taken->pass.may_relay = taken->may_relay;
  return easel_jpeg_taken_note(taken, status);
}

easel_jpeg_status easel_jpeg_taken_scan_rows(easel_jpeg_taken_scans *taken, const easel_jpeg_file *file,
                                             uint8_t *target, ptrdiff_t stride, uint32_t most, uint32_t *count) {
  const easel_jpeg_store *store = taken->keeps_levels ? &taken->store : NULL;
  return easel_jpeg_taken_note(
      taken, easel_jpeg_pass_rows(&taken->pass, &taken->scans, store, file, target, stride, most, count));
}
