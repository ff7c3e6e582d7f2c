#ifndef EASEL_SVG_FONTS_H
#define EASEL_SVG_FONTS_H

#include <stdbool.h>

// Makes this thread open its fonts again when it draws text. Returns false if no file can be opened.
bool easel_svg_renew_fonts(void);

#endif
