// Needs 2 GPUs.
// Arrays and textures of the second device, and copies between arrays of both.
#include "../check.h"
__global__ void fetch(cudaTextureObject_t texture, float *out) { out[threadIdx.x] = tex2D<float>(texture, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f); }
int main() {
  std::vector<float> values(64);
  for (int i = 0; i < 64; i++) values[i] = i * 0.5f;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array[2];
  for (int d = 0; d < 2; d++) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaMallocArray(&array[d], &format, 8, 8));
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaMemcpy2DToArray(array[0], 0, 0, values.data(), 32, 32, 8, cudaMemcpyHostToDevice));
  cudaMemcpy3DPeerParms box = {};
  box.srcArray = array[0], box.srcDevice = 0;
  box.dstArray = array[1], box.dstDevice = 1;
  box.extent = make_cudaExtent(8, 8, 1);
  CHECK(cudaMemcpy3DPeer(&box));
  CHECK(cudaSetDevice(1));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array[1];
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  Device<float> out(64);
  fetch<<<1, 64>>>(texture, out);
  CHECK_KERNEL();
  const std::vector<float> host = out.host();
  for (int i = 0; i < 64; i++) close("texel", i, host[i], values[i], 0);
  CHECK(cudaDestroyTextureObject(texture));
  for (cudaArray_t each : array) CHECK(cudaFreeArray(each));
  return finish();
}
