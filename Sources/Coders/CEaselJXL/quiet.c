#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

// The reader and the writer call this function, so that a linker takes this file from an archive.
void easel_jxl_keep_quiet(void) {}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments);

// Debian's libjxl prints every kind of damage to standard error, and has no setting against that. It prints only with
// this function. libjxl therefore gets a version that drops its messages and passes all others on. The symbol is weak:
// a program with its own function of this name keeps that.
__attribute__((weak, visibility("default"))) int __vfprintf_chk(FILE *file, int flag, const char *format,
                                                                va_list arguments) {
  Dl_info caller;
  if (file == stderr && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
      strstr(caller.dli_fname, "/libjxl.so")) {
    return 0;
  }
  static int (*original)(FILE *, int, const char *, va_list);
  int (*print)(FILE *, int, const char *, va_list) = __atomic_load_n(&original, __ATOMIC_ACQUIRE);
  if (!print) {
    print = (int (*)(FILE *, int, const char *, va_list))dlsym(RTLD_NEXT, "__vfprintf_chk");
    if (!print) return vfprintf(file, format, arguments);
    __atomic_store_n(&original, print, __ATOMIC_RELEASE);
  }
  return print(file, flag, format, arguments);
}
