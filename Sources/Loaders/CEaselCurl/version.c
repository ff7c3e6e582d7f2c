#include "CEaselCurl.h"

#include <brotli/decode.h>
#include <curl/curl.h>
#include <zstd.h>

const char *easel_curl_libcurl_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }

const char *easel_curl_tls_version(void) { return curl_version_info(CURLVERSION_NOW)->ssl_version; }

const char *easel_curl_http2_version(void) { return curl_version_info(CURLVERSION_NOW)->nghttp2_version; }

const char *easel_curl_zstd_version(void) { return ZSTD_versionString(); }

uint32_t easel_curl_brotli_version(void) { return BrotliDecoderVersion(); }
