#ifndef CEASEL_PDF_PROGRAM_H
#define CEASEL_PDF_PROGRAM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Files that the libraries of this program can still open when the process can open none.
//
// poppler opens fonts and tables of characters by their paths whenever a page needs them. This target replaces the two
// functions by which it does, fopen and FT_New_Face, for the whole program: so only the program links it. For any other
// path they do what they always did.

// Maps a file into memory; returns false if it cannot. A file that is kept already is not mapped again.
bool easel_kept_file_add(const char *path);

// Keeps all files in a directory and in those below it; a directory that is missing has none.
void easel_kept_file_add_directory(const char *path);

#ifdef __cplusplus
}
#endif

#endif
