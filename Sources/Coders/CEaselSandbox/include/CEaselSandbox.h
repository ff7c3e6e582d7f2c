#ifndef CEASEL_SANDBOX_H
#define CEASEL_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// The calls of Linux that a sandbox needs. There are three processes: the host, which wants pictures; the fork server,
// which the host starts once; and a child of the server for each picture. Functions return -1 and set errno when they
// fail. Descriptors made here are closed when another program is executed, unless stated otherwise.

// MARK: Both sides

enum {
  // The descriptor of the server's socket to the host.
  EASEL_SANDBOX_CONTROL = 3,
  // The descriptors of a child: the file's bytes, room for pixels, and the socket to the host.
  EASEL_SANDBOX_INPUT = 4,
  EASEL_SANDBOX_OUTPUT = 5,
  EASEL_SANDBOX_TALK = 6,
};

enum {
  // Children get a filter of system calls.
  EASEL_SANDBOX_FILTER = 1,
  // Server and children cannot open files.
  EASEL_SANDBOX_LANDLOCK = 2,
  // Children have limits of memory; the only layer that sanitizers switch off.
  EASEL_SANDBOX_MEMORY = 4,
};

// The most children that wait for their order, so that no picture has to wait for a fork. One is not enough for pictures
// that follow each other: it would be made while the next picture waits.
enum { EASEL_SANDBOX_SPARES = 2 };

// The first message of a server.
typedef struct {
  uint32_t version;
  // The layers of protection that the system offers.
  uint32_t layers;
  // The errno of the filter, if the system refuses it.
  int32_t filter_error;
  // More than one thread: the server cannot fork safely, and ends.
  uint32_t threads;
  // The errno with which no child could be made for a trial; 0 if one could.
  int32_t fork_error;
  // Why a coder could not be made ready, as a string; empty if all are. A worker of another version may not send it.
  char problem[236];
} easel_sandbox_hello;

enum { EASEL_SANDBOX_VERSION = 8 };

// The first byte on a child's socket, which says that the child begins with its picture.
enum { EASEL_SANDBOX_BEGUN = 0x21 };

// The limits of a child, and the coder that it will use.
typedef struct {
  uint64_t memory_bytes;
  uint64_t output_bytes;
  // 0 for no limit.
  uint32_t processor_seconds;
  // False only where the filter cannot be had and the host knows.
  uint32_t needs_filter;
  // A number for the coder, by which the next child can prepare itself for a picture of the same kind.
  uint32_t coder;
  // True for a coder whose library starts threads, which the filter then allows.
  uint32_t has_threads;
} easel_sandbox_limits;

// The end of a child.
typedef struct {
  // The errno if there was no child, else 0.
  int32_t start_error;
  // As waitpid reports it.
  int32_t wait_status;
} easel_sandbox_end;

// MARK: Host

// Starts a program whose descriptor 3 is a socket to the host, whose standard streams are /dev/null, and which has no
// other descriptor. The socket of the host is stored in `control`.
pid_t easel_sandbox_spawn(const char *path, char *const arguments[], char *const environment[], int *control);

// Waits for the first message; returns 1 when it came, 0 when the time is over, -1 when the program ended.
int easel_sandbox_receive_hello(int control, int milliseconds, easel_sandbox_hello *hello);

// True if the program is stopped, by a signal or a debugger.
bool easel_sandbox_is_stopped(pid_t server);

// Asks the server for a child. `talk` is the child's end of a socket, on which the server says the number of the process
// before the child has it, and `end` the server's end of another.
int easel_sandbox_send_start(
  int control, const easel_sandbox_limits *limits, int input, int output, int talk, int end);

// Makes the server kill a child, by the host's end of the socket that will report its end. Closing it does the same.
// Unlike a message, this cannot find its way blocked.
void easel_sandbox_kill(int end);

// A pair of stream sockets.
int easel_sandbox_socket_pair(int *one, int *other);

// Sends bytes without SIGPIPE and without waiting; returns the number sent.
ssize_t easel_sandbox_send(int socket, const void *bytes, size_t count);

// A file in memory. A sealed one can no longer change, by nobody.
int easel_sandbox_memory_file(void);
int easel_sandbox_seal(int file);

// Waits until bytes can be read or the other end is closed; returns 0 when the time is over.
int easel_sandbox_wait_readable(int descriptor, int milliseconds);

// The nanoseconds in which all threads of a process have used a processor; 0 if the process is gone.
uint64_t easel_sandbox_used_time(pid_t process);

// The nanoseconds in which the living threads of a process have waited for a processor; 0 if nobody has counted them.
uint64_t easel_sandbox_waited_time(pid_t process);

// MARK: Server

// The number of threads of this process.
int easel_sandbox_thread_count(void);

// Waits until this thread is the only one, and returns true. Returns false as soon as it is certain that the others wait
// for something that does not come. A thread that gets no processor is waited for as long as it takes.
bool easel_sandbox_threads_end(void);

// Gives up for good what neither the server nor its children need, and tries a child with a filter.
easel_sandbox_hello easel_sandbox_lock_down(uint32_t offered_layers);

int easel_sandbox_send_hello(const easel_sandbox_hello *hello);

// The work of a child.
typedef struct {
  // Does what a picture of this coder would need, so that its picture finds everything ready. Called before the child is
  // locked in, while no picture waits for it.
  void (*rehearse)(uint32_t coder);
  // Decodes; the child ends when it returns.
  void (*decode)(void);
} easel_sandbox_work;

// Makes a child for each order of the host, until the host closes the socket.
int easel_sandbox_serve(uint32_t layers, const easel_sandbox_work *work);

#ifdef __cplusplus
}
#endif

#endif
