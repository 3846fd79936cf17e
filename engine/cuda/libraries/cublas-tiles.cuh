/*
 * Products whose times are those of NVIDIA's library, measured: as `gemm` of cublas.cu, but what a block multiplies is multiplied by the
 * simulator itself (`multiply_tiles`), a tile at a time. All of it is column by column in shared memory.
 */
#pragma once

/* c += a b in the order of k: rows in eights, columns in fours, `pitch` elements from one to the next of both. By one warp. */
extern "C" __device__ void __simsight_multiply_floats(float *c, const float *a, const float *b, int rows, int columns, int depth, int pitch);
extern "C" __device__ void __simsight_multiply_doubles(double *c, const double *a, const double *b, int rows, int columns, int depth, int pitch);
extern "C" __device__ void __simsight_multiply_ints(int *c, const int *a, const int *b, int rows, int columns, int depth, int pitch);
#define MULTIPLY_TILES(T, NAME)                                                                                       \
  __device__ inline void multiplyTiles(T *c, const T *a, const T *b, int rows, int columns, int depth, int pitch) {    \
    NAME(c, a, b, rows, columns, depth, pitch);                                                                       \
  }
MULTIPLY_TILES(float, __simsight_multiply_floats)
MULTIPLY_TILES(double, __simsight_multiply_doubles)
MULTIPLY_TILES(int, __simsight_multiply_ints)

/*
 * `lines` of `elements` each, `pitch` bytes from one to the next, to `to` in shared memory, `size` rows column by column: `across`, a line becomes
 * a row, else a column. Rows that no line has are zeros. `kind`: of `sliceOf`, and 8 if across.
 */
extern "C" __device__ void __simsight_load_slice(void *to, const void *from, size_t pitch, int lines, int elements, int size, int kind);
__device__ inline constexpr int sliceOf(const float *) { return 0; }
__device__ inline constexpr int sliceOf(const double *) { return 1; }
constexpr int sliceOfE4m3 = 5, sliceOfE5m2 = 6;
#if BLAS_MIXED
__device__ inline constexpr int sliceOf(const __half *) { return 2; }
__device__ inline constexpr int sliceOf(const Bfloat16 *) { return 3; }
__device__ inline constexpr int sliceOf(const signed char *) { return 4; }
#endif

/* Elements of a matrix: their bytes, and what `sliceOf` says of them. */
struct Elements { int bytes, kind; };
template <class In> __device__ inline constexpr Elements elementsOf(const In *type) { return {sizeof(In), sliceOf(type)}; }

/* Of a matrix from an element on, `rows` by `columns`. `along`: rows lie side by side, else columns do. */
__device__ inline void loadSlice(void *to, const char *matrix, Elements of, size_t from, int ld, bool along, int rows, int columns, int size) {
  __simsight_load_slice(to, matrix + from * of.bytes, (size_t)ld * of.bytes, along ? columns : rows, along ? rows : columns, size, of.kind + (along ? 0 : 8));
}

/* A block of one warp computes size x size sums from slices of `depth`, and hands each to `store` with its row, column and batch. */
template <class Acc, int size, int depth, class Store>
__device__ inline void sumsByTiles(const Matrices &p, int k, Elements ofA, Elements ofB, Store store) {
  __shared__ __align__(16) Acc sharedA[depth * size];
  __shared__ __align__(16) Acc sharedB[depth * size];
  __shared__ __align__(16) Acc sums[size * size];
  const int tilesM = (p.m + size - 1) / size, lane = threadIdx.x;
  const int row = blockIdx.x % tilesM * size, column = blockIdx.x / tilesM * size;
  const int rows = min(size, p.m - row), columns = min(size, p.n - column);
  for (int batch = blockIdx.z; batch < p.batch; batch += gridDim.z) {
    const char *a = p.as ? (const char *)p.as[batch] : (const char *)p.a + (size_t)(batch * p.strideA * ofA.bytes);
    const char *b = p.bs ? (const char *)p.bs[batch] : (const char *)p.b + (size_t)(batch * p.strideB * ofB.bytes);
    for (int i = lane; i < size * size; i += 32) sums[i] = 0;
    for (int start = 0; start < k; start += depth) {
      const int deep = min(depth, k - start);
      const size_t fromA = p.ta ? (size_t)row * p.lda + start : (size_t)start * p.lda + row;
      const size_t fromB = p.tb ? (size_t)start * p.ldb + column : (size_t)column * p.ldb + start;
      loadSlice(sharedA, a, ofA, fromA, p.lda, !p.ta, rows, deep, size);
      loadSlice(sharedB, b, ofB, fromB, p.ldb, p.tb, columns, deep, size);
      __syncwarp();
      multiplyTiles(sums, sharedA, sharedB, (rows + 7) / 8 * 8, (columns + 3) / 4 * 4, deep, size);
      __syncwarp();
    }
    for (int index = lane; index < size * columns; index += 32) {
      const int i = index % size, x = row + i, y = column + index / size;
      if (i < rows) store(sums[index], x, y, batch);
    }
    __syncwarp();
  }
}

template <class In, class Out, class Acc, int size, int depth>
__device__ inline void gemmByTiles(const Matrices &p, Acc alphaValue, Acc betaValue, const Epilogue *epilogue = nullptr) {
  const Acc alpha = scalar(alphaValue, p.alphaAt, p.halfScalars), beta = scalar(betaValue, p.betaAt, p.halfScalars);
  constexpr Elements of = elementsOf((const In *)nullptr);
  sumsByTiles<Acc, size, depth>(p, alpha == (Acc)0 ? 0 : p.k, of, of, [&](Acc sum, int x, int y, int batch) {
    Out *c = p.cs ? (Out *)p.cs[batch] : (Out *)p.c + (size_t)(batch * p.strideC);
    store(c[(size_t)y * p.ldc + x], alpha * sum, beta, epilogue, x, y, batch);
  });
}

#if BLAS_LT
#define GEMM_BY_TILES(NAME, IN, OUT, ACC, SIZE, DEPTH)                                                        \
  extern "C" __global__ void __launch_bounds__(32) NAME(Matrices p, Epilogue epilogue, ACC alpha, ACC beta) {      \
    gemmByTiles<IN, OUT, ACC, SIZE, DEPTH>(p, alpha, beta, &epilogue);                                        \
  }
#define TILES(PREFIX, SIZE) cublasLt_##PREFIX##_tiles_##SIZE
#else
#define GEMM_BY_TILES(NAME, IN, OUT, ACC, SIZE, DEPTH)                                                        \
  extern "C" __global__ void __launch_bounds__(32) NAME(Matrices p, ACC alpha, ACC beta) {                         \
    gemmByTiles<IN, OUT, ACC, SIZE, DEPTH>(p, alpha, beta);                                                   \
  }
#define TILES(PREFIX, SIZE) cublas_##PREFIX##_tiles_##SIZE
#endif
#if BLAS_FLOAT || BLAS_LT
GEMM_BY_TILES(TILES(sgemm, 64x64), float, float, float, 64, 32)
GEMM_BY_TILES(TILES(sgemm, 32x32), float, float, float, 32, 32)
#endif
#if BLAS_DOUBLE || BLAS_LT
GEMM_BY_TILES(TILES(dgemm, 64x64), double, double, double, 64, 16)
GEMM_BY_TILES(TILES(dgemm, 32x32), double, double, double, 32, 32)
#endif
#if BLAS_MIXED && !BLAS_LT8
GEMM_BY_TILES(TILES(hgemm, 64x64), __half, __half, float, 64, 32)
GEMM_BY_TILES(TILES(hsgemm, 64x64), __half, float, float, 64, 32)
GEMM_BY_TILES(TILES(bgemm, 64x64), Bfloat16, Bfloat16, float, 64, 32)
GEMM_BY_TILES(TILES(bsgemm, 64x64), Bfloat16, float, float, 64, 32)
GEMM_BY_TILES(TILES(igemm, 64x64), signed char, int, int, 64, 32)
#endif
