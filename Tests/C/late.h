#ifndef EASEL_TESTS_LATE_H
#define EASEL_TESTS_LATE_H

#include <stdbool.h>
#include <stddef.h>

// A library whose functions take arguments in every way: in registers of both kinds, on the stack, any number of them, and
// a place for a large result.

typedef struct {
  long numbers[4];
  double share;
} late_block;

long late_sum(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);
double late_mean(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j);
late_block late_made(long first, double share);
void late_print(char *target, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
size_t late_length(const char *text);

#endif
