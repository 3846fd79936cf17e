// Memory of the driver API: copies, fills, rows, arrays, textures, streams and events.
#include "check_driver.h"

__global__ void sample(float *out, cudaTextureObject_t texture, int width) {
  const int x = threadIdx.x, y = threadIdx.y;
  out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

static const int width = 16, height = 8;

void linear() {
  std::vector<unsigned> host(1000), back(1000);
  for (int i = 0; i < 1000; i++) host[i] = 7 * i;
  CUdeviceptr a, b, base;
  size_t bytes;
  DRIVER(cuMemAlloc(&a, 4000));
  DRIVER(cuMemAlloc(&b, 4000));
  DRIVER(cuMemcpyHtoD(a, host.data(), 4000));
  DRIVER(cuMemcpyDtoD(b, a, 4000));
  DRIVER(cuMemcpyDtoH(back.data(), b, 4000));
  for (int i = 0; i < 1000; i++) same("copied", i, back[i], host[i]);
  DRIVER(cuMemGetAddressRange(&base, &bytes, b + 100));
  EXPECT(base == b && bytes == 4000);
  DRIVER(cuMemsetD32(a, 0x12345678, 500));
  DRIVER(cuMemsetD16(a + 2000, 0xabcd, 500));
  DRIVER(cuMemsetD8(a + 3000, 0x5a, 1000));
  DRIVER(cuMemcpyDtoH(back.data(), a, 4000));
  same("D32", 499, back[499], 0x12345678u);
  same("D16", 500, back[500], 0xabcdabcdu);
  same("D8", 750, back[750], 0x5a5a5a5au);
  EXPECT_DRIVER(cuMemsetD32(a + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DRIVER(cuMemcpyHtoD(a, host.data(), 8000), CUDA_ERROR_INVALID_VALUE);

  CUstream stream;
  CUevent start, end;
  float milliseconds = -1;
  DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER(cuEventCreate(&start, CU_EVENT_DEFAULT));
  DRIVER(cuEventCreate(&end, CU_EVENT_DEFAULT));
  DRIVER(cuEventRecord(start, stream));
  DRIVER(cuMemcpyHtoDAsync(b, host.data(), 4000, stream));
  DRIVER(cuMemsetD32Async(b, 3, 10, stream));
  DRIVER(cuMemcpyDtoHAsync(back.data(), b, 4000, stream));
  DRIVER(cuEventRecord(end, stream));
  DRIVER(cuEventSynchronize(end));
  DRIVER(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds > 0);
  same("filled", 9, back[9], 3u);
  same("copied", 10, back[10], host[10]);
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuEventDestroy(start));
  DRIVER(cuEventDestroy(end));
  DRIVER(cuStreamDestroy(stream));
  DRIVER(cuMemFree(a));
  DRIVER(cuMemFree(b));
}

void rows() {
  std::vector<float> host(width * height), back(width * height, 0.0f);
  for (int i = 0; i < width * height; i++) host[i] = 0.5f * i;
  CUdeviceptr pitched;
  size_t pitch;
  DRIVER(cuMemAllocPitch(&pitched, &pitch, width * sizeof(float), height, 4));
  DRIVER(cuMemsetD2D32(pitched, pitch, 0x3f800000, width, height));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = width * sizeof(float);
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = pitched;
  copy.dstPitch = pitch;
  copy.dstY = 1;
  copy.WidthInBytes = width * sizeof(float);
  copy.Height = height - 1;
  DRIVER(cuMemcpy2D(&copy));
  CUDA_MEMCPY2D home = {};
  home.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  home.srcDevice = pitched;
  home.srcPitch = pitch;
  home.dstMemoryType = CU_MEMORYTYPE_HOST;
  home.dstHost = back.data();
  home.dstPitch = width * sizeof(float);
  home.WidthInBytes = width * sizeof(float);
  home.Height = height;
  DRIVER(cuMemcpy2DAsync(&home, 0));
  DRIVER(cuCtxSynchronize());
  for (int x = 0; x < width; x++) same("first row", x, back[x], 1.0f);
  for (int i = width; i < width * height; i++) same("row", i, back[i], host[i - width]);
  DRIVER(cuMemFree(pitched));
}

void arrays() {
  CUDA_ARRAY_DESCRIPTOR description = {};
  description.Width = width;
  description.Height = height;
  description.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  description.NumChannels = 1;
  CUarray array;
  DRIVER(cuArrayCreate(&array, &description));
  CUDA_ARRAY3D_DESCRIPTOR told;
  DRIVER(cuArray3DGetDescriptor(&told, array));
  EXPECT(told.Width == width && told.Height == height && told.Depth == 0 && told.NumChannels == 1);
  EXPECT(told.Format == CU_AD_FORMAT_UNSIGNED_INT8);
  std::vector<unsigned char> pixels(width * height);
  for (int i = 0; i < width * height; i++) pixels[i] = i;
  // In one dimension the first row is all that there is.
  EXPECT_DRIVER(cuMemcpyHtoA(array, 0, pixels.data(), width * height), CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemcpyHtoA(array, 0, pixels.data() + 1, width));
  unsigned char one = 0;
  DRIVER(cuMemcpyAtoH(&one, array, 5, 1));
  same("pixel", 0, (int)one, 6);
  CUDA_MEMCPY2D box = {};
  box.srcMemoryType = CU_MEMORYTYPE_HOST;
  box.srcHost = pixels.data();
  box.srcPitch = width;
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  box.dstArray = array;
  box.WidthInBytes = width;
  box.Height = height;
  DRIVER(cuMemcpy2D(&box));

  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture = {};
  for (int i = 0; i < 3; i++) texture.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
  // Small integers are read as fractions unless a flag says otherwise.
  CUtexObject object;
  DRIVER(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  CUdeviceptr out;
  DRIVER(cuMemAlloc(&out, sizeof(float) * width * height));
  sample<<<1, dim3(width, height)>>>((float *)out, object, width);
  std::vector<float> back(width * height);
  DRIVER(cuMemcpyDtoH(back.data(), out, sizeof(float) * width * height));
  for (int i = 0; i < width * height; i++) EXPECT(fabsf(back[i] - i / 255.0f) < 1e-6f);
  DRIVER(cuTexObjectDestroy(object));
  DRIVER(cuMemFree(out));
  DRIVER(cuArrayDestroy(array));
}

int main() {
  DRIVER(cuInit(0));
  CHECK(cudaSetDevice(0));
  linear();
  rows();
  arrays();
  return finish();
}
