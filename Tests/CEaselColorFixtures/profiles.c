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
