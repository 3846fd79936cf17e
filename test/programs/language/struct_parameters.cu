// Structs that kernels take by value: chosen beside other pointers, written to, their address kept, large ones copied.
#include "../check.h"
struct __align__(8) Pair {
  float x, y;
};
struct Large {
  int n[300];
};
__device__ const Pair *kept[64];
__global__ void select(Pair *out, const Pair *at, Pair value) { out[threadIdx.x] = at ? *at : value; }
__global__ void write(int *out, Large value, int i) {
  value.n[i] += threadIdx.x;
  out[threadIdx.x] = value.n[5];
}
__global__ void keep(float *out, Pair value) {
  value.x += threadIdx.x;
  kept[threadIdx.x] = &value;
  __syncwarp();
  out[threadIdx.x] = kept[threadIdx.x]->x;
}
__global__ void whole(Large *out, Large value, int i) {
  Large mine = value;
  mine.n[i] = 7;
  out[threadIdx.x] = mine;
}
int main() {
  Large large;
  for (int i = 0; i < 300; ++i) large.n[i] = i;
  Device<Pair> pairs(32), other(std::vector<Pair>{{3, 4}});
  Device<int> numbers(32);
  Device<float> floats(32);
  Device<Large> all(32);
  select<<<1, 32>>>(pairs, nullptr, Pair{1, 2});
  CHECK_KERNEL();
  for (const Pair &p : pairs.host()) EXPECT(p.x == 1 && p.y == 2);
  select<<<1, 32>>>(pairs, other, Pair{1, 2});
  CHECK_KERNEL();
  for (const Pair &p : pairs.host()) EXPECT(p.x == 3 && p.y == 4);
  write<<<1, 32>>>(numbers, large, 5);
  keep<<<1, 32>>>(floats, Pair{1, 2});
  whole<<<1, 32>>>(all, large, 9);
  CHECK_KERNEL();
  const auto n = numbers.host();
  const auto f = floats.host();
  const auto a = all.host();
  for (int i = 0; i < 32; ++i) {
    same("write", i, n[i], 5 + i);
    EXPECT(f[i] == 1 + i);
    for (int j = 0; j < 300; ++j) same("whole", j, a[i].n[j], j == 9 ? 7 : j);
  }
  return finish();
}
