#ifndef CEASEL_SANDBOX_H
#define CEASEL_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// The Linux calls that a sandbox needs. There are three kinds of processes: the host, which wants pictures; the fork
// server, which the host starts once; and a child of the server for each picture. Functions return -1 and set errno
// when they fail. Descriptors from here are closed when the process executes another program, unless stated otherwise.

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
  // Children get a filter for system calls.
  EASEL_SANDBOX_FILTER = 1,
  // Server and children cannot open files.
  EASEL_SANDBOX_LANDLOCK = 2,
  // Children have limits of memory; sanitizers switch off only this layer.
  EASEL_SANDBOX_MEMORY = 4,
};

// The most children that wait for their order, so that no picture has to wait for a fork. One is not enough if pictures
// follow one another: the next child would be made while the next picture waits.
enum { EASEL_SANDBOX_SPARES = 2 };

// The first message of a server.
typedef struct {
  uint32_t version;
  // The layers of protection that the system offers.
  uint32_t layers;
  // The errno of the filter, if the system refuses it.
  int32_t filter_error;
  // The number of threads. If there is more than one, the server cannot fork safely, and ends.
  uint32_t threads;
  // The errno with which making a child failed in a test; 0 if it succeeded.
  int32_t fork_error;
  // The reason why a coder could not be prepared, as a string; empty if all are prepared. A worker of another version
  // may not send it.
  char problem[236];
} easel_sandbox_hello;

enum { EASEL_SANDBOX_VERSION = 8 };

// The first byte on a child's socket, which tells that the child begins with its picture.
enum { EASEL_SANDBOX_BEGUN = 0x21 };

// The limits of a child, and the coder that it will use.
typedef struct {
  uint64_t memory_bytes;
  uint64_t output_bytes;
  // 0 for no limit.
  uint32_t processor_seconds;
  // False only if the system has no filter, and the host knows that.
  uint32_t needs_filter;
  // The number of the coder, with which the next child can prepare itself for a picture of the same kind.
  uint32_t coder;
  // True for a coder whose library starts threads, which the filter then allows.
  uint32_t has_threads;
} easel_sandbox_limits;

// The end of a child.
typedef struct {
  // The errno if the child could not be created; otherwise 0.
  int32_t start_error;
  // The status in the form of waitpid.
  int32_t wait_status;
} easel_sandbox_end;

// MARK: Host

// Starts a program whose descriptor 3 is a socket to the host. Its standard streams are /dev/null, and it has no other
// descriptors. The socket of the host is stored in `control`.
pid_t easel_sandbox_spawn(const char *path, char *const arguments[], char *const environment[], int *control);

// Waits for the first message; returns 1 when it came, 0 when the time is over, -1 when the program ended.
int easel_sandbox_receive_hello(int control, int milliseconds, easel_sandbox_hello *hello);

// True if the program is stopped, by a signal or a debugger.
bool easel_sandbox_is_stopped(pid_t server);

// Asks the server for a child. `talk` is the child's end of a socket, on which the server first sends the number of the
// process. `end` is the server's end of another socket.
int easel_sandbox_send_start(
  int control, const easel_sandbox_limits *limits, int input, int output, int talk, int end);

// Makes the server kill a child; `end` is the host's end of the socket that reports the end of the child. Closing this
// socket does the same. Unlike a message, this cannot be blocked.
void easel_sandbox_kill(int end);

// A pair of stream sockets.
int easel_sandbox_socket_pair(int *one, int *other);

// Sends bytes without SIGPIPE and without waiting; returns the number sent.
ssize_t easel_sandbox_send(int socket, const void *bytes, size_t count);

// Creates a file in memory. Once it is sealed, nobody can change it.
int easel_sandbox_memory_file(void);
int easel_sandbox_seal(int file);

// Waits until bytes can be read or the other end is closed; returns 0 when the time is over.
int easel_sandbox_wait_readable(int descriptor, int milliseconds);

// The nanoseconds for which all threads of a process have used a processor; 0 if the process is gone.
uint64_t easel_sandbox_used_time(pid_t process);

// The nanoseconds for which the living threads of a process have waited for a processor; 0 if the system did not count
// them.
uint64_t easel_sandbox_waited_time(pid_t process);

// MARK: Server

// The number of threads of this process.
int easel_sandbox_thread_count(void);

// Waits until this thread is the only one, and returns true. Returns false as soon as it is certain that the other
// threads wait for something that does not come. If a thread gets no processor, this waits as long as that takes.
bool easel_sandbox_threads_end(void);

// Gives up for good all rights that neither the server nor its children need, and tests a child with a filter.
easel_sandbox_hello easel_sandbox_lock_down(uint32_t offered_layers);

int easel_sandbox_send_hello(const easel_sandbox_hello *hello);

// The work of a child.
typedef struct {
  // Does the same as for a picture of this coder, so that the picture finds everything ready. It is called before the
  // child is locked in, while no picture waits for the child.
  void (*rehearse)(uint32_t coder);
  // Decodes the picture; the child ends when this returns.
  void (*decode)(void);
} easel_sandbox_work;

// Makes a child for each order of the host, until the host closes the socket.
int easel_sandbox_serve(uint32_t layers, const easel_sandbox_work *work);

#ifdef __cplusplus
}
#endif

#endif
