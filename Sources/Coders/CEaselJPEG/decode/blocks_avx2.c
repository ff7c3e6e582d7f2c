#include "parts.h"

#if defined(__x86_64__)
#include "vector_avx2.h"

#include "blocks_vector.h"
#endif
