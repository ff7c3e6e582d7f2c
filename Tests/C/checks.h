#ifndef CHECKS_H
#define CHECKS_H

#include <stdbool.h>
#include <stddef.h>

// Counts a check, and prints it if it fails.
void check(bool holds, const char *what);
// Prints what a check could not see here, and why.
void not_checked(const char *what);
size_t failures(void);
// Prints the counts; returns the exit code.
int report(const char *name);

// Small jobs for the C targets that are no coders.
void check_others(void);

#endif
