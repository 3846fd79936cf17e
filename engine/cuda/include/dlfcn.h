/*
 * Shared libraries: there is the driver's, libcuda.so, with the functions whose names are in the program; dlopen of any other fails, as it does for a
 * library that is not installed.
 */
#pragma once
#include <stdio.h>
#include <string.h>

#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_NOLOAD 4
#define RTLD_GLOBAL 0x100
#define RTLD_LOCAL 0
#define RTLD_NODELETE 0x1000
#define RTLD_DEFAULT ((void *)0)
#define RTLD_NEXT ((void *)-1l)

#ifdef __cplusplus
extern "C" {
#endif

static char __simsight_dlerror[256];
static int __simsight_dlfailed;

static inline void *__simsight_dlfail(const char *what) {
  snprintf(__simsight_dlerror, sizeof __simsight_dlerror, "%s: shared libraries cannot be loaded in Simsight",
           what ? what : "the program");
  __simsight_dlfailed = 1;
  return 0;
}
void *__cudaDriverSymbol(const char *name);
/* Its address is the driver's handle. */
static char __simsight_driver;
static inline void *dlopen(const char *file, int mode) {
  const char *folder = file ? strrchr(file, '/') : 0, *name = folder ? folder + 1 : file;
  (void)mode;
  return name && !strncmp(name, "libcuda.so", 10) ? &__simsight_driver : __simsight_dlfail(file);
}
static inline void *dlsym(void *handle, const char *name) {
  void *found = handle == &__simsight_driver ? __cudaDriverSymbol(name) : 0;
  return found ? found : __simsight_dlfail(name);
}
static inline int dlclose(void *handle) { return handle == &__simsight_driver ? 0 : -1; }
static inline char *dlerror(void) {
  if (!__simsight_dlfailed) return 0;
  __simsight_dlfailed = 0;
  return __simsight_dlerror;
}

#ifdef __cplusplus
}
#endif
