// Matrix product C = A · B of n × n matrices, row-major, n a multiple of 64: from one element per thread, read from global memory each
// time, to a library. Each step reads less for each multiplication.
#include "../lab.h"
#ifdef LIBRARY // its own program, since compiling the library takes longer than all else
#include <cublas_v2.h>
#endif

// Every element of A and B comes from global memory n times.
__global__ void matmulNaive(const float *a, const float *b, float *c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// A block loads each tile once into shared memory and uses it `tile` times.
template <int tile> __device__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float tileA[tile][tile];
  __shared__ float tileB[tile][tile];
  const int column = blockIdx.x * tile + threadIdx.x;
  const int row = blockIdx.y * tile + threadIdx.y;
  float sum = 0.0f;
  for (int first = 0; first < n; first += tile) {
    tileA[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void matmulTiled(const float *a, const float *b, float *c, int n) { product<16>(a, b, c, n); }
__global__ void matmulTiled32(const float *a, const float *b, float *c, int n) { product<32>(a, b, c, n); }

// From here on a block of 16 × 16 threads computes 64 × 64 elements, 4 × 4 for each thread: what a thread reads from shared memory
// it uses four times, from registers.
constexpr int side = 64, depth = 16, own = 4;
// A is kept column by column. Columns are four words longer than they need be: lanes that store a row would all meet in a bank.
constexpr int pitch = side + 4;

__device__ inline void addProducts(const float (*partA)[pitch], const float (*partB)[side], float (&sum)[own][own]) {
#pragma unroll
  for (int k = 0; k < depth; ++k) {
    float x[own], y[own];
#pragma unroll
    for (int i = 0; i < own; ++i) x[i] = partA[k][threadIdx.y * own + i], y[i] = partB[k][threadIdx.x * own + i];
#pragma unroll
    for (int i = 0; i < own; ++i)
#pragma unroll
      for (int j = 0; j < own; ++j) sum[i][j] += x[i] * y[j];
  }
}

__device__ inline void store(float *c, int n, const float (&sum)[own][own]) {
  float *const corner = c + (blockIdx.y * side + threadIdx.y * own) * n + blockIdx.x * side + threadIdx.x * own;
#pragma unroll
  for (int i = 0; i < own; ++i)
    *reinterpret_cast<float4 *>(corner + i * n) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

__global__ void matmulRegisters(const float *a, const float *b, float *c, int n) {
  __shared__ float partA[depth][pitch], partB[depth][side];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  float sum[own][own] = {};
  for (int first = 0; first < n; first += depth) {
    for (int i = thread; i < side * depth; i += 256) {
      partA[i % depth][i / depth] = a[(blockIdx.y * side + i / depth) * n + first + i % depth];
      partB[i / side][i % side] = b[(first + i / side) * n + blockIdx.x * side + i % side];
    }
    __syncthreads();
    addProducts(partA, partB, sum);
    __syncthreads();
  }
  store(c, n, sum);
}

// Where in the two parts a thread puts the four words that it loads at once.
struct Quads {
  int rowA, columnA, rowB, columnB;
  __device__ Quads() {
    const int thread = threadIdx.y * 16 + threadIdx.x;
    rowA = thread / 4, columnA = thread % 4 * 4;
    rowB = thread / 16, columnB = thread % 16 * 4;
  }
  __device__ float4 loadA(const float *a, int n, int first) const {
    return *reinterpret_cast<const float4 *>(a + (blockIdx.y * side + rowA) * n + first + columnA);
  }
  __device__ float4 loadB(const float *b, int n, int first) const {
    return *reinterpret_cast<const float4 *>(b + (first + rowB) * n + blockIdx.x * side + columnB);
  }
  __device__ void store(float (*partA)[pitch], float (*partB)[side], float4 fromA, float4 fromB) const {
    partA[columnA][rowA] = fromA.x, partA[columnA + 1][rowA] = fromA.y;
    partA[columnA + 2][rowA] = fromA.z, partA[columnA + 3][rowA] = fromA.w;
    *reinterpret_cast<float4 *>(&partB[rowB][columnB]) = fromB;
  }
};

// Four words with each load: a quarter of the instructions.
__global__ void matmulVectors(const float *a, const float *b, float *c, int n) {
  __shared__ __align__(16) float partA[depth][pitch], partB[depth][side];
  const Quads quads;
  float sum[own][own] = {};
  for (int first = 0; first < n; first += depth) {
    quads.store(partA, partB, quads.loadA(a, n, first), quads.loadB(b, n, first));
    __syncthreads();
    addProducts(partA, partB, sum);
    __syncthreads();
  }
  store(c, n, sum);
}

// The next parts are on their way while these are multiplied, and one barrier for each is enough.
__global__ void matmulDouble(const float *a, const float *b, float *c, int n) {
  __shared__ __align__(16) float partA[2][depth][pitch], partB[2][depth][side];
  const Quads quads;
  float sum[own][own] = {};
  quads.store(partA[0], partB[0], quads.loadA(a, n, 0), quads.loadB(b, n, 0));
  __syncthreads();
  for (int first = 0; first < n; first += depth) {
    const int now = first / depth % 2, next = first + depth;
    float4 fromA, fromB;
    if (next < n) fromA = quads.loadA(a, n, next), fromB = quads.loadB(b, n, next);
    addProducts(partA[now], partB[now], sum);
    if (next < n) quads.store(partA[1 - now], partB[1 - now], fromA, fromB);
    __syncthreads();
  }
  store(c, n, sum);
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 512);
  const int n = lab.size;
  if (n % side != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", side), 2;
  const size_t count = size_t(n) * n;
  std::vector<float> hostA(count), hostB(count);
  // Small whole numbers: sums are exact in any order, so results can be compared with ==.
  for (size_t i = 0; i < count; ++i) {
    hostA[i] = float((i * 7 + i / n) % 5) - 2.0f;
    hostB[i] = float((i * 3 + i / n) % 7) - 3.0f;
  }
  Device<float> a(hostA), b(hostB), c(count);

  // Every element of some rows, spread over the matrix.
  const auto wrong = [&](const std::vector<float> &result) {
    size_t errors = 0;
    for (int row = 0; row < n; row += n / 32) {
      std::vector<float> sums(n);
      for (int k = 0; k < n; ++k)
        for (int column = 0; column < n; ++column) sums[column] += hostA[size_t(row) * n + k] * hostB[size_t(k) * n + column];
      for (int column = 0; column < n; ++column) errors += sums[column] != result[size_t(row) * n + column];
    }
    return errors;
  };
  const dim3 square(16, 16), whole(n / 16, n / 16), few(n / side, n / side);
  lab.variant("naive", c, [&] { matmulNaive<<<whole, square>>>(a, b, c, n); }, wrong);
  lab.variant("tiled", c, [&] { matmulTiled<<<whole, square>>>(a, b, c, n); }, wrong);
  lab.variant("tiled32", c, [&] { matmulTiled32<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n); }, wrong);
  lab.variant("registers", c, [&] { matmulRegisters<<<few, square>>>(a, b, c, n); }, wrong);
  lab.variant("vectors", c, [&] { matmulVectors<<<few, square>>>(a, b, c, n); }, wrong);
  lab.variant("double", c, [&] { matmulDouble<<<few, square>>>(a, b, c, n); }, wrong);

#ifdef LIBRARY
  cublasHandle_t library;
  if (cublasCreate(&library) != CUBLAS_STATUS_SUCCESS) return fprintf(stderr, "cublasCreate failed.\n"), 1;
  // The library has columns where we have rows: it computes Bᵀ · Aᵀ, which is (A · B)ᵀ.
  const float one = 1.0f, zero = 0.0f;
  lab.variant("library", c, [&] { cublasSgemm(library, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n); }, wrong);
  cublasDestroy(library);
#endif
  return lab.end();
}
