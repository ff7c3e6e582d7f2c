#ifndef EASEL_WIRE_SOCKETS_H
#define EASEL_WIRE_SOCKETS_H

#include "CEaselWire.h"

// The milliseconds of a clock that never goes back.
int64_t easel_wire_now(void);

// Waits until a socket is ready; returns false and sets errno if it is not ready by the deadline.
bool easel_wire_await(int descriptor, short events, int64_t deadline);

void easel_wire_complain(char *message, const char *text);

ptrdiff_t easel_wire_session_read(easel_wire_session *session, void *bytes, size_t count);
ptrdiff_t easel_wire_session_write(easel_wire_session *session, const void *bytes, size_t count);

#endif
