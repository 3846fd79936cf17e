/*
 * System calls of 64-bit host programs: every one is a call of one of two imports, with its number and six words. `wait` is for those in
 * which simulated time passes or other host threads get their turn. Numbers are those of Linux on x86-64; which import it is, is known
 * when the C library is compiled.
 */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)

__attribute__((import_module("linux"), import_name("call"))) long __linux_call(long, long, long, long, long, long, long);
__attribute__((import_module("linux"), import_name("wait"))) long __linux_wait(long, long, long, long, long, long, long);

/* poll, select, sched_yield, nanosleep, gettimeofday, time, futex, clock_gettime, clock_nanosleep, pselect6, ppoll */
#define __SIMSIGHT_WAITS(n)                                                                                            \
  ((n) == 7 || (n) == 23 || (n) == 24 || (n) == 35 || (n) == 96 || (n) == 201 || (n) == 202 || (n) == 228 ||           \
   (n) == 230 || (n) == 270 || (n) == 271)

static inline __attribute__((always_inline)) long __syscall6(long n, long a, long b, long c, long d, long e, long f) {
  if (__builtin_constant_p(n) && __SIMSIGHT_WAITS(n)) return __linux_wait(n, a, b, c, d, e, f);
  return __linux_call(n, a, b, c, d, e, f);
}
static inline __attribute__((always_inline)) long __syscall0(long n) { return __syscall6(n, 0, 0, 0, 0, 0, 0); }
static inline __attribute__((always_inline)) long __syscall1(long n, long a) { return __syscall6(n, a, 0, 0, 0, 0, 0); }
static inline __attribute__((always_inline)) long __syscall2(long n, long a, long b) { return __syscall6(n, a, b, 0, 0, 0, 0); }
static inline __attribute__((always_inline)) long __syscall3(long n, long a, long b, long c) { return __syscall6(n, a, b, c, 0, 0, 0); }
static inline __attribute__((always_inline)) long __syscall4(long n, long a, long b, long c, long d) { return __syscall6(n, a, b, c, d, 0, 0); }
static inline __attribute__((always_inline)) long __syscall5(long n, long a, long b, long c, long d, long e) { return __syscall6(n, a, b, c, d, e, 0); }
