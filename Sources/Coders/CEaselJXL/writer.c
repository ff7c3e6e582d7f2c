#include "internal.h"

#include <jxl/encode.h>
#include <stdlib.h>
#include <string.h>

struct easel_jxl_writer {
  JxlEncoder *encoder;
  JxlEncoderFrameSettings *settings;
  easel_jxl_threads pool;
  easel_jxl_writing writing;
  easel_jxl_block file;
};

static easel_jxl_written easel_jxl_failure(easel_jxl_writer *writer) {
  switch (JxlEncoderGetError(writer->encoder)) {
    case JXL_ENC_ERR_OOM: return EASEL_JXL_WRITER_NO_MEMORY;
    case JXL_ENC_ERR_JBRD:
    case JXL_ENC_ERR_BAD_INPUT: return EASEL_JXL_WRITER_BAD_JPEG;
    default: return EASEL_JXL_WRITER_FAILED;
  }
}

static easel_jxl_writer *easel_jxl_writer_start(int threads, int effort) {
  easel_jxl_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  easel_jxl_keep_quiet();
  if (easel_jxl_threads_open(&writer->pool, threads)) writer->encoder = JxlEncoderCreate(NULL);
  if (writer->encoder) writer->settings = JxlEncoderFrameSettingsCreate(writer->encoder, NULL);
  if (!writer->settings ||
      JxlEncoderSetParallelRunner(writer->encoder, easel_jxl_run, &writer->pool) != JXL_ENC_SUCCESS ||
      JxlEncoderFrameSettingsSetOption(writer->settings, JXL_ENC_FRAME_SETTING_EFFORT, effort) != JXL_ENC_SUCCESS) {
    easel_jxl_writer_destroy(writer);
    return NULL;
  }
  return writer;
}

// Writes all output that is waiting.
static easel_jxl_written easel_jxl_drain(easel_jxl_writer *writer) {
  easel_jxl_block *file = &writer->file;
  for (;;) {
    if (!easel_jxl_may_go_on(&writer->pool)) return EASEL_JXL_WRITER_STOPPED;
    if (file->room - file->count < 1 << 12 &&
        !easel_jxl_block_reserve(file, file->room ? 2 * file->room : 1 << 16)) {
      return EASEL_JXL_WRITER_NO_MEMORY;
    }
    uint8_t *next = file->bytes + file->count;
    size_t room = file->room - file->count;
    JxlEncoderStatus status = JxlEncoderProcessOutput(writer->encoder, &next, &room);
    file->count = (size_t)(next - file->bytes);
    if (status == JXL_ENC_SUCCESS) return EASEL_JXL_WRITTEN;
    if (status != JXL_ENC_NEED_MORE_OUTPUT) return easel_jxl_failure(writer);
  }
}

static bool easel_jxl_set_colors(easel_jxl_writer *writer, const easel_jxl_writing *writing) {
  if (writing->profile_count) {
    return JxlEncoderSetICCProfile(writer->encoder, writing->profile, writing->profile_count) == JXL_ENC_SUCCESS;
  }
  JxlColorEncoding colors;
  JxlColorEncodingSetToSRGB(&colors, writing->is_gray);
  colors.white_point = (JxlWhitePoint)writing->white;
  colors.primaries = (JxlPrimaries)writing->primaries;
  colors.transfer_function = (JxlTransferFunction)writing->transfer;
  return JxlEncoderSetColorEncoding(writer->encoder, &colors) == JXL_ENC_SUCCESS;
}

static bool easel_jxl_add_blocks(easel_jxl_writer *writer, const easel_jxl_writing *writing) {
  if (!writing->exif_count && !writing->xmp_count) return true;
  if (JxlEncoderUseBoxes(writer->encoder) != JXL_ENC_SUCCESS) return false;
  if (writing->exif_count) {
    // The block begins with the distance to its header.
    uint8_t *exif = calloc(1, writing->exif_count + 4);
    if (!exif) return false;
    memcpy(exif + 4, writing->exif, writing->exif_count);
    bool is_added =
        JxlEncoderAddBox(writer->encoder, "Exif", exif, writing->exif_count + 4, JXL_FALSE) == JXL_ENC_SUCCESS;
    free(exif);
    if (!is_added) return false;
  }
  if (writing->xmp_count &&
      JxlEncoderAddBox(writer->encoder, "xml ", writing->xmp, writing->xmp_count, JXL_FALSE) != JXL_ENC_SUCCESS) {
    return false;
  }
  JxlEncoderCloseBoxes(writer->encoder);
  return true;
}

static bool easel_jxl_describe(easel_jxl_writer *writer, const easel_jxl_writing *writing) {
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = writing->width;
  info.ysize = writing->height;
  info.bits_per_sample = writing->depth;
  info.num_color_channels = writing->is_gray ? 1 : 3;
  info.num_extra_channels = writing->has_alpha ? 1 : 0;
  info.alpha_bits = writing->has_alpha ? writing->depth : 0;
  info.uses_original_profile = writing->is_lossless;
  info.orientation = (JxlOrientation)writing->orientation;
  if (writing->moves) {
    info.have_animation = JXL_TRUE;
    info.animation.tps_numerator = writing->ticks;
    info.animation.tps_denominator = 1;
    info.animation.num_loops = writing->plays;
  }
  JxlEncoderFrameSettings *settings = writer->settings;
  if (JxlEncoderSetBasicInfo(writer->encoder, &info) != JXL_ENC_SUCCESS) return false;
  // More than 12 bits without loss, or large sides, need the level without limits.
  int level = JxlEncoderGetRequiredCodestreamLevel(writer->encoder);
  if (level > 5 && JxlEncoderSetCodestreamLevel(writer->encoder, level) != JXL_ENC_SUCCESS) return false;
  if (!easel_jxl_set_colors(writer, writing) || !easel_jxl_add_blocks(writer, writing)) return false;
  if (writing->is_lossless) {
    return JxlEncoderSetFrameLossless(settings, JXL_TRUE) == JXL_ENC_SUCCESS &&
           JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_KEEP_INVISIBLE, 1) == JXL_ENC_SUCCESS;
  }
  return JxlEncoderSetFrameDistance(settings, writing->distance) == JXL_ENC_SUCCESS;
}

easel_jxl_written easel_jxl_writer_create(const easel_jxl_writing *writing, easel_jxl_writer **made) {
  *made = NULL;
  easel_jxl_writer *writer = easel_jxl_writer_start(writing->threads, writing->effort);
  if (!writer) return EASEL_JXL_WRITER_NO_MEMORY;
  writer->writing = *writing;
  writer->writing.profile = writer->writing.exif = writer->writing.xmp = NULL;
  if (!easel_jxl_describe(writer, writing)) {
    easel_jxl_written status = easel_jxl_failure(writer);
    easel_jxl_writer_destroy(writer);
    return status;
  }
  *made = writer;
  return EASEL_JXL_WRITTEN;
}

easel_jxl_written easel_jxl_writer_pack(const uint8_t *jpeg, size_t count, int effort, int threads,
                                        easel_jxl_check check, void *context, easel_jxl_writer **made) {
  *made = NULL;
  easel_jxl_writer *writer = easel_jxl_writer_start(threads, effort);
  if (!writer) return EASEL_JXL_WRITER_NO_MEMORY;
  writer->pool.check = check;
  writer->pool.context = context;
  easel_jxl_written status = EASEL_JXL_WRITTEN;
  if (JxlEncoderUseContainer(writer->encoder, JXL_TRUE) != JXL_ENC_SUCCESS ||
      JxlEncoderStoreJPEGMetadata(writer->encoder, JXL_TRUE) != JXL_ENC_SUCCESS ||
      JxlEncoderAddJPEGFrame(writer->settings, jpeg, count) != JXL_ENC_SUCCESS) {
    status = easel_jxl_failure(writer);
  } else {
    JxlEncoderCloseInput(writer->encoder);
    status = easel_jxl_drain(writer);
  }
  easel_jxl_threads_rest(&writer->pool);
  writer->pool.check = NULL;
  if (status != EASEL_JXL_WRITTEN) {
    easel_jxl_writer_destroy(writer);
    return status;
  }
  *made = writer;
  return EASEL_JXL_WRITTEN;
}

void easel_jxl_writer_destroy(easel_jxl_writer *writer) {
  if (!writer) return;
  // The encoder owns its settings.
  if (writer->encoder) JxlEncoderDestroy(writer->encoder);
  easel_jxl_threads_close(&writer->pool);
  free(writer->file.bytes);
  free(writer);
}

// Removes the alpha of RGBA, because libjxl accepts none for a picture without alpha.
static uint8_t *easel_jxl_drop_alpha(const uint8_t *pixels, size_t count, size_t bytes_per_component) {
  uint8_t *packed = malloc(count / 4 * 3);
  if (!packed) return NULL;
  // If the compiler knows the size of a copy, it makes no call.
  if (bytes_per_component == 1) {
    for (size_t pixel = 0; pixel < count / 4; pixel++) memcpy(packed + pixel * 3, pixels + pixel * 4, 3);
  } else {
    for (size_t pixel = 0; pixel < count / 8; pixel++) memcpy(packed + pixel * 6, pixels + pixel * 8, 6);
  }
  return packed;
}

easel_jxl_written easel_jxl_writer_add(easel_jxl_writer *writer, const void *pixels, size_t count, uint32_t ticks,
                                       bool is_last, easel_jxl_check check, void *context) {
  const easel_jxl_writing *writing = &writer->writing;
  writer->pool.check = check;
  writer->pool.context = context;
  easel_jxl_written status = EASEL_JXL_WRITTEN;
  JxlPixelFormat form = {writing->is_gray ? 1 : writing->has_alpha ? 4 : 3,
                         writing->is_wide ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  if (writing->moves) {
    JxlFrameHeader header;
    JxlEncoderInitFrameHeader(&header);
    header.duration = ticks;
    if (JxlEncoderSetFrameHeader(writer->settings, &header) != JXL_ENC_SUCCESS) return easel_jxl_failure(writer);
  }
  uint8_t *packed = NULL;
  if (form.num_channels == 3) {
    packed = easel_jxl_drop_alpha(pixels, count, writing->is_wide ? 2 : 1);
    if (!packed) return EASEL_JXL_WRITER_NO_MEMORY;
    pixels = packed;
    count = count / 4 * 3;
  }
  bool is_taken = JxlEncoderAddImageFrame(writer->settings, &form, pixels, count) == JXL_ENC_SUCCESS;
  free(packed);
  if (!is_taken) {
    status = easel_jxl_failure(writer);
  } else {
    if (is_last) JxlEncoderCloseInput(writer->encoder);
    status = easel_jxl_drain(writer);
  }
  easel_jxl_threads_rest(&writer->pool);
  writer->pool.check = NULL;
  return status;
}

const uint8_t *easel_jxl_writer_file(const easel_jxl_writer *writer, size_t *count) {
  *count = writer->file.count;
  return writer->file.bytes;
}
