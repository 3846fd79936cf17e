// Barriers in shared memory and bulk copies, as the PTX manual names them.
#pragma once
#include <cstdint>
#define PTX __device__ __forceinline__
PTX uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
PTX void mbarrier_init(uint64_t *b, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory");
}
PTX void mbarrier_arrive(uint64_t *b) {
  asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.release.cta.shared::cta.b64 s, [%0];\n}" ::"r"(shared_address(b)) : "memory");
}
PTX void mbarrier_arrive_expect(uint64_t *b, uint32_t bytes) {
  asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.release.cta.shared::cta.b64 s, [%0], %1;\n}" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
PTX bool mbarrier_try(uint64_t *b, uint32_t parity) {
  uint32_t done;
  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done) : "r"(shared_address(b)), "r"(parity) : "memory");
  return done;
}
PTX void mbarrier_wait(uint64_t *b, uint32_t parity) {
  while (!mbarrier_try(b, parity)) {}
}
PTX void bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(b)) : "memory");
}
PTX void bulk_store(void *to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
}
PTX void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int left> PTX void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory"); }
template <int left> PTX void bulk_wait() { asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory"); }
PTX void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
PTX void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
