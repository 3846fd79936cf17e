// Launches by kernels that cannot be: the thread that made them finds the error, the others and the host do not.
// Compile with relocatable device code.
#include "../check.h"
__global__ void child(int *out) { out[threadIdx.x] = 1; }
__global__ void parent(int *codes, int *out) {
  const int i = threadIdx.x;
  if (i == 0) child<<<1, 2000>>>(out);
  if (i == 1) child<<<0, 32>>>(out);
  if (i == 2) child<<<1, 32, 1 << 20>>>(out);
  if (i == 3) child<<<1, 4>>>(out);
  codes[2 * i] = cudaPeekAtLastError() != cudaSuccess;
  codes[2 * i + 1] = (cudaGetLastError() != cudaSuccess) + 2 * (cudaGetLastError() != cudaSuccess);
}
int main() {
  Device<int> codes(16), out(std::vector<int>(32, 0));
  parent<<<1, 8>>>(codes, out);
  CHECK_KERNEL();
  const auto got = codes.host(), written = out.host();
  for (int i = 0; i < 16; ++i) same("codes", i, got[i], i < 6 ? 1 : 0);
  for (int i = 0; i < 32; ++i) same("out", i, written[i], i < 4 ? 1 : 0);
  return finish();
}
