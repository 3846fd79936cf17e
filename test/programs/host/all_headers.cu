// <bits/stdc++.h>, which many programs include alone.
#include <bits/stdc++.h>
#include <cuda_runtime.h>
#include "../check.h"
using namespace std;

__global__ void twice(int *x) { x[threadIdx.x] *= 2; }

int main() {
  vector<int> numbers(32);
  iota(numbers.begin(), numbers.end(), 0);
  int *x;
  CHECK(cudaMalloc(&x, sizeof(int) * 32));
  CHECK(cudaMemcpy(x, numbers.data(), sizeof(int) * 32, cudaMemcpyHostToDevice));
  twice<<<1, 32>>>(x);
  CHECK(cudaMemcpy(numbers.data(), x, sizeof(int) * 32, cudaMemcpyDeviceToHost));
  same("sum", 0, accumulate(numbers.begin(), numbers.end(), 0), 992);
  unordered_map<string, complex<double>> named{{"i", {0, 1}}};
  ostringstream text;
  text << setw(4) << hex << 255 << ' ' << named["i"] * named["i"];
  EXPECT(text.str() == "  ff (-1,0)");
  return finish();
}
