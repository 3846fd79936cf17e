/* cooperative_groups::reduce over tiles and coalesced groups. */
#pragma once
#include "../cooperative_groups.h"

#ifdef __CUDA__
namespace cooperative_groups {
template <unsigned int Size, class Parent, class T, class Op>
__device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &group, T value, Op op) {
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
