#include <stdlib.h>

#include "internal.h"

struct easel_heif_picture {
  easel_heif_decoder *decoder;
  easel_heif_planes planes;
};

easel_heif_status easel_heif_picture_decode(const easel_heif_unit *units, size_t count, const easel_heif_form *form,
                                            int threads, easel_heif_picture **made) {
  *made = NULL;
  easel_heif_picture *picture = calloc(1, sizeof *picture);
  if (!picture) return EASEL_HEIF_NO_MEMORY;
  easel_heif_status status = easel_heif_decoder_create(form, threads, &picture->decoder);
  if (status == EASEL_HEIF_OK) status = easel_heif_decoder_push(picture->decoder, units, count, 0);
  if (status == EASEL_HEIF_OK && !de265_isOK(de265_flush_data(picture->decoder->context))) {
    status = EASEL_HEIF_NO_MEMORY;
  }
  const struct de265_image *image = NULL;
  if (status == EASEL_HEIF_OK) status = easel_heif_decoder_run(picture->decoder, &image);
  if (!image) {
    if (status == EASEL_HEIF_OK || status == EASEL_HEIF_DAMAGED) status = EASEL_HEIF_BAD_DATA;
  } else if (status == EASEL_HEIF_OK || status == EASEL_HEIF_DAMAGED) {
    easel_heif_status planes = easel_heif_decoder_planes(picture->decoder, image, &picture->planes);
    if (planes != EASEL_HEIF_OK) status = planes;
  }
  if (status != EASEL_HEIF_OK && status != EASEL_HEIF_DAMAGED) {
    easel_heif_picture_destroy(picture);
    return status;
  }
  *made = picture;
  return status;
}

void easel_heif_picture_planes(const easel_heif_picture *picture, easel_heif_planes *planes) {
  *planes = picture->planes;
}

void easel_heif_picture_destroy(easel_heif_picture *picture) {
  if (!picture) return;
  easel_heif_decoder_destroy(picture->decoder);
  free(picture);
}
