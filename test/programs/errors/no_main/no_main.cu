__global__ void kernel(int *x) { *x = 1; }
