#ifndef CEASEL_LISTENER_H
#define CEASEL_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The calls of Linux that Swift's Glibc module does not have: epoll, eventfd and accept4. Descriptors made here are
// closed when another program is executed. Functions return -1 and set errno when they fail.

enum {
  EASEL_READABLE = 1,
  EASEL_WRITABLE = 2,
  // The other end has left, or will send nothing more.
  EASEL_LEFT = 4,
};

typedef struct {
  uint64_t key;
  uint32_t flags;
} easel_event;

// The address of a client. That of a Unix socket has no bytes.
typedef struct {
  // 4, 6 or 0.
  int version;
  uint8_t bytes[16];
} easel_peer;

int easel_poller_open(void);

// Reports each change of a connection once: bytes that arrived, room for more, the end.
int easel_poller_add_connection(int poller, int descriptor, uint64_t key);

// Reports that connections wait, to one of the pollers that have added the socket, as long as they wait.
int easel_poller_add_listening(int poller, int descriptor, uint64_t key);

// Reports as long as the waker is signalled.
int easel_poller_add_waker(int poller, int descriptor, uint64_t key);

int easel_poller_remove(int poller, int descriptor);

// Waits; returns the number of events. A signal to the thread is no event. A timeout of -1 waits for ever.
int easel_poller_wait(int poller, easel_event *events, int capacity, int milliseconds);

int easel_waker_open(void);
void easel_waker_signal(int descriptor);
void easel_waker_clear(int descriptor);

// The next connection, which never blocks.
int easel_accept(int descriptor, easel_peer *peer);

// The bytes that were given to the system and that the other end has not confirmed.
int easel_unconfirmed_bytes(int descriptor);

// True for a socket that listens.
bool easel_is_listening(int descriptor);

#ifdef __cplusplus
}
#endif

#endif
