#include <cstdio>
__global__ void child(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = threadIdx.x * 2; }
struct Line { int *points; void *raw; int n; };
__global__ void parent(Line *lines) {
  Line &line = lines[threadIdx.x];
  line.n = 4 + threadIdx.x;
  cudaError_t a = cudaMalloc(&line.points, line.n * sizeof(int)), b = cudaMalloc((void **)&line.raw, 1ull << 40);
  if (a || !b) printf("%d %d\n", a, b);
  child<<<1, 32>>>(line.points, line.n);
}
__global__ void sum(Line *lines, int *out) {
  int s = 0;
  for (int i = 0; i < lines[threadIdx.x].n; i++) s += lines[threadIdx.x].points[i];
  atomicAdd(out, s);
  if (cudaFree(lines[threadIdx.x].points)) printf("free\n");
}
int main() {
  Line *lines; int *out;
  cudaMalloc(&lines, 8 * sizeof(Line)); cudaMallocManaged(&out, 4);
  parent<<<1, 8>>>(lines);
  sum<<<1, 8>>>(lines, out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("%d\n", *out);
}
