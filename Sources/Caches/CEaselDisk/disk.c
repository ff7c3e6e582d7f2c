#define _GNU_SOURCE
#include "CEaselDisk.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static sqlite3_vfs plain_vfs;
static pthread_once_t plain_vfs_once = PTHREAD_ONCE_INIT;

// SQLite asks about each folder of a path to resolve links, since the log lies beside the file itself. Folders lead to
// the same files by whatever name, and a last part that is a link does not open: SQLite allows none in a full path.
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
  int status = sqlite3_open_v2(path, connection, flags, plain_vfs.zName);
  if ((status & 0xFF) != SQLITE_CANTOPEN) return status;
  sqlite3_close_v2(*connection);
  return sqlite3_open_v2(path, connection, flags, NULL);
}

int easel_sqlite_harden(sqlite3 *connection) {
  int persist = 1;
  int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
  if (status != SQLITE_OK) return status;
  // Nothing is mapped: a file that somebody cuts short must be an error, not the end of the process.
  sqlite3_int64 mapped = 0;
  status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_MMAP_SIZE, &mapped);
  if (status != SQLITE_OK && status != SQLITE_NOTFOUND) return status;
  status = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
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
  // Two headers of 48 bytes and what is noted of checkpoints; zeros there mean that nobody has made the index yet.
  if (status == SQLITE_OK && region) memset((void *)region, 0, 136);
  file->pMethods->xShmBarrier(file);
  file->pMethods->xShmUnmap(file, 0);
  return status;
}

int easel_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count) {
  // A null pointer would bind NULL, which is not the same as no bytes.
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

int easel_disk_open_unnamed(const char *directory) {
#ifdef O_TMPFILE
  return open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
#else
  errno = EOPNOTSUPP;
  return -1;
#endif
}

int easel_disk_open_for_asking(const char *path) { return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC); }

int easel_disk_name(int descriptor, const char *path) {
  char link[64];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}
