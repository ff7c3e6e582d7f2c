#ifndef CEASEL_HEIF_INTERNAL_H
#define CEASEL_HEIF_INTERNAL_H

#if !__has_include(<libde265/de265.h>)
#error "Install libde265-dev (Debian, Ubuntu) or libde265-devel (Fedora)"
#endif
#include <libde265/de265.h>

#include "include/CEaselHEIF.h"

// A decoder that allocates memory only for pictures of one form.
typedef struct {
  de265_decoder_context *context;
  easel_heif_form form;
  bool refused;
  // The number of pictures that the decoder holds, and the most that it may hold; 0 for no limit.
  size_t held, most;
} easel_heif_decoder;

easel_heif_status easel_heif_decoder_create(const easel_heif_form *form, int threads, easel_heif_decoder **decoder);
void easel_heif_decoder_destroy(easel_heif_decoder *decoder);
// The picture that is made from the units gets this `number`.
easel_heif_status easel_heif_decoder_push(easel_heif_decoder *decoder, const easel_heif_unit *units, size_t count,
                                          int64_t number);
// Decodes until a picture is complete, or until no unit is left.
easel_heif_status easel_heif_decoder_run(easel_heif_decoder *decoder, const struct de265_image **image);
// Gets the planes of a picture of the right form; another form counts as bad data.
easel_heif_status easel_heif_decoder_planes(const easel_heif_decoder *decoder, const struct de265_image *image,
                                            easel_heif_planes *planes);

static inline size_t easel_heif_bytes(const easel_heif_form *form, int plane) {
  return (plane == 0 ? form->depth : form->chroma_depth) > 8 ? 2 : 1;
}

static inline uint32_t easel_heif_width(const easel_heif_form *form, int plane, uint32_t width) {
  return plane > 0 && (form->chroma == 1 || form->chroma == 2) ? (width + 1) / 2 : width;
}

static inline uint32_t easel_heif_height(const easel_heif_form *form, int plane, uint32_t height) {
  return plane > 0 && form->chroma == 1 ? (height + 1) / 2 : height;
}

#endif
