#ifndef CEASEL_WEBP_BASELINE_H
#define CEASEL_WEBP_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes a WebP from memory with libwebp alone, as its manual says, to RGBA8 rows in an existing buffer; scales it if
// the size differs from that of the picture.
bool easel_baseline_decode_webp(const void *bytes, size_t count, void *target, int width, int height, int is_scaled,
                                int uses_threads);

// The frames of a moving WebP, composed by libwebp's own player.
typedef struct easel_baseline_player easel_baseline_player;

easel_baseline_player *easel_baseline_player_create(const void *bytes, size_t count, int uses_threads);
void easel_baseline_player_destroy(easel_baseline_player *player);
size_t easel_baseline_player_count(const easel_baseline_player *player);
// Returns straight RGBA8 rows without gaps, valid until the next call; null after the last frame.
const uint8_t *easel_baseline_player_next(easel_baseline_player *player);

#endif
