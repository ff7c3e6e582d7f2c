#include "include/CEaselTestCorpus.h"

static size_t easel_corpus_start(size_t index, size_t length) {
  size_t start = length * index / 4;
  return start < length ? start : length - 1;
}

static size_t easel_corpus_end(size_t index, size_t length) {
  size_t start = easel_corpus_start(index, length), end = length * (index + 1) / 4;
  return end > start ? end : start + 1;
}

void easel_corpus_grid(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t grid[64]) {
  for (size_t cell = 0; cell < 16; cell++) {
    size_t top = easel_corpus_start(cell / 4, height), bottom = easel_corpus_end(cell / 4, height);
    size_t left = easel_corpus_start(cell % 4, width), right = easel_corpus_end(cell % 4, width);
    uint64_t sums[4] = {0};
    for (size_t y = top; y < bottom; y++) {
      const uint8_t *pixel = (const uint8_t *)pixels + (ptrdiff_t)y * stride + 4 * left;
      const uint8_t *end = pixel + 4 * (right - left);
      for (; pixel < end; pixel += 4) {
        unsigned alpha = pixel[3];
        sums[0] += pixel[0] * alpha;
        sums[1] += pixel[1] * alpha;
        sums[2] += pixel[2] * alpha;
        sums[3] += 255 * alpha;
      }
    }
    uint64_t count = 255 * (uint64_t)(bottom - top) * (right - left);
    for (int i = 0; i < 4; i++) grid[4 * cell + i] = (uint8_t)((sums[i] + count / 2) / count);
  }
}
