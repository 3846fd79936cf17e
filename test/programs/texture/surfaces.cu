// Surface objects: reads and writes of 1D, 2D and 3D arrays, boundary modes, seen by a texture afterwards.
#include "../check.h"

__global__ void write2(cudaSurfaceObject_t s, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) surf2Dwrite((float)(x + y * 100), s, x * (int)sizeof(float), y);
}
__global__ void change2(cudaSurfaceObject_t s, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float v = surf2Dread<float>(s, x * (int)sizeof(float), y, cudaBoundaryModeZero);
  surf2Dwrite(v * 2 + 1, s, x * (int)sizeof(float), y, cudaBoundaryModeZero);
}
__global__ void read2(cudaTextureObject_t t, float *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
__global__ void cube(cudaSurfaceObject_t s, int *out) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  surf3Dwrite(make_int2(x + 10 * y, z), s, x * (int)sizeof(int2), y, z);
  __syncthreads();
  const int2 v = surf3Dread<int2>(s, (3 - x) * (int)sizeof(int2), y, z);
  out[(z * 4 + y) * 4 + x] = v.x + 100 * v.y;
}

int main() {
  const int w = 40, h = 24;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  const dim3 grid(3, 2), block(16, 16);
  write2<<<grid, block>>>(surface, w, h);
  change2<<<grid, block>>>(surface, w, h);
  CHECK_KERNEL();
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  Device<float> out(w * h);
  read2<<<grid, block>>>(texture, out, w, h);
  CHECK_KERNEL();
  std::vector<float> got = out.host(), copied(w * h);
  CHECK(cudaMemcpy2DFromArray(copied.data(), w * 4, array, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
  for (int i = 0; i < w * h; ++i) {
    const float e = (float)(i % w + i / w * 100) * 2 + 1;
    close("texture", i, got[i], e, 0), close("copied", i, copied[i], e, 0);
  }
  const cudaChannelFormatDesc pairs = cudaCreateChannelDesc<int2>();
  cudaArray_t box;
  CHECK(cudaMalloc3DArray(&box, &pairs, make_cudaExtent(4, 4, 4), cudaArraySurfaceLoadStore));
  resource.res.array.array = box;
  cudaSurfaceObject_t volume;
  CHECK(cudaCreateSurfaceObject(&volume, &resource));
  Device<int> cells(64);
  cube<<<1, dim3(4, 4, 4)>>>(volume, cells);
  CHECK_KERNEL();
  const auto c = cells.host();
  for (int i = 0; i < 64; ++i) same("cube", i, c[i], 3 - i % 4 + 10 * (i / 4 % 4) + 100 * (i / 16));
  CHECK(cudaDestroySurfaceObject(volume)), CHECK(cudaDestroySurfaceObject(surface)), CHECK(cudaDestroyTextureObject(texture)), CHECK(cudaFreeArray(box)), CHECK(cudaFreeArray(array));
  return finish();
}
