#ifndef EASEL_DISK_H
#define EASEL_DISK_H

#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/// The 64-bit xxHash (XXH64) of `count` bytes, for telling damaged bytes from whole ones; no defence against forgery.
uint64_t easel_disk_checksum(const void *bytes, size_t count, uint64_t seed);

/// Opens a database as `sqlite3_open_v2` does, without asking about each folder that its path goes through. A database
/// that is a link does not open.
int easel_sqlite_open(const char *path, sqlite3 **connection, int flags);

/// How long a connection waits for others who hold a lock, and since when it does.
struct easel_patience {
  int64_t milliseconds, began;
};

/// Has a connection wait for others as long as `patience` says, which must live as long as the connection.
void easel_sqlite_be_patient(sqlite3 *connection, struct easel_patience *patience);

/// Makes a connection refuse what a damaged or forged database could use against it, and leave the files beside the
/// database where they are when it closes: they may belong to another database of the same name by then.
int easel_sqlite_harden(sqlite3 *connection);

/// Makes whoever uses the shared index of a log next make it anew; nothing may have been run on the connection before.
int easel_sqlite_forget_shared_index(sqlite3 *connection);

/// The application id in the header of a database's file, whatever its log says; 0 where the file has no such header.
int32_t easel_sqlite_application_id(sqlite3 *connection);

/// Binds bytes that stay where they are until the statement is reset.
int easel_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

/// Opens a file by its path below a directory. No part of the path may be a link. Fails with `errno` set.
int easel_disk_open_below(int directory, const char *path, int flags, int mode);

/// Does the same as `easel_disk_open_below` on systems that lack the call for it.
int easel_disk_open_step_by_step(int directory, const char *path, int flags, int mode);

/// Opens a file without a name in a folder, or fails with `errno` set.
int easel_disk_open_unnamed(int folder);

/// Opens a folder that is no link, so that others can be opened from it; fails with `errno` set.
int easel_disk_open_folder(const char *path);

/// Does the same with a folder below a directory, by a path of which no part may be a link.
int easel_disk_open_folder_below(int directory, const char *path);

/// Opens a file so that it can be asked about, and neither read nor written; fails with `errno` set.
int easel_disk_open_for_asking(int directory, const char *name);

/// Gives a file without a name one in a folder, or fails with `errno` set.
int easel_disk_name(int descriptor, int folder, const char *name);

#endif
