__global__ void plus(int *x, int n) { *x += n; }
extern "C" void add(int *x, int n) {
  int *d;
  cudaMalloc(&d, sizeof *d);
  cudaMemcpy(d, x, sizeof *d, cudaMemcpyHostToDevice);
  plus<<<1, 1>>>(d, n);
  cudaMemcpy(x, d, sizeof *d, cudaMemcpyDeviceToHost);
  cudaFree(d);
}
extern "C" long scaled(int *x, int n) { return *x * n; }
