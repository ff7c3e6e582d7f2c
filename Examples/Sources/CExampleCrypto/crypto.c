#include "CExampleCrypto.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

bool example_hmac_sha256(
    const uint8_t *key, size_t key_length, const uint8_t *text, size_t text_length, uint8_t digest[32]) {
  unsigned int length = 32;
  return key_length <= INT_MAX && HMAC(EVP_sha256(), key, (int)key_length, text, text_length, digest, &length);
}

bool example_aes_gcm_seal(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *in, size_t length, uint8_t *out, uint8_t tag[16]) {
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  int written = 0, rest = 0;
  bool ok = cipher && length <= INT_MAX && EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
            EVP_EncryptUpdate(cipher, out, &written, in, (int)length) == 1 &&
            EVP_EncryptFinal_ex(cipher, out + written, &rest) == 1 &&
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, 16, tag) == 1;
  EVP_CIPHER_CTX_free(cipher);
  return ok;
}

bool example_aes_gcm_open(
    const uint8_t key[32], const uint8_t nonce[12], const uint8_t *in, size_t length, const uint8_t tag[16],
    uint8_t *out) {
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  int written = 0, rest = 0;
  bool ok = cipher && length <= INT_MAX && EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
            EVP_DecryptUpdate(cipher, out, &written, in, (int)length) == 1 &&
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, 16, (void *)tag) == 1 &&
            EVP_DecryptFinal_ex(cipher, out + written, &rest) == 1;
  EVP_CIPHER_CTX_free(cipher);
  return ok;
}
