#ifndef EASEL_SVG_SYMBOLS_H
#define EASEL_SVG_SYMBOLS_H

// The address of a function or a value of librsvg, or of a library that it brings along; NULL if there is none.
//
// A program that loads librsvg late, when it calls one of its functions, cannot refer to its values.
void *easel_svg_symbol(const char *name);

#endif
