/* cooperative_groups::reduce over tiles and coalesced groups. */
#pragma once
#include "../cooperative_groups.h"

#ifdef __CUDA__
namespace cooperative_groups {
/* What GPUs from compute capability 8.0 on do in one instruction for all lanes of a warp. */
template <class T, class Op> struct __redux {
  static constexpr bool exists = false;
};
#if __CUDA_ARCH__ >= 800
#define __CG_REDUX(op, type, name)                                                                 \
  template <> struct __redux<type, op<type>> {                                                     \
    static constexpr bool exists = true;                                                           \
    __device__ static type of(type value) { return (type)__reduce_##name##_sync(~0u, value); }     \
  };
#define __CG_REDUX_OF_BOTH(op, name)                                                               \
  __CG_REDUX(op, int, name)                                                                        \
  __CG_REDUX(op, unsigned int, name)
__CG_REDUX_OF_BOTH(plus, add)
__CG_REDUX_OF_BOTH(less, min)
__CG_REDUX_OF_BOTH(greater, max)
__CG_REDUX_OF_BOTH(bit_and, and)
__CG_REDUX_OF_BOTH(bit_or, or)
__CG_REDUX_OF_BOTH(bit_xor, xor)
#undef __CG_REDUX_OF_BOTH
#undef __CG_REDUX
#endif

template <unsigned int Size, class Parent, class T, class Op>
__device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &group, T value, Op op) {
  if constexpr (Size == 32 && __redux<T, Op>::exists) return __redux<T, Op>::of(value);
#pragma unroll
  for (unsigned int step = Size / 2; step > 0; step /= 2) value = op(value, group.shfl_xor(value, step));
  return value;
}
template <class T, class Op> __device__ __forceinline__ T reduce(const coalesced_group &group, T value, Op op) {
  const unsigned int rank = group.thread_rank(), size = group.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    const T other = group.shfl_down(value, (int)step);
    if (rank + step < size) value = op(value, other);
  }
  return group.shfl(value, 0);
}
template <class Group, class Destination, class T, class Op>
__device__ __forceinline__ void reduce_store_async(const Group &group, Destination *destination, T value, Op op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) *destination = result;
}
} // namespace cooperative_groups
#endif
