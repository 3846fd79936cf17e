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
int __main_void(void);
long *__simsight_start_block;

__attribute__((export_name("_start"))) void _start(void) {
  /* `malloc` needs nothing of the library's. */
  long *block = malloc(__linux_startup_bytes());
  __linux_startup(block);
  __simsight_start_libc(block);
  __wasm_call_ctors();
  __simsight_start_block = block;
  exit(__main_void());
}
