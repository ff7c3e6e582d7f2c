// Whole jobs with the coder's reader and with libjpeg-turbo in turn: from the bytes of a file to 320 pixels, or to all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../../Sources/Coders/CEaselJPEG/reader.h"

typedef struct {
  const uint8_t *bytes;
  size_t count;
  int eighths;
  // The target of the rows: pixels, or averages of boxes.
  bool is_reduced;
  // The bytes of several scans arrive in pieces; then when the last one came.
  bool is_arriving;
  double *last;
  // The vectors that the reader may use at most, and its threads.
  int vectors, threads;
  uint32_t width, height, columns, lines, line;
  uint8_t *pixels;
  uint32_t *sums, *box;
} job;

static clockid_t job_clock = CLOCK_THREAD_CPUTIME_ID;

static double job_time(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double job_now(void) { return job_time(job_clock); }

// The time of this thread, or of another one if that took longer.
static double job_longest(double own, double all) { return all - own > own ? all - own : own; }

static void job_begin(job *job, uint32_t width, uint32_t height) {
  job->width = width;
  job->height = height;
  job->columns = job->is_reduced ? 320 : width;
  job->lines = job->is_reduced ? (uint32_t)((uint64_t)height * 320 / width) : height;
  job->line = 0;
  job->pixels = malloc(4 * (size_t)job->columns * job->lines + 64 * 4 * (size_t)width);
  job->sums = calloc(5 * (size_t)job->columns, sizeof *job->sums);
  job->box = malloc(width * sizeof *job->box);
  for (uint32_t x = 0; x < width; x++) job->box[x] = (uint32_t)((uint64_t)x * job->columns / width);
}

static void job_put(job *job) {
  uint8_t *to = job->pixels + 4 * (size_t)job->columns * job->line;
  for (uint32_t x = 0; x < job->columns; x++) {
    uint32_t *sum = job->sums + 5 * x;
    for (int i = 0; i < 4; i++) to[4 * x + (uint32_t)i] = (uint8_t)(sum[i] / (sum[4] ? sum[4] : 1));
  }
  memset(job->sums, 0, 5 * (size_t)job->columns * sizeof *job->sums);
}

static void job_add(job *job, const uint8_t *row, uint32_t y) {
  uint32_t line = (uint32_t)((uint64_t)y * job->lines / job->height);
  if (line != job->line) job_put(job);
  job->line = line;
  for (uint32_t x = 0; x < job->width; x++, row += 4) {
    uint32_t *sum = job->sums + 5 * job->box[x];
    for (int i = 0; i < 4; i++) sum[i] += row[i];
    sum[4]++;
  }
}

static uint64_t job_end(job *job) {
  if (job->is_reduced) job_put(job);
  uint64_t sum = 0;
  for (size_t i = 0; i < 4 * (size_t)job->columns * job->lines; i += 97) sum = sum * 31 + job->pixels[i];
  free(job->pixels);
  free(job->sums);
  free(job->box);
  return sum;
}

static uint8_t *job_target(const job *job, uint32_t y) {
  size_t stride = 4 * (size_t)job->width;
  return job->pixels + (job->is_reduced ? 4 * (size_t)job->columns * job->lines : stride * y);
}

static void job_read_scans(easel_jpeg_reader *reader, const job *job, size_t count) {
  easel_jpeg_file file = {job->bytes, count, NULL, NULL};
  while (easel_jpeg_reader_read_scans(reader, &file, 8) == EASEL_JPEG_OK) continue;
}

static uint64_t job_own(job job) {
  easel_jpeg_reader *reader = easel_jpeg_reader_create();
  easel_jpeg_input input = {job.bytes, job.count, true, 0};
  easel_jpeg_info info;
  uint32_t width, height, got, y = 0;
  if (easel_jpeg_reader_header(reader, &input, &info) != EASEL_JPEG_OK) exit(1);
  if (easel_jpeg_reader_begin(reader, job.eighths, &width, &height) != EASEL_JPEG_OK) exit(1);
  if (reader->taken.decoder) easel_jpeg_decoder_limit_vectors(reader->taken.decoder, job.vectors);
  if (reader->taken.decoder) easel_jpeg_decoder_begin(reader->taken.decoder, job.eighths);
  if ((int)reader->scans.vectors > job.vectors) reader->scans.vectors = (easel_jpeg_vectors)job.vectors;
  if (job.threads > 1) easel_jpeg_reader_read_ahead(reader);
  job_begin(&job, width, height);
  size_t at = (size_t)input.consumed;
  easel_jpeg_status status = EASEL_JPEG_OK;
  size_t end = job.is_arriving ? 65536 < job.count ? 65536 : job.count : job.count;
  if (info.has_several_scans && job.is_arriving) easel_jpeg_reader_keep_scans(reader);
  while (info.has_several_scans && status != EASEL_JPEG_ENDED) {
    input = (easel_jpeg_input){job.bytes + at, end - at, end == job.count, 0};
    status = easel_jpeg_reader_absorb(reader, &input, 8, 200);
    at += (size_t)input.consumed;
    if (status != EASEL_JPEG_NEEDS_BYTES) continue;
    job_read_scans(reader, &job, end);
    end = job.count - end < 65536 ? job.count : end + 65536;
    if (end == job.count && job.last) *job.last = job_now();
  }
  if (job.is_arriving) job_read_scans(reader, &job, job.count);
  if (info.has_several_scans) easel_jpeg_reader_restart_rows(reader);
  easel_jpeg_file file = {job.bytes, job.count, NULL, NULL};
  for (status = EASEL_JPEG_OK; status == EASEL_JPEG_OK && y < height; y += got) {
    uint32_t most = height - y < 16 ? height - y : 16;
    ptrdiff_t stride = 4 * (ptrdiff_t)width;
    if (info.has_several_scans) {
      status = easel_jpeg_reader_scan_rows(reader, &file, job_target(&job, y), stride, most, &got);
    } else {
      input = (easel_jpeg_input){job.bytes + at, job.count - at, true, 0};
      status = easel_jpeg_reader_rows(reader, &input, job_target(&job, y), stride, most, &got);
      at += (size_t)input.consumed;
    }
    for (uint32_t i = 0; i < got && job.is_reduced; i++)
      job_add(&job, job_target(&job, y) + (ptrdiff_t)i * stride, y + i);
  }
  easel_jpeg_reader_destroy(reader);
  return job_end(&job);
}

static uint64_t job_turbo(job job) {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, job.bytes, job.count);
  jpeg_read_header(&info, TRUE);
  info.scale_num = (unsigned)job.eighths;
  info.scale_denom = 8;
  info.dct_method = JDCT_ISLOW;
  info.out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(&info);
  job_begin(&job, info.output_width, info.output_height);
  while (info.output_scanline < job.height) {
    JSAMPROW rows[16];
    uint32_t y = info.output_scanline;
    for (unsigned i = 0; i < 16; i++) rows[i] = job_target(&job, y) + i * 4 * (size_t)job.width;
    uint32_t got = jpeg_read_scanlines(&info, rows, 16);
    for (uint32_t i = 0; i < got && job.is_reduced; i++) job_add(&job, rows[i], y + i);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return job_end(&job);
}

static int job_order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double job_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, job_order);
  return values[count / 2];
}

static uint8_t *job_read(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  fseek(file, 0, SEEK_END);
  *count = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*count + 1);
  if (fread(bytes, 1, *count, file) != *count) exit(1);
  fclose(file);
  return bytes;
}

// usage: jobs [-a] [-w] [-t THREADS] [-v VECTORS] [-r ROUNDS] [-e EIGHTHS] [-o own|turbo] FILE ...
//
// Makes pictures of 320 pixels, or with -e decodes to all pixels at that scale. Prints the processor time of
// libjpeg-turbo, what the reader takes of it, and whether the results are the same. With -a, the bytes of progressive
// pictures arrive in pieces, and what the reader takes behind the last one is printed too. With -o, it does the job once
// with one of them, and prints the most memory that the process had. With -v 0 the reader uses no vectors, and with -v 1
// those of 128 bits. With -t 2 it uses two threads, and the processor time is that of the one that takes longer; with -w the
// time is that which passes.
int main(int argc, char **argv) {
  int rounds = 5, first = 1, eighths = 0, count = 0, failures = 0, vectors = 2, threads = 1;
  const char *one = NULL;
  bool is_arriving = false;
  double last = 0, late = 0;
  for (; first < argc && argv[first][0] == '-'; first++) {
    if (!strcmp(argv[first], "-r")) rounds = atoi(argv[++first]);
    else if (!strcmp(argv[first], "-e")) eighths = atoi(argv[++first]);
    else if (!strcmp(argv[first], "-v")) vectors = atoi(argv[++first]);
    else if (!strcmp(argv[first], "-t")) threads = atoi(argv[++first]);
    else if (!strcmp(argv[first], "-w")) job_clock = CLOCK_MONOTONIC;
    else if (!strcmp(argv[first], "-a")) is_arriving = true;
    else if (!strcmp(argv[first], "-o")) one = argv[++first];
  }
  double *all = calloc((size_t)argc, sizeof *all), *ratios = calloc((size_t)rounds + 1, sizeof *ratios);
  double *times = calloc((size_t)rounds + 1, sizeof *times);
  for (int i = first; i < argc; i++) {
    job job = {.eighths = eighths ? eighths : 8, .is_reduced = !eighths, .is_arriving = is_arriving, .last = &last,
               .vectors = vectors, .threads = threads};
    job.bytes = job_read(argv[i], &job.count);
    easel_jpeg_reader *reader = easel_jpeg_reader_create();
    easel_jpeg_input input = {job.bytes, job.count, true, 0};
    easel_jpeg_info info;
    easel_jpeg_reader_header(reader, &input, &info);
    easel_jpeg_reader_destroy(reader);
    // As the coder chooses it if speed counts most.
    for (int scale = 4; scale && !eighths; scale /= 2) {
      if (info.width * (uint32_t)scale / 8 >= 480) job.eighths = scale;
    }
    if (one) {
      if (strcmp(one, "own")) job_turbo(job);
      else job_own(job);
      struct rusage use;
      getrusage(RUSAGE_SELF, &use);
      printf("%s with %s: %ld kB, of which %zu are the file\n", argv[i], one, use.ru_maxrss, job.count >> 10);
      continue;
    }
    bool is_same = true;
    for (int j = 0; j < rounds; j++) {
      double took[2];
      uint64_t sums[2];
      for (int k = 0; k < 2; k++) {
        int which = k ^ (j & 1);
        double start = job_now(), both = job_time(CLOCK_PROCESS_CPUTIME_ID);
        sums[which] = which ? job_own(job) : job_turbo(job);
        took[which] = job_now() - start;
        if (job_clock == CLOCK_THREAD_CPUTIME_ID)
          took[which] = job_longest(took[which], job_time(CLOCK_PROCESS_CPUTIME_ID) - both);
        if (which) late = job_now() - last;
      }
      if (sums[0] != sums[1]) is_same = false;
      ratios[j] = took[1] / took[0];
      times[j] = took[0];
    }
    failures += !is_same;
    all[count++] = job_median(ratios, rounds);
    const char *name = strrchr(argv[i], '/');
    double time = job_median(times, rounds);
    printf("%-40s %5.1f MP at %d/8: turbo %7.2f ms, ratio %.3f%s", name ? name + 1 : argv[i],
           1e-6 * info.width * info.height, job.eighths, 1e3 * time, all[count - 1], is_same ? "" : ", DIFFERENT");
    if (is_arriving) printf(", behind the last byte %.3f", late / time);
    printf("\n");
    fflush(stdout);
    free((void *)job.bytes);
  }
  if (count) {
    double median = job_median(all, count);
    printf("%d files, median %.3f, best %.3f, worst %.3f, %d failures\n", count, median, all[0], all[count - 1],
           failures);
  }
  return failures != 0;
}
