#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Writes the 32 bytes of HMAC-SHA256.
bool example_hmac_sha256(
    const uint8_t *key, size_t key_length, const uint8_t *text, size_t text_length, uint8_t digest[32]);

/// Encrypts with AES-256-GCM: `out` has the size of `in`, and `tag` has sixteen bytes.
bool example_aes_gcm_seal(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *in, size_t length, uint8_t *out, uint8_t tag[16]);

/// Decrypts and returns whether the tag is right; if it is wrong, `out` must not be used.
bool example_aes_gcm_open(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *in, size_t length, const uint8_t tag[16],
    uint8_t *out);
