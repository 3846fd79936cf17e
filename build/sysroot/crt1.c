/*
 * The beginning of a 64-bit host program: takes arguments and environment as Linux lays them out, sets the C library up, runs
 * constructors and `main`, and exits with its result.
 */
#include <stddef.h>
#include <stdlib.h>

__attribute__((import_module("linux"), import_name("startup_bytes"))) long __linux_startup_bytes(void);
__attribute__((import_module("linux"), import_name("startup"))) void __linux_startup(void *);

void __simsight_start_libc(long *block);
void __wasm_call_ctors(void);
__attribute__((__weak__)) int __main_void(void);
__attribute__((__weak__)) int __main_argc_argv(int argc, char **argv);

__attribute__((export_name("_start"))) void _start(void) {
  /* `malloc` needs nothing of the library's. */
  long *block = malloc(__linux_startup_bytes());
  __linux_startup(block);
  __simsight_start_libc(block);
  __wasm_call_ctors();
  int (*volatile with_arguments)(int, char **) = __main_argc_argv;
  exit(with_arguments ? __main_argc_argv((int)*block, (char **)(block + 1)) : __main_void());
}
