#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#if !__has_include(<dav1d/dav1d.h>)
#error "Install libdav1d-dev (Debian, Ubuntu) or libdav1d-devel (Fedora)"
#endif
#include <dav1d/dav1d.h>
#include <dlfcn.h>

// dav1d prints damage to standard error, and libavif has no setting against that. libavif therefore calls this
// function, which calls dav1d's own function of this name. The symbol is weak: if a program links dav1d statically,
// dav1d's function stays in use.
__attribute__((weak, visibility("default"))) void dav1d_default_settings(Dav1dSettings *settings) {
  void (*original)(Dav1dSettings *) = (void (*)(Dav1dSettings *))dlsym(RTLD_NEXT, "dav1d_default_settings");
  if (!original) return;
  original(settings);
  settings->logger.callback = NULL;
  settings->logger.cookie = NULL;
}
