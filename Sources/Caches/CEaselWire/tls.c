#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <arpa/inet.h>
#if !__has_include(<openssl/ssl.h>)
#error "Install libssl-dev (Debian, Ubuntu) or openssl-devel (Fedora)"
#endif
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "sockets.h"

struct easel_wire_tls {
  SSL_CTX *context;
  BIO_METHOD *method;
};

struct easel_wire_session {
  SSL *ssl;
};

// Replaces OpenSSL's own write, which raises SIGPIPE when the other end has left.
static int bio_write(BIO *bio, const char *bytes, int count) {
  BIO_clear_retry_flags(bio);
  int descriptor = (int)(intptr_t)BIO_get_data(bio);
  ssize_t put = send(descriptor, bytes, (size_t)count, MSG_NOSIGNAL);
  if (put < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return (int)put;
}

static int bio_read(BIO *bio, char *bytes, int count) {
  BIO_clear_retry_flags(bio);
  int descriptor = (int)(intptr_t)BIO_get_data(bio);
  ssize_t got = recv(descriptor, bytes, (size_t)count, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return (int)got;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP ? 1 : 0;
}

static int bio_create(BIO *bio) {
  BIO_set_init(bio, 1);
  return 1;
}

static void complain(char *message, const char *fallback) {
  unsigned long code = ERR_get_error();
  const char *reason = code ? ERR_reason_error_string(code) : NULL;
  easel_wire_complain(message, reason ? reason : fallback);
  ERR_clear_error();
}

easel_wire_tls *easel_wire_tls_open(const char *authorities, char *message) {
  easel_wire_tls *tls = calloc(1, sizeof *tls);
  if (!tls) return NULL;
  tls->context = SSL_CTX_new(TLS_client_method());
  tls->method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "easel");
  bool is_good = tls->context && tls->method && BIO_meth_set_write(tls->method, bio_write) &&
                 BIO_meth_set_read(tls->method, bio_read) && BIO_meth_set_ctrl(tls->method, bio_control) &&
                 BIO_meth_set_create(tls->method, bio_create) &&
                 SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION) &&
                 (authorities ? SSL_CTX_load_verify_locations(tls->context, authorities, NULL)
                              : SSL_CTX_set_default_verify_paths(tls->context));
  if (!is_good) {
    complain(message, "the certificates of the authorities cannot be read");
    easel_wire_tls_close(tls);
    return NULL;
  }
  SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
  // If a write is incomplete, the rest of the bytes is written again, and may be at another address by then.
  SSL_CTX_set_mode(tls->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return tls;
}

void easel_wire_tls_close(easel_wire_tls *tls) {
  if (!tls) return;
  SSL_CTX_free(tls->context);
  BIO_meth_free(tls->method);
  free(tls);
}

static bool expect_name(SSL *ssl, const char *name) {
  uint8_t address[16];
  if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
  }
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

static bool shake_hands(SSL *ssl, int descriptor, int64_t deadline, char *message) {
  for (;;) {
    ERR_clear_error();
    int status = SSL_connect(ssl);
    if (status == 1) return true;
    int failure = SSL_get_error(ssl, status);
    if (failure != SSL_ERROR_WANT_READ && failure != SSL_ERROR_WANT_WRITE) break;
    if (!easel_wire_await(descriptor, failure == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline)) {
      easel_wire_complain(message, strerror(errno));
      return false;
    }
  }
  long verdict = SSL_get_verify_result(ssl);
  if (verdict != X509_V_OK) {
    snprintf(message, EASEL_WIRE_MESSAGE, "its certificate is refused: %s", X509_verify_cert_error_string(verdict));
    ERR_clear_error();
  } else {
    complain(message, "the server does not speak TLS");
  }
  return false;
}

easel_wire_session *easel_wire_session_open(
    easel_wire_tls *tls, int descriptor, const char *name, int milliseconds, char *message) {
  easel_wire_session *session = calloc(1, sizeof *session);
  SSL *ssl = SSL_new(tls->context);
  BIO *bio = BIO_new(tls->method);
  if (!session || !ssl || !bio || !expect_name(ssl, name)) {
    complain(message, "there is no memory for TLS");
    BIO_free(bio);
    SSL_free(ssl);
    free(session);
    return NULL;
  }
  BIO_set_data(bio, (void *)(intptr_t)descriptor);
  SSL_set_bio(ssl, bio, bio);
  session->ssl = ssl;
  if (shake_hands(ssl, descriptor, easel_wire_now() + milliseconds, message)) return session;
  easel_wire_session_close(session);
  return NULL;
}

void easel_wire_session_close(easel_wire_session *session) {
  if (!session) return;
  SSL_free(session->ssl);
  free(session);
}

static ptrdiff_t outcome(SSL *ssl, int status) {
  if (status > 0) return status;
  switch (SSL_get_error(ssl, status)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return EASEL_WIRE_WOULD_BLOCK;
    case SSL_ERROR_ZERO_RETURN: return EASEL_WIRE_CLOSED;
    default: return EASEL_WIRE_FAILED;
  }
}

ptrdiff_t easel_wire_session_read(easel_wire_session *session, void *bytes, size_t count) {
  ERR_clear_error();
  return outcome(session->ssl, SSL_read(session->ssl, bytes, count > INT_MAX ? INT_MAX : (int)count));
}

ptrdiff_t easel_wire_session_write(easel_wire_session *session, const void *bytes, size_t count) {
  ERR_clear_error();
  return outcome(session->ssl, SSL_write(session->ssl, bytes, count > INT_MAX ? INT_MAX : (int)count));
}
