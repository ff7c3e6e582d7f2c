#define _GNU_SOURCE
#include "CEaselDisk.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

static sqlite3_vfs plain_vfs;
static pthread_once_t plain_vfs_once = PTHREAD_ONCE_INIT;

// SQLite resolves the links in a path, because the log must be beside the real file, and for this asks the system about
// each folder. That is not needed here: a link among the folders leads to the same files, and SQLite does not open a
// path that ends in a link if it believes that the path is resolved.
static int full_pathname(sqlite3_vfs *vfs, const char *path, int size, char *full) {
  size_t length = strlen(path);
  if (path[0] != '/' || length >= (size_t)size) return sqlite3_vfs_find("unix")->xFullPathname(vfs, path, size, full);
  memcpy(full, path, length + 1);
  return SQLITE_OK;
}

static void register_plain_vfs(void) {
  sqlite3_vfs *usual = sqlite3_initialize() == SQLITE_OK ? sqlite3_vfs_find("unix") : NULL;
  if (!usual) return;
  plain_vfs = *usual;
  plain_vfs.zName = "easel";
  plain_vfs.xFullPathname = full_pathname;
  sqlite3_vfs_register(&plain_vfs, 0);
}

int easel_sqlite_open(const char *path, sqlite3 **connection, int flags) {
  pthread_once(&plain_vfs_once, register_plain_vfs);
  return sqlite3_open_v2(path, connection, flags, plain_vfs.zName);
}

static int64_t milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// SQLite's own waits grow to a tenth of a second, and connections that ask more often would always come first.
static int wait_for_others(void *context, int count) {
  struct easel_lock_timeout *timeout = context;
  int64_t now = milliseconds_now();
  if (count == 0) timeout->began = now;
  if (now - timeout->began >= timeout->milliseconds) return 0;
  struct timespec step = {0, 100000L << (count < 4 ? count : 4)};
  nanosleep(&step, NULL);
  return 1;
}

void easel_sqlite_set_lock_timeout(sqlite3 *connection, struct easel_lock_timeout *timeout) {
  sqlite3_busy_handler(connection, wait_for_others, timeout);
}

int easel_sqlite_harden(sqlite3 *connection) {
  int persist = 1;
  int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
  // A database in memory has no files, so SQLite does not find any.
  if (status != SQLITE_OK && status != SQLITE_NOTFOUND) return status;
  // SQLite must not map the database: if another program truncates the file, there must be an error, not a crash.
  sqlite3_int64 mapped = 0;
  status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_MMAP_SIZE, &mapped);
  if (status != SQLITE_OK && status != SQLITE_NOTFOUND) return status;
  status = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  if (status != SQLITE_OK) return status;
  // The databases of a cache have no views.
  status = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  if (status != SQLITE_OK) return status;
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

int easel_sqlite_forget_shared_index(sqlite3 *connection) {
  sqlite3_file *file = NULL;
  int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (status != SQLITE_OK) return status;
  if (!file || !file->pMethods || file->pMethods->iVersion < 2) return SQLITE_ERROR;
  void volatile *region = NULL;
  status = file->pMethods->xShmMap(file, 0, 32768, 0, &region);
  // The part consists of two headers of 48 bytes and the notes on checkpoints. If it is zero, the next user rebuilds
  // the index.
  if (status == SQLITE_OK && region) memset((void *)region, 0, 136);
  file->pMethods->xShmBarrier(file);
  file->pMethods->xShmUnmap(file, 0);
  return status;
}

int32_t easel_sqlite_application_id(sqlite3 *connection) {
  static const char mark[16] = "SQLite format 3";
  sqlite3_file *file = NULL;
  unsigned char header[72];
  int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (status != SQLITE_OK || !file || !file->pMethods) return 0;
  if (file->pMethods->xRead(file, header, sizeof(header), 0) != SQLITE_OK) return 0;
  if (memcmp(header, mark, sizeof(mark)) != 0) return 0;
  return (int32_t)((uint32_t)header[68] << 24 | (uint32_t)header[69] << 16 | (uint32_t)header[70] << 8 | header[71]);
}

int easel_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count) {
  // A null pointer would bind NULL, which differs from an empty blob.
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

// The same as in <linux/openat2.h>, which some build machines lack.
struct open_instructions {
  uint64_t flags, mode, resolve;
};
enum { openat2_number = 437, no_magic_links = 2, no_links = 4, below_only = 8 };

static atomic_bool lacks_openat2;

// For systems that cannot open a path without following links: opens one folder after another.
static int open_step_by_step(int directory, const char *path, int flags, int mode) {
  int folder = directory;
  for (;;) {
    const char *slash = strchr(path, '/');
    if (!slash) break;
    char name[256];
    size_t length = (size_t)(slash - path);
    int next = -1;
    if (length < sizeof(name)) {
      memcpy(name, path, length);
      name[length] = 0;
      next = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    } else {
      errno = ENAMETOOLONG;
    }
    int reason = errno;
    if (folder != directory) close(folder);
    errno = reason;
    if (next < 0) return -1;
    folder = next;
    path = slash + 1;
  }
  int descriptor = openat(folder, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
  int reason = errno;
  if (folder != directory) close(folder);
  errno = reason;
  return descriptor;
}

int easel_disk_open_below(int directory, const char *path, int flags, int mode) {
  if (!atomic_load_explicit(&lacks_openat2, memory_order_relaxed)) {
    struct open_instructions how = {(uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC), (uint64_t)mode,
                                    no_links | no_magic_links | below_only};
    long descriptor;
    // The call fails with EAGAIN when someone renames a folder at the same time.
    for (int attempt = 0; attempt < 8; attempt++) {
      descriptor = syscall(openat2_number, directory, path, &how, sizeof(how));
      if (descriptor >= 0 || errno != EAGAIN) break;
    }
    if (descriptor >= 0) return (int)descriptor;
    // Some containers forbid the call completely.
    if (errno != ENOSYS && errno != EPERM && errno != EINVAL && errno != EAGAIN) return -1;
    if (errno == ENOSYS) atomic_store_explicit(&lacks_openat2, true, memory_order_relaxed);
  }
  return open_step_by_step(directory, path, flags, mode);
}

int easel_disk_open_step_by_step(int directory, const char *path, int flags, int mode) {
  return open_step_by_step(directory, path, flags, mode);
}

int easel_disk_open_unnamed(int folder) {
#ifdef O_TMPFILE
  return openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
#else
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int easel_disk_open_folder_below(int directory, const char *path) {
  return easel_disk_open_below(directory, path, O_PATH | O_DIRECTORY, 0);
}

int easel_disk_open_folder(const char *path) {
  return open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int easel_disk_open_for_asking(int directory, const char *name) {
  return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int easel_disk_name(int descriptor, int folder, const char *name) {
  char link[64];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  return linkat(AT_FDCWD, link, folder, name, AT_SYMLINK_FOLLOW);
}
