#ifndef EASEL_CODING_H
#define EASEL_CODING_H

#include "CEaselColor.h"

// The luminance of the white of sRGB, as BT.2408 has it for graphics in pictures of high range.
#define EASEL_WHITE_NITS 203.0
// The display for which HLG is shown, and the gamma of its OOTF by BT.2100.
#define EASEL_HLG_NITS 1000.0
#define EASEL_HLG_GAMMA 1.2
// The share of the way from grey to the edge of sRGB up to which colours are kept, and the largest share that the
// primaries of BT.2020 reach.
#define EASEL_GAMUT_KNEE 0.95
#define EASEL_FARTHEST 2.25

// All that follows from a coding.
typedef struct {
  int transfer;
  bool is_high;
  // The luminance that becomes white.
  double peak;
  // From linear components to those of sRGB.
  double matrix[3][3];
  // The share of each component in the luminance.
  double weights[3];
} easel_coding_plan;

void easel_coding_prepare(const easel_coding *coding, easel_coding_plan *plan);
bool easel_transfer_is_high(int transfer);
// Light in units of the white of sRGB; for HLG the light of the scene from 0 to 1.
double easel_transfer_to_linear(int transfer, double signal);
double easel_tone_mapped(double light, double peak);
double easel_pressed_share(double share);
void easel_pressed_into_gamut(double rgb[3]);

#endif
