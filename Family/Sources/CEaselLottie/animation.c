#if !__has_include(<rlottie_capi.h>)
#error "Install librlottie-dev (Debian, Ubuntu) or rlottie-devel (Fedora)"
#endif
#if !__has_include(<zlib.h>)
#error "Install zlib1g-dev (Debian, Ubuntu) or zlib-devel (Fedora)"
#endif
#include <rlottie_capi.h>
#include <stdlib.h>
#include <zlib.h>

#include "CEaselLottie.h"

// A separate type, so that users see no type of rlottie.
struct easel_lottie {
  Lottie_Animation *animation;
};

easel_lottie *easel_lottie_open(const char *text) {
  // Without a key, rlottie keeps no animation for later; the folder of pictures is one that does not exist.
  Lottie_Animation *opened = lottie_animation_from_data(text, "", "/nonexistent/");
  easel_lottie *animation = opened ? malloc(sizeof *animation) : NULL;
  if (animation) animation->animation = opened;
  else if (opened) lottie_animation_destroy(opened);
  return animation;
}

void easel_lottie_close(easel_lottie *animation) {
  if (!animation) return;
  lottie_animation_destroy(animation->animation);
  free(animation);
}

easel_lottie_facts easel_lottie_facts_of(const easel_lottie *animation) {
  easel_lottie_facts facts = {.frames = lottie_animation_get_totalframe(animation->animation)};
  lottie_animation_get_size(animation->animation, &facts.width, &facts.height);
  facts.rate = lottie_animation_get_framerate(animation->animation);
  return facts;
}

void easel_lottie_draw(
  easel_lottie *animation, size_t frame, uint8_t *pixels, size_t stride, size_t columns, size_t rows) {
  lottie_animation_render(animation->animation, frame, (uint32_t *)(void *)pixels, columns, rows, stride);
}

bool easel_lottie_inflate(const uint8_t *bytes, size_t count, uint8_t *target, size_t room) {
  z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)count, .next_out = target, .avail_out = (uInt)room};
  if (count > UINT32_MAX || room > UINT32_MAX || inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  int status = inflate(&stream, Z_FINISH);
  bool is_whole = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return is_whole;
}
