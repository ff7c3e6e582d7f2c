#include <openssl/evp.h>
#include <string.h>

#include "include/CEaselTestCorpus.h"

void easel_corpus_hash(const void *pixels, ptrdiff_t stride, size_t width, size_t height, uint8_t digest[32]) {
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
  uint8_t part[4096];
  const size_t most = sizeof part / 4;
  for (size_t y = 0; y < height; y++) {
    const uint8_t *row = (const uint8_t *)pixels + (ptrdiff_t)y * stride;
    for (size_t x = 0; x < width; x += most) {
      size_t count = width - x < most ? width - x : most;
      memcpy(part, row + 4 * x, 4 * count);
      for (size_t i = 0; i < count; i++) {
        if (part[4 * i + 3] == 0) memset(part + 4 * i, 0, 4);
      }
      EVP_DigestUpdate(hash, part, 4 * count);
    }
  }
  EVP_DigestFinal_ex(hash, digest, NULL);
  EVP_MD_CTX_free(hash);
}
