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
  // The descriptor of the server's socket to the host. A child has its sign there instead until it begins.
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

enum { EASEL_SANDBOX_VERSION = 11 };

// The byte with which a child tells that it begins with its picture. It goes the way of the record of its end, because a
// byte beside the answer would wake the host twice.
enum { EASEL_SANDBOX_BEGUN = 0x21 };

// The kind of a child, in the form of an order for one.
typedef struct {
  // True for a coder whose library starts threads, which the filter then allows.
  uint32_t has_threads;
} easel_sandbox_kind;

// A child that waits for its picture. Two descriptors come with it: the host's ends of its socket, and of the socket that
// reports its end.
typedef struct {
  easel_sandbox_kind kind;
  // The number of the process, which the host must get from the server, because the child could lie.
  int32_t process;
  // The errno if the child could not be created, and then there are no descriptors; otherwise 0.
  int32_t start_error;
} easel_sandbox_ready;

// The limits of a child, which it sets itself before it sees its picture. They can only be lowered afterwards.
typedef struct {
  uint64_t memory_bytes;
  uint64_t output_bytes;
  // 0 for no limit.
  uint32_t processor_seconds;
  // False only if the system has no filter, and the host knows that.
  uint32_t needs_filter;
} easel_sandbox_limits;

// The end of a child.
typedef struct {
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

// Asks the server for a child of this kind. The server answers with easel_sandbox_receive_ready.
int easel_sandbox_order(int control, const easel_sandbox_kind *kind);

// Takes the next child that the server has made; returns 1 with its descriptors, 0 if there is none yet, -1 if the server
// is gone.
int easel_sandbox_receive_ready(int control, easel_sandbox_ready *ready, int *talk, int *end);

// Gives a child its limits, its files, and the first messages, all at once; returns the number of bytes sent of these.
ssize_t easel_sandbox_send_picture(
  int talk, const easel_sandbox_limits *limits, int input, int output, const void *messages, size_t count);

// Reads what a child's end tells without waiting; returns 1 for a record, 0 if the child still runs, -1 if its server
// ended before it. Stores in `has_begun` if the child has begun with its picture.
int easel_sandbox_read_end(int end, easel_sandbox_end *record, bool *has_begun);

// Makes the server kill a child; `end` is the host's end of the socket that reports the end of the child. Closing this
// socket does the same. Unlike a message, this cannot be blocked.
void easel_sandbox_kill(int end);

// Sends bytes without SIGPIPE and without waiting; returns the number sent.
ssize_t easel_sandbox_send(int socket, const void *bytes, size_t count);

// Creates a file in memory. Once it is sealed, nobody can change it.
int easel_sandbox_memory_file(void);
int easel_sandbox_seal(int file);

// Overwrites the first bytes of a file with zeros; the file keeps its memory.
int easel_sandbox_clear(int file, size_t count);

// Waits until bytes can be read or the other end is closed; returns 0 when the time is over.
int easel_sandbox_wait_readable(int descriptor, int milliseconds);

// The nanoseconds for which all threads of a process have used a processor; 0 if the process is gone.
uint64_t easel_sandbox_used_time(pid_t process);

// The nanoseconds for which the living threads of a process have waited for a processor; 0 if the system did not count
// them.
uint64_t easel_sandbox_waited_time(pid_t process);

// Lets all other processes go before the threads of a process; new threads inherit that.
void easel_sandbox_give_way(pid_t process);

// MARK: Server

// The number of threads of this process.
int easel_sandbox_thread_count(void);

// Waits until this thread is the only one, and returns true. Returns false as soon as it is certain that the other
// threads wait for something that does not come. If a thread gets no processor, this waits as long as that takes.
bool easel_sandbox_threads_end(void);

// Removes libraries from this process: those whose names begin with one of these, and all that nothing else needs. Only
// what the program itself or Foundation's parts for networks and XML name can be removed. Returns their number.
// Afterwards, the process may only end by _exit, and may not look up symbols of libraries.
int easel_sandbox_drop_libraries(const char *const *beginnings);

// Finds the code that this process has used so far, which is that of its children, too. A server that has made many
// children moves it into huge pages of memory. Called at most once.
void easel_sandbox_find_code(void);

// Gives up for good all rights that neither the server nor its children need, and tests a child with a filter.
easel_sandbox_hello easel_sandbox_lock_down(uint32_t offered_layers);

int easel_sandbox_send_hello(const easel_sandbox_hello *hello);

// Decodes the picture of a child, which ends when this returns. The bytes are the beginning of what the host says.
typedef void (*easel_sandbox_work)(const uint8_t *beginning, size_t count);

// Makes a child for each order of the host, until the host closes the socket.
int easel_sandbox_serve(uint32_t layers, easel_sandbox_work decode);

#ifdef __cplusplus
}
#endif

#endif
