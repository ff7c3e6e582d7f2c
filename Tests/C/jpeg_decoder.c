// Compares the decoder of JPEG with libjpeg-turbo on random pictures, random coefficients and damaged files.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "checks.h"
#include "jpeg_oracle.h"
#include "noise.h"

typedef struct {
  unsigned char *bytes;
  unsigned long count;
} file;

enum { MOST_PIXELS = 1 << 20 };

// Sums that do not fit wrap and saturate as in the vectors of libjpeg-turbo for x86. For other processors, it has vectors
// that do so in other places.
#if defined(__x86_64__)
static const bool has_vast_sums = true;
#else
static const bool has_vast_sums = false;
#endif

static void on_message(j_common_ptr info, int level) { (void)info, (void)level; }

// Some positions of the blocks of a component, and the bit below which the scans so far leave them open; -1 before the
// first.
typedef struct {
  int component, first, last, low;
} band;

enum { MOST_BANDS = 16, MOST_SCANS = 80 };

static size_t make_random_bands(band *bands, int components, noise *n) {
  size_t count = 0;
  // One band of the means of all components, or one of each.
  bool is_together = below(n, 3) != 0;
  for (int i = 0; i < (is_together ? 1 : components); i++) bands[count++] = (band){is_together ? -1 : i, 0, 0, -1};
  for (int i = 0; i < components; i++) {
    for (int first = 1, last; first < 64; first = last + 1) {
      last = below(n, 3) && count < MOST_BANDS - (size_t)(components - i) ? first + (int)below(n, 63) : 63;
      if (last > 63) last = 63;
      bands[count++] = (band){i, first, last, -1};
    }
  }
  return count;
}

// Scans in any order that is allowed. The script must outlive the use of `info`.
static void set_random_scans(struct jpeg_compress_struct *info, jpeg_scan_info *script, noise *n) {
  band bands[MOST_BANDS];
  size_t count = make_random_bands(bands, info->num_components, n), left = count;
  int scans = 0;
  for (; left && scans < MOST_SCANS; scans++) {
    size_t which;
    bool is_free;
    do {
      which = below(n, count);
      is_free = bands[which].low != 0;
      for (size_t i = 0; i < count && bands[which].first; i++) {
        bool is_mean = !bands[i].first && (bands[i].component < 0 || bands[i].component == bands[which].component);
        if (is_mean && bands[i].low < 0) is_free = false;
      }
    } while (!is_free);
    band *next = &bands[which];
    int low = next->low < 0 ? (int)below(n, 4) : next->low - 1;
    jpeg_scan_info *scan = &script[scans];
    memset(scan, 0, sizeof *scan);
    scan->comps_in_scan = next->component < 0 ? info->num_components : 1;
    for (int i = 0; i < scan->comps_in_scan; i++) scan->component_index[i] = next->component < 0 ? i : next->component;
    scan->Ss = next->first;
    scan->Se = next->last;
    scan->Ah = next->low < 0 ? 0 : next->low;
    scan->Al = low;
    next->low = low;
    if (!low) left--;
  }
  info->scan_info = script;
  info->num_scans = scans;
}

static void set_random_options(struct jpeg_compress_struct *info, jpeg_scan_info *script, noise *n) {
  info->optimize_coding = below(n, 2) != 0;
  if (below(n, 3) == 0) info->restart_interval = 1 + (unsigned)below(n, 40);
  if (below(n, 6) == 0) info->restart_in_rows = 1 + (int)below(n, 3);
  if (info->num_components == 3) {
    static const int samplings[][2] = {{1, 1}, {2, 1}, {2, 2}, {2, 2}, {1, 2}, {4, 1}};
    size_t which = below(n, below(n, 4) ? 5 : 6);
    info->comp_info[0].h_samp_factor = samplings[which][0];
    info->comp_info[0].v_samp_factor = samplings[which][1];
  }
  size_t progression = below(n, 4);
  if (progression == 0) jpeg_simple_progression(info);
  else if (progression == 1) set_random_scans(info, script, n);
}

// Smooth, noisy or flat, in patches.
static file random_picture(noise *n) {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  file result = {NULL, 0};
  info.err = jpeg_std_error(&errors);
  errors.emit_message = on_message;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &result.bytes, &result.count);
  info.image_width = 1 + (unsigned)below(n, below(n, 4) ? 120 : 700);
  info.image_height = 1 + (unsigned)below(n, below(n, 4) ? 120 : 300);
  bool is_gray = below(n, 8) == 0;
  info.input_components = is_gray ? 1 : 3;
  info.in_color_space = is_gray ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 1 + (int)below(n, 100), below(n, 2) != 0);
  jpeg_scan_info script[MOST_SCANS];
  set_random_options(&info, script, n);
  jpeg_start_compress(&info, TRUE);
  size_t count = info.image_width * (size_t)info.input_components;
  uint8_t *row = malloc(count);
  size_t kind = below(n, 4), slope = below(n, 5);
  for (unsigned y = 0; row && y < info.image_height; y++) {
    if (y % 32 == 0) kind = below(n, 4);
    for (size_t i = 0; i < count; i++) {
      size_t value = (i / 3 + y) * slope / 2 + i % 3 * 40;
      if (kind == 1) value += below(n, 40);
      if (kind == 2) value = below(n, 256);
      if (kind == 3) value = 77;
      row[i] = (uint8_t)value;
    }
    JSAMPROW rows[] = {row};
    jpeg_write_scanlines(&info, rows, 1);
  }
  free(row);
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return result;
}

// Coefficients and quanta that no picture has, whose sums do not fit, or just fit.
static file random_coefficients(noise *n) {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  file result = {NULL, 0};
  info.err = jpeg_std_error(&errors);
  errors.emit_message = on_message;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &result.bytes, &result.count);
  info.image_width = 1 + (unsigned)below(n, 100);
  info.image_height = 1 + (unsigned)below(n, 60);
  info.input_components = 3;
  info.in_color_space = JCS_YCbCr;
  jpeg_set_defaults(&info);
  unsigned quanta[64];
  size_t most = (size_t)1 << below(n, has_vast_sums ? 16 : 3);
  for (int i = 0; i < 64; i++) quanta[i] = 1 + (unsigned)below(n, most);
  jpeg_add_quant_table(&info, 0, quanta, 100, FALSE);
  jpeg_add_quant_table(&info, 1, quanta, 30, FALSE);
  jpeg_scan_info script[MOST_SCANS];
  set_random_options(&info, script, n);
  info.optimize_coding = TRUE;
  jvirt_barray_ptr arrays[3];
  size_t density = 1 + below(n, 64), top = 1 + below(n, has_vast_sums ? 1023 : 90);
  int h = info.comp_info[0].h_samp_factor, v = info.comp_info[0].v_samp_factor;
  for (int i = 0; i < 3; i++) {
    jpeg_component_info *component = &info.comp_info[i];
    unsigned across = (info.image_width + 8 * (unsigned)h - 1) / (8 * (unsigned)h) * (unsigned)component->h_samp_factor;
    unsigned down = (info.image_height + 8 * (unsigned)v - 1) / (8 * (unsigned)v) * (unsigned)component->v_samp_factor;
    arrays[i] = info.mem->request_virt_barray((j_common_ptr)&info, JPOOL_IMAGE, TRUE, across, down,
                                              (JDIMENSION)component->v_samp_factor);
  }
  jpeg_write_coefficients(&info, arrays);
  for (int i = 0; i < 3; i++) {
    jpeg_component_info *component = &info.comp_info[i];
    unsigned down = (info.image_height + 8 * (unsigned)v - 1) / (8 * (unsigned)v) * (unsigned)component->v_samp_factor;
    for (unsigned y = 0; y < down; y++) {
      JBLOCKARRAY rows = info.mem->access_virt_barray((j_common_ptr)&info, arrays[i], y, 1, TRUE);
      unsigned across =
          (info.image_width + 8 * (unsigned)h - 1) / (8 * (unsigned)h) * (unsigned)component->h_samp_factor;
      for (unsigned x = 0; x < across; x++) {
        size_t end = below(n, 3) ? below(n, 64) : below(n, 4);
        for (size_t k = 0; k <= end; k++) {
          if (k && below(n, density)) continue;
          rows[0][x][below(n, 2) ? k % 8 * 8 + k / 8 : k] = (JCOEF)((int)below(n, 2 * top + 1) - (int)top);
        }
      }
    }
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return result;
}

static void damage(file *f, noise *n) {
  size_t changes = 1 + below(n, 4);
  // Some changes go to the headers, which are short.
  size_t region = below(n, 2) ? f->count : f->count < 700 ? f->count : 700;
  for (size_t i = 0; i < changes; i++) f->bytes[below(n, region)] = (uint8_t)next(n);
  if (below(n, 8) == 0) f->count = 1 + below(n, f->count);
}

static void check_file(const char *what, const file *f, uint64_t seed, int eighths, size_t *decoded) {
  // A copy of its own size, so that a sanitizer sees what is read beyond.
  uint8_t *bytes = malloc(f->count);
  if (!bytes) return;
  memcpy(bytes, f->bytes, f->count);
  bool was_decoded = false, were_scans_decoded = false;
  bool agrees = jpeg_decoder_agrees(bytes, f->count, eighths, MOST_PIXELS, &was_decoded) &&
                jpeg_scans_agree(bytes, f->count, eighths, MOST_PIXELS, &were_scans_decoded);
  free(bytes);
  decoded[0] += was_decoded;
  decoded[1] += agrees && were_scans_decoded;
  if (agrees) return;
  char text[100];
  snprintf(text, sizeof text, "%s of seed %llu at %d eighths is as libjpeg-turbo has it", what,
           (unsigned long long)seed, eighths);
  check(false, text);
}

// usage: jpeg_decoder ROUNDS [SEED]
int main(int argc, char **argv) {
  size_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 60;
  uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  // Of pictures, coefficients and damaged files those of one scan, and of several.
  size_t decoded[3][2] = {{0}};
  static const int scales[] = {8, 4, 2, 1};
  for (uint64_t seed = first; seed < first + rounds; seed++) {
    noise n = noise_of(seed);
    for (int i = 0; i < 8; i++) next(&n);
    int eighths = scales[below(&n, 4)];
    bool has_picture = below(&n, 4) != 0;
    file f = has_picture ? random_picture(&n) : random_coefficients(&n);
    check_file(has_picture ? "a picture" : "a set of coefficients", &f, seed, eighths, decoded[has_picture ? 0 : 1]);
    damage(&f, &n);
    if (has_vast_sums) check_file("a damaged file", &f, seed, eighths, decoded[2]);
    free(f.bytes);
  }
  static const char *const names[] = {"pictures", "sets of coefficients", "damaged files"};
  for (int i = 0; i < 3; i++) {
    printf("jpeg: of %zu rounds %zu %s of one scan and %zu of several were decoded\n", rounds, decoded[i][0], names[i],
           decoded[i][1]);
    size_t least = rounds / (i == 0 ? 6 : i == 1 ? 60 : 200);
    bool takes_usual = decoded[i][0] >= least && decoded[i][1] >= least;
    check(rounds < 60 || (i == 2 && !has_vast_sums) || takes_usual, "the decoder takes the usual files");
  }
  return report("jpeg decoder");
}
