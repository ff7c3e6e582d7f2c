#include <stdlib.h>
#include <string.h>

#if __has_include(<openjpeg-2.5/openjpeg.h>)
#include <openjpeg-2.5/openjpeg.h>
#elif __has_include(<openjpeg.h>)
#include <openjpeg.h>
#else
#error "Install libopenjp2-7-dev (Debian, Ubuntu) or openjpeg2-devel (Fedora)"
#endif

#include "CEaselJPEG2000.h"

// The numbers of bytes that OpenJPEG requests at once: of a whole picture, and between the tiles of an area, of most of
// which it needs no more than the head.
#define EASEL_JPEG2000_PIECE (64 << 10)
#define EASEL_JPEG2000_SMALL_PIECE (4 << 10)
#define EASEL_JPEG2000_MESSAGE 200

struct easel_jpeg2000_picture {
  opj_image_t *image;
  bool is_damaged;
  char message[EASEL_JPEG2000_MESSAGE];
};

// The codestream and the position of OpenJPEG in it.
typedef struct {
  const easel_jpeg2000_bytes *bytes;
  size_t place;
  bool has_stopped;
} easel_jpeg2000_source;

static OPJ_SIZE_T easel_jpeg2000_read(void *target, OPJ_SIZE_T count, void *data) {
  easel_jpeg2000_source *source = data;
  size_t left = source->bytes->count - source->place;
  if (left == 0 || count == 0 || source->has_stopped) return (OPJ_SIZE_T)-1;
  if (count > left) count = left;
  count = source->bytes->read(source->bytes->context, source->place, target, count);
  source->has_stopped = count == 0;
  if (source->has_stopped) return (OPJ_SIZE_T)-1;
  source->place += count;
  return count;
}

static OPJ_OFF_T easel_jpeg2000_skip(OPJ_OFF_T count, void *data) {
  easel_jpeg2000_source *source = data;
  if (count < 0) return -1;
  size_t left = source->bytes->count - source->place;
  size_t step = (uint64_t)count > left ? left : (size_t)count;
  source->place += step;
  return step == 0 && count > 0 ? -1 : (OPJ_OFF_T)step;
}

static OPJ_BOOL easel_jpeg2000_seek(OPJ_OFF_T place, void *data) {
  easel_jpeg2000_source *source = data;
  if (place < 0 || (uint64_t)place > source->bytes->count) return OPJ_FALSE;
  source->place = (size_t)place;
  return OPJ_TRUE;
}

// Keeps the first message, on a single line.
static void easel_jpeg2000_note(const char *text, void *data) {
  easel_jpeg2000_picture *picture = data;
  picture->is_damaged = true;
  if (picture->message[0]) return;
  size_t count = 0;
  for (; text[count] && count < EASEL_JPEG2000_MESSAGE - 1; count++) {
    char letter = text[count];
    picture->message[count] = letter >= 32 && letter < 127 ? letter : ' ';
  }
  while (count > 0 && (picture->message[count - 1] == ' ' || picture->message[count - 1] == '.')) count--;
  picture->message[count] = 0;
}

static void easel_jpeg2000_ignore(const char *text, void *data) {
  (void)text;
  (void)data;
}

static bool easel_jpeg2000_has_form(const opj_image_t *image, const easel_jpeg2000_form *form) {
  return image->x0 == form->left && image->y0 == form->top && image->x1 == form->right &&
         image->y1 == form->bottom && image->numcomps == form->components;
}

static bool easel_jpeg2000_is_whole(const easel_jpeg2000_form *form, const easel_jpeg2000_area *area) {
  return area->left == form->left && area->top == form->top && area->right == form->right &&
         area->bottom == form->bottom;
}

static easel_jpeg2000_status easel_jpeg2000_run(opj_codec_t *codec, opj_stream_t *stream,
                                                const easel_jpeg2000_form *form, const easel_jpeg2000_area *area,
                                                uint32_t halvings, bool shows_parts, easel_jpeg2000_picture *picture) {
  opj_set_error_handler(codec, easel_jpeg2000_note, picture);
  opj_set_warning_handler(codec, easel_jpeg2000_note, picture);
  opj_set_info_handler(codec, easel_jpeg2000_ignore, NULL);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  parameters.cp_reduce = halvings;
  if (!opj_setup_decoder(codec, &parameters)) return EASEL_JPEG2000_NO_MEMORY;
  opj_decoder_set_strict_mode(codec, !shows_parts);
  if (!opj_read_header(stream, codec, &picture->image) || !picture->image) return EASEL_JPEG2000_BAD_DATA;
  if (!easel_jpeg2000_has_form(picture->image, form)) return EASEL_JPEG2000_BAD_DATA;
  if (!easel_jpeg2000_is_whole(form, area)) {
    if (area->right > INT32_MAX || area->bottom > INT32_MAX) return EASEL_JPEG2000_BAD_DATA;
    if (!opj_set_decode_area(codec, picture->image, (OPJ_INT32)area->left, (OPJ_INT32)area->top,
                             (OPJ_INT32)area->right, (OPJ_INT32)area->bottom)) {
      return EASEL_JPEG2000_BAD_DATA;
    }
  }
  if (!opj_decode(codec, stream, picture->image)) return EASEL_JPEG2000_BAD_DATA;
  for (uint32_t i = 0; i < picture->image->numcomps; i++) {
    const opj_image_comp_t *component = &picture->image->comps[i];
    if (!component->data || component->w == 0 || component->h == 0) return EASEL_JPEG2000_BAD_DATA;
  }
  return picture->is_damaged ? EASEL_JPEG2000_DAMAGED : EASEL_JPEG2000_OK;
}

easel_jpeg2000_status easel_jpeg2000_picture_decode(const easel_jpeg2000_bytes *bytes, const easel_jpeg2000_form *form,
                                                    const easel_jpeg2000_area *area, uint32_t halvings,
                                                    bool shows_parts, easel_jpeg2000_picture **picture) {
  *picture = calloc(1, sizeof(easel_jpeg2000_picture));
  if (!*picture) return EASEL_JPEG2000_NO_MEMORY;
  easel_jpeg2000_source source = {bytes, 0, false};
  easel_jpeg2000_status status = EASEL_JPEG2000_NO_MEMORY;
  opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_J2K);
  opj_stream_t *stream = opj_stream_create(
      easel_jpeg2000_is_whole(form, area) ? EASEL_JPEG2000_PIECE : EASEL_JPEG2000_SMALL_PIECE, OPJ_TRUE);
  if (codec && stream) {
    opj_stream_set_user_data(stream, &source, NULL);
    opj_stream_set_user_data_length(stream, bytes->count);
    opj_stream_set_read_function(stream, easel_jpeg2000_read);
    opj_stream_set_skip_function(stream, easel_jpeg2000_skip);
    opj_stream_set_seek_function(stream, easel_jpeg2000_seek);
    status = easel_jpeg2000_run(codec, stream, form, area, halvings, shows_parts, *picture);
    if (source.has_stopped) status = EASEL_JPEG2000_STOPPED;
  }
  if (stream) opj_stream_destroy(stream);
  if (codec) opj_destroy_codec(codec);
  return status;
}

bool easel_jpeg2000_picture_plane(const easel_jpeg2000_picture *picture, uint32_t component,
                                  easel_jpeg2000_plane *plane) {
  if (!picture->image || component >= picture->image->numcomps) return false;
  const opj_image_comp_t *found = &picture->image->comps[component];
  if (!found->data) return false;
  *plane = (easel_jpeg2000_plane){found->data, found->w, found->h};
  return true;
}

const char *easel_jpeg2000_picture_message(const easel_jpeg2000_picture *picture) { return picture->message; }

void easel_jpeg2000_picture_destroy(easel_jpeg2000_picture *picture) {
  if (!picture) return;
  if (picture->image) opj_image_destroy(picture->image);
  free(picture);
}

const char *easel_jpeg2000_library_version(void) { return opj_version(); }
