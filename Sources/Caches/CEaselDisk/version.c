#include "CEaselDisk.h"

#include <sqlite3.h>

const char *easel_disk_library_version(void) { return sqlite3_libversion(); }
