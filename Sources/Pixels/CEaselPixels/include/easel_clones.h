#ifndef EASEL_CLONES_H
#define EASEL_CLONES_H

// For C targets whose kernels exist at several levels of the processor.

#if defined(__x86_64__)
#define EASEL_AVX2 __attribute__((target("avx2")))
// Compiles one body for the baseline and for AVX2, so that both give the same bits. `linkage` is static, or empty for a
// function that other files call.
#define EASEL_CLONES_OF(linkage, name, parameters, arguments)                                                          \
  static void name##_base parameters { name##_body arguments; }                                                        \
  EASEL_AVX2 static void name##_avx2 parameters { name##_body arguments; }                                             \
  linkage void name parameters {                                                                                       \
    if (easel_pixels_level() >= EASEL_LEVEL_AVX2) {                                                                    \
      name##_avx2 arguments;                                                                                           \
    } else {                                                                                                           \
      name##_base arguments;                                                                                           \
    }                                                                                                                  \
  }
#else
#define EASEL_CLONES_OF(linkage, name, parameters, arguments)                                                          \
  linkage void name parameters { name##_body arguments; }
#endif

#endif
