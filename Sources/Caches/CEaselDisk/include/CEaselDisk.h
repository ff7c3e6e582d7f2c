#ifndef EASEL_DISK_H
#define EASEL_DISK_H

#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/// The 64-bit xxHash (XXH64) of `count` bytes, for telling damaged bytes from whole ones; no defence against forgery.
uint64_t easel_disk_checksum(const void *bytes, size_t count, uint64_t seed);

/// Opens a database as `sqlite3_open_v2` does, without asking about each folder that its path goes through.
int easel_sqlite_open(const char *path, sqlite3 **connection, int flags);

/// Makes a connection refuse what a damaged or forged database could use against it, and leave the files beside the
/// database where they are when it closes: they may belong to another database of the same name by then.
int easel_sqlite_harden(sqlite3 *connection);

/// Makes whoever uses the shared index of a log next make it anew; nothing may have been run on the connection before.
int easel_sqlite_forget_shared_index(sqlite3 *connection);

/// Binds bytes that stay where they are until the statement is reset.
int easel_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, uint64_t count);

/// Opens a file without a name in a directory, or fails with `errno` set.
int easel_disk_open_unnamed(const char *directory);

/// Opens a file so that it can be asked about, and neither read nor written; fails with `errno` set.
int easel_disk_open_for_asking(const char *path);

/// Gives a file without a name one, or fails with `errno` set.
int easel_disk_name(int descriptor, const char *path);

#endif
