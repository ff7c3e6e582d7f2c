#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "picture.h"
#include "take.h"

static void easel_jpeg_take_codes(easel_jpeg_codes *codes, const JHUFF_TBL *table) {
  if (!table) return;
  memcpy(codes->counts, table->bits, sizeof codes->counts);
  memcpy(codes->symbols, table->huffval, sizeof codes->symbols);
  codes->is_there = true;
}

bool easel_jpeg_take_frame(easel_jpeg_headers *headers, const struct jpeg_decompress_struct *info) {
  // Without vectors, libjpeg-turbo may be faster.
  if (easel_jpeg_best_vectors() == EASEL_JPEG_PLAIN) return false;
  int count = info->num_components;
  memset(headers, 0, sizeof *headers);
  bool is_known = count == 1 ? info->jpeg_color_space == JCS_GRAYSCALE : info->jpeg_color_space == JCS_YCbCr;
  if (!is_known || (count != 1 && count != 3) || info->data_precision != 8 || info->arith_code) return false;
  headers->width = info->image_width;
  headers->height = info->image_height;
  headers->restart = info->restart_interval;
  headers->components = count;
  for (int i = 0; i < count; i++) {
    const jpeg_component_info *given = &info->comp_info[i];
    easel_jpeg_component *component = &headers->component[i];
    const JQUANT_TBL *quanta = given->quant_tbl_no >= 0 && given->quant_tbl_no < NUM_QUANT_TBLS
                                   ? info->quant_tbl_ptrs[given->quant_tbl_no]
                                   : NULL;
    if (!quanta) return false;
    component->id = (uint8_t)given->component_id;
    component->h = (uint8_t)given->h_samp_factor;
    component->v = (uint8_t)given->v_samp_factor;
    component->quanta = (uint8_t)i;
    // Of several scans, each has its own tables, and what the library holds of later ones is not defined.
    if (!info->progressive_mode) {
      if ((given->dc_tbl_no | given->ac_tbl_no) & ~3) return false;
      component->dc = (uint8_t)given->dc_tbl_no;
      component->ac = (uint8_t)given->ac_tbl_no;
    }
    memcpy(headers->quanta[i], quanta->quantval, sizeof headers->quanta[i]);
    headers->has_quanta[i] = true;
  }
  for (int i = 0; i < 4; i++) {
    easel_jpeg_take_codes(&headers->dc_codes[i], info->dc_huff_tbl_ptrs[i]);
    easel_jpeg_take_codes(&headers->ac_codes[i], info->ac_huff_tbl_ptrs[i]);
  }
  return easel_jpeg_is_usual(headers);
}

// True if the scan is all of the picture, with the components in order.
static bool easel_jpeg_is_one_scan(const struct jpeg_decompress_struct *info) {
  if (info->progressive_mode || info->comps_in_scan != info->num_components) return false;
  for (int i = 0; i < info->comps_in_scan; i++) {
    if (info->cur_comp_info[i] != &info->comp_info[i]) return false;
  }
  return info->Ss == 0 && info->Se == 63 && info->Ah == 0 && info->Al == 0;
}

void easel_jpeg_take(easel_jpeg_taken *taken, const struct jpeg_decompress_struct *info, int eighths) {
  easel_jpeg_headers headers;
  bool is_scale = eighths == 8 || eighths == 4 || eighths == 2 || eighths == 1;
  if (!is_scale || !easel_jpeg_is_one_scan(info) || !easel_jpeg_take_frame(&headers, info)) return;
  easel_jpeg_decoder_status status;
  taken->decoder = easel_jpeg_decoder_make(&headers, &status);
  if (!taken->decoder || easel_jpeg_decoder_begin(taken->decoder, eighths) == EASEL_JPEG_DECODER_OK) return;
  easel_jpeg_decoder_destroy(taken->decoder);
  taken->decoder = NULL;
}

static easel_jpeg_status easel_jpeg_take_note(easel_jpeg_taken *taken, easel_jpeg_input *input,
                                              easel_jpeg_decoder_status status, ptrdiff_t consumed) {
  if (status == EASEL_JPEG_DECODER_DAMAGED) {
    input->consumed = -(ptrdiff_t)taken->bytes;
    easel_jpeg_decoder_destroy(taken->decoder);
    taken->decoder = NULL;
    return EASEL_JPEG_OK;
  }
  input->consumed = consumed;
  taken->bytes += (size_t)consumed;
  if (status == EASEL_JPEG_DECODER_NEEDS_BYTES) return EASEL_JPEG_NEEDS_BYTES;
  return status == EASEL_JPEG_DECODER_ENDED ? EASEL_JPEG_ENDED : EASEL_JPEG_OK;
}

easel_jpeg_status easel_jpeg_taken_rows(easel_jpeg_taken *taken, easel_jpeg_input *input, uint8_t *target,
                                        ptrdiff_t stride, uint32_t most, uint32_t *count) {
  easel_jpeg_decoder_input own = {input->bytes, input->count, input->is_end, 0};
  easel_jpeg_decoder_status status = easel_jpeg_decoder_rows(taken->decoder, &own, target, stride, most, count);
  taken->rows += *count;
  return easel_jpeg_take_note(taken, input, status, own.consumed);
}

easel_jpeg_status easel_jpeg_taken_end(easel_jpeg_taken *taken, easel_jpeg_input *input) {
  easel_jpeg_decoder_input own = {input->bytes, input->count, input->is_end, 0};
  easel_jpeg_decoder_status status = easel_jpeg_decoder_finish(taken->decoder, &own);
  return easel_jpeg_take_note(taken, input, status, own.consumed);
}
