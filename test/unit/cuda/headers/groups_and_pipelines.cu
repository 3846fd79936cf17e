#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cuda/pipeline>
#include <cuda/barrier>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/complex>
namespace cg = cooperative_groups;
__global__ void groups(int *p, double *d) {
  auto block = cg::this_thread_block(); cg::thread_block b2 = block;
  auto warp = cg::tiled_partition<32>(block); auto quad = cg::tiled_partition<4>(warp); cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
  int v = p[block.thread_rank()]; double w = d[threadIdx.x];
  for (int i = warp.size() / 2; i > 0; i /= 2) v += warp.shfl_down(v, i);
  w += quad.shfl_xor(w, 1) + eight.shfl(w, 2) + quad.shfl_up(w, 1u);
  v += warp.any(v > 2) + warp.all(v) + warp.ballot(v & 1) + quad.ballot(v) + eight.match_any(v) + quad.meta_group_rank() + eight.meta_group_size() + warp.thread_rank() + warp.num_threads();
  auto active = cg::coalesced_threads(); if (active.thread_rank() == 0) atomicAdd(p, (int)active.size()); v += active.shfl(v, 0) + active.shfl_up(v, 1) + active.ballot(v > 1);
  auto sub = cg::tiled_partition<4>(active); v += sub.meta_group_rank(); auto bin = cg::binary_partition(warp, v & 1); v += bin.size(); auto lab = cg::labeled_partition(active, v); v += lab.thread_rank();
  v += cg::reduce(warp, v, cg::plus<int>()) + cg::reduce(active, v, cg::greater<int>()) + cg::inclusive_scan(eight, v, cg::plus<int>()) + cg::exclusive_scan(warp, v);
  cg::thread_group g = cg::tiled_partition(block, 16); g.sync(); v += g.size() + g.thread_rank();
  block.sync(); warp.sync(); cg::sync(block); dim3 i3 = block.thread_index(), gi = block.group_index(), gd = block.group_dim(); v += i3.x + gi.y + gd.z;
  cg::grid_group grid = cg::this_grid(); if (grid.is_valid()) grid.sync(); p[grid.thread_rank()] = v + grid.size() + grid.num_blocks(); d[1] = w;
}
__global__ void copies(int *p, const int *q, const float4 *f, int n) {
  __shared__ int t[256]; __shared__ float4 u[64]; auto block = cg::this_thread_block();
  cg::memcpy_async(block, t, q, sizeof(int) * 256); cg::wait(block); cg::memcpy_async(block, t, cuda::aligned_size_t<16>(256), q, 256); cg::wait_prior<1>(block);
  __pipeline_memcpy_async(&u[threadIdx.x], f + threadIdx.x, 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
  __pipeline_memcpy_async(&u[threadIdx.x], f + threadIdx.x, 16, n); 
  nvcuda::experimental::pipeline np; nvcuda::experimental::memcpy_async(t[threadIdx.x], q[threadIdx.x], np); np.commit_and_wait();
  auto pipe = cuda::make_pipeline(); pipe.producer_acquire(); cuda::memcpy_async(&t[threadIdx.x], q + threadIdx.x, sizeof(int), pipe); pipe.producer_commit(); pipe.consumer_wait(); pipe.consumer_release();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state; auto bp = cuda::make_pipeline(block, &state);
  for (int i = 0; i < n; i++) { bp.producer_acquire(); cuda::memcpy_async(block, t, q + i, sizeof(int) * 256, bp); bp.producer_commit(); bp.consumer_wait(); p[i] += t[threadIdx.x]; bp.consumer_release(); }
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state2; auto pp = cuda::make_pipeline(block, &state2, threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (threadIdx.x < 32) { pp.producer_acquire(); pp.producer_commit(); } else { pp.consumer_wait(); pp.consumer_release(); }
  __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); block.sync();
  auto token = bar.arrive(); bar.wait(std::move(token)); cuda::memcpy_async(block, t, q, sizeof(int) * 64, bar); bar.arrive_and_wait();
  p[0] = t[threadIdx.x ^ 1];
}
__device__ cuda::atomic<int, cuda::thread_scope_device> counter;
__global__ void atoms(int *p, float *f, unsigned *u, unsigned long long *l) {
  counter.fetch_add(1); counter++; counter += 2; p[1] = counter.load(cuda::memory_order_relaxed); counter.store(3, cuda::std::memory_order_release); int e = 3; counter.compare_exchange_strong(e, 4); 
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> r(*u); r.fetch_max(7); r.fetch_xor(3); r.exchange(3); cuda::atomic_ref<float, cuda::thread_scope_device> rf(*f); rf.fetch_add(1.f); cuda::atomic_ref<unsigned long long> rl(*l); rl.fetch_min(2);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  cuda::std::array<int, 3> a = {1, 2, 3}; p[2] = a[threadIdx.x] + cuda::std::numeric_limits<int>::max(); cuda::std::tuple<int, float> t(1, 2.f); p[3] = cuda::std::get<0>(t);
}
int main() { cuda::atomic<int> a(3); a.fetch_add(2); return a.load() != 5; }
