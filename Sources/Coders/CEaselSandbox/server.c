#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <malloc.h>
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

enum {
  // The most children at once. The host has its own limit, which is lower.
  MOST_CHILDREN = 1024,
  // The number of children after which it is worth while to make the others cheaper.
  MANY_CHILDREN = 16,
};

typedef struct {
  pid_t process;
  // The socket on which the host waits for the end of the child.
  int end;
  // True if the host wants the child to be killed.
  bool is_killed;
} child;

static child children[MOST_CHILDREN];
static int child_count;

// True if this server has its own filter, so that children need only theirs.
static bool has_filter;

static void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (unsigned descriptor = first; descriptor < 4096; descriptor++) close((int)descriptor);
}

// The hard limits of the server, which its children also have from the start.
static struct rlimit limits_before[RLIM_NLIMITS];

static void look_at_limits(void) {
  for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
    struct rlimit *before = &limits_before[resource];
    if (getrlimit((__rlimit_resource_t)resource, before)) before->rlim_max = RLIM_INFINITY;
  }
}

static void limit_twice(int resource, uint64_t soft, uint64_t hard) {
  // The host itself may have a lower limit.
  rlim_t most = limits_before[resource].rlim_max;
  struct rlimit limit = {.rlim_cur = (rlim_t)soft, .rlim_max = (rlim_t)hard};
  if (most != RLIM_INFINITY && most < limit.rlim_max) limit.rlim_max = most;
  if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
  setrlimit((__rlimit_resource_t)resource, &limit);
}

static void limit(int resource, uint64_t most) { limit_twice(resource, most, most); }

// MARK: Locking down

// The size of the server's address space, which its children also have from the start.
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

// The file with the OOM score of this process, by which the kernel chooses a process to kill when memory is short; -1
// if there is none.
static int eagerness = -1;

// Gives children the highest OOM score, so that the kernel kills them first.
static void set_eagerness(bool is_for_child) {
  static char before[16];
  static ssize_t count;
  if (eagerness < 0) {
    eagerness = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    count = eagerness < 0 ? 0 : pread(eagerness, before, sizeof before, 0);
  }
  if (count <= 0) return;
  // If this fails, only the order in which processes are killed changes.
  ssize_t done = is_for_child ? pwrite(eagerness, "1000", 4, 0) : pwrite(eagerness, before, (size_t)count, 0);
  (void)done;
}

// Gives up rights of root that calls within the filter could use: madvise could take memory away from all processes.
static void give_up_rights(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
  syscall(SYS_capset, &header, none);
}

// Unlike `fork`, this calls no handlers of libraries, which may be gone. With one thread, they have nothing to do.
static pid_t fork_alone(void) { return _Fork(); }

// Makes a child to test whether that is possible, and whether the child can have a filter.
static void try_filter(easel_sandbox_hello *hello) {
  pid_t process = fork_alone();
  if (process < 0) {
    hello->fork_error = errno;
    return;
  }
  if (process == 0) {
    int failure = easel_sandbox_filter_server() || easel_sandbox_filter_child(false) ? errno : 0;
    _exit(failure > 255 ? 255 : failure);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(status)) {
    hello->filter_error = WEXITSTATUS(status);
  } else if (WTERMSIG(status) == SIGSYS) {
    hello->filter_error = EPERM;
  } else {
    // Something else has ended the child.
    hello->fork_error = EINTR;
  }
}

easel_sandbox_hello easel_sandbox_lock_down(uint32_t offered_layers) {
  easel_sandbox_hello hello = {.version = EASEL_SANDBOX_VERSION};
  hello.threads = (uint32_t)easel_sandbox_thread_count();
  look_at_limits();
  // Later no file can be opened, so this is measured now.
  server_memory = measured_memory();
  set_eagerness(false);
  // Each page makes every fork slower.
  malloc_trim(0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  give_up_rights();
  limit(RLIMIT_CORE, 0);
  if (offered_layers & EASEL_SANDBOX_FILTER) {
    try_filter(&hello);
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

// Sets the limits that are the same for every child.
static void take_limits(bool has_threads) {
  // This limit also counts threads, and those of all processes of the user. The filter forbids to start processes in
  // any case.
  if (!has_threads) limit(RLIMIT_NPROC, 0);
  // The process needs its sockets, and the two files that come through one of them.
  limit(RLIMIT_NOFILE, EASEL_SANDBOX_TALK + 1);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
}

// Sets the limits that depend on the picture.
static void take_limits_of_picture(uint32_t layers, const easel_sandbox_limits *limits) {
  if (layers & EASEL_SANDBOX_MEMORY) limit(RLIMIT_AS, server_memory + limits->memory_bytes);
  limit(RLIMIT_FSIZE, limits->output_bytes);
  uint64_t seconds = limits->processor_seconds;
  // At the hard limit, the signal is the same as for a lack of memory; only the soft limit has its own signal.
  if (seconds) limit_twice(RLIMIT_CPU, seconds, seconds + 1);
}

// Waits for a picture; returns the number of bytes of the first messages, or -1 if there is none to wait for.
static ssize_t await_picture(easel_sandbox_limits *limits, uint8_t beginning[EASEL_SANDBOX_BEGINNING]) {
  int descriptors[2];
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof descriptors)];
  } rights;
  struct iovec parts[] = {
    {.iov_base = limits, .iov_len = sizeof *limits}, {.iov_base = beginning, .iov_len = EASEL_SANDBOX_BEGINNING}};
  struct msghdr message = {
    .msg_iov = parts, .msg_iovlen = 2, .msg_control = rights.bytes, .msg_controllen = sizeof rights.bytes};
  // The descriptors get the next free numbers, which are EASEL_SANDBOX_INPUT and EASEL_SANDBOX_OUTPUT.
  ssize_t count = recvmsg(EASEL_SANDBOX_TALK, &message, MSG_CMSG_CLOEXEC);
  struct cmsghdr *header = count < 0 ? NULL : CMSG_FIRSTHDR(&message);
  bool is_whole = header && header->cmsg_len == CMSG_LEN(sizeof descriptors) && count >= (ssize_t)sizeof *limits;
  return is_whole ? count - (ssize_t)sizeof *limits : -1;
}

// Waits for a picture, and then decodes it.
static _Noreturn void be_child(
  pid_t server, uint32_t layers, int talk, int sign, easel_sandbox_work decode, easel_sandbox_kind kind) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != server) _exit(1);
  if (dup2(sign, EASEL_SANDBOX_CONTROL) < 0 || dup2(talk, EASEL_SANDBOX_TALK) < 0) _exit(1);
  close(EASEL_SANDBOX_INPUT);
  close(EASEL_SANDBOX_OUTPUT);
  // Otherwise this process would keep the ends of other children's sockets open.
  close_from(EASEL_SANDBOX_TALK + 1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  // A write beyond the room for the result must fail, so that the child can report it.
  signal(SIGXFSZ, SIG_IGN);

  take_limits(kind.has_threads);
  if (layers & EASEL_SANDBOX_FILTER) {
    if (!has_filter && easel_sandbox_filter_server()) _exit(1);
    if (easel_sandbox_filter_child(kind.has_threads)) _exit(1);
  }

  static easel_sandbox_limits limits;
  static uint8_t beginning[EASEL_SANDBOX_BEGINNING];
  ssize_t count = await_picture(&limits, beginning);
  if (count < 0 || (limits.needs_filter && !(layers & EASEL_SANDBOX_FILTER))) _exit(1);
  take_limits_of_picture(layers, &limits);
  const char begun = EASEL_SANDBOX_BEGUN;
  if (write(EASEL_SANDBOX_CONTROL, &begun, 1) != 1) _exit(1);
  // Whoever takes this process over cannot say anything there.
  close(EASEL_SANDBOX_CONTROL);
  decode(beginning, (size_t)count);
  _exit(0);
}

// Tells the host of a child that waits for its picture, or of the failure to make one.
static bool announce(const easel_sandbox_ready *ready, int talk, int end) {
  int descriptors[2] = {talk, end};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof descriptors)];
  } rights;
  memset(&rights, 0, sizeof rights);
  struct iovec part = {.iov_base = (void *)ready, .iov_len = sizeof *ready};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (!ready->start_error) {
    message.msg_control = rights.bytes;
    message.msg_controllen = sizeof rights.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptors);
    memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  }
  // A host that reads nothing must not keep this process from ending its children. It asks again.
  return sendmsg(EASEL_SANDBOX_CONTROL, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof *ready;
}

// Makes a child; returns the errno, or 0.
static int make_child(uint32_t layers, easel_sandbox_work decode, easel_sandbox_kind kind) {
  if (child_count == MOST_CHILDREN) return EAGAIN;
  int talk[2], end[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk)) return errno;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end)) {
    int failure = errno;
    close(talk[0]);
    close(talk[1]);
    return failure;
  }
  pid_t server = getpid();
  set_eagerness(true);
  pid_t process = fork_alone();
  if (process == 0) be_child(server, layers, talk[1], end[1], decode, kind);
  int failure = process < 0 ? errno : 0;
  set_eagerness(false);
  if (process > 0) {
    easel_sandbox_ready ready = {.kind = kind, .process = process};
    // Without this, the child ends, because nobody holds the other end of its socket.
    announce(&ready, talk[0], end[0]);
    children[child_count++] = (child){.process = process, .end = end[1]};
  } else {
    close(end[1]);
  }
  close(talk[0]);
  close(talk[1]);
  close(end[0]);
  return failure;
}

static void report(int end, int wait_status) {
  easel_sandbox_end record = {.wait_status = wait_status};
  ssize_t done;
  do {
    done = send(end, &record, sizeof record, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (done < 0 && errno == EINTR);
  close(end);
}

static void bury_children(void) {
  int status;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
    // A stopped child would keep its picture waiting, for which the picture is not to blame. The filter lets no child
    // stop itself.
    if (WIFSTOPPED(status)) {
      kill(process, SIGKILL);
      continue;
    }
    for (int i = 0; i < child_count; i++) {
      if (children[i].process != process) continue;
      report(children[i].end, status);
      children[i] = children[--child_count];
      break;
    }
  }
}

static void kill_child(child *child) {
  // A process keeps its number until its parent has waited for it, so no other process can be hit.
  kill(child->process, SIGKILL);
  child->is_killed = true;
}

// MARK: Orders

// Receives an order; returns 1 if there is one, 0 if there is none to read, -1 when the host is gone.
static int receive_order(easel_sandbox_kind *kind) {
  for (;;) {
    ssize_t count = recv(EASEL_SANDBOX_CONTROL, kind, sizeof *kind, MSG_DONTWAIT);
    if (count == sizeof *kind) return 1;
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && errno == EAGAIN ? 0 : -1;
  }
}

static struct pollfd waits[2 + MOST_CHILDREN];

// Waits for orders, for ends of children, and for the host to end a child.
static int wait_for_events(int deaths) {
  waits[0] = (struct pollfd){.fd = EASEL_SANDBOX_CONTROL, .events = POLLIN};
  waits[1] = (struct pollfd){.fd = deaths, .events = POLLIN};
  for (int i = 0; i < child_count; i++) {
    // A negative number is ignored.
    waits[2 + i] = (struct pollfd){.fd = children[i].is_killed ? -1 : children[i].end, .events = POLLIN};
  }
  if (poll(waits, (nfds_t)(2 + child_count), -1) < 0) return errno == EINTR ? 0 : -1;
  for (int i = 0; i < child_count; i++) {
    if (waits[2 + i].revents) kill_child(&children[i]);
  }
  if (waits[1].revents) {
    struct signalfd_siginfo info;
    while (read(deaths, &info, sizeof info) > 0) {}
    bury_children();
  }
  return 0;
}

int easel_sandbox_serve(uint32_t layers, easel_sandbox_work decode) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  // The host may have closed the socket to which the end of a child is written.
  signal(SIGPIPE, SIG_IGN);
  int deaths = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (deaths < 0) return -1;

  for (int made = 0;;) {
    if (wait_for_events(deaths)) return -1;
    easel_sandbox_kind kind;
    int received;
    while ((received = receive_order(&kind)) > 0) {
      int failure = make_child(layers, decode, kind);
      if (failure) announce(&(easel_sandbox_ready){.kind = kind, .start_error = failure}, -1, -1);
      if (++made == MANY_CHILDREN) has_filter = easel_sandbox_settle(layers);
      // The ends of other children must not wait until many are made.
      struct pollfd other = {.fd = deaths, .events = POLLIN};
      if (poll(&other, 1, 0) > 0) break;
    }
    // The children end together with their parent.
    if (received < 0) return 0;
  }
}
