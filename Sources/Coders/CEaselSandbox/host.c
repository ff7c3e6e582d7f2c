#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

// MARK: The server

static int add_descriptors(posix_spawn_file_actions_t *actions, int control) {
  for (int stream = 0; stream < 3; stream++) {
    int failure = posix_spawn_file_actions_addopen(actions, stream, "/dev/null", O_RDWR, 0);
    if (failure) return failure;
  }
  // This also works if the socket already has that number: the flag that would close it is removed.
  int failure = posix_spawn_file_actions_adddup2(actions, control, EASEL_SANDBOX_CONTROL);
  if (failure) return failure;
  return posix_spawn_file_actions_addclosefrom_np(actions, EASEL_SANDBOX_CONTROL + 1);
}

// The program begins with no signal blocked or ignored, whatever the host does with signals.
static int add_signals(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int failure = posix_spawnattr_setsigmask(attributes, &none);
  if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &all);
  // The program has its own process group, so that an interrupt in the terminal ends the host first.
  if (!failure) failure = posix_spawnattr_setpgroup(attributes, 0);
  if (!failure) {
    failure = posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  return failure;
}

static pid_t spawn(const char *path, char *const arguments[], char *const environment[], int control) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  pid_t process = -1;
  int failure = add_descriptors(&actions, control);
  if (!failure) failure = add_signals(&attributes);
  if (!failure) failure = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  errno = failure;
  return failure ? -1 : process;
}

pid_t easel_sandbox_spawn(const char *path, char *const arguments[], char *const environment[], int *control) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) return -1;
  // If the standard streams of the host are closed, the socket may have the number of one, which the program sees as
  // /dev/null.
  int end = fcntl(sockets[1], F_DUPFD_CLOEXEC, EASEL_SANDBOX_CONTROL);
  pid_t process = end < 0 ? -1 : spawn(path, arguments, environment, end);
  int failure = errno;
  close(sockets[1]);
  if (end >= 0) close(end);
  if (process < 0) {
    close(sockets[0]);
    errno = failure;
    return -1;
  }
  *control = sockets[0];
  return process;
}

int easel_sandbox_receive_hello(int control, int milliseconds, easel_sandbox_hello *hello) {
  if (!easel_sandbox_wait_readable(control, milliseconds)) return 0;
  // The version is at the beginning, so even a shorter message tells it.
  ssize_t count = recv(control, hello, sizeof *hello, MSG_DONTWAIT);
  hello->problem[sizeof hello->problem - 1] = 0;
  return count >= (ssize_t)offsetof(easel_sandbox_hello, problem) ? 1 : -1;
}

bool easel_sandbox_is_stopped(pid_t server) {
  siginfo_t state = {.si_pid = 0};
  // WNOWAIT keeps the state for the next caller.
  return waitid(P_PID, (id_t)server, &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 && state.si_pid == server;
}

// MARK: Orders

int easel_sandbox_order(int control, const easel_sandbox_kind *kind) {
  return easel_sandbox_send(control, kind, sizeof *kind) == sizeof *kind ? 0 : -1;
}

int easel_sandbox_receive_ready(int control, easel_sandbox_ready *ready, int *talk, int *end) {
  int descriptors[2] = {-1, -1};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof descriptors)];
  } rights;
  struct iovec part = {.iov_base = ready, .iov_len = sizeof *ready};
  struct msghdr message = {
    .msg_iov = &part, .msg_iovlen = 1, .msg_control = rights.bytes, .msg_controllen = sizeof rights.bytes};
  ssize_t count;
  do {
    count = recvmsg(control, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN ? 0 : -1;
  if (count != sizeof *ready) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  int received = 0;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    received = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(descriptors, CMSG_DATA(header), sizeof(int) * (size_t)received);
  }
  if (received < 2) {
    // If this process has too many open descriptors, too few arrive.
    if (received == 1) close(descriptors[0]);
    if (!ready->start_error) ready->start_error = EMFILE;
  }
  *talk = descriptors[0];
  *end = descriptors[1];
  return 1;
}

ssize_t easel_sandbox_send_picture(
  int talk, const easel_sandbox_limits *limits, int input, int output, const void *messages, size_t count) {
  int descriptors[2] = {input, output};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof descriptors)];
  } rights;
  if (count > EASEL_SANDBOX_BEGINNING) count = EASEL_SANDBOX_BEGINNING;
  struct iovec parts[] = {
    {.iov_base = (void *)limits, .iov_len = sizeof *limits}, {.iov_base = (void *)messages, .iov_len = count}};
  memset(&rights, 0, sizeof rights);
  struct msghdr message = {
    .msg_iov = parts, .msg_iovlen = 2, .msg_control = rights.bytes, .msg_controllen = sizeof rights.bytes};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  ssize_t sent;
  do {
    sent = sendmsg(talk, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  // The socket is empty, so that it takes the message as a whole.
  return sent < 0 ? -1 : sent - (ssize_t)sizeof *limits;
}

int easel_sandbox_read_end(int end, easel_sandbox_end *record, bool *has_begun) {
  for (;;) {
    ssize_t count = recv(end, record, sizeof *record, MSG_DONTWAIT);
    if (count == sizeof *record) return 1;
    if (count < 0 && errno == EAGAIN) return 0;
    if (count < 0 && errno == EINTR) continue;
    if (count != 1) return -1;
    *has_begun = true;
  }
}

void easel_sandbox_kill(int end) { shutdown(end, SHUT_WR); }

// MARK: Time

static uint64_t waited_by_thread(pid_t process, const char *task) {
  char path[64];
  unsigned long long used, waited = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%.16s/schedstat", (int)process, task);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%llu %llu", &used, &waited) != 2) waited = 0;
  fclose(file);
  return waited;
}

uint64_t easel_sandbox_used_time(pid_t process) {
  clockid_t clock;
  struct timespec used;
  if (clock_getcpuclockid(process, &clock) || clock_gettime(clock, &used)) return 0;
  return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

uint64_t easel_sandbox_waited_time(pid_t process) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *folder = opendir(path);
  if (!folder) return 0;
  uint64_t waited = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] != '.') waited += waited_by_thread(process, entry->d_name);
  }
  closedir(folder);
  return waited;
}

void easel_sandbox_give_way(pid_t process) {
  // A higher number gets a tenth of a processor that others want, and all of one that is free.
  enum { NICENESS = 10 };
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *folder = opendir(path);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) {
    int thread = atoi(entry->d_name);
    // Only some rights would allow to lower the number of a host that has a higher one.
    if (thread > 0 && getpriority(PRIO_PROCESS, (id_t)thread) < NICENESS) {
      setpriority(PRIO_PROCESS, (id_t)thread, NICENESS);
    }
  }
  closedir(folder);
}

// MARK: Descriptors

ssize_t easel_sandbox_send(int socket, const void *bytes, size_t count) {
  return send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int easel_sandbox_memory_file(void) { return memfd_create("easel", MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int easel_sandbox_seal(int file) {
  return fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

int easel_sandbox_clear(int file, size_t count) {
  // One page, which stays in the cache of the processor, again and again.
  static const char zeros[4096];
  enum { PARTS = 64 };
  struct iovec parts[PARTS];
  for (int i = 0; i < PARTS; i++) parts[i] = (struct iovec){.iov_base = (void *)zeros, .iov_len = sizeof zeros};
  for (size_t done = 0; done < count;) {
    size_t left = count - done, whole = left / sizeof zeros;
    // The last part of a page comes at the end, alone.
    struct iovec rest = {.iov_base = (void *)zeros, .iov_len = left};
    ssize_t wrote = whole ? pwritev(file, parts, whole < PARTS ? (int)whole : PARTS, (off_t)done)
                          : pwritev(file, &rest, 1, (off_t)done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return -1;
    done += (size_t)wrote;
  }
  return 0;
}

int easel_sandbox_wait_readable(int descriptor, int milliseconds) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t end = now.tv_sec * 1000 + now.tv_nsec / 1000000 + milliseconds;
  for (;;) {
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    int count = poll(&wait, 1, milliseconds);
    if (count > 0) return 1;
    if (count == 0 || errno != EINTR) return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t left = end - (now.tv_sec * 1000 + now.tv_nsec / 1000000);
    milliseconds = left > 0 ? (int)left : 0;
  }
}
