#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

// The most children at once. The host keeps its own, lower limit.
enum { MOST_CHILDREN = 1024 };

typedef struct {
  pid_t process;
  uint64_t number;
  int end;
} child;

static child children[MOST_CHILDREN];
static int child_count;

static void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (unsigned descriptor = first; descriptor < 4096; descriptor++) close((int)descriptor);
}

int easel_sandbox_thread_count(void) {
  DIR *folder = opendir("/proc/self/task");
  // Without /proc nobody can tell.
  if (!folder) return 1;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void limit(int resource, uint64_t most) {
  struct rlimit before;
  if (getrlimit(resource, &before)) return;
  rlim_t value = before.rlim_max != RLIM_INFINITY && before.rlim_max < most ? before.rlim_max : (rlim_t)most;
  setrlimit(resource, &(struct rlimit){.rlim_cur = value, .rlim_max = value});
}

// MARK: Locking down

// The size of the server's address space, which its children have from the start.
static uint64_t server_memory;

static uint64_t measured_memory(void) {
  FILE *file = fopen("/proc/self/statm", "re");
  unsigned long pages = 0;
  if (file) {
    if (fscanf(file, "%lu", &pages) != 1) pages = 0;
    fclose(file);
  }
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Rights of root that calls within the filter could use: madvise can take memory away from all processes.
static void give_up_rights(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
  syscall(SYS_capset, &header, none);
}

static int trial_of_filter(void) {
  pid_t process = fork();
  if (process < 0) return errno;
  if (process == 0) {
    int failure = easel_sandbox_install_filter() ? errno : 0;
    _exit(failure > 255 ? 255 : failure);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

easel_sandbox_hello easel_sandbox_lock_down(uint32_t offered_layers) {
  easel_sandbox_hello hello = {.version = EASEL_SANDBOX_VERSION};
  hello.threads = (uint32_t)easel_sandbox_thread_count();
  // Later no file can be opened.
  server_memory = measured_memory();
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  give_up_rights();
  limit(RLIMIT_CORE, 0);
  if (offered_layers & EASEL_SANDBOX_FILTER) {
    hello.filter_error = trial_of_filter();
    if (hello.filter_error == 0) hello.layers |= EASEL_SANDBOX_FILTER;
  } else {
    hello.filter_error = ENOSYS;
  }
#ifndef EASEL_SANITIZED
  hello.layers |= offered_layers & EASEL_SANDBOX_MEMORY;
  // A sanitizer reads files to describe a crash.
  if ((offered_layers & EASEL_SANDBOX_LANDLOCK) && easel_sandbox_deny_files()) hello.layers |= EASEL_SANDBOX_LANDLOCK;
#endif
  return hello;
}

int easel_sandbox_send_hello(const easel_sandbox_hello *hello) {
  return send(EASEL_SANDBOX_CONTROL, hello, sizeof *hello, MSG_NOSIGNAL) == sizeof *hello ? 0 : -1;
}

// MARK: Children

// The limits that are the same for every child.
static void take_limits(void) {
  limit(RLIMIT_NPROC, 0);
  // The socket for orders, and what comes through it.
  limit(RLIMIT_NOFILE, EASEL_SANDBOX_CONTROL + 1 + EASEL_SANDBOX_CHILD_DESCRIPTORS);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
}

static void impose(pid_t process, int resource, uint64_t soft, uint64_t hard) {
  struct rlimit limits;
  if (prlimit(process, resource, NULL, &limits)) return;
  // The host may have been given less.
  if (limits.rlim_max == RLIM_INFINITY || limits.rlim_max > hard) limits.rlim_max = hard;
  limits.rlim_cur = soft < limits.rlim_max ? soft : limits.rlim_max;
  prlimit(process, resource, &limits, NULL);
}

// The limits that depend on the picture. The server imposes them, because a child with its filter cannot.
static void impose_limits(pid_t process, uint32_t layers, const easel_sandbox_limits *limits) {
  uint64_t memory = server_memory + limits->memory_bytes;
  if (layers & EASEL_SANDBOX_MEMORY) impose(process, RLIMIT_AS, memory, memory);
  impose(process, RLIMIT_FSIZE, limits->output_bytes, limits->output_bytes);
  // At the hard limit the signal is the same as for a lack of memory; only the soft one has a signal of its own.
  uint64_t seconds = limits->processor_seconds;
  if (seconds) impose(process, RLIMIT_CPU, seconds, seconds + 1);
}

// Returns the number of descriptors that came with an order; -1 and EPIPE if the sender is gone.
static int receive(int socket, int flags, easel_sandbox_order *order, int descriptors[EASEL_SANDBOX_DESCRIPTORS]) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * EASEL_SANDBOX_DESCRIPTORS)];
  } control;
  struct iovec part = {.iov_base = order, .iov_len = sizeof *order};
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
  if (count < 0) return -1;
  if (count != sizeof *order) {
    errno = EPIPE;
    return -1;
  }
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return 0;
  int received = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  memcpy(descriptors, CMSG_DATA(header), (size_t)received * sizeof(int));
  return received;
}

// Waits for the order of the picture, and then decodes it.
static _Noreturn void be_child(pid_t server, uint32_t layers, int orders, void (*decode)(void)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != server) _exit(1);
  // The ends of other children's sockets and pipes would stay open with this process.
  if (dup2(orders, EASEL_SANDBOX_CONTROL) < 0) _exit(1);
  close_from(EASEL_SANDBOX_CONTROL + 1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  // A write beyond the room for the result fails, so that the child can say so.
  signal(SIGXFSZ, SIG_IGN);

  take_limits();
  if ((layers & EASEL_SANDBOX_FILTER) && easel_sandbox_install_filter()) _exit(1);

  easel_sandbox_order order;
  int descriptors[EASEL_SANDBOX_DESCRIPTORS];
  // They get the next free numbers, which are those that EASEL_SANDBOX_INPUT and the others say.
  if (receive(EASEL_SANDBOX_CONTROL, 0, &order, descriptors) != EASEL_SANDBOX_CHILD_DESCRIPTORS) _exit(1);
  close(EASEL_SANDBOX_CONTROL);
  decode();
  _exit(0);
}

// A child that waits for its order, so that no picture has to wait for the fork. Its process is -1 if there is none.
static child spare = {.process = -1};

// Returns the errno, or 0.
static int make_spare(uint32_t layers, void (*decode)(void)) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) return errno;
  pid_t server = getpid();
  // Not `fork`, which runs what libraries want to do then; this process has one thread, so there is nothing to do.
  pid_t process = _Fork();
  if (process == 0) be_child(server, layers, sockets[1], decode);
  int failure = errno;
  close(sockets[1]);
  if (process < 0) {
    close(sockets[0]);
    return failure;
  }
  spare = (child){.process = process, .end = sockets[0]};
  return 0;
}

static void report(int end, int start_error, int wait_status) {
  easel_sandbox_end record = {.start_error = start_error, .wait_status = wait_status};
  ssize_t done;
  do {
    done = write(end, &record, sizeof record);
  } while (done < 0 && errno == EINTR);
  close(end);
}

// Gives the order to the spare child. Returns the errno, or 0.
static int employ(
  uint32_t layers, const easel_sandbox_order *order, const int descriptors[EASEL_SANDBOX_DESCRIPTORS],
  void (*decode)(void)) {
  if (order->limits.needs_filter && !(layers & EASEL_SANDBOX_FILTER)) return EPERM;
  if (child_count == MOST_CHILDREN) return EAGAIN;
  int failure = spare.process < 0 ? make_spare(layers, decode) : 0;
  if (failure) return failure;
  impose_limits(spare.process, layers, &order->limits);
  // If somebody has killed it, its end is reported like that of any other.
  easel_sandbox_send_order(spare.end, order, descriptors, EASEL_SANDBOX_CHILD_DESCRIPTORS);
  close(spare.end);
  children[child_count++] = (child){.process = spare.process, .number = order->number, .end = descriptors[3]};
  spare.process = -1;
  return 0;
}

static void start(
  uint32_t layers, const easel_sandbox_order *order, const int descriptors[EASEL_SANDBOX_DESCRIPTORS],
  void (*decode)(void)) {
  int failure = employ(layers, order, descriptors, decode);
  for (int i = 0; i < EASEL_SANDBOX_CHILD_DESCRIPTORS; i++) close(descriptors[i]);
  if (failure) report(descriptors[3], failure, 0);
}

static void bury_children(void) {
  int status;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (process == spare.process) {
      close(spare.end);
      spare.process = -1;
    }
    for (int i = 0; i < child_count; i++) {
      if (children[i].process != process) continue;
      report(children[i].end, 0, status);
      children[i] = children[--child_count];
      break;
    }
  }
}

static void kill_child(uint64_t number) {
  for (int i = 0; i < child_count; i++) {
    // A process that nobody has waited for keeps its number, so no other process can be hit.
    if (children[i].number == number) kill(children[i].process, SIGKILL);
  }
}

// MARK: Orders

// Returns 1 for an order, 0 if there is none to read, -1 when the host is gone.
static int receive_order(easel_sandbox_order *order, int descriptors[EASEL_SANDBOX_DESCRIPTORS]) {
  int received = receive(EASEL_SANDBOX_CONTROL, MSG_DONTWAIT, order, descriptors);
  if (received < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  if (order->kind != EASEL_SANDBOX_START || received == EASEL_SANDBOX_DESCRIPTORS) return 1;
  // Too few descriptors arrive when this process has too many open. The host sees the closed ends.
  for (int i = 0; i < received; i++) close(descriptors[i]);
  order->kind = 0;
  return 1;
}

int easel_sandbox_serve(uint32_t layers, void (*decode)(void)) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  // The host may have closed the pipe to which the end of a child is to be written.
  signal(SIGPIPE, SIG_IGN);
  int deaths = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (deaths < 0) return -1;

  struct pollfd waits[] = {
    {.fd = EASEL_SANDBOX_CONTROL, .events = POLLIN},
    {.fd = deaths, .events = POLLIN},
  };
  for (;;) {
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return -1;
    struct signalfd_siginfo info;
    while (read(deaths, &info, sizeof info) > 0) {}
    bury_children();
    easel_sandbox_order order;
    int descriptors[EASEL_SANDBOX_DESCRIPTORS];
    int received;
    while ((received = receive_order(&order, descriptors)) > 0) {
      if (order.kind == EASEL_SANDBOX_START) start(layers, &order, descriptors, decode);
      if (order.kind == EASEL_SANDBOX_KILL) kill_child(order.number);
    }
    // The children end with their parent.
    if (received < 0) return 0;
    // Made when nobody waits for anything else. A failure shows itself when the next picture comes.
    if (spare.process < 0) make_spare(layers, decode);
  }
}
