// A 2D texture over pitched linear memory, of unsigned char read as normalised floats and of int2.
#include "../check.h"

__global__ void kernel(cudaTextureObject_t bytes, cudaTextureObject_t pairs, float *out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  const int2 p = tex2D<int2>(pairs, x + 0.5f, y + 0.5f);
  out[(y * w + x) * 2] = tex2D<float>(bytes, w - 1 - x + 0.5f, h - 1 - y + 0.5f), out[(y * w + x) * 2 + 1] = (float)(p.x - p.y);
}

template <class T> cudaTextureObject_t make(T **memory, const std::vector<T> &from, int w, int h, cudaTextureReadMode mode) {
  size_t pitch;
  CHECK(cudaMallocPitch(memory, &pitch, w * sizeof(T), h));
  CHECK(cudaMemcpy2D(*memory, pitch, from.data(), w * sizeof(T), w * sizeof(T), h, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  auto &r = resource.res.pitch2D;
  r.devPtr = *memory, r.desc = cudaCreateChannelDesc<T>(), r.width = w, r.height = h, r.pitchInBytes = pitch;
  cudaTextureDesc texture = {};
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp, texture.readMode = mode;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

int main() {
  const int w = 50, h = 20;
  std::vector<unsigned char> b;
  std::vector<int2> p;
  for (int i = 0; i < w * h; ++i) b.push_back((unsigned char)(i * 7)), p.push_back(make_int2(i * 3, i));
  unsigned char *mb;
  int2 *mp;
  const auto tb = make(&mb, b, w, h, cudaReadModeNormalizedFloat), tp = make(&mp, p, w, h, cudaReadModeElementType);
  Device<float> out(w * h * 2);
  kernel<<<dim3(1, h), 64>>>(tb, tp, out, w, h);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < w * h; ++i) close("bytes", i, got[i * 2], b[w * h - 1 - i] / 255.0, 1e-6), close("pairs", i, got[i * 2 + 1], i * 2, 0);
  CHECK(cudaDestroyTextureObject(tb)), CHECK(cudaDestroyTextureObject(tp)), CHECK(cudaFree(mb)), CHECK(cudaFree(mp));
  return finish();
}
