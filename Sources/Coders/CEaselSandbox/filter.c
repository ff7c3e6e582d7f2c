#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "The sandbox has no filter for this processor."
#endif

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

// Calls that use only what the process already has. A message brings the child its descriptors.
static const int allowed[] = {
  SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_recvmsg, SYS_close, SYS_fstat, SYS_lseek, SYS_munmap, SYS_mremap, SYS_brk,
  SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrandom,
  SYS_sched_yield, SYS_sched_getaffinity, SYS_getcpu, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction,
  SYS_sigaltstack, SYS_restart_syscall, SYS_exit, SYS_exit_group, SYS_getpid, SYS_gettid,
};

// Calls that a library may try, but can do without: they fail, and the process continues.
static const int refused[] = {
  SYS_clone, SYS_openat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_getcwd, SYS_socket,
  SYS_prctl, SYS_ioctl, SYS_fcntl, SYS_dup, SYS_uname, SYS_sysinfo, SYS_getuid, SYS_geteuid, SYS_getgid,
  SYS_getegid, SYS_getppid, SYS_sched_setaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_getrusage,
  SYS_set_robust_list, SYS_mbind, SYS_get_mempolicy, SYS_membarrier,
#if defined(__x86_64__)
  SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_fork, SYS_vfork, SYS_time,
#endif
};

// If this call is missing, libraries use an older call instead, which is refused.
#define SYS_CLONE3 435
#define SYS_CLOSE_RANGE 436

// Calls that a server needs besides those of its children. A child inherits the filter of its server, and ends at these.
static const int serving[] = {
  SYS_socketpair, SYS_sendmsg, SYS_sendto, SYS_recvfrom, SYS_wait4, SYS_kill, SYS_dup3, SYS_CLOSE_RANGE, SYS_seccomp,
  SYS_rseq, SYS_ppoll,
#if defined(__x86_64__)
  SYS_poll, SYS_dup2,
#endif
};

// Calls that a server needs, too, but that a library may try in a child.
static const int serving_or_refused[] = {SYS_getppid, SYS_set_robust_list};

#define AT(field) ((unsigned)offsetof(struct seccomp_data, field))
#define LOAD(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place)
// Runs the next instruction only if the loaded word is equal to the value.
#define IF_EQUAL(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), 0, 1)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define FAIL(number) RETURN(SECCOMP_RET_ERRNO | (number))

// Words of the filter: the bit of a call among 32, and the number of these 32.
enum { BIT, GROUP, GROUPS = 16 };

typedef struct {
  struct sock_filter lines[256];
  unsigned short count;
} program;

static void add(program *program, struct sock_filter line) {
  if (program->count < sizeof program->lines / sizeof program->lines[0]) program->lines[program->count++] = line;
}

static void add_check_of_architecture(program *program) {
  add(program, (struct sock_filter)LOAD(AT(arch)));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0));
  add(program, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
  add(program, (struct sock_filter)LOAD(AT(nr)));
}

// Looks up calls in a table of bits. A comparison with each call takes the kernel ten times as long to install, because it
// tries every call there is; and each child installs the filter.
static void add_bits(program *program) {
  add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 31));
  add(program, (struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0));
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, 1));
  add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_LSH | BPF_X, 0));
  add(program, (struct sock_filter)BPF_STMT(BPF_ST, BIT));
  add(program, (struct sock_filter)LOAD(AT(nr)));
  add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 5));
  add(program, (struct sock_filter)BPF_STMT(BPF_ST, GROUP));
}

// Ends with the action for each of these calls. The calls of the x32 variant of x86-64 are in no group.
static void add_calls(program *program, const int *calls, size_t count, unsigned action) {
  unsigned bits[GROUPS] = {0};
  for (size_t i = 0; i < count; i++) bits[calls[i] / 32] |= 1U << calls[i] % 32;
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_MEM, GROUP));
  for (unsigned group = 0; group < GROUPS; group++) {
    if (!bits[group]) continue;
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, group, 0, 4));
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_MEM, BIT));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits[group], 0, 1));
    add(program, (struct sock_filter)RETURN(action));
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_MEM, GROUP));
  }
}

// Allows memory that cannot be executed. The third argument of both calls tells what the memory is for.
static void add_memory_call(program *program, int number) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4));
  add(program, (struct sock_filter)LOAD(AT(args[2])));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1));
  add(program, (struct sock_filter)FAIL(EACCES));
  add(program, (struct sock_filter)RETURN(SECCOMP_RET_ALLOW));
}

// The advice that allocators give about the memory of their own process. Other kinds share pages with other processes,
// or take memory away from them.
static const int advices[] = {
  MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE,
};

// Waiting and waking. The kinds that move waiters or lend priorities are not needed with a single thread, and have been
// used for attacks on kernels.
static const int waits[] = {FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET};

// Allows a call only if its argument is one of these values; only the bits in `counting` are compared.
static void add_chosen(
  program *program, int number, unsigned place, unsigned counting, const int *values, unsigned char count, int failure) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, count + 4));
  add(program, (struct sock_filter)LOAD(place));
  add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, counting));
  for (unsigned char i = 0; i < count; i++) {
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)values[i], count - i, 0));
  }
  add(program, (struct sock_filter)FAIL((unsigned)failure));
  add(program, (struct sock_filter)RETURN(SECCOMP_RET_ALLOW));
}

// The signal with which a process aborts itself. Other signals could make it seem that somebody else had ended the
// process.
static void add_own_signals(program *program) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 6));
  add(program, (struct sock_filter)LOAD(AT(args[0])));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 0, 3));
  add(program, (struct sock_filter)LOAD(AT(args[2])));
  add(program, (struct sock_filter)IF_EQUAL(SIGABRT));
  add(program, (struct sock_filter)RETURN(SECCOMP_RET_ALLOW));
  add(program, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
}

// Allows a process to lower its own limits. Rights to raise them it has none.
static void add_own_limits(program *program) {
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 4));
  add(program, (struct sock_filter)LOAD(AT(args[0])));
  add(program, (struct sock_filter)IF_EQUAL(0));
  add(program, (struct sock_filter)RETURN(SECCOMP_RET_ALLOW));
  add(program, (struct sock_filter)FAIL(EACCES));
}

// The flags with which glibc calls `clone`: for a thread, and for the copy of a process.
static const int starts[] = {
  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID
    | CLONE_CHILD_CLEARTID,
  CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD,
};

static int install(const program *program) {
  struct sock_fprog filter = {.len = program->count, .filter = (struct sock_filter *)program->lines};
  // A positive result is the number of a thread to which the filter cannot apply.
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
}

int easel_sandbox_filter_server(void) {
  program program = {.count = 0};
  add_check_of_architecture(&program);
  add_bits(&program);
  add_calls(&program, allowed, sizeof allowed / sizeof allowed[0], SECCOMP_RET_ALLOW);
  add_calls(&program, serving, sizeof serving / sizeof serving[0], SECCOMP_RET_ALLOW);
  add_calls(
    &program, serving_or_refused, sizeof serving_or_refused / sizeof serving_or_refused[0], SECCOMP_RET_ALLOW);
  add(&program, (struct sock_filter)LOAD(AT(nr)));
  add_memory_call(&program, SYS_mmap);
  add_memory_call(&program, SYS_mprotect);
  add_chosen(
    &program, SYS_madvise, AT(args[2]), ~0U, advices, sizeof advices / sizeof advices[0], EINVAL);
  add_chosen(
    &program, SYS_futex, AT(args[1]), ~(unsigned)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME), waits,
    sizeof waits / sizeof waits[0], ENOSYS);
  static const int signals[] = {SIGABRT}, controls[] = {PR_SET_PDEATHSIG};
  add_chosen(&program, SYS_tgkill, AT(args[2]), ~0U, signals, 1, EACCES);
  add_chosen(&program, SYS_prctl, AT(args[0]), ~0U, controls, 1, EACCES);
  add_chosen(&program, SYS_clone, AT(args[0]), ~0U, starts, sizeof starts / sizeof starts[0], EACCES);
  add_own_limits(&program);
  add(&program, (struct sock_filter)IF_EQUAL(SYS_CLONE3));
  add(&program, (struct sock_filter)FAIL(ENOSYS));
  add_calls(&program, refused, sizeof refused / sizeof refused[0], SECCOMP_RET_ERRNO | EACCES);
  add(&program, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
  return install(&program);
}

int easel_sandbox_filter_child(bool has_threads) {
  // This is a short list, because each child installs it: whatever it does not name is left to the server's filter.
  program program = {.count = 0};
  add(&program, (struct sock_filter)LOAD(AT(nr)));
  add_own_signals(&program);
  if (has_threads) {
    add_chosen(&program, SYS_clone, AT(args[0]), ~0U, starts, 1, EACCES);
    // A new thread registers itself, and does not run without that.
    add(&program, (struct sock_filter)IF_EQUAL(SYS_rseq));
    add(&program, (struct sock_filter)RETURN(SECCOMP_RET_ALLOW));
  } else {
    add(&program, (struct sock_filter)IF_EQUAL(SYS_clone));
    add(&program, (struct sock_filter)FAIL(EACCES));
  }
  add(&program, (struct sock_filter)IF_EQUAL(SYS_prctl));
  add(&program, (struct sock_filter)FAIL(EACCES));
  for (size_t i = 0; i < sizeof serving_or_refused / sizeof serving_or_refused[0]; i++) {
    add(&program, (struct sock_filter)IF_EQUAL(serving_or_refused[i]));
    add(&program, (struct sock_filter)FAIL(EACCES));
  }
  for (size_t i = 0; i < sizeof serving / sizeof serving[0]; i++) {
    add(&program, (struct sock_filter)IF_EQUAL(serving[i]));
    add(&program, (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS));
  }
  add(&program, (struct sock_filter)RETURN(SECCOMP_RET_ALLOW));
  return install(&program);
}
