#include "include/CEaselGIFBaseline.h"
