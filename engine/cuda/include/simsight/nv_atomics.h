/* Atomic functions with order and scope (__nv_atomic_*, in CUDA since 12.8). nvcc's compiler knows them itself; orders and scopes have its
 * numbers. */
#pragma once
#include <type_traits>

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define __SIMSIGHT_NV static __inline__ __device__ __attribute__((always_inline))
/* Clusters have one block. */
#define __SIMSIGHT_SCOPE(scope)                                                                                        \
  ((scope) == __NV_THREAD_SCOPE_THREAD    ? __MEMORY_SCOPE_SINGLE                                                      \
   : (scope) <= __NV_THREAD_SCOPE_CLUSTER ? __MEMORY_SCOPE_WRKGRP                                                      \
   : (scope) == __NV_THREAD_SCOPE_DEVICE  ? __MEMORY_SCOPE_DEVICE                                                      \
                                          : __MEMORY_SCOPE_SYSTEM)

/* The object's type decides: other arguments are converted to it. */
#define __SIMSIGHT_VALUE typename std::remove_cv<T>::type

template <class T>
__SIMSIGHT_NV void __nv_atomic_load(T *address, __SIMSIGHT_VALUE *value, int order,
                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_load(address, value, order, __SIMSIGHT_SCOPE(scope));
}
template <class T>
__SIMSIGHT_NV __SIMSIGHT_VALUE __nv_atomic_load_n(T *address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __SIMSIGHT_VALUE value;
  __nv_atomic_load(address, &value, order, scope);
  return value;
}
template <class T>
__SIMSIGHT_NV void __nv_atomic_store(T *address, __SIMSIGHT_VALUE *value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_store(address, value, order, __SIMSIGHT_SCOPE(scope));
}
template <class T>
__SIMSIGHT_NV void __nv_atomic_store_n(T *address, __SIMSIGHT_VALUE value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store(address, &value, order, scope);
}
template <class T>
__SIMSIGHT_NV void __nv_atomic_exchange(T *address, __SIMSIGHT_VALUE *value, __SIMSIGHT_VALUE *before, int order,
                                        int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __scoped_atomic_exchange(address, value, before, order, __SIMSIGHT_SCOPE(scope));
}
template <class T>
__SIMSIGHT_NV __SIMSIGHT_VALUE __nv_atomic_exchange_n(T *address, __SIMSIGHT_VALUE value, int order,
                                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __SIMSIGHT_VALUE before;
  __nv_atomic_exchange(address, &value, &before, order, scope);
  return before;
}
template <class T>
__SIMSIGHT_NV bool __nv_atomic_compare_exchange(T *address, __SIMSIGHT_VALUE *expected, __SIMSIGHT_VALUE *desired,
                                                bool, int success, int failure,
                                                int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __scoped_atomic_compare_exchange(address, expected, desired, false, success, failure,
                                          __SIMSIGHT_SCOPE(scope));
}
template <class T>
__SIMSIGHT_NV bool __nv_atomic_compare_exchange_n(T *address, __SIMSIGHT_VALUE *expected, __SIMSIGHT_VALUE desired,
                                                  bool weak, int success, int failure,
                                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange(address, expected, &desired, weak, success, failure, scope);
}
#define __SIMSIGHT_FETCH(name)                                                                                         \
  template <class T>                                                                                                   \
  __SIMSIGHT_NV __SIMSIGHT_VALUE __nv_atomic_fetch_##name(T *address, __SIMSIGHT_VALUE value, int order,               \
                                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {                      \
    return __scoped_atomic_fetch_##name(address, value, order, __SIMSIGHT_SCOPE(scope));                               \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  __SIMSIGHT_NV void __nv_atomic_##name(T *address, __SIMSIGHT_VALUE value, int order,                                 \
                                        int scope = __NV_THREAD_SCOPE_SYSTEM) {                                        \
    __nv_atomic_fetch_##name(address, value, order, scope);                                                            \
  }
__SIMSIGHT_FETCH(add)
__SIMSIGHT_FETCH(sub)
__SIMSIGHT_FETCH(and)
__SIMSIGHT_FETCH(or)
__SIMSIGHT_FETCH(xor)
__SIMSIGHT_FETCH(min)
__SIMSIGHT_FETCH(max)
#undef __SIMSIGHT_FETCH

/* As nvcc has it: what orders the accesses of a thread with its own needs no instruction, what is acquired or released a fence. */
__SIMSIGHT_NV void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
  if (scope <= __NV_THREAD_SCOPE_CLUSTER) __threadfence_block();
  else if (scope == __NV_THREAD_SCOPE_DEVICE) __threadfence();
  else __threadfence_system();
}
#undef __SIMSIGHT_NV
#undef __SIMSIGHT_SCOPE
#undef __SIMSIGHT_VALUE
