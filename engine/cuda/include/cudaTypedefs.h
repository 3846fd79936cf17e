/*
 * Types of pointers to the functions of the driver API, for programs that look these up while they run (cuGetProcAddress,
 * cudaGetDriverEntryPoint). Each is the type of the function that cuda.h declares.
 */
#pragma once
#include <cuda.h>

#define __SIMSIGHT_ENTRY(name, function, version, perThread) \
  typedef __typeof__(&function) PFN_##name##_v##version, PFN_##name##_v##perThread##_ptds, PFN_##name##_v##perThread##_ptsz;
#include "simsight/driver_entries.h"
#undef __SIMSIGHT_ENTRY
