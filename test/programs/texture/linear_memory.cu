// Texture objects on linear memory: tex1Dfetch of floats, integers, float4 and normalised bytes.
#include "../check.h"

__global__ void kernel(cudaTextureObject_t f, cudaTextureObject_t v, cudaTextureObject_t b, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 w = tex1Dfetch<float4>(v, i);
  out[i * 3] = tex1Dfetch<float>(f, n - 1 - i), out[i * 3 + 1] = w.x + w.y * 10 + w.z * 100 + w.w * 1000, out[i * 3 + 2] = tex1Dfetch<float>(b, i);
}

template <class T> cudaTextureObject_t make(T *data, int n, cudaTextureReadMode mode) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data, resource.res.linear.desc = cudaCreateChannelDesc<T>(), resource.res.linear.sizeInBytes = n * sizeof(T);
  cudaTextureDesc texture = {};
  texture.readMode = mode;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

int main() {
  const int n = 256;
  std::vector<float> f;
  std::vector<float4> v;
  std::vector<unsigned char> b;
  for (int i = 0; i < n; ++i) f.push_back(i * 0.5f), v.push_back(make_float4((float)(i % 10), 1, 2, (float)(i % 3))), b.push_back((unsigned char)i);
  Device<float> df(f), out(n * 3);
  Device<float4> dv(v);
  Device<unsigned char> db(b);
  const auto tf = make(df.data, n, cudaReadModeElementType), tv = make(dv.data, n, cudaReadModeElementType), tb = make(db.data, n, cudaReadModeNormalizedFloat);
  kernel<<<2, 128>>>(tf, tv, tb, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    close("float", i, got[i * 3], f[n - 1 - i], 0);
    close("float4", i, got[i * 3 + 1], i % 10 + 10 + 200 + i % 3 * 1000, 0);
    close("normalised", i, got[i * 3 + 2], i / 255.0, 1e-6);
  }
  CHECK(cudaDestroyTextureObject(tf)), CHECK(cudaDestroyTextureObject(tv)), CHECK(cudaDestroyTextureObject(tb));
  return finish();
}
