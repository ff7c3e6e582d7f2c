#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct easel_heif_movie {
  easel_heif_decoder *decoder;
  bool is_shown;
};

easel_heif_status easel_heif_movie_create(const easel_heif_form *form, size_t most_pictures,
                                          easel_heif_movie **made) {
  *made = NULL;
  easel_heif_movie *movie = calloc(1, sizeof *movie);
  if (!movie) return EASEL_HEIF_NO_MEMORY;
  easel_heif_status status = easel_heif_decoder_create(form, 1, &movie->decoder);
  if (status != EASEL_HEIF_OK) {
    free(movie);
    return status;
  }
  movie->decoder->most = most_pictures;
  *made = movie;
  return EASEL_HEIF_OK;
}

void easel_heif_movie_destroy(easel_heif_movie *movie) {
  if (!movie) return;
  easel_heif_decoder_destroy(movie->decoder);
  free(movie);
}

easel_heif_status easel_heif_movie_push(easel_heif_movie *movie, const easel_heif_unit *units, size_t count,
                                        int64_t number) {
  easel_heif_status status = easel_heif_decoder_push(movie->decoder, units, count, number);
  if (status == EASEL_HEIF_OK) de265_push_end_of_frame(movie->decoder->context);
  return status;
}

easel_heif_status easel_heif_movie_end(easel_heif_movie *movie) {
  return de265_isOK(de265_flush_data(movie->decoder->context)) ? EASEL_HEIF_OK : EASEL_HEIF_NO_MEMORY;
}

easel_heif_status easel_heif_movie_next(easel_heif_movie *movie, easel_heif_planes *planes, int64_t *number) {
  if (movie->is_shown) de265_release_next_picture(movie->decoder->context);
  movie->is_shown = false;
  memset(planes, 0, sizeof *planes);
  const struct de265_image *image = NULL;
  easel_heif_status status = easel_heif_decoder_run(movie->decoder, &image);
  if (!image) return status == EASEL_HEIF_OK || status == EASEL_HEIF_DAMAGED ? EASEL_HEIF_WAITING : status;
  movie->is_shown = true;
  *number = de265_get_image_PTS(image);
  easel_heif_status found = easel_heif_decoder_planes(movie->decoder, image, planes);
  return found == EASEL_HEIF_OK ? status : found;
}
