// ldmatrix: one, two and four 8x8 matrices, with and without transposition, rows at any shared address.
// Needs compute capability 7.5.
#include "../check.h"

__global__ void kernel(unsigned *out) {
  __shared__ alignas(16) unsigned short m[4][8][24]; // rows 48 bytes apart
  const int lane = threadIdx.x;
  for (int k = lane; k < 4 * 8 * 8; k += 32) m[k / 64][k / 8 % 8][k % 8] = (unsigned short)(k * 3);
  __syncthreads();
  const unsigned row = (unsigned)__cvta_generic_to_shared(&m[lane / 8][lane % 8][0]);
  unsigned *o = out + lane * 11;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(o[0]) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(o[1]), "=r"(o[2]) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(o[7]), "=r"(o[8]), "=r"(o[9]), "=r"(o[10]) : "r"(row));
}

int main() {
  Device<unsigned> out(32 * 11);
  kernel<<<1, 32>>>(out);
  CHECK_KERNEL();
  const auto got = out.host();
  const auto at = [](int matrix, int r, int c) { return (unsigned)(matrix * 64 + r * 8 + c) * 3; };
  for (int lane = 0; lane < 32; ++lane) {
    const int r = lane / 4, c = lane % 4 * 2;
    const auto straight = [&](int m) { return at(m, r, c) | at(m, r, c + 1) << 16; };
    const auto transposed = [&](int m) { return at(m, c, r) | at(m, c + 1, r) << 16; };
    const unsigned e[11] = {straight(0), straight(0), straight(1), straight(0), straight(1), straight(2), straight(3), transposed(0), transposed(1), transposed(2), transposed(3)};
    for (int k = 0; k < 11; ++k) same("ldmatrix", lane * 11 + k, got[lane * 11 + k], e[k]);
  }
  return finish();
}
