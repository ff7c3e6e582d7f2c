#ifndef EASEL_SVG_FONTS_H
#define EASEL_SVG_FONTS_H

#include <stdbool.h>

// Makes this thread open its fonts anew when it draws text. Returns false where no file can be opened.
bool easel_svg_renew_fonts(void);

#endif
