#define _GNU_SOURCE
#if !__has_include(<libraw/libraw.h>)
#error "Install libraw-dev (Debian, Ubuntu) or LibRaw-devel (Fedora)"
#endif
#include <dlfcn.h>
#include <libraw/libraw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CEaselRaw.h"

// A separate type, so that users see no type of LibRaw.
struct easel_raw_file {
  libraw_data_t *data;
};

static easel_raw_status status_of(int error, char message[EASEL_RAW_MESSAGE_BYTES]) {
  snprintf(message, EASEL_RAW_MESSAGE_BYTES, "%s", libraw_strerror(error));
  switch (error) {
  case LIBRAW_SUCCESS: return EASEL_RAW_OK;
  case LIBRAW_FILE_UNSUPPORTED:
  case LIBRAW_REQUEST_FOR_NONEXISTENT_IMAGE:
  case LIBRAW_NOT_IMPLEMENTED: return EASEL_RAW_UNKNOWN;
  case LIBRAW_UNSUFFICIENT_MEMORY:
  case LIBRAW_TOO_BIG:
  case LIBRAW_MEMPOOL_OVERFLOW: return EASEL_RAW_NO_MEMORY;
  default: return EASEL_RAW_BAD_DATA;
  }
}

// A plain TIFF of a camera or a scanner is none: LibRaw takes some of them.
static bool is_raw(const libraw_data_t *data) {
  return data->idata.raw_count > 0 && (data->idata.dng_version || data->idata.filters || data->idata.is_foveon);
}

easel_raw_status easel_raw_open(
  const uint8_t *bytes, size_t count, easel_raw_file **file, char message[EASEL_RAW_MESSAGE_BYTES]) {
  // Faults of the data are told by the results of functions, and not printed.
  libraw_data_t *data = libraw_init(LIBRAW_OPIONS_NO_DATAERR_CALLBACK | LIBRAW_OPIONS_NO_MEMERR_CALLBACK);
  *file = data ? malloc(sizeof **file) : NULL;
  if (!*file) {
    if (data) libraw_close(data);
    return EASEL_RAW_NO_MEMORY;
  }
  (*file)->data = data;
  easel_raw_status status = status_of(libraw_open_buffer(data, (void *)bytes, count), message);
  if (status == EASEL_RAW_OK && !is_raw(data)) status = EASEL_RAW_UNKNOWN;
  if (status != EASEL_RAW_OK) {
    easel_raw_close(*file);
    *file = NULL;
  }
  return status;
}

void easel_raw_close(easel_raw_file *file) {
  if (!file) return;
  libraw_close(file->data);
  free(file);
}

easel_raw_facts easel_raw_facts_of(const easel_raw_file *file) {
  const libraw_data_t *data = file->data;
  easel_raw_facts facts = {
    .width = data->sizes.width, .height = data->sizes.height, .is_dng = data->idata.dng_version != 0, .orientation = 1};
  switch (data->sizes.flip) {
  case 3: facts.orientation = 3; break;
  case 5: facts.orientation = 8; break;
  case 6: facts.orientation = 6; break;
  default: break;
  }
  snprintf(facts.maker, sizeof facts.maker, "%s", data->idata.make);
  return facts;
}

bool easel_raw_preview(easel_raw_file *file, const uint8_t **bytes, size_t *count) {
  if (libraw_unpack_thumb(file->data) != LIBRAW_SUCCESS) return false;
  const libraw_thumbnail_t *preview = &file->data->thumbnail;
  if (preview->tformat != LIBRAW_THUMBNAIL_JPEG || !preview->thumb || !preview->tlength) return false;
  *bytes = (const uint8_t *)preview->thumb;
  *count = preview->tlength;
  return true;
}

easel_raw_status easel_raw_develop(
  easel_raw_file *file, bool half, easel_raw_picture *picture, char message[EASEL_RAW_MESSAGE_BYTES]) {
  libraw_output_params_t *options = &file->data->params;
  enum { SRGB = 1 };
  options->half_size = half;
  options->use_camera_wb = 1;
  options->output_color = SRGB;
  options->output_bps = 8;
  options->user_flip = 0;
  // The sandbox limits memory.
  options->max_raw_memory_mb = 4096;
  easel_raw_status status = status_of(libraw_unpack(file->data), message);
  if (status == EASEL_RAW_OK) status = status_of(libraw_dcraw_process(file->data), message);
  if (status != EASEL_RAW_OK) return status;
  int error = LIBRAW_SUCCESS;
  libraw_processed_image_t *made = libraw_dcraw_make_mem_image(file->data, &error);
  if (!made) return error ? status_of(error, message) : EASEL_RAW_NO_MEMORY;
  *picture = (easel_raw_picture){
    .owner = made, .bytes = made->data, .count = made->data_size, .width = made->width, .height = made->height};
  if (made->type == LIBRAW_IMAGE_BITMAP && made->bits == 8 && made->colors == 3) return EASEL_RAW_OK;
  easel_raw_free_picture(picture);
  snprintf(message, EASEL_RAW_MESSAGE_BYTES, "it has not three colours");
  return EASEL_RAW_UNKNOWN;
}

void easel_raw_free_picture(easel_raw_picture *picture) {
  if (picture->owner) libraw_dcraw_clear_mem(picture->owner);
  picture->owner = NULL;
}

void easel_raw_use_one_thread(void) {
  // LibRaw brings OpenMP along, which has no header of its own here.
  void (*set_threads)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "omp_set_num_threads");
  if (set_threads) set_threads(1);
}
