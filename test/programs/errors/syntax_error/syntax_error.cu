__global__ void kernel(int *x) { *x = 1 }
int main() { return 0; }
