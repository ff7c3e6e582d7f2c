#include "CEaselColorFixtures.h"

#include <lcms2.h>

size_t easel_make_icc_profile(const double *primaries, double gamma, void *bytes, size_t capacity) {
  cmsContext context = cmsCreateContext(NULL, NULL);
  if (!context) return 0;
  cmsSetLogErrorHandlerTHR(context, NULL);
  cmsUInt32Number count = 0;
  cmsToneCurve *curve = cmsBuildGamma(context, gamma);
  if (curve) {
    cmsHPROFILE profile = NULL;
    if (primaries) {
      cmsCIExyY white = {0.3127, 0.3290, 1};
      cmsCIExyYTRIPLE colors = {{primaries[0], primaries[1], 1}, {primaries[2], primaries[3], 1},
                                {primaries[4], primaries[5], 1}};
      cmsToneCurve *curves[] = {curve, curve, curve};
      profile = cmsCreateRGBProfileTHR(context, &white, &colors, curves);
    } else {
      profile = cmsCreateGrayProfileTHR(context, cmsD50_xyY(), curve);
    }
    if (profile) {
      if (!cmsSaveProfileToMem(profile, NULL, &count) || count > capacity ||
          !cmsSaveProfileToMem(profile, bytes, &count))
        count = 0;
      cmsCloseProfile(profile);
    }
    cmsFreeToneCurve(curve);
  }
  cmsDeleteContext(context);
  return count;
}

// The inks multiply light: this computes the light that white paper reflects through them, in Lab.
static cmsInt32Number sample_inks(const cmsUInt16Number in[], cmsUInt16Number out[], void *cargo) {
  cmsHTRANSFORM to_lab = cargo;
  double paper = 1 - 0.9 * in[3] / 65535.0;
  double rgb[3] = {(1 - 0.95 * in[0] / 65535.0) * paper, (1 - 0.85 * in[1] / 65535.0) * paper,
                   (1 - 0.75 * in[2] / 65535.0) * paper};
  cmsCIELab lab;
  cmsDoTransform(to_lab, rgb, &lab, 1);
  cmsFloat2LabEncoded(out, &lab);
  return TRUE;
}

size_t easel_make_cmyk_icc_profile(void *bytes, size_t capacity) {
  cmsUInt32Number count = 0;
  cmsHPROFILE srgb = cmsCreate_sRGBProfile(), lab = cmsCreateLab4Profile(NULL);
  cmsHTRANSFORM to_lab = cmsCreateTransform(srgb, TYPE_RGB_DBL, lab, TYPE_Lab_DBL, INTENT_RELATIVE_COLORIMETRIC, 0);
  cmsHPROFILE profile = cmsCreateProfilePlaceholder(NULL);
  cmsPipeline *pipeline = cmsPipelineAlloc(NULL, 4, 3);
  cmsStage *grid = cmsStageAllocCLut16bit(NULL, 9, 4, 3, NULL);
  if (to_lab && profile && pipeline && grid && cmsStageSampleCLut16bit(grid, sample_inks, to_lab, 0) &&
      cmsPipelineInsertStage(pipeline, cmsAT_BEGIN, cmsStageAllocToneCurves(NULL, 4, NULL)) &&
      cmsPipelineInsertStage(pipeline, cmsAT_END, grid) &&
      cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(NULL, 3, NULL))) {
    grid = NULL;
    cmsSetProfileVersion(profile, 4.3);
    cmsSetDeviceClass(profile, cmsSigOutputClass);
    cmsSetColorSpace(profile, cmsSigCmykData);
    cmsSetPCS(profile, cmsSigLabData);
    cmsWriteTag(profile, cmsSigMediaWhitePointTag, cmsD50_XYZ());
    if (!cmsWriteTag(profile, cmsSigAToB0Tag, pipeline) || !cmsSaveProfileToMem(profile, NULL, &count) ||
        count > capacity || !cmsSaveProfileToMem(profile, bytes, &count))
      count = 0;
  }
  if (grid) cmsStageFree(grid);
  if (pipeline) cmsPipelineFree(pipeline);
  if (profile) cmsCloseProfile(profile);
  if (to_lab) cmsDeleteTransform(to_lab);
  cmsCloseProfile(srgb);
  cmsCloseProfile(lab);
  return count;
}
