#ifndef EASEL_JPEG_READER_H
#define EASEL_JPEG_READER_H

#include <setjmp.h>
#include <stdio.h>

#if !__has_include(<jpeglib.h>)
#error "Install libjpeg-dev (Debian, Ubuntu) or libjpeg-turbo-devel (Fedora)"
#endif
#include <jpeglib.h>

#include <jerror.h>

#include "decode/take.h"
#include "decode/take_scans.h"
#include "include/CEaselJPEG.h"

// The library hands out at most this many rows at once.
enum { EASEL_JPEG_ROWS = 16 };

// The fields that a second frame header overwrites before the library reports that header as an error.
typedef struct {
  int data_precision, num_components;
  JDIMENSION image_width, image_height;
  boolean progressive_mode, arith_code;
} easel_jpeg_frame;

struct easel_jpeg_reader {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  jmp_buf jump;
  // The number of bytes to skip after those at hand.
  size_t skip;
  bool is_end;
  // Finishing frees what the library knows of the scans, so that is noted before.
  bool has_started, is_finished, needed_no_scan;
  bool is_showing;
  bool has_bad_code, has_ended_early, has_odd_scans;
  // The first row whose data is missing, counted at the decoded size.
  bool has_lost_rows;
  uint32_t lost_row;
  uint64_t progress;
  bool has_frame;
  easel_jpeg_frame frame;
  // Easel's own decoder, and room for the rows that the library reads again if that gives up; the library starts only
  // then.
  easel_jpeg_taken taken;
  uint8_t *dropped;
  easel_jpeg_taken_scans scans;
  // The number of bytes of the file before those that come next.
  size_t position;
  // Rows of grey before they become RGBA, in the library's memory; the library's own conversion is slow.
  uint8_t *gray;
  char message[JMSG_LENGTH_MAX];
  char damage[JMSG_LENGTH_MAX];
};

static inline easel_jpeg_reader *easel_jpeg_reader_of(j_common_ptr info) { return info->client_data; }

// Errors leave through `jump`. Nothing is printed: harmless messages are ignored, others are kept as damage.
void easel_jpeg_reader_listen(easel_jpeg_reader *reader);

#endif
