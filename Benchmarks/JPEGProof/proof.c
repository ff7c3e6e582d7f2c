// Compares the decoder with libjpeg-turbo: every pixel, and the time of both in turn.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>

#include "decoder.h"

typedef struct {
  struct jpeg_error_mgr errors;
  jmp_buf jump;
  int warnings;
} proof_errors;

static void proof_exit(j_common_ptr info) { longjmp(((proof_errors *)info->err)->jump, 1); }
static void proof_message(j_common_ptr info, int level) {
  if (level < 0) ((proof_errors *)info->err)->warnings++;
}

// Decodes as Easel does: to RGBA, with the slow transform and fancy upsampling. Returns the number of warnings, or -1.
static int proof_turbo(const uint8_t *bytes, size_t count, int eighths, uint8_t **pixels, uint32_t *width,
                       uint32_t *height) {
  struct jpeg_decompress_struct info;
  proof_errors errors = {0};
  info.err = jpeg_std_error(&errors.errors);
  errors.errors.error_exit = proof_exit;
  errors.errors.emit_message = proof_message;
  if (setjmp(errors.jump)) {
    jpeg_destroy_decompress(&info);
    return -1;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes, count);
  jpeg_read_header(&info, TRUE);
  info.scale_num = (unsigned)eighths;
  info.scale_denom = 8;
  info.dct_method = JDCT_ISLOW;
  info.out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(&info);
  *width = info.output_width;
  *height = info.output_height;
  size_t stride = 4 * (size_t)info.output_width;
  if (!*pixels) *pixels = calloc(info.output_height, stride);
  while (info.output_scanline < info.output_height) {
    JSAMPROW rows[16];
    for (unsigned i = 0; i < 16; i++) rows[i] = *pixels + (info.output_scanline + i) * stride;
    jpeg_read_scanlines(&info, rows, 16);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return errors.warnings;
}

static easel_jpeg_decoder_status proof_own(const uint8_t *bytes, size_t count, int eighths, uint8_t *pixels,
                                           size_t stride, int threads) {
  easel_jpeg_decoder_status status;
  easel_jpeg_decoder *decoder = easel_jpeg_decoder_create(bytes, count, &status);
  if (!decoder) return status;
  status = easel_jpeg_decoder_pixels(decoder, eighths, bytes, count, pixels, (ptrdiff_t)stride, threads);
  easel_jpeg_decoder_destroy(decoder);
  return status;
}

static double proof_now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int proof_order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double proof_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, proof_order);
  return count & 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static uint8_t *proof_read(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *count = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*count + 1);
  if (fread(bytes, 1, *count, file) != *count) *count = 0;
  fclose(file);
  return bytes;
}

typedef struct {
  double wall, own, process;
} proof_times;

static proof_times proof_times_now(void) {
  return (proof_times){proof_now(CLOCK_MONOTONIC), proof_now(CLOCK_THREAD_CPUTIME_ID),
                       proof_now(CLOCK_PROCESS_CPUTIME_ID)};
}

// The processor time of the thread that took longest, which on a busy machine says more than the time that passed.
static double proof_took(proof_times start, bool by_wall) {
  proof_times now = proof_times_now();
  if (by_wall) return now.wall - start.wall;
  double own = now.own - start.own, other = now.process - start.process - own;
  return own > other ? own : other;
}

// usage: proof [-r ROUNDS] [-t THREADS] [-e EIGHTHS] [-w] [-o own|turbo] FILE ...
//
// Compares the pixels of all files at four scales. With rounds, it also measures both decoders in turn, and prints the
// medians: the processor time of the longest thread, or with -w the time that passed. With -o, it decodes with one of
// them only, so that its instructions can be counted.
int main(int argc, char **argv) {
  int rounds = 0, threads = 1, only = 0, failures = 0, first = 1;
  const char *one = NULL;
  bool by_wall = false;
  for (; first < argc && argv[first][0] == '-'; first++) {
    if (!strcmp(argv[first], "-r")) rounds = atoi(argv[++first]);
    else if (!strcmp(argv[first], "-t")) threads = atoi(argv[++first]);
    else if (!strcmp(argv[first], "-e")) only = atoi(argv[++first]);
    else if (!strcmp(argv[first], "-w")) by_wall = true;
    else if (!strcmp(argv[first], "-o")) one = argv[++first];
  }
  static const int scales[] = {8, 4, 2, 1};
  double *all[4];
  int counts[4] = {0};
  for (int i = 0; i < 4; i++) all[i] = calloc((size_t)argc, sizeof(double));
  for (int i = first; i < argc; i++) {
    size_t count = 0;
    uint8_t *bytes = proof_read(argv[i], &count);
    for (int s = 0; s < 4; s++) {
      int eighths = scales[s];
      if (only && eighths != only) continue;
      uint8_t *expected = NULL;
      uint32_t width = 0, height = 0;
      int warnings = proof_turbo(bytes, count, eighths, &expected, &width, &height);
      size_t stride = 4 * (size_t)width, size = stride * height;
      uint8_t *pixels = calloc(1, size + 1);
      if (one) {
        for (int j = 0; j < rounds; j++) {
          if (!strcmp(one, "own")) proof_own(bytes, count, eighths, pixels, stride, threads);
          else proof_turbo(bytes, count, eighths, &expected, &width, &height);
        }
        continue;
      }
      easel_jpeg_decoder_status status = warnings < 0 ? 1 : proof_own(bytes, count, eighths, pixels, stride, threads);
      if (status != EASEL_JPEG_DECODER_OK || memcmp(pixels, expected, size)) {
        size_t at = 0;
        while (at < size && pixels[at] == expected[at]) at++;
        printf("%s at %d: status %d, warnings %d, differs at %zu,%zu of %ux%u\n", argv[i], eighths, status, warnings,
               at % stride / 4, at / stride, width, height);
        failures++;
      } else if (rounds) {
        double *ratios = calloc((size_t)rounds, sizeof *ratios), *times = calloc((size_t)rounds, sizeof *times);
        for (int j = 0; j < rounds; j++) {
          double took[2];
          for (int k = 0; k < 2; k++) {
            int which = k ^ (j & 1);
            proof_times start = proof_times_now();
            if (which) proof_own(bytes, count, eighths, pixels, stride, threads);
            else proof_turbo(bytes, count, eighths, &expected, &width, &height);
            took[which] = proof_took(start, by_wall);
          }
          ratios[j] = took[1] / took[0];
          times[j] = took[0];
        }
        double ratio = proof_median(ratios, rounds), time = proof_median(times, rounds);
        all[s][counts[s]++] = ratio;
        const char *name = strrchr(argv[i], '/');
        printf("%-44s %ux%u at %d/8: turbo %7.2f ms, ratio %.3f\n", name ? name + 1 : argv[i], width, height, eighths,
               1e3 * time, ratio);
        fflush(stdout);
        free(ratios);
        free(times);
      }
      free(expected);
      free(pixels);
    }
    free(bytes);
  }
  for (int s = 0; s < 4 && rounds; s++) {
    int n = counts[s];
    if (!n) continue;
    double median = proof_median(all[s], n);
    printf("at %d/8 on %d threads: %d files, median %.3f, best %.3f, a tenth above %.3f, worst %.3f\n", scales[s],
           threads, n, median, all[s][0], all[s][n * 9 / 10], all[s][n - 1]);
  }
  printf("%d failures\n", failures);
  return failures != 0;
}
