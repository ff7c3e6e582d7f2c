#include "CEaselColor.h"

#if !__has_include(<lcms2.h>)
#error "Install liblcms2-dev (Debian, Ubuntu) or lcms2-devel (Fedora)"
#endif
#include <lcms2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct easel_color_transform {
  cmsContext context;
  cmsHTRANSFORM transform;
  size_t source_bytes, destination_bytes;
  bool fills_alpha;
  uint32_t largest_change;
  // The colours of the 256 grey levels, if the source is 8-bit grey.
  uint8_t *gray_table;
};

static const struct {
  cmsUInt32Number type;
  cmsColorSpaceSignature space;
  size_t bytes;
  bool alpha;
} layouts[] = {
    [EASEL_COLOR_GRAY8] = {TYPE_GRAY_8, cmsSigGrayData, 1, false},
    [EASEL_COLOR_RGB8] = {TYPE_RGB_8, cmsSigRgbData, 3, false},
    [EASEL_COLOR_RGBA8] = {TYPE_RGBA_8, cmsSigRgbData, 4, true},
    [EASEL_COLOR_BGRA8] = {TYPE_BGRA_8, cmsSigRgbData, 4, true},
    [EASEL_COLOR_CMYK8] = {TYPE_CMYK_8, cmsSigCmykData, 4, false},
    [EASEL_COLOR_INVERTED_CMYK8] = {TYPE_CMYK_8_REV, cmsSigCmykData, 4, false},
    [EASEL_COLOR_GRAY16] = {TYPE_GRAY_16, cmsSigGrayData, 2, false},
    [EASEL_COLOR_RGB16] = {TYPE_RGB_16, cmsSigRgbData, 6, false},
    [EASEL_COLOR_RGBA16] = {TYPE_RGBA_16, cmsSigRgbData, 8, true},
};

enum {
  base_flags = cmsFLAGS_NOCACHE | cmsFLAGS_COPY_ALPHA | cmsFLAGS_BLACKPOINTCOMPENSATION,
  exact_flags = base_flags | cmsFLAGS_NOOPTIMIZE,
};

// Unless pixels have 8 bits, Little CMS replaces curves and matrices with a table of grid points, which is wrong by up
// to eight levels in the shadows. 16-bit and grey pixels are therefore computed without such a table. A CMYK profile
// contains a table in any case.
static cmsUInt32Number flags_for(easel_color_layout source) {
  switch (source) {
    case EASEL_COLOR_GRAY8:
    case EASEL_COLOR_GRAY16:
    case EASEL_COLOR_RGB16:
    case EASEL_COLOR_RGBA16: return exact_flags;
    default: return base_flags;
  }
}

// The user data of the context is the message buffer of the caller; it is detached once the transform is made.
static void keep_message(cmsContext context, cmsUInt32Number code, const char *text) {
  (void)code;
  char *message = cmsGetContextUserData(context);
  if (message && !message[0] && text) snprintf(message, EASEL_COLOR_MESSAGE_SIZE, "%s", text);
}

static void ignore_message(cmsContext context, cmsUInt32Number code, const char *text) {
  (void)context, (void)code, (void)text;
}

static cmsHPROFILE make_srgb(cmsContext context, cmsColorSpaceSignature space) {
  if (space == cmsSigRgbData) return cmsCreate_sRGBProfileTHR(context);
  if (space != cmsSigGrayData) return NULL;
  cmsFloat64Number parameters[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  cmsToneCurve *curve = cmsBuildParametricToneCurve(context, 4, parameters);
  if (!curve) return NULL;
  cmsHPROFILE profile = cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve);
  cmsFreeToneCurve(curve);
  return profile;
}

static easel_color_status open_profile(cmsContext context, const easel_color_end *end, cmsHPROFILE *profile) {
  cmsColorSpaceSignature space = layouts[end->layout].space;
  if (end->kind == EASEL_COLOR_SRGB) {
    *profile = make_srgb(context, space);
    return *profile ? EASEL_COLOR_OK : EASEL_COLOR_WRONG_SPACE;
  }
  if (end->count > UINT32_MAX) return EASEL_COLOR_BAD_PROFILE;
  *profile = cmsOpenProfileFromMemTHR(context, end->bytes, (cmsUInt32Number)end->count);
  if (!*profile) return EASEL_COLOR_BAD_PROFILE;
  return cmsGetColorSpace(*profile) == space ? EASEL_COLOR_OK : EASEL_COLOR_WRONG_SPACE;
}

// Measures how much colours change: on a grid through the whole cube, including corners and edges, and in finer steps
// along the greys.
static uint32_t measure_change(cmsContext context, cmsHPROFILE source, cmsHPROFILE destination,
                               cmsColorSpaceSignature space) {
  enum { steps = 9, greys = 65 };
  cmsUInt16Number colors[(steps * steps * steps + greys) * 3], converted[(steps * steps * steps + greys) * 3];
  cmsUInt32Number count = 0, channels = space == cmsSigGrayData ? 1 : 3;
  if (channels == 3) {
    for (int r = 0; r < steps; r++)
      for (int g = 0; g < steps; g++)
        for (int b = 0; b < steps; b++, count++) {
          colors[count * 3] = (cmsUInt16Number)(r * 65535 / (steps - 1));
          colors[count * 3 + 1] = (cmsUInt16Number)(g * 65535 / (steps - 1));
          colors[count * 3 + 2] = (cmsUInt16Number)(b * 65535 / (steps - 1));
        }
  }
  for (int i = 0; i < greys; i++, count++)
    for (cmsUInt32Number c = 0; c < channels; c++)
      colors[count * channels + c] = (cmsUInt16Number)(i * 65535 / (greys - 1));
  cmsUInt32Number type = channels == 1 ? TYPE_GRAY_16 : TYPE_RGB_16;
  cmsHTRANSFORM probe =
      cmsCreateTransformTHR(context, source, type, destination, type, INTENT_PERCEPTUAL, exact_flags);
  if (!probe) return UINT16_MAX;
  cmsDoTransform(probe, colors, converted, count);
  cmsDeleteTransform(probe);
  uint32_t largest = 0;
  for (cmsUInt32Number i = 0; i < count * channels; i++) {
    uint32_t change = (uint32_t)abs((int)colors[i] - (int)converted[i]);
    if (change > largest) largest = change;
  }
  return largest;
}

// Little CMS does not write the alpha of the destination if the source has none.
static void fill_alpha(void *pixels, size_t pixel_bytes, size_t count) {
  if (pixel_bytes == 8) {
    uint16_t *components = pixels;
    for (size_t i = 0; i < count; i++) components[i * 4 + 3] = UINT16_MAX;
  } else {
    uint8_t *components = pixels;
    for (size_t i = 0; i < count; i++) components[i * 4 + 3] = UINT8_MAX;
  }
}

static void compute(const easel_color_transform *transform, const void *source, void *destination, size_t count) {
  cmsDoTransform(transform->transform, source, destination, (cmsUInt32Number)count);
  if (transform->fills_alpha) fill_alpha(destination, transform->destination_bytes, count);
}

static bool make_gray_table(easel_color_transform *transform) {
  uint8_t greys[256];
  for (int i = 0; i < 256; i++) greys[i] = (uint8_t)i;
  uint8_t *table = malloc(256 * transform->destination_bytes);
  if (!table) return false;
  compute(transform, greys, table, 256);
  transform->gray_table = table;
  return true;
}

easel_color_status easel_color_transform_create(const easel_color_end *source, const easel_color_end *destination,
                                                char message[EASEL_COLOR_MESSAGE_SIZE],
                                                easel_color_transform **result) {
  message[0] = 0;
  *result = NULL;
  easel_color_transform *made = calloc(1, sizeof *made);
  cmsContext context = made ? cmsCreateContext(NULL, message) : NULL;
  if (!context) {
    free(made);
    return EASEL_COLOR_FAILED;
  }
  cmsSetLogErrorHandlerTHR(context, keep_message);
  cmsHPROFILE from = NULL, to = NULL;
  easel_color_status status = open_profile(context, source, &from);
  if (status == EASEL_COLOR_OK) status = open_profile(context, destination, &to);
  if (status == EASEL_COLOR_OK) {
    made->transform = cmsCreateTransformTHR(context, from, layouts[source->layout].type, to,
                                            layouts[destination->layout].type, INTENT_PERCEPTUAL, flags_for(source->layout));
    if (!made->transform) status = EASEL_COLOR_FAILED;
  }
  if (status == EASEL_COLOR_OK) {
    cmsColorSpaceSignature space = layouts[source->layout].space;
    bool comparable = space == layouts[destination->layout].space && space != cmsSigCmykData;
    made->largest_change = comparable ? measure_change(context, from, to, space) : UINT16_MAX;
  }
  if (from) cmsCloseProfile(from);
  if (to) cmsCloseProfile(to);
  // The context lives on, but the message buffer of the caller does not.
  cmsSetLogErrorHandlerTHR(context, ignore_message);
  made->context = context;
  if (status != EASEL_COLOR_OK) {
    easel_color_transform_destroy(made);
    return status;
  }
  made->source_bytes = layouts[source->layout].bytes;
  made->destination_bytes = layouts[destination->layout].bytes;
  made->fills_alpha = layouts[destination->layout].alpha && !layouts[source->layout].alpha;
  if (source->layout == EASEL_COLOR_GRAY8 && !make_gray_table(made)) {
    easel_color_transform_destroy(made);
    return EASEL_COLOR_FAILED;
  }
  *result = made;
  return EASEL_COLOR_OK;
}

void easel_color_transform_destroy(easel_color_transform *transform) {
  if (!transform) return;
  free(transform->gray_table);
  if (transform->transform) cmsDeleteTransform(transform->transform);
  cmsDeleteContext(transform->context);
  free(transform);
}

uint32_t easel_color_transform_largest_change(const easel_color_transform *transform) {
  return transform->largest_change;
}

void easel_color_transform_apply(const easel_color_transform *transform, const void *source, void *destination,
                                 size_t pixel_count) {
  const uint8_t *from = source;
  uint8_t *to = destination;
  if (transform->gray_table) {
    size_t bytes = transform->destination_bytes;
    if (bytes == 1) {
      for (size_t i = 0; i < pixel_count; i++) to[i] = transform->gray_table[from[i]];
    } else {
      for (size_t i = 0; i < pixel_count; i++) memcpy(to + i * bytes, transform->gray_table + from[i] * bytes, bytes);
    }
    return;
  }
  enum { most_at_once = 1 << 20 };
  while (pixel_count > 0) {
    size_t count = pixel_count < most_at_once ? pixel_count : most_at_once;
    compute(transform, from, to, count);
    from += count * transform->source_bytes;
    to += count * transform->destination_bytes;
    pixel_count -= count;
  }
}
