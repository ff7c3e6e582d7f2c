#ifndef EASEL_SVG_SYMBOLS_H
#define EASEL_SVG_SYMBOLS_H

// Returns the address of a function or a value of librsvg, or of a library that comes with it; NULL if there is none.
//
// A program that loads librsvg late, when it first calls one of its functions, cannot refer to its values directly.
void *easel_svg_symbol(const char *name);

#endif
