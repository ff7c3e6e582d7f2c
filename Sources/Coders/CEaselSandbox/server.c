#define _GNU_SOURCE
#include <dirent.h>
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

// The most children at once. The host has its own limit, which is lower.
enum { MOST_CHILDREN = 1024 };

typedef struct {
  pid_t process;
  // The socket on which the host waits for the end of the child.
  int end;
  // True if the host wants the child to be killed.
  bool is_killed;
  bool has_threads;
} child;

static child children[MOST_CHILDREN];
static int child_count;

static void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (unsigned descriptor = first; descriptor < 4096; descriptor++) close((int)descriptor);
}

int easel_sandbox_thread_count(void) {
  DIR *folder = opendir("/proc/self/task");
  // Without /proc, the number is unknown.
  if (!folder) return 1;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

// Returns true if a thread is asleep, and counts how often it gave up its processor by itself.
static bool sleeps(const char *task, unsigned long *switches) {
  char path[64], line[128], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%.16s/status", task);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  while (fgets(line, sizeof line, file)) {
    unsigned long count;
    if (sscanf(line, "voluntary_ctxt_switches: %lu", &count) == 1) *switches += count;
    sscanf(line, "State: %c", &state);
  }
  fclose(file);
  return state == 'S';
}

// True if all other threads are asleep; also counts how often they all went to sleep.
static bool others_sleep(unsigned long *switches) {
  char own[16];
  snprintf(own, sizeof own, "%ld", syscall(SYS_gettid));
  DIR *folder = opendir("/proc/self/task");
  if (!folder) return false;
  bool all_sleep = true;
  *switches = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, own) == 0) continue;
    if (!sleeps(entry->d_name, switches)) all_sleep = false;
  }
  closedir(folder);
  return all_sleep;
}

bool easel_sandbox_threads_end(void) {
  // This thread holds nothing for which another thread could wait so long without being woken.
  enum { LOOKS = 200 };
  unsigned long switches = 0;
  for (int looks = 0; easel_sandbox_thread_count() > 1; usleep(1000)) {
    unsigned long before = switches;
    bool are_still = others_sleep(&switches) && switches == before;
    if (!are_still) looks = 0;
    else if (++looks == LOOKS) return false;
  }
  return true;
}

static void limit(int resource, uint64_t most) {
  struct rlimit before;
  if (getrlimit(resource, &before)) return;
  rlim_t value = before.rlim_max != RLIM_INFINITY && before.rlim_max < most ? before.rlim_max : (rlim_t)most;
  setrlimit(resource, &(struct rlimit){.rlim_cur = value, .rlim_max = value});
}

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

// Makes a child to test whether that is possible, and whether the child can have a filter.
static void try_filter(easel_sandbox_hello *hello) {
  pid_t process = fork();
  if (process < 0) {
    hello->fork_error = errno;
    return;
  }
  if (process == 0) {
    int failure = easel_sandbox_install_filter(false) ? errno : 0;
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
  // The process needs the socket for orders, and the descriptors that come through it.
  limit(RLIMIT_NOFILE, EASEL_SANDBOX_CONTROL + 1 + EASEL_SANDBOX_CHILD_DESCRIPTORS);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
}

static void impose(pid_t process, int resource, uint64_t soft, uint64_t hard) {
  struct rlimit limits;
  if (prlimit(process, resource, NULL, &limits)) return;
  // The host itself may have a lower limit.
  if (limits.rlim_max == RLIM_INFINITY || limits.rlim_max > hard) limits.rlim_max = hard;
  limits.rlim_cur = soft < limits.rlim_max ? soft : limits.rlim_max;
  prlimit(process, resource, &limits, NULL);
}

// Sets the limits that depend on the picture. The server does this, because a child cannot with its filter.
static void impose_limits(pid_t process, uint32_t layers, const easel_sandbox_limits *limits) {
  uint64_t memory = server_memory + limits->memory_bytes;
  if (layers & EASEL_SANDBOX_MEMORY) impose(process, RLIMIT_AS, memory, memory);
  impose(process, RLIMIT_FSIZE, limits->output_bytes, limits->output_bytes);
  // At the hard limit, the signal is the same as for a lack of memory; only the soft limit has its own signal.
  uint64_t seconds = limits->processor_seconds;
  if (seconds) impose(process, RLIMIT_CPU, seconds, seconds + 1);
}

// Returns the number of descriptors that came with an order; -1 and EPIPE if the sender has closed the socket.
static int receive(int socket, int flags, easel_sandbox_limits *order, int descriptors[EASEL_SANDBOX_DESCRIPTORS]) {
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

// Waits for the order for a picture, and then decodes the picture.
static _Noreturn void be_child(
  pid_t server, uint32_t layers, int orders, const easel_sandbox_work *work, uint32_t last_coder, bool has_threads) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != server) _exit(1);
  // Otherwise this process would keep the ends of other children's sockets open.
  if (dup2(orders, EASEL_SANDBOX_CONTROL) < 0) _exit(1);
  close_from(EASEL_SANDBOX_CONTROL + 1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  // A write beyond the room for the result must fail, so that the child can report it.
  signal(SIGXFSZ, SIG_IGN);
  // Touches pages now, so that the picture need not wait for their copies.
  if (last_coder) work->rehearse(last_coder);

  take_limits(has_threads);
  if ((layers & EASEL_SANDBOX_FILTER) && easel_sandbox_install_filter(has_threads)) _exit(1);

  easel_sandbox_limits order;
  int descriptors[EASEL_SANDBOX_DESCRIPTORS];
  // The descriptors get the next free numbers, which are EASEL_SANDBOX_INPUT and the following ones.
  if (receive(EASEL_SANDBOX_CONTROL, 0, &order, descriptors) != EASEL_SANDBOX_CHILD_DESCRIPTORS) _exit(1);
  close(EASEL_SANDBOX_CONTROL);
  const char begun = EASEL_SANDBOX_BEGUN;
  if (write(EASEL_SANDBOX_TALK, &begun, 1) != 1) _exit(1);
  work->decode();
  _exit(0);
}

// Children that wait for their order; the oldest is first.
static child spares[EASEL_SANDBOX_SPARES];
static int spare_count;
// The coder of the last picture, because most pictures are of the same kind as the one before.
static uint32_t last_coder;
static bool last_has_threads;

// Makes a child that waits for an order; returns the errno, or 0.
static int make_spare(uint32_t layers, const easel_sandbox_work *work) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) return errno;
  pid_t server = getpid();
  set_eagerness(true);
  // This is not `fork`, which also calls handlers of libraries; this process has one thread, so they have nothing to
  // do.
  pid_t process = _Fork();
  if (process == 0) be_child(server, layers, sockets[1], work, last_coder, last_has_threads);
  int failure = errno;
  set_eagerness(false);
  close(sockets[1]);
  if (process < 0) {
    close(sockets[0]);
    return failure;
  }
  spares[spare_count++] = (child){.process = process, .end = sockets[0], .has_threads = last_has_threads};
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

// Removes a spare child from the list.
static void drop_spare(int index) {
  close(spares[index].end);
  spare_count--;
  memmove(&spares[index], &spares[index + 1], sizeof *spares * (size_t)(spare_count - index));
}

// Gives the order to a spare child; returns the errno, or 0.
static int employ(
  uint32_t layers, const easel_sandbox_limits *order, const int descriptors[EASEL_SANDBOX_DESCRIPTORS],
  const easel_sandbox_work *work) {
  if (order->needs_filter && !(layers & EASEL_SANDBOX_FILTER)) return EPERM;
  if (child_count == MOST_CHILDREN) return EAGAIN;
  last_coder = order->coder;
  last_has_threads = order->has_threads;
  // Children with another filter are useless now.
  while (spare_count && spares[0].has_threads != last_has_threads) {
    kill(spares[0].process, SIGKILL);
    drop_spare(0);
  }
  int failure = spare_count ? 0 : make_spare(layers, work);
  if (failure) return failure;
  impose_limits(spares[0].process, layers, order);
  // The host must get this number from the server, because the child could lie. The host need not read it.
  int32_t number = spares[0].process;
  ssize_t said = write(descriptors[EASEL_SANDBOX_TALK - EASEL_SANDBOX_INPUT], &number, sizeof number);
  (void)said;
  // If the child was killed, its end is reported like every other end.
  easel_sandbox_send_order(spares[0].end, order, descriptors, EASEL_SANDBOX_CHILD_DESCRIPTORS);
  children[child_count++] = (child){.process = spares[0].process, .end = descriptors[3]};
  drop_spare(0);
  return 0;
}

static void start(
  uint32_t layers, const easel_sandbox_limits *order, const int descriptors[EASEL_SANDBOX_DESCRIPTORS],
  const easel_sandbox_work *work) {
  int failure = employ(layers, order, descriptors, work);
  for (int i = 0; i < EASEL_SANDBOX_CHILD_DESCRIPTORS; i++) close(descriptors[i]);
  if (failure) report(descriptors[3], failure, 0);
}

static void bury_children(void) {
  int status;
  for (pid_t process; (process = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
    for (int i = 0; i < spare_count; i++) {
      if (spares[i].process != process) continue;
      // A stopped child would keep its picture waiting.
      if (WIFSTOPPED(status)) kill(process, SIGKILL);
      drop_spare(i);
      break;
    }
    // The other children have begun, and have their time limit.
    if (WIFSTOPPED(status)) continue;
    for (int i = 0; i < child_count; i++) {
      if (children[i].process != process) continue;
      report(children[i].end, 0, status);
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
static int receive_order(easel_sandbox_limits *order, int descriptors[EASEL_SANDBOX_DESCRIPTORS]) {
  for (;;) {
    int received = receive(EASEL_SANDBOX_CONTROL, MSG_DONTWAIT, order, descriptors);
    if (received < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (received == EASEL_SANDBOX_DESCRIPTORS) return 1;
    // If this process has too many open descriptors, too few arrive. The host then sees that their other ends are
    // closed.
    for (int i = 0; i < received; i++) close(descriptors[i]);
  }
}

static struct pollfd waits[2 + MOST_CHILDREN];

// Waits for orders, for ends of children, and for the host to end a child.
static int wait_for_events(int deaths, bool only_looks) {
  waits[0] = (struct pollfd){.fd = EASEL_SANDBOX_CONTROL, .events = POLLIN};
  waits[1] = (struct pollfd){.fd = deaths, .events = POLLIN};
  for (int i = 0; i < child_count; i++) {
    // A negative number is ignored.
    waits[2 + i] = (struct pollfd){.fd = children[i].is_killed ? -1 : children[i].end, .events = POLLIN};
  }
  if (poll(waits, (nfds_t)(2 + child_count), only_looks ? 0 : -1) < 0) return errno == EINTR ? 0 : -1;
  for (int i = 0; i < child_count; i++) {
    if (waits[2 + i].revents) kill_child(&children[i]);
  }
  struct signalfd_siginfo info;
  while (read(deaths, &info, sizeof info) > 0) {}
  bury_children();
  return 0;
}

int easel_sandbox_serve(uint32_t layers, const easel_sandbox_work *work) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  // The host may have closed the socket to which the end of a child is written.
  signal(SIGPIPE, SIG_IGN);
  int deaths = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (deaths < 0) return -1;

  for (;;) {
    // Children are made one at a time, because an order may come. If making one fails, the next picture shows it.
    bool lacks_spares = spare_count < EASEL_SANDBOX_SPARES && make_spare(layers, work) == 0 && spare_count < EASEL_SANDBOX_SPARES;
    if (wait_for_events(deaths, lacks_spares)) return -1;
    easel_sandbox_limits order;
    int descriptors[EASEL_SANDBOX_DESCRIPTORS];
    int received;
    while ((received = receive_order(&order, descriptors)) > 0) start(layers, &order, descriptors, work);
    // The children end together with their parent.
    if (received < 0) return 0;
  }
}
