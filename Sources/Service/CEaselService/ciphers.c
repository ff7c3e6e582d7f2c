#include "CEaselService.h"

#include <limits.h>
#if !__has_include(<openssl/evp.h>)
#error "Install libssl-dev (Debian, Ubuntu) or openssl-devel (Fedora)"
#endif
#include <openssl/evp.h>

bool easel_hash(const char *name, const void *bytes, size_t count, unsigned char *hash, size_t length) {
  const EVP_MD *kind = EVP_get_digestbyname(name);
  if (!kind || (size_t)EVP_MD_size(kind) != length) return false;
  return EVP_Digest(bytes, count, hash, NULL, kind, NULL) == 1;
}

static const EVP_CIPHER *cipher_for(size_t key_count) {
  switch (key_count) {
    case 16: return EVP_aes_128_cbc();
    case 24: return EVP_aes_192_cbc();
    case 32: return EVP_aes_256_cbc();
    default: return NULL;
  }
}

ptrdiff_t easel_decrypt_aes_cbc(
    const unsigned char *key, size_t key_count, const unsigned char *start, const unsigned char *bytes, size_t count,
    unsigned char *plain) {
  const EVP_CIPHER *cipher = cipher_for(key_count);
  if (!cipher || count > INT_MAX) return -1;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (!context) return -1;
  int length = 0, rest = 0;
  bool is_right = EVP_DecryptInit_ex(context, cipher, NULL, key, start) == 1 &&
      EVP_DecryptUpdate(context, plain, &length, bytes, (int)count) == 1 &&
      EVP_DecryptFinal_ex(context, plain + length, &rest) == 1;
  EVP_CIPHER_CTX_free(context);
  return is_right ? length + rest : -1;
}
