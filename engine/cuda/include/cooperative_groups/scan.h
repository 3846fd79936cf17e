/* cooperative_groups::inclusive_scan and exclusive_scan over tiles and coalesced groups. */
#pragma once
#include "../cooperative_groups.h"

#ifdef __CUDA__
namespace cooperative_groups {
template <class Group, class T, class Op>
__device__ __forceinline__ T inclusive_scan(const Group &group, T value, Op op) {
  const unsigned int rank = group.thread_rank(), size = group.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    const T other = group.shfl_up(value, step);
    if (rank >= step) value = op(other, value);
  }
  return value;
}
template <class Group, class T> __device__ __forceinline__ T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op>
__device__ __forceinline__ T exclusive_scan(const Group &group, T value, Op op) {
  const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> __device__ __forceinline__ T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}
} // namespace cooperative_groups
#endif
