#ifndef CEASEL_SERVICE_H
#define CEASEL_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

/// Opens a folder whose files may be read; returns a descriptor, or -1 with errno.
int easel_open_folder(const char *path);

/// Opens a file below a folder for reading; returns a descriptor, or -1 with errno.
///
/// No part of the path, and no link on the way, leads out of the folder: the kernel checks that while it walks, so nobody
/// can swap a part in between. An absolute link may name a file in the folder. A pipe or a device is opened without
/// waiting.
int easel_open_beneath(int folder, const char *path);

/// Computes a hash by its name in OpenSSL, such as "md5"; false if there is none of this name and length.
bool easel_hash(const char *name, const void *bytes, size_t count, unsigned char *hash, size_t length);

/// Decrypts AES in the mode CBC, whose last block is filled up with bytes that state their number (RFC 5652 section 6.3).
///
/// The key has 16, 24 or 32 bytes, the start value 16, and `plain` has room for `count`. Returns the number of bytes, or -1
/// if the key or the message is none.
ptrdiff_t easel_decrypt_aes_cbc(
    const unsigned char *key, size_t key_count, const unsigned char *start, const unsigned char *bytes, size_t count,
    unsigned char *plain);

#endif
