#ifndef EASEL_CODING_H
#define EASEL_CODING_H

#include "CEaselColor.h"

// The luminance of the white of sRGB, which BT.2408 recommends for graphics in pictures of high range.
#define EASEL_WHITE_NITS 203.0
// The luminance of the display on which HLG is assumed to be shown, and the gamma of its OOTF (BT.2100).
#define EASEL_HLG_NITS 1000.0
#define EASEL_HLG_GAMMA 1.2
// Shares of the way from grey to the edge of sRGB: up to the first, colours are kept; the second is the largest that
// the primaries of BT.2020 reach.
#define EASEL_GAMUT_KNEE 0.95
#define EASEL_FARTHEST 2.25

// Everything that follows from a coding.
typedef struct {
  int transfer;
  bool is_high;
  // The luminance that becomes white.
  double peak;
  // The matrix from linear components to those of sRGB.
  double matrix[3][3];
  // The weight of each component in the luminance.
  double weights[3];
} easel_coding_plan;

void easel_coding_prepare(const easel_coding *coding, easel_coding_plan *plan);
bool easel_transfer_is_high(int transfer);
// The light of a signal, in units of the white of sRGB; for HLG the light of the scene, from 0 to 1.
double easel_transfer_to_linear(int transfer, double signal);
double easel_tone_mapped(double light, double peak);
double easel_pressed_share(double share);
void easel_pressed_into_gamut(double rgb[3]);

#endif
