#include <string.h>

#include "picture.h"

easel_jpeg_vectors easel_jpeg_best_vectors(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return EASEL_JPEG_WIDE;
  return __builtin_cpu_supports("sse4.1") ? EASEL_JPEG_NARROW : EASEL_JPEG_PLAIN;
#elif defined(__aarch64__)
  return EASEL_JPEG_NARROW;
#else
  return EASEL_JPEG_PLAIN;
#endif
}

void easel_jpeg_grid_make(easel_jpeg_grid *grid, const easel_jpeg_headers *headers, int eighths,
                          easel_jpeg_vectors vectors) {
  memset(grid, 0, sizeof *grid);
  grid->headers = headers;
  grid->width = easel_jpeg_parts((uint64_t)headers->width * (uint32_t)eighths, 8);
  grid->height = easel_jpeg_parts((uint64_t)headers->height * (uint32_t)eighths, 8);
  uint32_t h = headers->component[0].h, v = headers->component[0].v;
  grid->columns = easel_jpeg_parts(headers->width, 8 * h);
  grid->rows = easel_jpeg_parts(headers->height, 8 * v);
  grid->group_height = (int)v * eighths;
  // Where the colours are sampled half as often in both directions, larger blocks of theirs do for upsampling.
  bool is_halved = h == 2 && v == 2;
  grid->sizes[0] = eighths;
  grid->sizes[1] = grid->sizes[2] = is_halved && eighths < 8 ? 2 * eighths : eighths;
  bool is_narrow = easel_jpeg_parts((uint64_t)headers->width * (uint32_t)eighths, 16) <= 2;
  if (headers->components == 1) grid->kind = EASEL_JPEG_ROW_GRAY;
  else if (h == 1 && v == 2) grid->kind = eighths == 1 ? EASEL_JPEG_ROW_TALL_PLAIN : EASEL_JPEG_ROW_TALL;
  else if (h == 1 || (is_halved && eighths < 8)) grid->kind = EASEL_JPEG_ROW_SAME;
  else if (is_narrow || eighths == 1) grid->kind = EASEL_JPEG_ROW_WIDE_PLAIN;
  else grid->kind = is_halved ? EASEL_JPEG_ROW_BOTH : EASEL_JPEG_ROW_WIDE;
  for (int i = 0; i < headers->components; i++) {
    int across = headers->component[i].h, down = headers->component[i].v;
    for (int j = 0; j < across * down; j++) {
      int block = grid->blocks++;
      grid->component[block] = i;
      grid->across[block] = j % across;
      grid->down[block] = j / across;
      grid->levels_at[block] = grid->levels;
      grid->lasts_at[block] = grid->lasts;
      grid->levels += grid->sizes[i] == 1 ? 1 : 64;
      grid->lasts += grid->sizes[i] == 1 ? 0 : 1;
    }
  }
  grid->vectors = vectors;
}

void easel_jpeg_grid_keep_levels(easel_jpeg_grid *grid) {
  for (int i = 0; i < grid->blocks; i++) {
    grid->levels_at[i] = 64 * i;
    grid->lasts_at[i] = i;
  }
  grid->levels = 64 * grid->blocks;
  grid->lasts = grid->blocks;
}

easel_jpeg_state easel_jpeg_source_read(easel_jpeg_source *source, uint32_t *count, int16_t *levels, uint8_t *lasts) {
  const easel_jpeg_grid *grid = source->grid;
  uint32_t wanted = *count, restart = grid->headers->restart;
  memset(levels, 0, (size_t)wanted * (size_t)grid->levels * sizeof *levels);
  *count = 0;
  while (*count < wanted) {
    uint32_t some = wanted - *count;
    if (restart && !source->until_restart) {
      easel_jpeg_state state = easel_jpeg_bits_pass(&source->bits, 0xD0 + source->restart);
      if (state != EASEL_JPEG_SOUND) return state;
      source->restart = (source->restart + 1) & 7;
      source->until_restart = restart;
      memset(source->groups.means, 0, sizeof source->groups.means);
    }
    if (restart && some > source->until_restart) some = source->until_restart;
    easel_jpeg_state state = easel_jpeg_groups_read(&source->groups, &source->bits, &some, levels, lasts);
    if (restart) source->until_restart -= some;
    *count += some;
    levels += some * (size_t)grid->levels;
    lasts += some * (size_t)grid->lasts;
    if (state != EASEL_JPEG_SOUND) return state;
  }
  return EASEL_JPEG_SOUND;
}
