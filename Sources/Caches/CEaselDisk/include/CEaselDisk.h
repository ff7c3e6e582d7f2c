#ifndef EASEL_DISK_H
#define EASEL_DISK_H

#include <fcntl.h>
#if !__has_include(<sqlite3.h>)
#error "Install libsqlite3-dev (Debian, Ubuntu) or sqlite-devel (Fedora)"
#endif
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/// Opens a database like `sqlite3_open_v2`, but does not check each folder on its path. Fails if the database is a
/// link.
int easel_sqlite_open(const char *path, sqlite3 **connection, int flags);

/// The longest time that a connection waits for locks of others, and the start of its current wait.
struct easel_lock_timeout {
  int64_t milliseconds, began;
};

/// Makes a connection wait for locks as `timeout` says. The `timeout` must live as long as the connection.
void easel_sqlite_set_lock_timeout(sqlite3 *connection, struct easel_lock_timeout *timeout);

/// Makes a connection refuse features that a damaged or forged database could misuse.
///
/// When the connection closes, it also keeps the files beside the database, because by then they may belong to another
/// database of the same name.
int easel_sqlite_harden(sqlite3 *connection);

/// Clears the shared index of a log, so that its next user rebuilds it. The connection must not have run a statement
/// before.
int easel_sqlite_forget_shared_index(sqlite3 *connection);

/// The application id in the header of the database file, without looking in its log; 0 when the file has no such
/// header.
int32_t easel_sqlite_application_id(sqlite3 *connection);

/// Binds bytes that must stay where they are until the statement is reset.
int easel_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

/// Opens a file by its path below a directory; no part of the path may be a link. Sets `errno` on failure.
int easel_disk_open_below(int directory, const char *path, int flags, int mode);

/// Does the same as `easel_disk_open_below`, for systems without a system call for that.
int easel_disk_open_step_by_step(int directory, const char *path, int flags, int mode);

/// Opens an unnamed file in a folder; sets `errno` on failure.
int easel_disk_open_unnamed(int folder);

/// Opens a folder so that files below it can be opened; a link is refused. Sets `errno` on failure.
int easel_disk_open_folder(const char *path);

/// Does the same as `easel_disk_open_folder`, for a folder below a directory; no part of the path may be a link.
int easel_disk_open_folder_below(int directory, const char *path);

/// Opens a file only for queries about its properties; sets `errno` on failure.
int easel_disk_open_for_asking(int directory, const char *name);

/// Gives an unnamed file a name in a folder; sets `errno` on failure.
int easel_disk_name(int descriptor, int folder, const char *name);

// The version of SQLite that the process runs with.
const char *easel_disk_library_version(void);

#endif
