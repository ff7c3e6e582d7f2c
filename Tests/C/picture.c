#define _GNU_SOURCE
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

size_t bytes_per_pixel(easel_format format) {
  return format == EASEL_FORMAT_GRAY8 ? 1 : format == EASEL_FORMAT_RGBA8 ? 4 : 8;
}

static void map_pages(picture *p, size_t offset) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (p->count + offset + page - 1) / page * page;
  p->mapped = inner + 2 * page;
  p->map = mmap(NULL, p->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p->map == MAP_FAILED || mprotect(p->map, page, PROT_NONE) || mprotect(p->map + page + inner, page, PROT_NONE)) {
    perror("mmap");
    exit(2);
  }
}

static void place(picture *p, size_t offset, int at_end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  map_pages(p, offset);
  p->bytes = at_end ? p->map + p->mapped - page - p->count : p->map + page + offset;
}

static void set_first_row(picture *p) {
  p->first = p->stride < 0 ? p->bytes + (ptrdiff_t)(p->height - 1) * -p->stride : p->bytes;
}

picture random_picture(easel_format format, size_t width, size_t height, noise *n) {
  picture p = {.format = format, .width = width, .height = height};
  size_t row = width * bytes_per_pixel(format), gap = below(n, 3) ? 0 : below(n, 33);
  // Words of 16 bits lie at even addresses, and the end of a page is one.
  if (format == EASEL_FORMAT_RGBA16) gap &= ~(size_t)1;
  p.stride = (ptrdiff_t)(row + gap);
  p.count = (height - 1) * (row + gap) + row;
  size_t offset = below(n, 64);
  if (format == EASEL_FORMAT_RGBA16) offset &= ~(size_t)1;
  place(&p, offset, below(n, 2) == 0);
  if (below(n, 4) == 0) p.stride = -p.stride;
  set_first_row(&p);
  size_t look = below(n, 3), sample = format == EASEL_FORMAT_RGBA16 ? 2 : 1;
  for (size_t i = 0; i < p.count; i++) {
    uint8_t value = (uint8_t)(next(n) >> 32);
    p.bytes[i] = look == 0 ? value : look == 1 ? (value & 128 ? 255 : 0) : value;
  }
  if (look != 2 || format == EASEL_FORMAT_GRAY8) return p;
  for (size_t y = 0; y < height; y++) {
    for (size_t x = 0; x < width; x++) {
      if (below(n, 40)) memset(row_of(&p, y) + (x * 4 + 3) * sample, 255, sample);
    }
  }
  return p;
}

picture copy_of(const picture *other) {
  picture p = *other;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t offset = (size_t)(other->bytes - other->map) - page;
  map_pages(&p, p.mapped - 2 * page - p.count);
  p.bytes = p.map + page + offset;
  memcpy(p.bytes, other->bytes, p.count);
  set_first_row(&p);
  return p;
}

void release(picture *p) {
  munmap(p->map, p->mapped);
  p->map = NULL;
}

uint8_t *row_of(const picture *p, size_t y) { return p->first + (ptrdiff_t)y * p->stride; }
