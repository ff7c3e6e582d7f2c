#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "late.h"

long late_sum(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) {
  return a + b + c + d + e + f + g + h + i + j;
}

double late_mean(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
  return (a + b + c + d + e + f + g + h + i + j) / 10;
}

late_block late_made(long first, double share) {
  return (late_block){{first, first + 1, first + 2, first + 3}, share};
}

void late_print(char *target, size_t room, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(target, room, format, arguments);
  va_end(arguments);
}

size_t late_length(const char *text) { return strlen(text); }
