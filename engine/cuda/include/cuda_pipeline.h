/* nvcuda::experimental::pipeline: a thread's asynchronous copies, counted in stages. */
#pragma once
#include "cuda_pipeline_primitives.h"

#ifdef __CUDA__
namespace nvcuda {
namespace experimental {
class pipeline {
  size_t stages = 0;

public:
  __device__ pipeline() {}
  pipeline(const pipeline &) = delete;
  pipeline &operator=(const pipeline &) = delete;
  __device__ size_t commit() {
    __pipeline_commit();
    return stages++;
  }
  __device__ void commit_and_wait() {
    commit();
    __pipeline_wait_prior(0);
  }
  __device__ void wait(size_t stage) { __pipeline_wait_prior(stages - stage - 1); }
  template <unsigned N> __device__ void wait_prior() { __pipeline_wait_prior(N); }
};
template <class T> __device__ inline void memcpy_async(T &to, const T &from, pipeline &) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "Copies of 4, 8 or 16 bytes.");
  __pipeline_memcpy_async(&to, &from, sizeof(T));
}
} // namespace experimental
} // namespace nvcuda
#endif
