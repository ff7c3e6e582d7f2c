#ifndef EASEL_JPEG_DECODER_SCANS_H
#define EASEL_JPEG_DECODER_SCANS_H

#include "decoder.h"
#include "parts.h"

// The scans of a progressive picture, found by their markers before any code is read.

typedef struct {
  // Where its codes are in the file; the end is 0 while they arrive.
  size_t start, end;
  uint32_t restart;
  int count;
  uint8_t components[3];
  // The positions of a block that it tells, and the bit below which it leaves them open, before and after.
  uint8_t first, last, high, low;
  // Of the means by the order of the components, or of the levels of one component.
  easel_jpeg_codes codes[3];
} easel_jpeg_scan;

// The numbers in the header of a scan.
typedef struct {
  int count;
  uint8_t components[3], dc[3], ac[3];
  uint8_t first, last, high, low;
} easel_jpeg_scan_header;

typedef struct {
  // With the tables that the next scan gets.
  easel_jpeg_headers headers;
  easel_jpeg_scan *scans;
  int count, room;
  // The lowest bit of each position that the scans so far tell, by component; -1 if none.
  int8_t lowest[3][64];
  // The number of bytes of the file before those that come next.
  size_t at;
  bool is_between_scans, has_ended;
} easel_jpeg_scans;

// `at` is the place of the first scan's codes.
void easel_jpeg_scans_begin(easel_jpeg_scans *scans, const easel_jpeg_headers *headers, size_t at);
void easel_jpeg_scans_free(easel_jpeg_scans *scans);
// Adds the scan whose codes come next. Not OK if libjpeg-turbo is to decode the picture, because the scan does not
// follow from those before.
easel_jpeg_decoder_status easel_jpeg_scans_add(easel_jpeg_scans *scans, const easel_jpeg_scan_header *header);
// Reads on to the end of the file, of a scan or of the bytes. Damaged if libjpeg-turbo is to decode the picture.
easel_jpeg_decoder_status easel_jpeg_scans_read(easel_jpeg_scans *scans, easel_jpeg_decoder_input *input);
// True if the scans tell every bit.
bool easel_jpeg_scans_are_all(const easel_jpeg_scans *scans);

#endif
