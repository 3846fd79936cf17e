/* errno of host programs. As `thread_local`, as wasi-libc declares it, it would not be the library's: that has a plain variable,
   which the runtime keeps for each thread. */
#ifndef SIMSIGHT_ERRNO_H
#define SIMSIGHT_ERRNO_H
#ifdef __cplusplus
extern "C" {
#endif
extern int errno;
#ifdef __cplusplus
}
#endif
#define errno errno
#endif
