/*
 * Parts of the C library that 64-bit host programs have in a form of their own: its start, `errno`, memory maps, and what musl has
 * assembler or a kernel's threads for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libc.h"
#include "pthread_impl.h"
#include "stdio_impl.h"
#include "syscall.h"

/* The state that musl keeps for a thread, one for all. */
_Alignas(16) char __simsight_thread[sizeof(struct pthread)];

static _Thread_local int threadErrno;
int *__errno_location(void) { return &threadErrno; }
int *___errno_location(void) { return &threadErrno; }

/* `block`: as Linux has it on the stack: argc, argv, envp, auxv. */
void __simsight_start_libc(long *block) {
  struct pthread *self = (struct pthread *)__simsight_thread;
  self->self = self;
  self->tid = 1000;
  self->locale = &libc.global_locale;
  self->detach_state = DT_JOINABLE;
  self->next = self->prev = self;
  char **argv = (char **)(block + 1);
  __environ = argv + *block + 1;
  size_t *auxv = (size_t *)__environ;
  while (*auxv) auxv++;
  libc.auxv = ++auxv;
  libc.page_size = 4096;
  if (argv[0]) {
    __progname = __progname_full = argv[0];
    for (char *at = argv[0]; *at; at++)
      if (*at == '/') __progname = at + 1;
  }
}

/* Host threads are made outside, in programs that may start any; here nothing starts one. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  return EAGAIN;
}
int pthread_join(pthread_t thread, void **result) { return ESRCH; }
int pthread_detach(pthread_t thread) { return ESRCH; }
_Noreturn void pthread_exit(void *result) { exit(0); }
pthread_t pthread_self(void) { return (pthread_t)__simsight_thread; }
int pthread_cancel(pthread_t thread) { return ESRCH; }
int pthread_setcancelstate(int state, int *old) {
  if (old) *old = 0;
  return 0;
}
int __pthread_setcancelstate(int state, int *old) { return pthread_setcancelstate(state, old); }
int pthread_setcanceltype(int type, int *old) {
  if (old) *old = 0;
  return 0;
}
void pthread_testcancel(void) {}
void __pthread_testcancel(void) {}
void _pthread_cleanup_push(struct __ptcb *entry, void (*run)(void *), void *argument) {
  entry->__f = run;
  entry->__x = argument;
}
void _pthread_cleanup_pop(struct __ptcb *entry, int runs) {
  if (runs) entry->__f(entry->__x);
}
int pthread_kill(pthread_t thread, int signal) { return raise(signal) ? errno : 0; }
int pthread_setname_np(pthread_t thread, const char *name) { return 0; }
int pthread_getname_np(pthread_t thread, char *name, size_t size) {
  if (size) *name = 0;
  return 0;
}

/* Waits of one thread for another: there is none. */
int __timedwait(volatile int *address, int value, clockid_t clock, const struct timespec *at, int isPrivate) { return 0; }
int __timedwait_cp(volatile int *address, int value, clockid_t clock, const struct timespec *at, int isPrivate) {
  return 0;
}
void __wait(volatile int *address, volatile int *waiters, int value, int isPrivate) {}
void __lock(volatile int *lock) {}
void __unlock(volatile int *lock) {}
void __tl_lock(void) {}
void __tl_unlock(void) {}
void __tl_sync(pthread_t thread) {}
void __vm_wait(void) {}
void __vm_lock(void) {}
void __vm_unlock(void) {}
void __acquire_ptc(void) {}
void __release_ptc(void) {}
void __inhibit_ptc(void) {}
void __synccall(void (*run)(void *), void *argument) { run(argument); }
long(__syscall_cp)(long n, long a, long b, long c, long d, long e, long f) { return __syscall6(n, a, b, c, d, e, f); }

/* Mutexes and once-flags of a program without other threads. */
int pthread_once(pthread_once_t *flag, void (*run)(void)) {
  if (*flag == 2) return 0;
  *flag = 2;
  run();
  return 0;
}

/*
 * Files have no locks, and say so by a negative number, except between flockfile and funlockfile. At null, where all is zero, calls
 * ask for one: the function below is what its end is told apart by, a segmentation fault elsewhere.
 */
_Noreturn static __attribute__((noinline)) void __simsight_null_file(void) { __builtin_trap(); }
int __lockfile(FILE *file) {
  if (!file) __simsight_null_file();
  return 0;
}
void __unlockfile(FILE *file) { file->lock = 0; }

/* Anonymous memory is the heap's; of a file, a private copy is made. Protection is as it is. */
struct Mapping {
  struct Mapping *next;
  void *data;
  size_t bytes;
};
static struct Mapping *mappings;

void *mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset) {
  const int isFile = !(flags & MAP_ANONYMOUS);
  if (!bytes || offset & 4095) return errno = EINVAL, MAP_FAILED;
  if (flags & MAP_FIXED) return errno = ENOMEM, MAP_FAILED;
  if (isFile && flags & MAP_SHARED && protection & PROT_WRITE) return errno = ENODEV, MAP_FAILED;
  struct Mapping *mapping = malloc(sizeof *mapping);
  /* Fresh memory is zero: what `calloc` gives need not be aligned. */
  char *data = mapping ? calloc(1, bytes + 4096) : 0;
  if (!data) {
    free(mapping);
    return errno = ENOMEM, MAP_FAILED;
  }
  char *aligned = (char *)(((uintptr_t)data + 4095) & ~4095ul);
  for (size_t done = 0; isFile && done < bytes;) {
    const ssize_t count = pread(fd, aligned + done, bytes - done, offset + done);
    if (count < 0) {
      free(data), free(mapping);
      return MAP_FAILED;
    }
    if (count == 0) break;
    done += count;
  }
  *mapping = (struct Mapping){mappings, data, bytes};
  mappings = mapping;
  return aligned;
}

int munmap(void *address, size_t bytes) {
  for (struct Mapping **at = &mappings; *at; at = &(*at)->next) {
    struct Mapping *mapping = *at;
    if ((void *)(((uintptr_t)mapping->data + 4095) & ~4095ul) != address || bytes < mapping->bytes) continue;
    *at = mapping->next;
    free(mapping->data);
    free(mapping);
    break;
  }
  return 0;
}
void *__mmap(void *where, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return mmap(where, bytes, protection, flags, fd, offset);
}
int __munmap(void *address, size_t bytes) { return munmap(address, bytes); }
void *mremap(void *address, size_t old, size_t bytes, int flags, ...) { return errno = ENOMEM, MAP_FAILED; }
int mprotect(void *address, size_t bytes, int protection) { return 0; }
int __mprotect(void *address, size_t bytes, int protection) { return 0; }
int madvise(void *address, size_t bytes, int advice) { return 0; }
int __madvise(void *address, size_t bytes, int advice) { return 0; }
int msync(void *address, size_t bytes, int flags) { return 0; }
int mlock(const void *address, size_t bytes) { return 0; }
int munlock(const void *address, size_t bytes) { return 0; }
int mlockall(int flags) { return 0; }
int munlockall(void) { return 0; }
void *sbrk(intptr_t bytes) { return errno = ENOMEM, (void *)-1; }
int brk(void *end) { return errno = ENOMEM, -1; }

/* Processes: there is one. */
pid_t fork(void) { return errno = ENOSYS, -1; }
pid_t vfork(void) { return errno = ENOSYS, -1; }
int system(const char *command) {
  if (!command) return 0;
  errno = ENOSYS;
  return -1;
}
int execve(const char *path, char *const argv[], char *const environment[]) { return errno = ENOSYS, -1; }

/* Floating point goes on without looking at flags; the only rounding is to the nearest. */
int feclearexcept(int flags) { return 0; }
int feraiseexcept(int flags) { return 0; }
int fetestexcept(int flags) { return 0; }
int fegetround(void) { return FE_TONEAREST; }
int __fesetround(int rounding) { return rounding != FE_TONEAREST; }
int fegetenv(fenv_t *environment) { return 0; }
int fesetenv(const fenv_t *environment) { return 0; }

/* What glibc has for programs that print their own stack. */
int backtrace(void **addresses, int most) { return 0; }
char **backtrace_symbols(void *const *addresses, int count) { return 0; }
void backtrace_symbols_fd(void *const *addresses, int count, int fd) {}

/* What glibc has for messages of errors. */
unsigned error_message_count;
static void reportError(int status, int number, const char *file, unsigned line, const char *format, va_list values) {
  fflush(stdout);
  fprintf(stderr, file ? "%s:%s:%u: " : "%s: ", __progname_full, file, line);
  vfprintf(stderr, format, values);
  if (number) fprintf(stderr, ": %s", strerror(number));
  putc('\n', stderr);
  error_message_count++;
  if (status) exit(status);
}
void error(int status, int number, const char *format, ...) {
  va_list values;
  va_start(values, format);
  reportError(status, number, 0, 0, format, values);
  va_end(values);
}
void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
  va_list values;
  va_start(values, format);
  reportError(status, number, file, line, format, values);
  va_end(values);
}

void __init_ssp(void *entropy) {}
void *__dlsym(void *handle, const char *name, void *caller) { return 0; }
