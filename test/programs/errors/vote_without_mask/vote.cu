__global__ void vote(unsigned *lanes) {
  lanes[threadIdx.x] = __ballot(threadIdx.x & 1);
}
int main() { vote<<<1, 32>>>(nullptr); }
