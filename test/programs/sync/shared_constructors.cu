// Variables in shared memory of types with constructors, which nobody calls: arrays of them, and in templates.
#include "../check.h"

struct Slot {
  int value;
  __device__ Slot() : value(-1) {}
  __device__ ~Slot() { value = -2; }
  __device__ int next() const { return value + 1; }
};

template <class T> __global__ void kernel(int *out) {
  __shared__ Slot one;
  __shared__ T many[2][32];
  if (threadIdx.x == 0) new (&one) Slot();
  many[0][threadIdx.x].value = threadIdx.x;
  many[1][threadIdx.x].value = 100;
  __syncthreads();
  out[threadIdx.x] = one.next() + many[0][31 - threadIdx.x].next() + many[1][threadIdx.x].value;
}

int main() {
  Device<int> out(32);
  kernel<Slot><<<1, 32>>>(out);
  CHECK_KERNEL();
  std::vector<int> got = out.host();
  for (int i = 0; i < 32; i++) same("slot", i, got[i], 132 - i);
  return finish();
}
