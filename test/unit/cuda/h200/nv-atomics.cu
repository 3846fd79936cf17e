#include <cstdio>
struct Pair { unsigned a, b; };
__global__ void k(int *a, unsigned long long *b, double *d, float *f, unsigned short *h, unsigned *u, Pair *p, int *out) {
  const int t = threadIdx.x;
  __nv_atomic_add(a, t, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_max(a + 1, t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_min(a + 2, -t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_or(a + 3, 1 << t, __NV_ATOMIC_ACQ_REL);
  __nv_atomic_xor(a + 4, t, __NV_ATOMIC_RELAXED);
  __nv_atomic_and(a + 5, ~(1 << t), __NV_ATOMIC_SEQ_CST);
  __nv_atomic_sub(a + 6, t, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(b, 1ull << 33, __NV_ATOMIC_RELAXED);
  __nv_atomic_max(b + 1, (unsigned long long)t << 40, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(f, 0.5f, __NV_ATOMIC_RELAXED);
  __nv_atomic_add(d, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_store_n(h + t, t * 3, __NV_ATOMIC_RELEASE);
  unsigned short s = __nv_atomic_load_n(h + t, __NV_ATOMIC_ACQUIRE);
  unsigned before = __nv_atomic_load_n(u, __NV_ATOMIC_RELAXED);
  while (!__nv_atomic_compare_exchange_n(u, &before, before * 3 + 1, true, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED));
  Pair old = {0, 0}, mine = {(unsigned)t, 7}, seen;
  __nv_atomic_load(p, &seen, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  bool won = t == 5 && __nv_atomic_compare_exchange(p, &old, &mine, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED);
  __syncthreads();
  int mineToo = t, had;
  if (t == 9) { __nv_atomic_exchange(a + 7, &mineToo, &had, __NV_ATOMIC_RELAXED); had += 100 * __nv_atomic_exchange_n(a + 8, 4, __NV_ATOMIC_RELAXED); }
  else had = 0;
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_store(a + 9, &mineToo, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_THREAD);
  out[t] = s + 1000 * won + had;
}
int main() {
  char *m; cudaMallocManaged(&m, 4096); int *a = (int *)m; a[5] = -1; a[7] = 11; a[8] = 12;
  auto *b = (unsigned long long *)(m + 256); auto *d = (double *)(m + 512); auto *f = (float *)(m + 520); auto *h = (unsigned short *)(m + 640); auto *u = (unsigned *)(m + 1024); auto *p = (Pair *)(m + 1088); auto *out = (int *)(m + 2048);
  k<<<1, 32>>>(a, b, d, f, h, u, p, out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 0; i < 9; i++) printf("%d ", a[i]);
  printf("\n%llx %llx %g %g %x %u %u\n", b[0], b[1], *d, *f, *u, p->a, p->b);
  for (int i = 0; i < 32; i++) printf("%d ", out[i]);
  printf("\n%d %d %d %d %d %d\n", __NV_ATOMIC_RELAXED, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_DEVICE, __NV_THREAD_SCOPE_SYSTEM);
}
