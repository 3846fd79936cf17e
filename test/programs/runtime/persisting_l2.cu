// L2 that is set aside for persisting lines, and access policy windows: what is kept and what is refused, as on an H200.
// Needs compute capability 8.0.
#include "../check.h"
__global__ void touch(int *p) { p[threadIdx.x] += 1; }
static cudaLaunchAttributeValue window(void *base, size_t bytes, float ratio, cudaAccessProperty hit, cudaAccessProperty miss) {
  cudaLaunchAttributeValue value;
  memset(&value, 0, sizeof value);
  value.accessPolicyWindow.base_ptr = base;
  value.accessPolicyWindow.num_bytes = bytes;
  value.accessPolicyWindow.hitRatio = ratio;
  value.accessPolicyWindow.hitProp = hit;
  value.accessPolicyWindow.missProp = miss;
  return value;
}
int main() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  const size_t most = properties.persistingL2CacheMaxSize, part = properties.l2CacheSize / 16;
  int attribute = 0;
  CHECK(cudaDeviceGetAttribute(&attribute, cudaDevAttrMaxPersistingL2CacheSize, 0));
  EXPECT(most > 0 && most < (size_t)properties.l2CacheSize && (size_t)attribute == most);
  CHECK(cudaDeviceGetAttribute(&attribute, cudaDevAttrMaxAccessPolicyWindowSize, 0));
  EXPECT(attribute == properties.accessPolicyMaxWindowSize && attribute == 128 << 20);
  size_t bytes = 0;
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize));
  EXPECT(bytes == 3 * part);
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, part + 1));
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize));
  EXPECT(bytes == 2 * part);
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most));
  EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most + 1), cudaErrorInvalidValue);
  CHECK(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize));
  EXPECT(bytes == most);
  EXPECT_ERROR(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 200), cudaErrorInvalidValue);
  cudaGetLastError();

  cudaStream_t stream, other;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&other));
  Device<int> data(1 << 20);
  const auto id = cudaStreamAttributeAccessPolicyWindow;
  cudaLaunchAttributeValue got;
  CHECK(cudaStreamGetAttribute(stream, id, &got));
  EXPECT(got.accessPolicyWindow.num_bytes == 0);
  auto good = window(data, 1 << 20, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming);
  CHECK(cudaStreamSetAttribute(stream, id, &good));
  auto wide = window(data, (size_t)attribute + 1, 1, cudaAccessPropertyPersisting, cudaAccessPropertyNormal);
  auto share = window(data, 1 << 20, 1.5f, cudaAccessPropertyPersisting, cudaAccessPropertyNormal);
  auto miss = window(data, 1 << 20, 1, cudaAccessPropertyPersisting, cudaAccessPropertyPersisting);
  EXPECT_ERROR(cudaStreamSetAttribute(stream, id, &wide), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaStreamSetAttribute(stream, id, &share), cudaErrorInvalidValue);
  EXPECT_ERROR(cudaStreamSetAttribute(stream, id, &miss), cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaStreamCopyAttributes(other, stream));
  CHECK(cudaStreamGetAttribute(other, id, &got));
  EXPECT(got.accessPolicyWindow.base_ptr == (void *)data.data && got.accessPolicyWindow.num_bytes == 1 << 20);
  EXPECT(got.accessPolicyWindow.hitRatio == 0.5f && got.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting);
  EXPECT(got.accessPolicyWindow.missProp == cudaAccessPropertyStreaming);
  touch<<<1, 32, 0, stream>>>(data);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaCtxResetPersistingL2Cache());
  EXPECT(data.host()[7] == 1);
  return finish();
}
