// Programs with flaws that people have, and the same without: chosen by an argument. Not written from the adviser's rules.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

constexpr int n = 1 << 18;

template <class T> __global__ void countInto(T *bins, const int *keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[keys[i]], T(1));
}
__device__ float atomicLargest(float *at, float value) {
  int *word = reinterpret_cast<int *>(at);
  int old = *word;
  while (__int_as_float(old) < value) {
    int seen = atomicCAS(word, old, __float_as_int(value));
    if (seen == old) break;
    old = seen;
  }
  return __int_as_float(old);
}
__global__ void largest(float *result, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicLargest(result, x[i]);
}
__global__ void literals(float *p, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = p[i];
  for (int k = 0; k < rounds; k++) v = v * 1.0001 + 0.5;
  p[i] = v;
}
__global__ void floats(float *p, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = p[i];
  for (int k = 0; k < rounds; k++) v = v * 1.0001f + 0.5f;
  p[i] = v;
}
__global__ void roots(float *p, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = p[i];
  const double half = 0.5;
  for (int k = 0; k < rounds; k++) v = float(half * (v + 2.25) * v + 1.125);
  p[i] = v;
}
__global__ void reallyDoubles(double *p, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = p[i];
  for (int k = 0; k < rounds; k++) v = v * 1.0001 + 0.5;
  p[i] = v;
}
__global__ void alone(float *p, int count) {
  for (int i = 0; i < count; i++) p[i] = p[i] * 2.0f + 1.0f;
}
__global__ void scaled(float *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = p[i] * 2.0f + 1.0f;
}
__global__ void oneByOne(float *p) {
  int i = blockIdx.x;
  for (int k = 0; k < 64; k++) p[i] = p[i] * 2.0f + 1.0f;
}
__global__ void sumInOne(const float *p, float *result) {
  __shared__ float parts[1024];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += p[i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = parts[0];
}
constexpr int side = 512;
__global__ void byColumns(const float *from, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i % side, column = i / side;
  to[i] = from[row * side + column] + 1.0f;
}
struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};
__global__ void masses(const Particle *particles, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = particles[i].mass;
}
__global__ void turned(const float *from, float *to) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = from[blockIdx.x * 1024 + y * 32 + x];
  for (int k = 0; k < 32; k++) {
    tile[x][y] = sum;
    __syncthreads();
    sum += tile[x][(y + k) % 32];
    __syncthreads();
  }
  to[blockIdx.x * 1024 + y * 32 + x] = sum;
}
__global__ void oddAndEven(float *p, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = p[i];
  if (i % 2 == 0)
    for (int k = 0; k < rounds; k++) v = sinf(v) + 0.25f;
  else
    for (int k = 0; k < rounds; k++) v = cosf(v) * 0.75f;
  p[i] = v;
}
__global__ void indexed(float *p, const int *keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own[128];
  for (int k = 0; k < 128; k++) own[k] = p[(i + k) % n];
  float sum = 0;
  for (int k = 0; k < 128; k++) sum += own[(keys[i] + k * 7) % 128];
  p[i] = sum;
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  printf("%s\n", cudaGetErrorString(error));
  exit(1);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  auto is = [&](const char *name) { return strcmp(what, name) == 0; };
  float *p, *q, *result;
  double *doubles;
  int *keys;
  check(cudaMalloc(&p, n * 32));
  check(cudaMalloc(&q, n * 4));
  check(cudaMalloc(&result, 1024));
  check(cudaMalloc(&doubles, n * 8));
  check(cudaMalloc(&keys, n * 4));
  check(cudaMemset(p, 0, n * 32));
  check(cudaMemset(result, 0, 1024));
  check(cudaMemset(doubles, 0, n * 8));
  check(cudaMemset(keys, 0, n * 4));
  const int blocks = n / 256;
  if (is("countFloats")) countInto<float><<<blocks, 256>>>(result, keys);
  if (is("countDoubles")) countInto<double><<<blocks, 256>>>(reinterpret_cast<double *>(result), keys);
  if (is("countInts")) countInto<int><<<blocks, 256>>>(reinterpret_cast<int *>(result), keys);
  if (is("largest")) largest<<<blocks, 256>>>(result, p);
  if (is("literals")) literals<<<blocks, 256>>>(p, 256);
  if (is("roots")) roots<<<blocks, 256>>>(p, 256);
  if (is("floats")) floats<<<blocks, 256>>>(p, 256);
  if (is("reallyDoubles")) reallyDoubles<<<blocks, 256>>>(doubles, 64);
  if (is("alone")) alone<<<1, 1>>>(p, 4096);
  if (is("scaled")) scaled<<<blocks, 256>>>(p);
  if (is("oneByOne")) oneByOne<<<8192, 1>>>(p);
  if (is("sumInOne")) sumInOne<<<1, 1024>>>(p, result);
  if (is("byColumns")) byColumns<<<blocks, 256>>>(p, q);
  if (is("masses")) masses<<<blocks, 256>>>(reinterpret_cast<Particle *>(p), q);
  if (is("turned")) turned<<<n / 1024, dim3(32, 32)>>>(p, q);
  if (is("oddAndEven")) oddAndEven<<<blocks, 256>>>(p, 64);
  if (is("indexed")) indexed<<<blocks, 256>>>(q, keys);
  if (is("tiny"))
    for (int i = 0; i < 100; i++) scaled<<<16, 64>>>(p);
  if (is("waiting"))
    for (int i = 0; i < 40; i++) {
      scaled<<<blocks, 256>>>(p);
      check(cudaDeviceSynchronize());
    }
  if (is("sleeping"))
    for (int i = 0; i < 10; i++) {
      scaled<<<blocks, 256>>>(p);
      check(cudaDeviceSynchronize());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  if (is("allocating"))
    for (int i = 0; i < 20; i++) {
      float *mine;
      check(cudaMalloc(&mine, 1 << 20));
      scaled<<<blocks, 256>>>(p);
      check(cudaFree(mine));
    }
  static float host[n];
  if (is("pageable"))
    for (int i = 0; i < 8; i++) {
      check(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
      floats<<<blocks, 256>>>(p, 256);
    }
  if (is("inTurns")) {
    float *pinned;
    check(cudaMallocHost(&pinned, sizeof host));
    memset(pinned, 0, sizeof host);
    for (int i = 0; i < 8; i++) {
      check(cudaMemcpyAsync(p, pinned, sizeof host, cudaMemcpyHostToDevice));
      floats<<<blocks, 256>>>(p, 512);
    }
  }
  check(cudaDeviceSynchronize());
  return 0;
}
