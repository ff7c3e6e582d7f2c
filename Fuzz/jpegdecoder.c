// Compares the decoder of JPEG with libjpeg-turbo, as the tests of the C code do.
// code: Sources/Coders/CEaselJPEG Sources/Pixels/CEaselPixels
// seeds: jpeg
#include "../Tests/C/jpeg_oracle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  // The file does not say which scale, so its length does.
  bool was_decoded;
  if (!jpeg_decoder_agrees(bytes, count, 1 << (count & 3), 1 << 18, &was_decoded)) abort();
  if (!jpeg_scans_agree(bytes, count, 1 << (count & 3), 1 << 18, &was_decoded)) abort();
  return 0;
}

#include "../Tests/C/jpeg_oracle.c"
#include "../Tests/C/jpeg_scans.c"
