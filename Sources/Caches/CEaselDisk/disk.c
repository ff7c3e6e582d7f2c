#define _GNU_SOURCE
#include "CEaselDisk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int easel_sqlite_harden(sqlite3 *connection) {
  int persist = 1;
  int status = sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
  if (status != SQLITE_OK) return status;
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
