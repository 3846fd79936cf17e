// Overloads of `long`, which has 64 bits, and assignments between the formats of 16 bits.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void words(long *in, unsigned long *uin, long *out, unsigned long *uout) {
  int t = threadIdx.x;
  __stcg(out + t, in[t]);
  __stcs(out + 32 + t, in[t]);
  __stwt(out + 64 + t, in[t]);
  __stcg(uout + t, uin[t]);
  __stcs(uout + 32 + t, uin[t]);
  __stwt(uout + 64 + t, uin[t]);
  out[96 + t] = __ldg(in + t) + __ldcg(in + t) + __ldcs(in + t) + __ldcv(in + t) + __ldca(in + t) + __ldlu(in + t);
  uout[96 + t] = __ldg(uin + t) ^ __ldcg(uin + t) ^ __ldcs(uin + t);
  out[128 + t] = __match_any_sync(~0u, in[t]);
  uout[128 + t] = __match_any_sync(~0u, uin[t]);
  int all;
  out[160 + t] = __match_all_sync(~0u, in[t] >> 34, &all) + all;
  out[192 + t] = __shfl_sync(~0u, in[t], 31 - t) + __shfl_up_sync(~0u, in[t], 1) - __shfl_xor_sync(~0u, in[t], 3);
  uout[192 + t] = __shfl_down_sync(~0u, uin[t], 2);
  out[224 + t] = min(in[t], in[31 - t]) + max(in[t], 5L);
  uout[160 + t] = max(uin[t], uin[31 - t]) - min(uin[t], 7UL);
  uout[224 + t] = __popcll(uin[t]) + llabs(in[t]) + abs(in[t]) + labs(in[t]);
}
__global__ void halves(long *in, unsigned long *uin, long *out) {
  int t = threadIdx.x;
  half h = in[t];
  __nv_bfloat16 b = in[t];
  half uh = uin[t];
  __nv_bfloat16 ub = uin[t];
  out[4 * t] = __half_as_ushort(h) | (long)__bfloat16_as_ushort(b) << 16 | (long)__half_as_ushort(uh) << 32 | (long)__bfloat16_as_ushort(ub) << 48;
  out[4 * t + 1] = (long)b ^ (long)(unsigned long)ub;
  half2 pair = __floats2half2_rn(1.5f, t);
  __nv_bfloat162 other = __floats2bfloat162_rn(1.5f, t);
  if (t & 1) { pair = {}; other = {}; }
  else pair = static_cast<__half2_raw>(pair);
  out[4 * t + 2] = __half_as_ushort(pair.x) | (long)__half_as_ushort(pair.y) << 16 | (long)__bfloat16_as_ushort(other.x) << 32 | (long)__bfloat16_as_ushort(other.y) << 48;
  out[4 * t + 3] = __half_as_ushort(static_cast<half>(b)) | (long)__bfloat16_as_ushort(static_cast<__nv_bfloat16>(h)) << 16 | (long)__half_as_ushort(half(__ushort_as_bfloat16(0x3f81))) << 32;
}
int main() {
  long *in, *out;
  unsigned long *uin, *uout;
  cudaMallocManaged(&in, 32 * sizeof(long));
  cudaMallocManaged(&uin, 32 * sizeof(long));
  cudaMallocManaged(&out, 256 * sizeof(long));
  cudaMallocManaged(&uout, 256 * sizeof(long));
  for (int i = 0; i < 32; i++) {
    in[i] = (i % 2 ? -1 : 1) * ((long)(i / 4) << 33 | 7 | i / 8 << 3);
    uin[i] = (unsigned long)(i % 5) << 62 | (unsigned long)i << 40 | 3;
  }
  for (int i = 0; i < 256; i++) out[i] = uout[i] = 0;
  words<<<1, 32>>>(in, uin, out, uout);
  cudaDeviceSynchronize();
  for (int row = 0; row < 8; row++) {
    unsigned long sum = 0, usum = 0;
    for (int i = 0; i < 32; i++) sum = sum * 31 + out[32 * row + i], usum = usum * 31 + uout[32 * row + i];
    printf("%d %lx %lx\n", row, sum, usum);
  }
  for (int i = 0; i < 32; i++) in[i] = i < 20 ? (i % 2 ? -1L : 1L) << 2 * i : 0, uin[i] = 3UL << 2 * i;
  halves<<<1, 32>>>(in, uin, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; i++) printf("%2d %016lx %016lx %016lx %016lx\n", i, out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3]);
  half nan = __ushort_as_half(0x7e00);
  printf("%lx %lx %lx\n", (long)nan, (unsigned long)nan, (long)half(-7.9f));
}
