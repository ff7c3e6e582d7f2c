#ifndef CEASEL_COLOR_FIXTURES_H
#define CEASEL_COLOR_FIXTURES_H

#include <stddef.h>

// Makes an ICC profile with these primaries (x and y of red, green and blue; NULL for grey), a D65 white point and a
// pure power curve. Writes at most capacity bytes and returns the size of the profile, 0 on failure.
size_t easel_make_icc_profile(const double *primaries, double gamma, void *bytes, size_t capacity);
// Makes an ICC profile of four inks as a lookup table. Writes and returns as above.
size_t easel_make_cmyk_icc_profile(void *bytes, size_t capacity);

#endif
