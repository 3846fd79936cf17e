// Lanes of a warp that come to operations of the warp in different places. meetings.txt is what an H100 printed (2026-11-27, nvcc 13.0,
// -arch=sm_90 -O3; at -O1 the same), each kernel's values in a line. mixed_kinds, mixed_modes and loop_trips hang there.
#include <cstdio>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define FULL 0xffffffffu

__global__ void arms_xor(int *o) {
  int t = threadIdx.x, v = 100 + t, s;
  if (t % 32 < 16) { v += 1000; s = __shfl_xor_sync(FULL, v, 16); } else { v += 2000; s = __shfl_xor_sync(FULL, v, 16); }
  o[t] = s;
}
__global__ void arms_three(int *o) {
  int t = threadIdx.x, v = 100 + t, s;
  switch (t % 3) {
    case 0: v *= 3; s = __shfl_sync(FULL, v, (t + 1) % 32); break;
    case 1: v *= 5; s = __shfl_sync(FULL, v, (t + 1) % 32); break;
    default: v *= 7; s = __shfl_sync(FULL, v, (t + 1) % 32);
  }
  o[t] = s;
}
__global__ void arms_down_pred(int *o) {
  int t = threadIdx.x, s;
  float f = t * 1.5f;
  if (t & 1) s = __float_as_int(__shfl_down_sync(FULL, f, 3, 8)); else s = __float_as_int(__shfl_down_sync(FULL, f + 1, 3, 8));
  o[t] = s;
}
__global__ void arms_64(int *o) {
  int t = threadIdx.x;
  double d = t + 0.25;
  if (t & 2) d = __shfl_xor_sync(FULL, d * 2, 2); else d = __shfl_xor_sync(FULL, d * 3, 2);
  o[t] = (int)(d * 4);
}
__global__ void arms_votes(int *o) {
  int t = threadIdx.x, r = 0;
  if (t % 32 < 10) {
    r += __ballot_sync(FULL, t % 3 == 0); r ^= __any_sync(FULL, t == 31) << 1; r ^= __all_sync(FULL, t < 64) << 2; r += __uni_sync(FULL, 1);
  } else {
    r += __ballot_sync(FULL, t % 5 == 0); r ^= __any_sync(FULL, t == 31) << 1; r ^= __all_sync(FULL, t < 40) << 2; r += __uni_sync(FULL, 0);
  }
  o[t] = r;
}
__global__ void arms_match(int *o) {
  int t = threadIdx.x, r, p = 0;
  if (t & 4) { r = __match_any_sync(FULL, t % 7); r ^= __match_all_sync(FULL, 5, &p) * 3; }
  else { r = __match_any_sync(FULL, t % 7); r ^= __match_all_sync(FULL, t < 32 ? 5 : t, &p) * 3; }
  o[t] = r + p;
}
__global__ void arms_match64(int *o) {
  int t = threadIdx.x;
  unsigned long long v = (unsigned long long)(t % 5) << 33;
  o[t] = t % 32 < 7 ? __match_any_sync(FULL, v) : __match_any_sync(FULL, v) + 1;
}
__global__ void arms_redux(int *o) {
  int t = threadIdx.x, r;
  if (t & 8) { r = __reduce_add_sync(FULL, t); r ^= __reduce_max_sync(FULL, -t); r += __reduce_xor_sync(FULL, 1u << t % 32); }
  else { r = __reduce_add_sync(FULL, 2 * t); r ^= __reduce_max_sync(FULL, t - 40); r += __reduce_xor_sync(FULL, 3u << t % 30); }
  o[t] = r;
}
__global__ void arms_syncwarp(int *o) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  __syncwarp();
  if (t % 32 < 16) { s[t] = t + 1; __syncwarp(); o[t] = s[t ^ 16]; } else { s[t] = 3 * t + 1; __syncwarp(); o[t] = s[t ^ 16]; }
}
__global__ void arm_and_join(int *o) {  // an arm waits for the join
  int t = threadIdx.x, v = t, s = 0;
  if (t % 32 < 12) { v += 500; s = __shfl_xor_sync(FULL, v, 1); }
  if (t % 32 >= 12) s = __shfl_xor_sync(FULL, v + 7, 1);
  s += __shfl_down_sync(FULL, s, 1);
  o[t] = s;
}
__global__ void arm_and_exit(int *o) {  // the others exit after work of their own
  int t = threadIdx.x, v = t;
  o[t] = -1;
  if (t % 32 >= 16) { for (int i = 0; i < t; i++) v = v * 3 + 1; o[t] = v; return; }
  for (int i = 8; i; i >>= 1) v += __shfl_xor_sync(FULL, v, i);
  o[t] = v;
}
__global__ void join_exit(int *o) {  // the others end at the join
  int t = threadIdx.x, v = t;
  if (t % 32 < 16) for (int i = 8; i; i >>= 1) v += __shfl_down_sync(FULL, v, i, 16);
  o[t] = v;
}
__global__ void loop_trips(int *o) {  // lanes leave a loop at different times, and come to one behind it
  int t = threadIdx.x, v = t, s = 0;
  for (int i = 0; i <= (t % 32) / 8; i++) s += __shfl_xor_sync(FULL, v + i, 1);
  while (__any_sync(FULL, 0)) s++;
  o[t] = s;
}
__global__ void loop_trips2(int *o) {  // and to as many in another loop
  int t = threadIdx.x, s = 0, n = t % 32 < 16 ? 1 : 3;
  for (int i = 0; i < n; i++) s += __shfl_xor_sync(FULL, t + 100 * i, 16);
  for (int i = n; i < 4; i++) s += __shfl_xor_sync(FULL, t + 10000 * i, 16);
  o[t] = s;
}
__global__ void nested(int *o) {
  int t = threadIdx.x, v = t, s;
  if (t & 1) { if (t & 2) { v += 10; s = __shfl_xor_sync(FULL, v, 3); } else { v += 20; s = __shfl_xor_sync(FULL, v, 3); } s *= 2; }
  else { v += 30; s = __shfl_xor_sync(FULL, v, 3); if (t & 4) s += __popc(__activemask()) > 32; }
  s += __shfl_sync(FULL, s, 0);
  o[t] = s;
}
__global__ void part_masks(int *o) {  // two groups of lanes with a mask each, in arms that cut across both
  int t = threadIdx.x, v = t, s;
  unsigned m = t % 32 < 16 ? 0xffffu : 0xffff0000u;
  if (t & 1) { v *= 11; s = __shfl_xor_sync(m, v, 1); } else { v *= 13; s = __shfl_xor_sync(m, v, 1); }
  o[t] = s;
}
__global__ void tiles(int *o) {
  int t = threadIdx.x;
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = t, s;
  if (t & 1) { v += 5; s = tile.shfl_xor(v, 1); } else { v += 9; s = tile.shfl_xor(v, 1); }
  s += tile.any(t == 9) * 1000;
  tile.sync();
  o[t] = s;
}
__global__ void barrier_after(int *o) {
  __shared__ int s[64];
  int t = threadIdx.x, v;
  if (t % 32 < 5) { v = __shfl_xor_sync(FULL, t + 40, 1); s[t] = v; } else { v = __shfl_xor_sync(FULL, t + 90, 1); s[t] = v + 1; }
  __syncthreads();
  v = s[(t + 17) % 64];
  if (t & 16) v += __shfl_xor_sync(FULL, v, 16); else v -= __shfl_xor_sync(FULL, v, 16);
  __syncthreads();
  s[t] = v;
  __syncthreads();
  o[t] = s[63 - t];
}
__global__ void divergent_loop(int *o) {  // values that change in a loop while others wait in its middle
  int t = threadIdx.x, a = t, b = 1, s = 0;
  for (int i = 0; i < 5; i++) {
    a = a * 5 + i; b += a & 3;
    if ((t + i) & 1) { b ^= i; s += __shfl_xor_sync(FULL, a, 1); } else { a += 3; s -= __shfl_xor_sync(FULL, b, 1); }
  }
  o[t] = s + a + b;
}
__global__ void short_block(int *o) {  // lanes that never were are not waited for
  int t = threadIdx.x, s;
  if (t & 1) s = __shfl_down_sync(FULL, t, 1); else s = __shfl_down_sync(FULL, t * 10, 1);
  o[t] = s;
}
__device__ __noinline__ int helper(int v) { return __shfl_xor_sync(FULL, v, 4) * 2; }
__global__ void by_function(int *o) {
  int t = threadIdx.x;
  o[t] = t & 4 ? helper(t + 1) : helper(t + 1000);
}
__global__ void aggregated(int *o) {
  int t = threadIdx.x, s = 0;
  if (t % 3) { auto g = cg::coalesced_threads(); s = g.thread_rank() + 100 * g.size() + g.shfl(t, 0) * 10000; g.sync(); }
  o[t] = s;
}
__global__ void spin_then_meet(int *o) {  // one lane at a time takes a lock, then all meet
  __shared__ int lock, sum;
  int t = threadIdx.x;
  if (t == 0) lock = sum = 0;
  __syncthreads();
  bool done = false;
  while (!done) if (atomicCAS(&lock, 0, 1) == 0) { sum += t; __threadfence_block(); atomicExch(&lock, 0); done = true; }
  int s = t & 1 ? __shfl_xor_sync(FULL, t, 1) : __shfl_xor_sync(FULL, 7 * t, 1);
  __syncthreads();
  o[t] = s + sum;
}
__global__ void mixed_kinds(int *o) {
  int t = threadIdx.x;
  o[t] = t % 32 < 16 ? __shfl_xor_sync(FULL, t + 100, 16) : (int)__ballot_sync(FULL, 1);
}
__global__ void mixed_modes(int *o) {
  int t = threadIdx.x;
  o[t] = t % 32 < 16 ? __shfl_xor_sync(FULL, t + 100, 16) : __shfl_down_sync(FULL, t + 500, 1);
}
__global__ void mixed_masks(int *o) {
  int t = threadIdx.x;
  o[t] = t % 32 < 16 ? __shfl_xor_sync(FULL, t + 100, 1) : __shfl_xor_sync(0xffff0000u, t + 500, 1);
}
__global__ void barriers_in_arms(int *o) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t % 32 < 16) { __syncthreads(); o[t] = s[(t + 32) % 64]; } else { __syncthreads(); o[t] = s[(t + 33) % 64]; }
}

typedef void Kernel(int *);
struct Entry { const char *name; Kernel *kernel; int threads; };
#define E(k) { #k, k, 64 }
static const Entry entries[] = { E(arms_xor), E(arms_three), E(arms_down_pred), E(arms_64), E(arms_votes), E(arms_match), E(arms_match64), E(arms_redux),
  E(arms_syncwarp), E(arm_and_join), E(arm_and_exit), E(join_exit), E(loop_trips2), E(nested), E(part_masks), E(tiles), E(barrier_after),
  E(divergent_loop), { "short_block", short_block, 44 }, E(by_function), E(aggregated), E(spin_then_meet),
  E(mixed_kinds), E(mixed_modes), E(mixed_masks), E(barriers_in_arms), E(loop_trips) };
int main(int argc, char **argv) {
  const int usual = sizeof entries / sizeof *entries - 5;
  int first = argc > 1 ? atoi(argv[1]) : 0, end = argc > 1 ? first + 1 : usual;
  int *d, h[64];
  cudaMalloc(&d, sizeof h);
  for (int i = first; i < end; i++) {
    cudaMemset(d, 0, sizeof h);
    entries[i].kernel<<<1, entries[i].threads>>>(d);
    cudaError_t e = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s:", entries[i].name);
    if (e) printf(" %s", cudaGetErrorName(e)); else for (int t = 0; t < 64; t++) printf(" %d", h[t]);
    printf("\n");
  }
}
