#define _GNU_SOURCE
#include "CEaselCurl.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

CURLcode easel_easy_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode easel_easy_set_size(CURL *easy, CURLoption option, int64_t value) {
  return curl_easy_setopt(easy, option, (curl_off_t)value);
}

CURLcode easel_easy_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode easel_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

long easel_auth_any(void) { return (long)CURLAUTH_ANY; }

long easel_auth_digest(void) { return (long)CURLAUTH_DIGEST; }

size_t easel_take_later(void) { return CURL_WRITEFUNC_PAUSE; }

curl_socket_t easel_no_socket(void) { return CURL_SOCKET_BAD; }

const char *easel_easy_address(CURL *easy) {
  char *text = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &text);
  return text;
}

long easel_easy_number(CURL *easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

int64_t easel_easy_size(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

bool easel_easy_is_in_turn(CURL *easy) {
  long version = easel_easy_number(easy, CURLINFO_HTTP_VERSION);
  return version == CURL_HTTP_VERSION_1_0 || version == CURL_HTTP_VERSION_1_1;
}

easel_receiver *easel_easy_receiver(CURL *easy) {
  char *receiver = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &receiver);
  return (easel_receiver *)(void *)receiver;
}

easel_figures easel_easy_figures(CURL *easy) {
  easel_figures figures = {0};
  figures.name_lookup = easel_easy_size(easy, CURLINFO_NAMELOOKUP_TIME_T);
  figures.connect = easel_easy_size(easy, CURLINFO_CONNECT_TIME_T);
  figures.secure_connect = easel_easy_size(easy, CURLINFO_APPCONNECT_TIME_T);
  figures.first_byte = easel_easy_size(easy, CURLINFO_STARTTRANSFER_TIME_T);
  figures.total = easel_easy_size(easy, CURLINFO_TOTAL_TIME_T);
  figures.body_bytes = easel_easy_size(easy, CURLINFO_SIZE_DOWNLOAD_T);
  figures.head_bytes = easel_easy_number(easy, CURLINFO_HEADER_SIZE);
  figures.new_connections = easel_easy_number(easy, CURLINFO_NUM_CONNECTS);
  figures.http_version = easel_easy_number(easy, CURLINFO_HTTP_VERSION);
  return figures;
}

CURLSH *easel_share_cookies(void) {
  CURLSH *share = curl_share_init();
  if (share) curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
  return share;
}

static void lower(char *text) {
  for (; *text; text++) {
    if (*text >= 'A' && *text <= 'Z') *text += 'a' - 'A';
  }
}

bool easel_url_origin(const char *url, char *target, size_t capacity) {
  CURLU *parts = curl_url();
  if (!parts) return false;
  char *scheme = NULL, *host = NULL, *port = NULL;
  bool is_read = curl_url_set(parts, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
                 curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                 curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK;
  if (is_read) {
    // A scheme without a default port needs no port.
    bool has_port = curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;
    int length = snprintf(target, capacity, "%s://%s:%s", scheme, host, has_port ? port : "");
    is_read = length > 0 && (size_t)length < capacity;
    if (is_read) lower(target);
  }
  curl_free(scheme);
  curl_free(host);
  curl_free(port);
  curl_url_cleanup(parts);
  return is_read;
}

static bool is_same_server(const char *left, const char *right) {
  char origins[2][1024];
  return easel_url_origin(left, origins[0], sizeof origins[0]) && easel_url_origin(right, origins[1], sizeof origins[1]) &&
         strcmp(origins[0], origins[1]) == 0;
}

char *easel_url_resolve(const char *base, const char *target) {
  CURLU *url = curl_url();
  CURLU *source = curl_url();
  char *resolved = NULL, *user = NULL, *password = NULL;
  unsigned int flags = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE;
  bool is_read = url && source && curl_url_set(url, CURLUPART_URL, base, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
                 curl_url_set(source, CURLUPART_URL, base, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
                 curl_url_set(url, CURLUPART_URL, target, flags) == CURLUE_OK &&
                 curl_url_set(url, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
                 curl_url_set(url, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK &&
                 curl_url_get(url, CURLUPART_URL, &resolved, 0) == CURLUE_OK;
  if (is_read && curl_url_get(source, CURLUPART_USER, &user, 0) == CURLUE_OK && is_same_server(base, resolved)) {
    curl_url_get(source, CURLUPART_PASSWORD, &password, 0);
    curl_free(resolved);
    resolved = NULL;
    if (curl_url_set(url, CURLUPART_USER, user, 0) == CURLUE_OK &&
        (!password || curl_url_set(url, CURLUPART_PASSWORD, password, 0) == CURLUE_OK)) {
      curl_url_get(url, CURLUPART_URL, &resolved, 0);
    }
  }
  curl_free(user);
  curl_free(password);
  curl_url_cleanup(url);
  curl_url_cleanup(source);
  return resolved;
}

void easel_url_free(char *url) { curl_free(url); }

int easel_address_bytes(const struct curl_sockaddr *address, uint8_t *target, uint16_t *port) {
  if (address->family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, &address->addr, sizeof v4);
    memcpy(target, &v4.sin_addr, 4);
    *port = ntohs(v4.sin_port);
    return 4;
  }
  if (address->family == AF_INET6) {
    struct sockaddr_in6 v6;
    // For larger addresses, curl reserves space behind the field.
    memcpy(&v6, (const char *)address + offsetof(struct curl_sockaddr, addr), sizeof v6);
    memcpy(target, &v6.sin6_addr, 16);
    *port = ntohs(v6.sin6_port);
    return 16;
  }
  return 0;
}

int easel_address_read(const char *text, uint8_t *target) {
  if (inet_pton(AF_INET, text, target) == 1) return 4;
  if (inet_pton(AF_INET6, text, target) == 1) return 16;
  return 0;
}
