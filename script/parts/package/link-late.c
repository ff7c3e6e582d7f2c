// Functions of libraries that are loaded when one of them is called for the first time.
//
// script/parts/package/link-late compiles this with the list LATE_FUNCTIONS, which has a line for each function and for each library:
//
//   FUNCTION(number, name)
//   LIBRARY("name of its file", number of its first function, count of its functions)
//
// A function here jumps to the address in its place of a table. At first that is a few instructions which save the
// arguments, have the library loaded, and go on to the real function. Then the table has the addresses of all its
// functions, so that later calls cost one jump more.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __x86_64__

#define STUB(number, name)                                                                                             \
  name ": jmp *easel_late_table+8*" number "(%rip)\n"                                                                  \
  "easel_late_first_" number ": push $" number "\n"                                                                    \
  "jmp easel_late_first\n"

// A function may take arguments in these registers. The stack is aligned to 16 bytes at the call.
__asm__(".text\n"
        ".type easel_late_first,@function\n"
        "easel_late_first:\n"
        "push %rax; push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; push %r10\n"
        "sub $128, %rsp\n"
        "movups %xmm0, (%rsp); movups %xmm1, 16(%rsp); movups %xmm2, 32(%rsp); movups %xmm3, 48(%rsp)\n"
        "movups %xmm4, 64(%rsp); movups %xmm5, 80(%rsp); movups %xmm6, 96(%rsp); movups %xmm7, 112(%rsp)\n"
        "mov 192(%rsp), %rdi\n"
        "call easel_late_function\n"
        "mov %rax, %r11\n"
        "movups (%rsp), %xmm0; movups 16(%rsp), %xmm1; movups 32(%rsp), %xmm2; movups 48(%rsp), %xmm3\n"
        "movups 64(%rsp), %xmm4; movups 80(%rsp), %xmm5; movups 96(%rsp), %xmm6; movups 112(%rsp), %xmm7\n"
        "add $128, %rsp\n"
        "pop %r10; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi; pop %rax\n"
        "add $8, %rsp\n"
        "jmp *%r11\n");

#elif defined __aarch64__

#define STUB(number, name)                                                                                             \
  name ": adrp x16, easel_late_table+8*" number "\n"                                                                   \
  "ldr x16, [x16, #:lo12:easel_late_table+8*" number "]\n"                                                             \
  "br x16\n"                                                                                                           \
  "easel_late_first_" number ": mov x17, #" number "\n"                                                                \
  "b easel_late_first\n"

__asm__(".text\n"
        ".type easel_late_first,@function\n"
        "easel_late_first:\n"
        "stp x29, x30, [sp, #-224]!\n"
        "mov x29, sp\n"
        "stp x0, x1, [sp, #16]; stp x2, x3, [sp, #32]; stp x4, x5, [sp, #48]; stp x6, x7, [sp, #64]\n"
        "str x8, [sp, #80]\n"
        "stp q0, q1, [sp, #96]; stp q2, q3, [sp, #128]; stp q4, q5, [sp, #160]; stp q6, q7, [sp, #192]\n"
        "mov x0, x17\n"
        "bl easel_late_function\n"
        "mov x16, x0\n"
        "ldp x0, x1, [sp, #16]; ldp x2, x3, [sp, #32]; ldp x4, x5, [sp, #48]; ldp x6, x7, [sp, #64]\n"
        "ldr x8, [sp, #80]\n"
        "ldp q0, q1, [sp, #96]; ldp q2, q3, [sp, #128]; ldp q4, q5, [sp, #160]; ldp q6, q7, [sp, #192]\n"
        "ldp x29, x30, [sp], #224\n"
        "br x16\n");

#else
#error "There is no code for this processor yet."
#endif

// Other libraries must not find the functions of this program under the names of their own.
#define FUNCTION(number, name)                                                                                         \
  __asm__(".text\n"                                                                                                    \
          ".globl " #name "\n"                                                                                         \
          ".hidden " #name "\n"                                                                                        \
          ".type " #name ",@function\n" STUB(#number, #name));
#define LIBRARY(file, first, count)
#include LATE_FUNCTIONS
#undef FUNCTION

// The table is made by the loader and can then only be read, like the tables of the linker.
__asm__(".section .data.rel.ro.easel_late,\"aw\"\n"
        ".balign 8\n"
        "easel_late_table:\n");
#define FUNCTION(number, name) __asm__(".quad easel_late_first_" #number "\n");
#include LATE_FUNCTIONS
#undef FUNCTION
__asm__(".text\n");

static const char *const names[] = {
#define FUNCTION(number, name) [number] = #name,
#include LATE_FUNCTIONS
#undef FUNCTION
};
#undef LIBRARY

extern void *easel_late_table[sizeof names / sizeof names[0]] __attribute__((visibility("hidden")));

typedef struct {
  const char *file;
  size_t first, count;
  int is_loaded;
} late_library;

static late_library libraries[] = {
#define FUNCTION(number, name)
#define LIBRARY(file, first, count) {file, first, count, 0},
#include LATE_FUNCTIONS
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// As when the loader does not find a library at the start of a program.
static void fail(const char *reason) {
  fprintf(stderr, "%s: error while loading shared libraries: %s\n", program_invocation_short_name, reason);
  _exit(127);
}

static void protect(void *start, void *end, int protection) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)start / page * page;
  if (mprotect((void *)first, (uintptr_t)end - first, protection)) fail("the table of functions cannot be changed");
}

static void load(late_library *library) {
  void *handle = dlopen(library->file, RTLD_LAZY);
  if (!handle) fail(dlerror());
  void **start = easel_late_table + library->first;
  protect(start, start + library->count, PROT_READ | PROT_WRITE);
  for (size_t i = 0; i < library->count; i++) {
    void *function = dlsym(handle, names[library->first + i]);
    if (!function) fail(dlerror());
    // Others may call it meanwhile.
    __atomic_store_n(&start[i], function, __ATOMIC_RELEASE);
  }
  protect(start, start + library->count, PROT_READ);
  library->is_loaded = 1;
}

// The address of a function; its library is loaded by the first thread that needs it.
__attribute__((used, visibility("hidden"))) void *easel_late_function(size_t number) {
  late_library *library = libraries;
  while (number >= library->first + library->count) library++;
  pthread_mutex_lock(&lock);
  if (!library->is_loaded) load(library);
  pthread_mutex_unlock(&lock);
  return easel_late_table[number];
}
