// Kernels that wait for a time wait as long as they say: blocks of several waves, long waits, waits for one lane, waits for a
// deadline of the timer, waits one after the other, and waits that count.
// Needs compute capability 7.0.
#include "../check.h"
__device__ unsigned long long timer() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__global__ void spin(unsigned long long *stamps, long long cycles) {
  const unsigned long long from = timer();
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
  const long long waited = clock64() - begin;
  if (threadIdx.x == 0) stamps[3 * blockIdx.x] = from, stamps[3 * blockIdx.x + 1] = timer(), stamps[3 * blockIdx.x + 2] = waited;
}
__global__ void oneLane(unsigned long long *out, long long cycles) {
  if (threadIdx.x == 5) atomicAdd(out, 1ull);
  const long long begin = clock64();
  if (threadIdx.x == 7)
    while (clock64() - begin < cycles) {}
  __syncthreads();
  if (threadIdx.x == 0) out[1] = clock64() - begin;
}
__global__ void deadline(unsigned long long *out, unsigned long long nanoseconds) {
  const unsigned long long end = timer() + nanoseconds;
  while (timer() < end) {}
  if (threadIdx.x == 0) out[0] = timer() - end;
}
__global__ void often(long long *out, int times, long long cycles) {
  long long least = 1ll << 60, sum = 0;
  for (int i = 0; i < times; ++i) {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {}
    const long long waited = clock64() - begin;
    sum += waited;
    if (waited < least) least = waited;
  }
  if (threadIdx.x == 0) out[0] = least, out[1] = sum;
}
__global__ void counting(long long *out, long long cycles) {
  const long long begin = clock64();
  long long n = 0;
  while (clock64() - begin < cycles) ++n;
  if (threadIdx.x == 0) out[0] = n;
}
int main() {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const int blocks = 20 * device.multiProcessorCount;
  Device<unsigned long long> stamps(3 * blocks);
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  for (const long long cycles : {20000ll, 2000000ll}) {
    CHECK(cudaEventRecord(from));
    spin<<<blocks, 256>>>(stamps, cycles);
    CHECK(cudaEventRecord(to));
    CHECK_KERNEL();
    float ms;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    const auto got = stamps.host();
    unsigned long long least = ~0ull, first = ~0ull, last = 0;
    for (int i = 0; i < blocks; ++i) {
      if (got[3 * i + 2] < least) least = got[3 * i + 2];
      if (got[3 * i] < first) first = got[3 * i];
      if (got[3 * i + 1] > last) last = got[3 * i + 1];
    }
    if (least < (unsigned long long)cycles) FAIL("a block waited %llu cycles instead of %lld", least, cycles);
    const double span = (last - first) * 1e-6;
    if (span > ms || span < 0.5 * ms) FAIL("the blocks took %f ms, the kernel %f", span, ms);
  }
  Device<unsigned long long> out(2);
  oneLane<<<1, 64>>>(out, 50000);
  CHECK_KERNEL();
  const auto one = out.host();
  EXPECT(one[0] == 1);
  if (one[1] < 50000) FAIL("the others waited %llu cycles", one[1]);
  deadline<<<1, 32>>>(out, 1000000);
  CHECK_KERNEL();
  if (out.host()[0] > 100000) FAIL("the deadline was missed by %llu ns", out.host()[0]);
  Device<long long> waits(2);
  often<<<2, 64>>>(waits, 50, 3000);
  CHECK_KERNEL();
  const auto fifty = waits.host();
  if (fifty[0] < 3000 || fifty[1] > 50 * 6000) FAIL("50 waits: %lld cycles at least, %lld in all", fifty[0], fifty[1]);
  counting<<<1, 32>>>(waits, 100000);
  CHECK_KERNEL();
  const long long n = waits.host()[0];
  if (n < 500 || n > 25000) FAIL("went around %lld times in 100000 cycles", n);
  return finish();
}
