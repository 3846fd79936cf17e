// Inline PTX loads and stores: ld.global.nc, .cg, .cs, vectors, volatile, st.*, shared addresses, atom, red, prefetch.
#include "../check.h"

__global__ void kernel(const int *in, const float4 *vectors, int *out, int *counter) {
  __shared__ int shared[64];
  const int i = threadIdx.x;
  int a, b, c, d;
  asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(a) : "l"(in + i));
  asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(b) : "l"(in + i));
  asm volatile("ld.global.cs.s32 %0, [%1+4];" : "=r"(c) : "l"(in + i));
  asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(d) : "l"(in + i) : "memory");
  float x, y, z, w;
  asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(vectors + i));
  const unsigned address = (unsigned)__cvta_generic_to_shared(shared + i);
  asm volatile("st.shared.s32 [%0], %1;" ::"r"(address), "r"(a + b) : "memory");
  __syncthreads();
  int s, old;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(s) : "r"((unsigned)__cvta_generic_to_shared(shared + 63 - i)));
  asm volatile("atom.global.add.s32 %0, [%1], %2;" : "=r"(old) : "l"(counter), "r"(2) : "memory");
  asm volatile("red.global.add.s32 [%0], 1;" ::"l"(counter + 1) : "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
  asm volatile("st.global.cs.s32 [%0], %1;" ::"l"(out + i * 2), "r"(c + d + s) : "memory");
  asm volatile("st.global.wb.s32 [%0+4], %1;" ::"l"(out + i * 2), "r"((int)(x + y * 2 + z * 3 + w * 4)) : "memory");
  asm volatile("membar.gl;" ::: "memory");
  if (old % 2) out[0] = -1;
}

int main() {
  std::vector<int> in;
  std::vector<float4> v;
  for (int i = 0; i < 65; ++i) in.push_back(i * i), v.push_back(make_float4((float)i, 1, 2, (float)-i));
  Device<int> d(in), out(128), counter(2);
  Device<float4> dv(v);
  kernel<<<1, 64>>>(d, dv, out, counter);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < 64; ++i) {
    same("integers", i, got[i * 2], in[i + 1] + in[i] + 2 * in[63 - i]);
    same("vector", i, got[i * 2 + 1], i + 2 + 6 - 4 * i);
  }
  same("counter", 0, counter.host()[0], 128), same("counter", 1, counter.host()[1], 64);
  return finish();
}
