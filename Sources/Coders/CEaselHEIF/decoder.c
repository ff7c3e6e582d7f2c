#include <stdlib.h>
#include <string.h>

#include "internal.h"

static void easel_heif_give(de265_decoder_context *context, struct de265_image *image, void *data) {
  (void)context;
  easel_heif_decoder *decoder = data;
  if (de265_get_image_plane_user_data(image, 0)) decoder->held--;
  for (int plane = 0; plane < 3; plane++) {
    free(de265_get_image_plane_user_data(image, plane));
    de265_set_image_plane(image, plane, NULL, 0, NULL);
  }
}

static int easel_heif_take(de265_decoder_context *context, struct de265_image_spec *spec, struct de265_image *image,
                           void *data) {
  easel_heif_decoder *decoder = data;
  const easel_heif_form *form = &decoder->form;
  bool is_wide = form->depth > 8 || form->chroma_depth > 8;
  for (int plane = 0; plane < 3; plane++) de265_set_image_plane(image, plane, NULL, 0, NULL);
  if (spec->width <= 0 || spec->height <= 0 || (uint32_t)spec->width != form->stored_width ||
      (uint32_t)spec->height != form->stored_height || (int)de265_get_chroma_format(image) != form->chroma) {
    decoder->refused = true;
    return 0;
  }
  if (decoder->most > 0 && decoder->held >= decoder->most) {
    decoder->refused = true;
    return 0;
  }
  decoder->held++;
  int count = form->chroma == 0 ? 1 : 3;
  for (int plane = 0; plane < count; plane++) {
    // libde265 counts a row in samples. Its vectors may go beyond the end of the last row.
    size_t stride = ((size_t)easel_heif_width(form, plane, form->stored_width) + 63) & ~(size_t)63;
    size_t rows = easel_heif_height(form, plane, form->stored_height);
    size_t bytes = stride * rows * (is_wide ? 2 : 1) + 64;
    void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (!memory) {
      if (plane == 0) decoder->held--;
      easel_heif_give(context, image, data);
      return 0;
    }
    // Pixels that no slice covers become grey, and do not show older content of the memory.
    memset(memory, is_wide ? 2 : 128, bytes);
    de265_set_image_plane(image, plane, memory, (int)stride, memory);
  }
  return 1;
}

easel_heif_status easel_heif_decoder_create(const easel_heif_form *form, int threads, easel_heif_decoder **made) {
  *made = NULL;
  easel_heif_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return EASEL_HEIF_NO_MEMORY;
  decoder->form = *form;
  decoder->context = de265_new_decoder();
  if (!decoder->context) {
    free(decoder);
    return EASEL_HEIF_NO_MEMORY;
  }
  de265_set_verbosity(0);
  struct de265_image_allocation memory = {easel_heif_take, easel_heif_give};
  de265_set_image_allocation_functions(decoder->context, &memory, decoder);
  if (threads > 1) de265_start_worker_threads(decoder->context, threads);
  *made = decoder;
  return EASEL_HEIF_OK;
}

void easel_heif_decoder_destroy(easel_heif_decoder *decoder) {
  if (!decoder) return;
  de265_free_decoder(decoder->context);
  free(decoder);
}

static easel_heif_status easel_heif_status_of(const easel_heif_decoder *decoder, de265_error error) {
  if (decoder->refused) return EASEL_HEIF_BAD_DATA;
  switch (error) {
    case DE265_ERROR_OUT_OF_MEMORY: return EASEL_HEIF_NO_MEMORY;
    case DE265_ERROR_NOT_IMPLEMENTED_YET: return EASEL_HEIF_UNSUPPORTED;
    default: return EASEL_HEIF_BAD_DATA;
  }
}

easel_heif_status easel_heif_decoder_push(easel_heif_decoder *decoder, const easel_heif_unit *units, size_t count,
                                          int64_t number) {
  for (size_t i = 0; i < count; i++) {
    if (units[i].count > INT32_MAX) return EASEL_HEIF_BAD_DATA;
    de265_error error = de265_push_NAL(decoder->context, units[i].bytes, (int)units[i].count, number, NULL);
    if (!de265_isOK(error)) return easel_heif_status_of(decoder, error);
  }
  return EASEL_HEIF_OK;
}

// True for warnings that say nothing about pixels.
static bool easel_heif_is_harmless(de265_error warning) {
  return warning == DE265_OK || warning == DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING ||
         warning == DE265_WARNING_NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM ||
         warning == DE265_WARNING_SPS_MISSING_CANNOT_DECODE_SEI;
}

easel_heif_status easel_heif_decoder_run(easel_heif_decoder *decoder, const struct de265_image **image) {
  easel_heif_status status = EASEL_HEIF_OK;
  int more = 1;
  *image = NULL;
  while (more) {
    if ((*image = de265_peek_next_picture(decoder->context))) break;
    more = 0;
    de265_error error = de265_decode(decoder->context, &more);
    if (error == DE265_ERROR_WAITING_FOR_INPUT_DATA) break;
    if (!de265_isOK(error)) {
      status = easel_heif_status_of(decoder, error);
      if (status == EASEL_HEIF_NO_MEMORY) return status;
      break;
    }
  }
  if (!*image) *image = de265_peek_next_picture(decoder->context);
  for (de265_error warning; (warning = de265_get_warning(decoder->context)) != DE265_OK;) {
    if (!easel_heif_is_harmless(warning) && status == EASEL_HEIF_OK) status = EASEL_HEIF_DAMAGED;
  }
  if (decoder->refused) return EASEL_HEIF_BAD_DATA;
  return *image && status != EASEL_HEIF_OK ? EASEL_HEIF_DAMAGED : status;
}

easel_heif_status easel_heif_decoder_planes(const easel_heif_decoder *decoder, const struct de265_image *image,
                                            easel_heif_planes *planes) {
  const easel_heif_form *form = &decoder->form;
  memset(planes, 0, sizeof *planes);
  if ((int)de265_get_chroma_format(image) != form->chroma) return EASEL_HEIF_BAD_DATA;
  int count = form->chroma == 0 ? 1 : 3;
  for (int plane = 0; plane < count; plane++) {
    int stride = 0;
    const uint8_t *start = de265_get_image_plane(image, plane, &stride);
    int width = de265_get_image_width(image, plane), height = de265_get_image_height(image, plane);
    if (!start || stride <= 0 || width < 0 || height < 0) return EASEL_HEIF_BAD_DATA;
    if ((uint32_t)width < easel_heif_width(form, plane, form->width)) return EASEL_HEIF_BAD_DATA;
    if ((uint32_t)height < easel_heif_height(form, plane, form->height)) return EASEL_HEIF_BAD_DATA;
    if (de265_get_bits_per_pixel(image, plane) != (plane == 0 ? form->depth : form->chroma_depth)) {
      return EASEL_HEIF_BAD_DATA;
    }
    planes->planes[plane] = (uint8_t *)(uintptr_t)start;
    planes->strides[plane] = (size_t)stride;
  }
  planes->width = form->width;
  planes->height = form->height;
  return EASEL_HEIF_OK;
}
