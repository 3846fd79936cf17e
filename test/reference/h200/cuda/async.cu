// Barriers in shared memory, barriers with numbers and bulk copies: cycles of one block, and what all SMs get by bulk copies.
#include <cstdio>
#include <cuda_runtime.h>
#include "bulk.cuh"

constexpr int rounds = 64;
__device__ long long cycles_of[64];
extern __shared__ __align__(128) unsigned char pool[];

template <int how> __global__ void barriers(int n) {
  __shared__ uint64_t a, b;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    mbarrier_init(&a, how == 1 ? 32 : how == 4 ? blockDim.x : 1);
    mbarrier_init(&b, 1);
    fence_init();
  }
  __syncthreads();
  const long long from = clock64();
  if (how <= 1) {  // arrive and wait: one lane, all lanes
    for (int i = 0; i < n; i++) {
      if (how == 1 || lane == 0) mbarrier_arrive(&a);
      mbarrier_wait(&a, i & 1);
    }
  } else if (how == 2) {  // a phase that is over
    for (int i = 0; i < n; i++) mbarrier_wait(&a, 1);
  } else if (how == 3) {  // two warps in turn
    for (int i = 0; i < n; i++) {
      if (warp == 0) {
        if (lane == 0) mbarrier_arrive(&a);
        mbarrier_wait(&b, i & 1);
      } else {
        mbarrier_wait(&a, i & 1);
        if (lane == 0) mbarrier_arrive(&b);
      }
    }
  } else if (how == 4) {  // all threads of a block
    for (int i = 0; i < n; i++) {
      mbarrier_arrive(&a);
      mbarrier_wait(&a, i & 1);
    }
  } else if (how == 5) {  // two warps in turn, barriers with numbers
    for (int i = 0; i < n; i++) {
      if (warp == 0) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
      } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.arrive 2, 64;" ::: "memory");
      }
    }
  } else {  // one of two barriers with numbers, for half of the warps each
    const int half = warp / (blockDim.x / 64);
    for (int i = 0; i < n; i++) asm volatile("bar.sync %0, %1;" ::"r"(1 + half), "r"(blockDim.x / 2) : "memory");
  }
  const long long to = clock64();
  if (threadIdx.x == 0) cycles_of[0] = to - from;
}

__global__ void loads(const unsigned char *from, int bytes, int copies, int n, int step) {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) {
    mbarrier_init(&b, 1);
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  long long issue = 0, start = clock64();
  for (int i = 0; i < n; i++) {
    mbarrier_arrive_expect(&b, bytes * copies);
    const long long t = clock64();
    for (int k = 0; k < copies; k++) bulk_load(pool + k * bytes, from + (size_t)i * step + k * bytes, bytes, &b);
    issue += clock64() - t;
    mbarrier_wait(&b, i & 1);
  }
  cycles_of[0] = clock64() - start;
  cycles_of[1] = issue;
}

__global__ void stores(unsigned char *to, int bytes, int n, int read) {
  if (threadIdx.x != 0) return;
  const long long start = clock64();
  for (int i = 0; i < n; i++) {
    bulk_store(to + (size_t)i * bytes, pool, bytes);
    bulk_commit();
    if (read) bulk_wait_read<0>();
    else bulk_wait<0>();
  }
  cycles_of[0] = clock64() - start;
}

// Every block copies tiles to shared memory, some at a time, and looks at nothing of them.
__global__ void stream(const unsigned char *from, int bytes, int stages, int tiles) {
  __shared__ uint64_t full[16];
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; s++) mbarrier_init(&full[s], 1);
    fence_init();
    for (int i = 0; i < tiles + stages; i++) {
      const int s = i % stages;
      if (i >= stages) mbarrier_wait(&full[s], (i / stages + 1) & 1);
      if (i >= tiles) continue;
      mbarrier_arrive_expect(&full[s], bytes);
      bulk_load(pool + s * bytes, from + ((size_t)i * gridDim.x + blockIdx.x) * bytes, bytes, &full[s]);
    }
  }
}

long long cycles(int which = 0) {
  long long value[2];
  cudaDeviceSynchronize();
  cudaMemcpyFromSymbol(value, cycles_of, sizeof value);
  return value[which];
}
template <class F> double twice(F f) {
  f();
  f();
  return (double)cycles();
}

int main() {
  unsigned char *p;
  cudaMalloc(&p, 512 << 20);
  cudaMemset(p, 0, 512 << 20);
  printf("arrive and wait, one lane: %.1f\n", twice([] { barriers<0><<<1, 32>>>(rounds); }) / rounds);
  printf("arrive and wait, 32 lanes: %.1f\n", twice([] { barriers<1><<<1, 32>>>(rounds); }) / rounds);
  printf("wait for what is over: %.1f\n", twice([] { barriers<2><<<1, 32>>>(rounds); }) / rounds);
  printf("two warps in turn: %.1f\n", twice([] { barriers<3><<<1, 64>>>(rounds); }) / rounds);
  for (int warps = 1; warps <= 32; warps *= 2)
    printf("all threads of %d warps: %.1f\n", warps, twice([=] { barriers<4><<<1, 32 * warps>>>(rounds); }) / rounds);
  printf("two warps in turn, bar: %.1f\n", twice([] { barriers<5><<<1, 64>>>(rounds); }) / rounds);
  for (int warps = 2; warps <= 32; warps *= 4)
    printf("halves of %d warps, bar: %.1f\n", warps, twice([=] { barriers<6><<<1, 32 * warps>>>(rounds); }) / rounds);

  cudaFuncSetAttribute(loads, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 << 10);
  cudaFuncSetAttribute(stores, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 << 10);
  cudaFuncSetAttribute(stream, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
  for (int far = 0; far < 2; far++)
    for (int bytes = 16; bytes <= 64 << 10; bytes *= 2) {
      if (far) cudaMemset(p + (256 << 20), 1, 256 << 20);
      const double time = far ? (loads<<<1, 32, 128 << 10>>>(p, bytes, 1, 16, 1 << 20), (double)cycles()) : twice([=] { loads<<<1, 32, 128 << 10>>>(p, bytes, 1, 16, bytes); });
      printf("load from %s, %d bytes: %.1f\n", far ? "DRAM" : "L2", bytes, time / 16);
    }
  for (int bytes = 16; bytes <= 4096; bytes *= 4)
    for (int copies = 1; copies <= 16; copies *= 4) {
      const double time = twice([=] { loads<<<1, 32, 128 << 10>>>(p, bytes, copies, 16, bytes * copies); }) / 16;
      printf("%d loads of %d bytes: %.1f, issue %.1f\n", copies, bytes, time, cycles(1) / 16.0);
    }
  for (int read = 0; read < 2; read++)
    for (int bytes = 16; bytes <= 64 << 10; bytes *= 4)
      printf("store%s, %d bytes: %.1f\n", read ? " until read" : "", bytes, twice([=] { stores<<<1, 32, 128 << 10>>>(p, bytes, 16, read); }) / 16);
  cudaEvent_t e[2];
  cudaEventCreate(&e[0]), cudaEventCreate(&e[1]);
  for (int mb = 16; mb <= 256; mb *= 16)
    for (int bytes = 1024; bytes <= 16384; bytes *= 4)
      for (int stages = 1; stages <= 8; stages *= 2) {
        const int blocks = 128, tiles = (mb << 20) / bytes / blocks;
        float ms = 0;
        for (int i = 0; i < 3; i++) {
          cudaEventRecord(e[0]);
          stream<<<blocks, 32, bytes * stages + 128>>>(p, bytes, stages, tiles);
          cudaEventRecord(e[1]);
          cudaEventSynchronize(e[1]);
          cudaEventElapsedTime(&ms, e[0], e[1]);
        }
        printf("stream of %d MB, tiles of %d bytes, %d at a time: %.1f us\n", mb, bytes, stages, 1e3 * ms);
      }
  if (const cudaError_t error = cudaGetLastError()) printf("%s\n", cudaGetErrorString(error));
}
