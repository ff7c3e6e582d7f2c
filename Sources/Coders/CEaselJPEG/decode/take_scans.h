#ifndef EASEL_JPEG_DECODER_TAKE_SCANS_H
#define EASEL_JPEG_DECODER_TAKE_SCANS_H

#include "../include/CEaselJPEG.h"
#include "pass.h"

struct jpeg_decompress_struct;

// A progressive picture whose headers libjpeg-turbo has read, and whose scans are read in its place.
typedef struct {
  // False if libjpeg-turbo is to read the scans.
  bool is_active;
  // The best there are; tests take others.
  easel_jpeg_vectors vectors;
  int eighths;
  // True if a second thread may read some of the codes.
  bool may_relay;
  // Where the codes of the first scan are in the file.
  size_t start;
  easel_jpeg_scans scans;
  // Reads the codes as they arrive, and not all at once in the end.
  bool keeps_levels;
  easel_jpeg_store store;
  easel_jpeg_pass pass;
} easel_jpeg_taken_scans;

// Takes the picture if it can. The bytes of the first scan come next, at this place of the file.
void easel_jpeg_take_scans(easel_jpeg_taken_scans *taken, const struct jpeg_decompress_struct *info, size_t at,
                           int eighths);
// Leaves the picture to libjpeg-turbo, which must begin with the first scan.
void easel_jpeg_leave_scans(easel_jpeg_taken_scans *taken);
// The number of scans that have arrived as a whole.
int easel_jpeg_taken_whole_scans(const easel_jpeg_taken_scans *taken);
// Looks for scans. OK and no longer active if libjpeg-turbo is to go on; the bytes of all scans are needed again.
easel_jpeg_status easel_jpeg_taken_absorb(easel_jpeg_taken_scans *taken, easel_jpeg_input *input, int most_scans);
// Begins to read codes as they arrive; before any were taken in.
easel_jpeg_status easel_jpeg_taken_keep(easel_jpeg_taken_scans *taken);
// Reads some of the codes that have arrived, if it keeps what they tell.
easel_jpeg_status easel_jpeg_taken_read(easel_jpeg_taken_scans *taken, const easel_jpeg_file *file, uint32_t most);
// Restarts the rows.
easel_jpeg_status easel_jpeg_taken_restart(easel_jpeg_taken_scans *taken);
easel_jpeg_status easel_jpeg_taken_scan_rows(easel_jpeg_taken_scans *taken, const easel_jpeg_file *file,
                                             uint8_t *target, ptrdiff_t stride, uint32_t most, uint32_t *count);

#endif
