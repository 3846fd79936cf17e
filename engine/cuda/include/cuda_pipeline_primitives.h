/* Asynchronous copies from global to shared memory, in C: commit them as a group, wait for all but the last groups. */
#pragma once
#include "cuda_runtime.h"

#ifdef __CUDA__
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/* The count of copied bytes has to be known; the rest, up to `size`, becomes zero. */
__device__ static __forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t size,
                                                               size_t zeroFill = 0) {
  __attribute__((address_space(3))) void *const shared = (__attribute__((address_space(3))) void *)to;
  const __attribute__((address_space(1))) void *const global = (const __attribute__((address_space(1))) void *)from;
  if (zeroFill == 0) {
    if (size == 16) __nvvm_cp_async_cg_shared_global_16(shared, global);
    else if (size == 8) __nvvm_cp_async_ca_shared_global_8(shared, global);
    else __nvvm_cp_async_ca_shared_global_4(shared, global);
  } else {
    const int bytes = (int)(size - zeroFill);
    if (size == 16) __nvvm_cp_async_cg_shared_global_16(shared, global, bytes);
    else if (size == 8) __nvvm_cp_async_ca_shared_global_8(shared, global, bytes);
    else __nvvm_cp_async_ca_shared_global_4(shared, global, bytes);
  }
}
__device__ static __forceinline__ void __pipeline_commit() { __nvvm_cp_async_commit_group(); }
/* The builtin takes a constant; waiting for more than was asked is allowed. */
__device__ static __forceinline__ void __pipeline_wait_prior(size_t groups) {
  switch (groups) {
  case 0: __nvvm_cp_async_wait_all(); break;
  case 1: __nvvm_cp_async_wait_group(1); break;
  case 2: __nvvm_cp_async_wait_group(2); break;
  case 3: __nvvm_cp_async_wait_group(3); break;
  case 4: __nvvm_cp_async_wait_group(4); break;
  case 5: __nvvm_cp_async_wait_group(5); break;
  case 6: __nvvm_cp_async_wait_group(6); break;
  case 7: __nvvm_cp_async_wait_group(7); break;
  default: __nvvm_cp_async_wait_group(8); break;
  }
}
#else
/* Before compute capability 8.0 the copies go through registers. */
__device__ static __forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t size,
                                                               size_t zeroFill = 0) {
  if (size == 16 && zeroFill == 0) *(int4 *)to = *(const int4 *)from;
  else if (size == 8 && zeroFill == 0) *(int2 *)to = *(const int2 *)from;
  else if (size == 4 && zeroFill == 0) *(int *)to = *(const int *)from;
  else
    for (size_t i = 0; i < size; ++i) ((char *)to)[i] = i < size - zeroFill ? ((const char *)from)[i] : 0;
}
__device__ static __forceinline__ void __pipeline_commit() {}
__device__ static __forceinline__ void __pipeline_wait_prior(size_t) {}
#endif
#endif
