// Pitched memory: cudaMallocPitch, cudaMemcpy2D in all directions, cudaMemset2D, cudaMalloc3D, cudaMemcpy3D, cudaMemset3D.
#include "../check.h"
__global__ void add(char *p, size_t pitch, int w, int h) {
  for (int y = threadIdx.y; y < h; y += blockDim.y)
    for (int x = threadIdx.x; x < w; x += blockDim.x) ((float *)(p + y * pitch))[x] += 1000;
}
int main() {
  const int w = 37, h = 11, d = 5;
  std::vector<float> in(w * h), out(w * h);
  for (int i = 0; i < w * h; ++i) in[i] = (float)i;
  float *p, *q;
  size_t pitch, other;
  CHECK(cudaMallocPitch(&p, &pitch, w * 4, h)), CHECK(cudaMallocPitch(&q, &other, 2 * w * 4, h));
  EXPECT(pitch >= w * 4 && pitch % 32 == 0);
  CHECK(cudaMemcpy2D(p, pitch, in.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
  add<<<1, dim3(16, 4)>>>((char *)p, pitch, w, h);
  CHECK(cudaMemcpy2D(q, other, p, pitch, w * 4, h, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemset2D(q, other, 0, 8, h - 1));
  CHECK(cudaMemcpy2DAsync(out.data(), w * 4, q, other, w * 4, h, cudaMemcpyDeviceToHost, 0));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < w * h; ++i) close("2D", i, out[i], i % w < 2 && i / w < h - 1 ? 0 : i + 1000, 0);
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, make_cudaExtent(w * 4, h, d)));
  CHECK(cudaMemset3D(box, 0, make_cudaExtent(w * 4, h, d)));
  std::vector<float> cube(w * h * d), back(w * h * d);
  for (size_t i = 0; i < cube.size(); ++i) cube[i] = (float)i;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(cube.data(), w * 4, w, h), copy.dstPtr = box, copy.kind = cudaMemcpyHostToDevice;
  copy.extent = make_cudaExtent((w - 2) * 4, h - 3, d - 1), copy.dstPos = make_cudaPos(4, 2, 1);
  CHECK(cudaMemcpy3D(&copy));
  cudaMemcpy3DParms whole = {};
  whole.srcPtr = box, whole.dstPtr = make_cudaPitchedPtr(back.data(), w * 4, w, h), whole.kind = cudaMemcpyDeviceToHost, whole.extent = make_cudaExtent(w * 4, h, d);
  CHECK(cudaMemcpy3D(&whole));
  for (int z = 0; z < d; ++z)
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const bool inside = x >= 1 && x < w - 1 && y >= 2 && y < h - 1 && z >= 1;
        close("3D", (z * h + y) * w + x, back[(z * h + y) * w + x], inside ? cube[((z - 1) * h + y - 2) * w + x - 1] : 0, 0);
      }
  EXPECT_ERROR(cudaMemcpy2D(p, pitch, in.data(), w * 4, pitch + 4, h, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  cudaGetLastError();
  CHECK(cudaFree(p)), CHECK(cudaFree(q)), CHECK(cudaFree(box.ptr));
  return finish();
}
