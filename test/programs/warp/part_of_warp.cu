// Sums of columns over groups of four lanes, and then over the block by some of the lanes alone: a loop that only the lanes below the
// number of parts enter has shuffles with the full mask. Lanes that are not there count for nothing.
#include <cstdio>
#include <cuda_runtime.h>
struct alignas(16) Pack { float v[4]; };
__global__ void columns(float *sums, const float *in, int rows, int width) {
  const int part = threadIdx.x, column = threadIdx.y, slice = threadIdx.z;
  const int first = blockIdx.x * 32 + column * 4;
  __shared__ float results[4][32][8];
  float own[4] = {};
  for (int row = blockIdx.y * 4 * blockDim.z + part + 4 * slice; row < rows; row += gridDim.y * 4 * blockDim.z) {
    const Pack pack = *reinterpret_cast<const Pack *>(in + row * width + first);
    for (int k = 0; k < 4; k++) own[k] += pack.v[k];
  }
  for (int k = 0; k < 4; k++) {
    float v = own[k];
    v += __shfl_down_sync(0xffffffff, v, 1, 4);
    v += __shfl_down_sync(0xffffffff, v, 2, 4);
    if (part == 0) results[k][slice][column] = v;
  }
  __syncthreads();
  for (int k = slice; k < 4; k += blockDim.z) {
    float sum = 0;
    for (int r = part; r < blockDim.z; r += 4) {
      float v = results[k][r][column];
      v += __shfl_down_sync(0xffffffff, v, 1, 4);
      v += __shfl_down_sync(0xffffffff, v, 2, 4);
      sum += v;
    }
    if (part == 0) atomicAdd(sums + first + k, sum);
  }
}
int main() {
  const int rows = 256, width = 64;
  static float h[rows * width], got[width];
  for (int i = 0; i < rows * width; i++) h[i] = float(i * 7 % 13);
  float *in, *out;
  cudaMalloc(&in, sizeof h), cudaMalloc(&out, sizeof got);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  int bad = 0;
  for (unsigned z : {1, 2, 3, 4, 6, 8, 16, 32}) {
    cudaMemset(out, 0, sizeof got);
    columns<<<dim3(2, 3), dim3(4, 8, z)>>>(out, in, rows, width);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int c = 0; c < width; c++) {
      float want = 0;
      for (int r = 0; r < rows; r++) want += h[r * width + c];
      wrong += got[c] != want;
    }
    if (wrong) printf("%u slices: %d columns wrong\n", z, wrong);
    bad += wrong;
  }
  printf("%s\n", bad ? "wrong" : "ok");
  return bad > 0;
}
