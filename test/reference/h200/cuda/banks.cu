// Wavefronts of one access to shared memory, by where its lanes are: loads, stores and atomics of 4, 8 and 16 bytes. One warp, one
// access per launch; Nsight Compute counts. Prints a JSON line per launch: kernel, mask of lanes, address of each lane.
#include <cstdio>
#include <cstdint>
#include <cstring>

#define LANE_MASK(mask) if (!((mask) >> (threadIdx.x & 31) & 1)) return

template <int BYTES> __global__ void load(const uint32_t *at, uint32_t mask, uint32_t *out) {
  extern __shared__ uint4 s[];
  uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + at[threadIdx.x], r[4] = {0, 0, 0, 0};
  LANE_MASK(mask);
  if (BYTES == 4) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r[0]) : "r"(a));
  if (BYTES == 8) asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
  if (BYTES == 16) asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
  out[threadIdx.x] = r[0] ^ r[1] ^ r[2] ^ r[3];
}
template <int BYTES> __global__ void store(const uint32_t *at, uint32_t mask, uint32_t *out) {
  extern __shared__ uint4 s[];
  uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + at[threadIdx.x], r = threadIdx.x;
  LANE_MASK(mask);
  if (BYTES == 4) asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(a), "r"(r));
  if (BYTES == 8) asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%1};" :: "r"(a), "r"(r));
  if (BYTES == 16) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" :: "r"(a), "r"(r));
  out[threadIdx.x] = a;
}
// 0: add without result, 1: add with result, 2: exchange, 3: exchange of 8 bytes, 4: increment without result
template <int KIND> __global__ void atomic(const uint32_t *at, uint32_t mask, uint32_t *out) {
  extern __shared__ uint4 s[];
  uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + at[threadIdx.x], r = 0;
  LANE_MASK(mask);
  if (KIND == 0) asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(a), "r"(threadIdx.x + 3) : "memory");
  if (KIND == 1) asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(r) : "r"(a), "r"(threadIdx.x + 3) : "memory");
  if (KIND == 2) asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(r) : "r"(a), "r"(threadIdx.x) : "memory");
  if (KIND == 3) {
    unsigned long long w;
    asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(w) : "r"(a), "l"((unsigned long long)threadIdx.x) : "memory");
    r = (uint32_t)w;
  }
  if (KIND == 4) asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(a) : "memory");
  out[threadIdx.x] = r + a;
}
template <int COUNT> __global__ void matrix(const uint32_t *at, uint32_t, uint32_t *out) {
  extern __shared__ uint4 s[];
  uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + at[threadIdx.x], r[4] = {0, 0, 0, 0};
  if (COUNT == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(a));
  if (COUNT == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
  if (COUNT == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
  out[threadIdx.x] = r[0] ^ r[1] ^ r[2] ^ r[3];
}

typedef void (*Kernel)(const uint32_t *, uint32_t, uint32_t *);
static uint32_t *at, *out, seed = 12345;
static uint32_t any(uint32_t below) { return (seed = seed * 1664525u + 1013904223u) % 0x7fffffff / 64 % below; }

static void run(const char *name, Kernel kernel, const uint32_t *addresses, uint32_t mask) {
  printf("{\"kernel\":\"%s\",\"mask\":%u,\"at\":[", name, mask);
  for (int i = 0; i < 32; i++) printf("%s%u", i ? "," : "", addresses[i]);
  printf("]}\n");
  cudaMemcpy(at, addresses, 128, cudaMemcpyHostToDevice);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  kernel<<<1, 32, 65536>>>(at, mask, out);
  cudaError_t e = cudaDeviceSynchronize();
  if (e) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); }
}

static void patterns(const char *name, Kernel kernel, uint32_t size, uint32_t fewest) {
  uint32_t a[32];
  auto go = [&](uint32_t mask) { run(name, kernel, a, mask); };
  const uint32_t all = ~0u;
  const int strides[] = {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33};
  for (int s : strides) { for (int i = 0; i < 32; i++) a[i] = i * s * size; go(all); }
  // Halves, quarters and pairs on one address each; a row of a tile 16 wide; a tile 8 wide with rows apart.
  const uint32_t apart[] = {size, 64, 128, 144, 256};
  for (int group = 2; group <= 16; group *= 2) for (uint32_t d : apart) { for (int i = 0; i < 32; i++) a[i] = i / group * d; go(all); }
  for (int width = 4; width <= 16; width *= 2) for (uint32_t d : apart) { for (int i = 0; i < 32; i++) a[i] = i % width * size + i / width * d; go(all); }
  // Swizzled columns, and in reverse.
  for (int i = 0; i < 32; i++) a[i] = i * 128 + (i % (128 / size)) * size; go(all);
  for (int i = 0; i < 32; i++) a[i] = (31 - i) * size; go(all);
  for (uint32_t range = 256; range <= 16384; range *= 8) for (int n = 0; n < 4; n++) { for (int i = 0; i < 32; i++) a[i] = any(range / size) * size; go(all); }
  // Fewer lanes.
  const uint32_t masks[] = {1, 0xff, 0xffff, 0xffff0000, 0x55555555, 0x11111111, 0x0f0f0f0f, 0x00ff00ff, 0x000fffff};
  if (fewest < 32) for (uint32_t m : masks) {
    for (int i = 0; i < 32; i++) a[i] = i * size; go(m);
    for (int i = 0; i < 32; i++) a[i] = i * 128; go(m);
    for (int i = 0; i < 32; i++) a[i] = any(1024 / size) * size; go(m);
  }
}
int main() {
  cudaMalloc(&at, 128); cudaMalloc(&out, 128);
  patterns("load4", load<4>, 4, 1); patterns("load8", load<8>, 8, 1); patterns("load16", load<16>, 16, 1);
  patterns("store4", store<4>, 4, 1); patterns("store8", store<8>, 8, 1); patterns("store16", store<16>, 16, 1);
  patterns("add", atomic<0>, 4, 1); patterns("addResult", atomic<1>, 4, 1); patterns("exchange", atomic<2>, 4, 1);
  patterns("exchange8", atomic<3>, 8, 1); patterns("count", atomic<4>, 4, 1);
  patterns("matrix1", matrix<1>, 16, 32); patterns("matrix2", matrix<2>, 16, 32); patterns("matrix4", matrix<4>, 16, 32);
}
