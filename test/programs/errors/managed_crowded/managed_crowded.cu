// Other variables lie where the managed one would have to: Simsight says so, instead of giving it two addresses.
__device__ float large[68 << 20];
__managed__ int small;
__global__ void kernel() { small = (int)large[threadIdx.x]; }
int main() {
  kernel<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
