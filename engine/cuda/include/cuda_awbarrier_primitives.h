/* Barriers in shared memory as C functions, from compute capability 8.0 on. */
#pragma once
#include <stdint.h>

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

#define __SIMSIGHT_MBARRIER __device__ static inline __attribute__((always_inline))

__host__ __device__ static inline uint32_t __mbarrier_maximum_count() { return (1 << 14) - 1; }
__SIMSIGHT_MBARRIER void __mbarrier_init(__mbarrier_t *barrier, uint32_t expected_count) {
  __nvvm_mbarrier_init((__INT64_TYPE__ *)barrier, (int)expected_count);
}
__SIMSIGHT_MBARRIER void __mbarrier_inval(__mbarrier_t *barrier) { __nvvm_mbarrier_inval((__INT64_TYPE__ *)barrier); }
__SIMSIGHT_MBARRIER __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  return (__mbarrier_token_t)__nvvm_mbarrier_arrive((__INT64_TYPE__ *)barrier);
}
__SIMSIGHT_MBARRIER __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  return (__mbarrier_token_t)__nvvm_mbarrier_arrive_drop((__INT64_TYPE__ *)barrier);
}
__SIMSIGHT_MBARRIER bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  return __nvvm_mbarrier_test_wait((__INT64_TYPE__ *)barrier, (__INT64_TYPE__)token);
}
__SIMSIGHT_MBARRIER uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return (uint32_t)__nvvm_mbarrier_pending_count((__INT64_TYPE__)token);
}
__SIMSIGHT_MBARRIER bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool phase_parity) {
  uint32_t done;
  asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"((uint32_t)__cvta_generic_to_shared(barrier)), "r"((uint32_t)phase_parity)
               : "memory");
  return done != 0;
}
/* Polls for the given time at most; that a thread may sleep until then makes no difference to what is waited for. */
__SIMSIGHT_MBARRIER bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, uint32_t) {
  return __mbarrier_test_wait(barrier, token);
}
__SIMSIGHT_MBARRIER bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool phase_parity, uint32_t) {
  return __mbarrier_test_wait_parity(barrier, phase_parity);
}
