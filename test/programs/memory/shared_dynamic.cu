// Dynamic shared memory: several views of one extern array, beside static shared memory, more than 48 KiB by attribute.
#include "../check.h"

extern __shared__ unsigned char raw[];
extern __shared__ float floats[];

__global__ void views(float *out, int n) {
  __shared__ int fixed[32];
  float *a = (float *)raw;
  double *b = (double *)(a + n);
  short *c = (short *)(b + n);
  const int i = threadIdx.x;
  a[i] = i * 0.5f, b[i] = i * 3.0, c[i] = (short)(i - 10);
  if (i < 32) fixed[i] = i * 1000;
  __syncthreads();
  const int j = n - 1 - i;
  out[i] = floats[j] + (float)b[j] + c[j] + fixed[j & 31];
}

template <class T> __device__ T *sharedMemory() {
  extern __shared__ __align__(16) unsigned char memory[];
  return (T *)memory;
}

template <class T> __global__ void large(T *out, int n) {
  T *s = sharedMemory<T>();
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = (T)(i * 3);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - 1 - i];
}

int main() {
  const int n = 128;
  Device<float> out(n);
  views<<<1, n, n * (4 + 8 + 2)>>>(out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const int j = n - 1 - i;
    close("views", i, got[i], j * 0.5 + j * 3 + j - 10 + (j & 31) * 1000, 0);
  }
  int limit;
  CHECK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  const int count = limit / 8;
  Device<double> big(count);
  if (limit > 48 * 1024) {
    large<<<1, 256, limit>>>(big.data, count);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
  }
  CHECK(cudaFuncSetAttribute(large<double>, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
  large<<<1, 256, limit>>>(big.data, count);
  CHECK_KERNEL();
  const auto b = big.host();
  for (int i = 0; i < count; ++i) close("large", i, b[i], (count - 1 - i) * 3, 0);
  return finish();
}
