#ifndef EASEL_RECORDS_H
#define EASEL_RECORDS_H

#include <stddef.h>
#include <stdint.h>

/// The 64-bit xxHash (XXH64) of `count` bytes. It detects damage, but does not protect against forgery.
uint64_t easel_record_checksum(const void *bytes, size_t count, uint64_t seed);

#endif
