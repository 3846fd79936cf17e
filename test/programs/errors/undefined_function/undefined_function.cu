__device__ int f(int);
__global__ void kernel(int *x) { *x = f(3); }
int main() { kernel<<<1, 1>>>(nullptr); return 0; }
