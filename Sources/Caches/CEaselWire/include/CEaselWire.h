#ifndef CEASEL_WIRE_H
#define CEASEL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Sockets that never block, TLS on them, and the loop that waits for them. Descriptors from here are closed when the
// process executes another program, and no call here raises SIGPIPE.

// The longest message about a failure, with its final zero.
enum { EASEL_WIRE_MESSAGE = 256 };

enum {
  // Results of reading and writing that are not a number of bytes.
  EASEL_WIRE_WOULD_BLOCK = -1,
  EASEL_WIRE_FAILED = -2,
  EASEL_WIRE_CLOSED = -3,
};

enum {
  EASEL_WIRE_READABLE = 1,
  EASEL_WIRE_WRITABLE = 2,
};

typedef struct {
  uint64_t key;
  uint32_t flags;
} easel_wire_event;

typedef struct easel_wire_tls easel_wire_tls;
typedef struct easel_wire_session easel_wire_session;

// These connect to a host and a port, or to a Unix socket. They return a descriptor, or -1 and a message. They block
// for at most this long, but looking up the name of a host may take longer.
int easel_wire_connect_tcp(const char *host, const char *port, int milliseconds, char *message);
int easel_wire_connect_unix(const char *path, int milliseconds, char *message);

// The settings of TLS. Servers are verified against the authorities in a file, or against those of the system if the
// path is NULL. Returns NULL and a message if the file cannot be used.
easel_wire_tls *easel_wire_tls_open(const char *authorities, char *message);
void easel_wire_tls_close(easel_wire_tls *tls);

// Starts TLS with a server that must have a certificate for this name or address. Blocks for at most this long. Returns
// NULL and a message if it fails. Close the session before its descriptor, and never use it from two threads at once.
easel_wire_session *easel_wire_session_open(
    easel_wire_tls *tls, int descriptor, const char *name, int milliseconds, char *message);
void easel_wire_session_close(easel_wire_session *session);

// These functions read or write as much as possible without blocking. Without TLS, the session is NULL.
ptrdiff_t easel_wire_read(int descriptor, easel_wire_session *session, void *bytes, size_t count);
ptrdiff_t easel_wire_write(int descriptor, easel_wire_session *session, const void *bytes, size_t count);

int easel_wire_loop_open(void);
// Makes the loop report each change of a connection once.
int easel_wire_loop_add(int loop, int descriptor, uint64_t key);
int easel_wire_loop_add_waker(int loop, int descriptor, uint64_t key);
// Waits for events; a timeout of -1 waits for ever. A signal to the thread does not count as an event.
int easel_wire_loop_wait(int loop, easel_wire_event *events, int capacity, int milliseconds);

int easel_wire_waker_open(void);
void easel_wire_waker_signal(int descriptor);
void easel_wire_waker_clear(int descriptor);

#ifdef __cplusplus
}
#endif

#endif
