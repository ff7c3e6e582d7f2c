#ifndef CEASEL_COLOR_FIXTURES_H
#define CEASEL_COLOR_FIXTURES_H

#include <stddef.h>

// An ICC profile with these primaries (x and y of red, green and blue; NULL for grey), a white of D65 and a pure power
// as its curve. Writes at most capacity bytes and returns how many there are, 0 on failure.
size_t easel_make_icc_profile(const double *primaries, double gamma, void *bytes, size_t capacity);
// An ICC profile of four inks, as a grid of colours. Writes and returns as above.
size_t easel_make_cmyk_icc_profile(void *bytes, size_t capacity);

#endif
