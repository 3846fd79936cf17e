// Objects are made in shared memory and in memory that there is.
#include "../check.h"

struct Counter {
  int *data;
  int count;
  __device__ Counter(int *d, int n) : data(d), count(n) {}
  __device__ ~Counter() { count = -1; }
  __device__ int sum() const {
    int s = 0;
    for (int i = 0; i < count; i++) s += data[i];
    return s;
  }
};

__global__ void make(int *out) {
  __shared__ alignas(8) unsigned char place[sizeof(Counter)];
  __shared__ int data[32];
  __shared__ Counter *counter;
  data[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) counter = new (place) Counter(data, 32);
  __syncthreads();
  out[threadIdx.x] = counter->sum() + threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) counter->~Counter();
}

int main() {
  int *d, h[32];
  CHECK(cudaMalloc(&d, sizeof h));
  make<<<1, 32>>>(d);
  CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) EXPECT(h[i] == 496 + i);
  long *there = (long *)malloc(64), *made = new (there) long(7);
  EXPECT(made == there && *made == 7);
  puts("ok");
}
