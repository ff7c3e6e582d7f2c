#include <string.h>

#include "parts.h"

#if defined(__x86_64__)
#include "vector_sse41.h"

#include "blocks_vector.h"
#elif defined(__aarch64__)
#include "vector_neon.h"

#include "blocks_vector.h"
#endif
