/*
 * cooperative_groups::memcpy_async, wait and wait_prior: the group's threads share a copy to shared memory, in the
 * largest of the asynchronous copies of 16, 8 and 4 bytes that addresses and size allow.
 */
#pragma once
#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

#ifdef __CUDA__
namespace cooperative_groups {
namespace details {
template <unsigned int bytes, class Group>
__device__ __forceinline__ void copy_pieces(const Group &group, char *to, const char *from, size_t count) {
  for (size_t i = (size_t)group.thread_rank() * bytes; i < count; i += (size_t)group.size() * bytes)
    __pipeline_memcpy_async(to + i, from + i, bytes);
}
} // namespace details

template <class Group>
__device__ __forceinline__ void memcpy_async(const Group &group, void *to, const void *from, size_t count) {
  char *const d = (char *)to;
  const char *const s = (const char *)from;
  const size_t alignment = (size_t)to | (size_t)from | count;
  if (!__isShared(to) || !__isGlobal(from) || alignment % 4 != 0) {
    for (size_t i = group.thread_rank(); i < count; i += group.size()) d[i] = s[i];
  } else if (alignment % 16 == 0) details::copy_pieces<16>(group, d, s, count);
  else if (alignment % 8 == 0) details::copy_pieces<8>(group, d, s, count);
  else details::copy_pieces<4>(group, d, s, count);
  __pipeline_commit();
}
template <class Group, class T>
__device__ __forceinline__ void memcpy_async(const Group &group, T *to, size_t toCount, const T *from, size_t fromCount) {
  memcpy_async(group, (void *)to, (const void *)from, (toCount < fromCount ? toCount : fromCount) * sizeof(T));
}
template <class Group, class T, class Size, decltype(Size::align) = Size::align>
__device__ __forceinline__ void memcpy_async(const Group &group, T *to, const T *from, const Size &count) {
  memcpy_async(group, (void *)to, (const void *)from, (size_t)count);
}

template <class Group> __device__ __forceinline__ void wait(const Group &group) {
  __pipeline_wait_prior(0);
  group.sync();
}
template <unsigned int Stages, class Group> __device__ __forceinline__ void wait_prior(const Group &group) {
  __pipeline_wait_prior(Stages);
  group.sync();
}
} // namespace cooperative_groups
#endif
