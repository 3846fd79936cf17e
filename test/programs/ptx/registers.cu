// Special registers by PTX: tid, ntid, ctaid, nctaid, laneid, warpid, lane masks, clock, globaltimer, smid, nsmid.
#include "../check.h"

#define READ(name)                                                                                                     \
  ({                                                                                                                   \
    unsigned r;                                                                                                        \
    asm volatile("mov.u32 %0, %%" name ";" : "=r"(r));                                                                 \
    r;                                                                                                                 \
  })

__global__ void kernel(unsigned *out, unsigned long long *times) {
  const unsigned thread = threadIdx.x + threadIdx.y * blockDim.x, i = blockIdx.x * blockDim.x * blockDim.y + thread;
  unsigned *o = out + i * 10;
  o[0] = READ("tid.x"), o[1] = READ("tid.y"), o[2] = READ("ntid.x"), o[3] = READ("ctaid.x"), o[4] = READ("nctaid.x"), o[5] = READ("laneid");
  o[6] = READ("warpid"), o[7] = READ("smid") < READ("nsmid"), o[8] = READ("lanemask_lt"), o[9] = READ("lanemask_ge");
  unsigned long long t0, t1, c0, c1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c0));
  c1 = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  if (i == 0) times[0] = t1 >= t0, times[1] = c1 >= c0;
}

int main() {
  Device<unsigned> out(3 * 64 * 10);
  Device<unsigned long long> times(2);
  kernel<<<3, dim3(16, 4)>>>(out, times);
  CHECK_KERNEL();
  const auto got = out.host();
  for (unsigned i = 0; i < 192; ++i) {
    const unsigned t = i % 64, lane = t % 32;
    const unsigned e[10] = {t % 16, t / 16, 16, i / 64, 3, lane, got[i * 10 + 6], 1, (1u << lane) - 1, ~((1u << lane) - 1)};
    for (int k = 0; k < 10; ++k) same("register", i * 10 + k, got[i * 10 + k], e[k]);
  }
  EXPECT(times.host()[0] == 1 && times.host()[1] == 1);
  return finish();
}
