int host(int x) { return x; }
__global__ void kernel(int *x) { *x = host(3); }
int main() { return 0; }
