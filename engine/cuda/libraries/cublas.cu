/*
 * The kernels behind the cuBLAS calls: ordinary CUDA, compiled like a program's own and added to the programs that call
 * cuBLAS. One family per compilation: BLAS_FLOAT, BLAS_DOUBLE, BLAS_COMPLEX, BLAS_MIXED, BLAS_LT or BLAS_LT8 is defined. `cublas.ts`
 * and `cublas-lt.ts` launch them and know their parameters.
 *
 * Scalars are values where the pointer beside them is null, else they lie on the device.
 */
#if BLAS_LT || BLAS_LT8
#define BLAS_MIXED 1
#endif
#if BLAS_MIXED
#include <cuda_fp16.h>
#endif

#if BLAS_MIXED
struct Bfloat16 {
  unsigned short bits;
};
#endif

#if BLAS_COMPLEX
template <class R> struct __align__(2 * sizeof(R)) Complex {
  R x, y;
  Complex() = default;
  __device__ Complex(R x, R y = 0) : x(x), y(y) {}
  __device__ Complex operator*(Complex o) const { return {x * o.x - y * o.y, x * o.y + y * o.x}; }
  __device__ Complex &operator+=(Complex o) { return x += o.x, y += o.y, *this; }
  __device__ bool operator==(Complex o) const { return x == o.x && y == o.y; }
  __device__ bool operator!=(Complex o) const { return !(*this == o); }
};
struct ComplexByte {
  signed char x, y;
};
#endif

template <class T> __device__ inline T scalar(T value, const void *pointer, int isHalf) {
  if (pointer == nullptr) return value;
#if BLAS_MIXED
  if (isHalf) return (T)__half2float(*(const __half *)pointer);
#endif
  return *(const T *)pointer;
}

template <class Acc, class T> __device__ inline Acc widen(T value) { return (Acc)value; }
template <class T, class Acc> __device__ inline T narrow(Acc value) { return (T)value; }
#if BLAS_MIXED
template <> __device__ inline float widen(__half value) { return __half2float(value); }
template <> __device__ inline float widen(Bfloat16 value) { return __uint_as_float((unsigned)value.bits << 16); }
template <> __device__ inline __half narrow(float value) { return __float2half(value); }
template <> __device__ inline Bfloat16 narrow(float value) {
  const unsigned bits = __float_as_uint(value);
  if (value != value) return {0x7fff};
  return {(unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
#endif

#if BLAS_COMPLEX
template <> __device__ inline Complex<float> widen(ComplexByte value) { return {(float)value.x, (float)value.y}; }
#endif
/* An element of a matrix that is transposed, or transposed and conjugate. */
template <class T> __device__ inline T turned(T value, bool conjugated) { return value; }
#if BLAS_COMPLEX
template <class R> __device__ inline Complex<R> turned(Complex<R> value, bool conjugated) {
  return {value.x, conjugated ? -value.y : value.y};
}
#endif

/* As wide as one access of shared memory can be. */
template <class T> struct Wide;
template <> struct Wide<float> { typedef float type __attribute__((ext_vector_type(4))); };
template <> struct Wide<int> { typedef int type __attribute__((ext_vector_type(4))); };
template <> struct Wide<double> { typedef double type __attribute__((ext_vector_type(2))); };
#if BLAS_COMPLEX
template <class R> struct Wide<Complex<R>> {
  struct __align__(16) type {
    Complex<R> parts[16 / sizeof(Complex<R>)];
    __device__ Complex<R> operator[](int i) const { return parts[i]; }
  };
};
#endif

/* What a batch of multiplications has in common; `cublas.ts` writes it. */
struct Matrices {
  const void *a, *b;
  void *c;
  /* Where not null: pointers to the matrices of the batch, on the device. */
  const void *const *as, *const *bs;
  void *const *cs;
  long long strideA, strideB, strideC;
  int m, n, k, lda, ldb, ldc, batch;
  /* 1: transposed, 2: conjugate as well. */
  int ta, tb;
  /* 0: all of C is written, 1: its lower triangle, 2: its upper. */
  int part;
  const void *alphaAt, *betaAt;
  int halfScalars;
};

/* What cuBLASLt does with each result; `cublas-lt.ts` writes it. Flags as in `cublasLtEpilogue_t`. */
struct Epilogue {
  const void *c, *bias;
  void *aux;
  long long strideC, strideBias, strideAux;
  int ldc, ldAux, flags, floatBias;
};
enum { EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4, EPILOGUE_GELU = 32, EPILOGUE_DGELU = 64, EPILOGUE_AUX = 128 };

#if BLAS_LT || BLAS_LT8
/* By the hyperbolic tangent, as cuBLASLt has it. */
constexpr float geluScale = 0.7978845608f, geluCube = 0.044715f;
__device__ inline float gelu(float x) { return 0.5f * x * (1 + tanhf(geluScale * (x + geluCube * x * x * x))); }
__device__ inline float geluSlope(float x) {
  const float t = tanhf(geluScale * (x + geluCube * x * x * x));
  return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * geluScale * (1 + 3 * geluCube * x * x);
}
#endif
#if BLAS_LT
template <class Out> __device__ inline float finished(const Epilogue &e, float value, int x, int y, int batch) {
  if (e.flags & EPILOGUE_BIAS) {
    const size_t i = batch * e.strideBias + x;
    value += e.floatBias ? ((const float *)e.bias)[i] : widen<float>(((const Out *)e.bias)[i]);
  }
  Out *aux = (Out *)e.aux + (size_t)(batch * e.strideAux) + (size_t)y * e.ldAux + x;
  if (e.flags & EPILOGUE_DGELU) return value * geluSlope(widen<float>(*aux));
  if (e.flags & EPILOGUE_AUX) *aux = narrow<Out>(value);
  if (e.flags & EPILOGUE_GELU) return gelu(value);
  return e.flags & EPILOGUE_RELU ? fmaxf(value, 0) : value;
}
/* Sums of other types stay as they are. */
template <class Out> __device__ inline double finished(const Epilogue &, double value, int, int, int) { return value; }
template <class Out> __device__ inline int finished(const Epilogue &, int value, int, int, int) { return value; }
#endif

/* An element of the result, to which `beta` times what was there is added. */
template <class Out, class Acc>
__device__ inline void store(Out &target, Acc result, Acc beta, const Epilogue *epilogue, int x, int y, int batch) {
#if BLAS_LT
  const Out *before = (const Out *)epilogue->c + (size_t)(batch * epilogue->strideC);
  if (beta != (Acc)0) result += beta * widen<Acc>(before[(size_t)y * epilogue->ldc + x]);
  target = narrow<Out>(finished<Out>(*epilogue, result, x, y, batch));
#else
  if (beta != (Acc)0) result += beta * widen<Acc>(target);
  target = narrow<Out>(result);
#endif
}

/*
 * C = alpha op(A) op(B) + beta C, column by column. A block computes BM x BN of C from slices of BK in shared memory,
 * a thread TM x TN in registers: rows and columns in groups as wide as a shared access, the groups apart.
 */
template <class In, class Out, class Acc, int BM, int BN, int BK, int TM, int TN>
__device__ inline void gemm(const Matrices &p, Acc alphaValue, Acc betaValue, const Epilogue *epilogue = nullptr) {
  typedef typename Wide<Acc>::type Vector;
  constexpr int width = sizeof(Vector) / sizeof(Acc), columns = BM / TM, threads = columns * (BN / TN);
  constexpr int pitchA = BM + width, pitchB = BN + width;
  __shared__ __align__(16) Acc sharedA[BK * pitchA];
  __shared__ __align__(16) Acc sharedB[BK * pitchB];
  const Acc alpha = scalar(alphaValue, p.alphaAt, p.halfScalars), beta = scalar(betaValue, p.betaAt, p.halfScalars);
  const int m = p.m, n = p.n, k = alpha == (Acc)0 ? 0 : p.k, lda = p.lda, ldb = p.ldb;
  const int tilesM = (m + BM - 1) / BM;
  const int row = blockIdx.x % tilesM * BM, column = blockIdx.x / tilesM * BN;
  const int tid = threadIdx.x, tx = tid % columns * width, ty = tid / columns * width;
  for (int batch = blockIdx.z; batch < p.batch; batch += gridDim.z) {
    const In *a = p.as ? (const In *)p.as[batch] : (const In *)p.a + (size_t)(batch * p.strideA);
    const In *b = p.bs ? (const In *)p.bs[batch] : (const In *)p.b + (size_t)(batch * p.strideB);
    Out *c = p.cs ? (Out *)p.cs[batch] : (Out *)p.c + (size_t)(batch * p.strideC);
    Acc sum[TN][TM] = {};
    for (int start = 0; start < k; start += BK) {
      if (p.ta) {
#pragma unroll
        for (int r = 0; r < BM * BK / threads; ++r) {
          const int index = tid + r * threads, l = index % BK, i = index / BK;
          const bool inside = row + i < m && start + l < k;
          sharedA[l * pitchA + i] = inside ? turned(widen<Acc>(a[(row + i) * lda + start + l]), p.ta == 2) : (Acc)0;
        }
      } else {
#pragma unroll
        for (int r = 0; r < BM * BK / threads; ++r) {
          const int index = tid + r * threads, i = index % BM, l = index / BM;
          const bool inside = row + i < m && start + l < k;
          sharedA[l * pitchA + i] = inside ? widen<Acc>(a[(start + l) * lda + row + i]) : (Acc)0;
        }
      }
      if (p.tb) {
#pragma unroll
        for (int r = 0; r < BN * BK / threads; ++r) {
          const int index = tid + r * threads, j = index % BN, l = index / BN;
          const bool inside = column + j < n && start + l < k;
          sharedB[l * pitchB + j] = inside ? turned(widen<Acc>(b[(start + l) * ldb + column + j]), p.tb == 2) : (Acc)0;
        }
      } else {
#pragma unroll
        for (int r = 0; r < BN * BK / threads; ++r) {
          const int index = tid + r * threads, l = index % BK, j = index / BK;
          const bool inside = column + j < n && start + l < k;
          sharedB[l * pitchB + j] = inside ? widen<Acc>(b[(column + j) * ldb + start + l]) : (Acc)0;
        }
      }
      __syncthreads();
#pragma unroll 2
      for (int l = 0; l < BK; ++l) {
        Acc left[TM], right[TN];
#pragma unroll
        for (int g = 0; g < TM / width; ++g) {
          const Vector v = *(const Vector *)&sharedA[l * pitchA + g * (BM * width / TM) + tx];
#pragma unroll
          for (int w = 0; w < width; ++w) left[g * width + w] = v[w];
        }
#pragma unroll
        for (int g = 0; g < TN / width; ++g) {
          const Vector v = *(const Vector *)&sharedB[l * pitchB + g * (BN * width / TN) + ty];
#pragma unroll
          for (int w = 0; w < width; ++w) right[g * width + w] = v[w];
        }
#pragma unroll
        for (int j = 0; j < TN; ++j)
#pragma unroll
          for (int i = 0; i < TM; ++i) sum[j][i] += left[i] * right[j];
      }
      __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int y = column + j / width * (BN * width / TN) + ty + j % width;
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        const int x = row + i / width * (BM * width / TM) + tx + i % width;
        const bool wanted = p.part == 0 || (p.part == 1 ? x >= y : x <= y);
        if (x < m && y < n && wanted) store(c[y * p.ldc + x], alpha * sum[j][i], beta, epilogue, x, y, batch);
      }
    }
  }
}

#define GEMM(NAME, IN, OUT, ACC, BM, BN, BK, TM, TN)                                                                   \
  extern "C" __global__ void __launch_bounds__(BM / TM * (BN / TN)) NAME(Matrices p, ACC alpha, ACC beta) {            \
    gemm<IN, OUT, ACC, BM, BN, BK, TM, TN>(p, alpha, beta);                                                            \
  }

#if BLAS_LT
#define GEMM_LT(NAME, IN, OUT, ACC, BM, BN, BK, TM, TN)                                                                \
  extern "C" __global__ void __launch_bounds__(BM / TM * (BN / TN))                                                    \
      NAME(Matrices p, Epilogue epilogue, ACC alpha, ACC beta) {                                                       \
    gemm<IN, OUT, ACC, BM, BN, BK, TM, TN>(p, alpha, beta, &epilogue);                                                 \
  }
GEMM_LT(cublasLt_sgemm_128x128, float, float, float, 128, 128, 8, 8, 8)
GEMM_LT(cublasLt_sgemm_64x64, float, float, float, 64, 64, 16, 4, 4)
GEMM_LT(cublasLt_sgemm_32x32, float, float, float, 32, 32, 16, 4, 4)
GEMM_LT(cublasLt_hgemm_64x64, __half, __half, float, 64, 64, 16, 4, 4)
GEMM_LT(cublasLt_hsgemm_64x64, __half, float, float, 64, 64, 16, 4, 4)
GEMM_LT(cublasLt_bgemm_64x64, Bfloat16, Bfloat16, float, 64, 64, 16, 4, 4)
GEMM_LT(cublasLt_bsgemm_64x64, Bfloat16, float, float, 64, 64, 16, 4, 4)
GEMM_LT(cublasLt_dgemm_64x64, double, double, double, 64, 64, 16, 4, 4)
GEMM_LT(cublasLt_dgemm_32x32, double, double, double, 32, 32, 16, 4, 4)
GEMM_LT(cublasLt_igemm_64x64, signed char, int, int, 64, 64, 16, 4, 4)
GEMM_LT(cublasLt_isgemm_64x64, signed char, float, float, 64, 64, 16, 4, 4)
#endif
#if BLAS_FLOAT
GEMM(cublas_sgemm_128x128, float, float, float, 128, 128, 8, 8, 8)
GEMM(cublas_sgemm_64x64, float, float, float, 64, 64, 16, 4, 4)
GEMM(cublas_sgemm_32x32, float, float, float, 32, 32, 16, 4, 4)
#endif
#if BLAS_DOUBLE
GEMM(cublas_dgemm_64x64, double, double, double, 64, 64, 16, 4, 4)
GEMM(cublas_dgemm_32x32, double, double, double, 32, 32, 16, 4, 4)
#endif
#if BLAS_MIXED && !BLAS_LT && !BLAS_LT8
GEMM(cublas_hgemm_64x64, __half, __half, float, 64, 64, 16, 4, 4)
GEMM(cublas_hsgemm_64x64, __half, float, float, 64, 64, 16, 4, 4)
GEMM(cublas_bgemm_64x64, Bfloat16, Bfloat16, float, 64, 64, 16, 4, 4)
GEMM(cublas_bsgemm_64x64, Bfloat16, float, float, 64, 64, 16, 4, 4)
GEMM(cublas_igemm_64x64, signed char, int, int, 64, 64, 16, 4, 4)
GEMM(cublas_isgemm_64x64, signed char, float, float, 64, 64, 16, 4, 4)
#endif
#if BLAS_COMPLEX
GEMM(cublas_cgemm_32x32, Complex<float>, Complex<float>, Complex<float>, 32, 32, 8, 4, 4)
GEMM(cublas_zgemm_32x32, Complex<double>, Complex<double>, Complex<double>, 32, 32, 8, 4, 4)
GEMM(cublas_icgemm_32x32, ComplexByte, Complex<float>, Complex<float>, 32, 32, 8, 4, 4)
#endif

#if BLAS_FLOAT || BLAS_DOUBLE
#if BLAS_FLOAT
typedef float T;
#define NAME(REST) cublas_s##REST
#define ANAME(REST) cublas_is##REST
#else
typedef double T;
#define NAME(REST) cublas_d##REST
#define ANAME(REST) cublas_id##REST
#endif
#define KERNEL extern "C" __global__ void

/* Element i of a vector; with a negative increment the first lies at the end. */
__device__ inline size_t at(int i, int n, int inc) { return (size_t)((inc < 0 ? i - n + 1 : i) * inc); }
#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

KERNEL NAME(axpy)(int n, const T *x, int incx, T *y, int incy, const void *alphaAt, T alphaValue) {
  const T alpha = scalar(alphaValue, alphaAt, 0);
  EACH(i, n) y[at(i, n, incy)] += alpha * x[at(i, n, incx)];
}
KERNEL NAME(scal)(int n, T *x, int incx, const void *alphaAt, T alphaValue) {
  const T alpha = scalar(alphaValue, alphaAt, 0);
  EACH(i, n) x[at(i, n, incx)] *= alpha;
}
KERNEL NAME(copy)(int n, const T *x, int incx, T *y, int incy) { EACH(i, n) y[at(i, n, incy)] = x[at(i, n, incx)]; }
KERNEL NAME(swap)(int n, T *x, int incx, T *y, int incy) {
  EACH(i, n) {
    const T kept = x[at(i, n, incx)];
    x[at(i, n, incx)] = y[at(i, n, incy)];
    y[at(i, n, incy)] = kept;
  }
}

/* Reductions: every block leaves a part, a second kernel of one block makes the result of them. 256 threads. */
constexpr int reducers = 256;
struct Sum {
  T value;
  __device__ static Sum none() { return {0}; }
  __device__ Sum with(const Sum &o) const { return {value + o.value}; }
  __device__ Sum from(int lane) const { return {__shfl_down_sync(0xffffffffu, value, lane)}; }
};
#if BLAS_FLOAT
/* A sum of squares in double precision, in which squares of floats neither overflow nor vanish. */
struct Norm {
  double value;
  __device__ static Norm none() { return {0}; }
  __device__ static Norm of(T x) { return {(double)x * x}; }
  __device__ Norm with(const Norm &o) const { return {value + o.value}; }
  __device__ Norm from(int lane) const { return {__shfl_down_sync(0xffffffffu, value, lane)}; }
  __device__ T root() const { return (T)sqrt(value); }
};
#else
/* A sum of squares that neither overflows nor vanishes: scale² times value. */
struct Norm {
  T scale, value;
  __device__ static Norm of(T x) { return {x < 0 ? -x : x, 1}; }
  __device__ T root() const { return scale * sqrt(value); }
  __device__ static Norm none() { return {0, 0}; }
  __device__ Norm with(const Norm &o) const {
    const bool larger = scale >= o.scale;
    const T big = larger ? scale : o.scale, small = larger ? o.scale : scale;
    if (small == 0 && scale == scale && o.scale == o.scale) return larger ? *this : o;
    const T ratio = small == big ? (T)1 : small / big;
    return {big, larger ? value + ratio * ratio * o.value : o.value + ratio * ratio * value};
  }
  __device__ Norm from(int lane) const {
    return {__shfl_down_sync(0xffffffffu, scale, lane), __shfl_down_sync(0xffffffffu, value, lane)};
  }
};
#endif
/* The first of the largest (or, with the sign turned, of the smallest); indices count from 1. */
struct Best {
  T value;
  int index;
  __device__ static Best none() { return {0, 0}; }
  __device__ Best with(const Best &o) const {
    const bool taken = o.index != 0 && (index == 0 || o.value > value || (o.value == value && o.index < index));
    return taken ? o : *this;
  }
  __device__ Best from(int lane) const {
    return {__shfl_down_sync(0xffffffffu, value, lane), __shfl_down_sync(0xffffffffu, index, lane)};
  }
};

template <class R> __device__ inline R reduce(R mine) {
  __shared__ __align__(8) T storage[2 * reducers / 32];
  R *parts = (R *)storage;
  for (int lane = 16; lane > 0; lane /= 2) mine = mine.with(mine.from(lane));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = threadIdx.x < reducers / 32 ? parts[threadIdx.x] : R::none();
  if (threadIdx.x < 32)
    for (int lane = reducers / 64; lane > 0; lane /= 2) mine = mine.with(mine.from(lane));
  return mine;
}
template <class R> __device__ inline void keep(R mine, R *parts) {
  mine = reduce(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}
template <class R> __device__ inline R gather(const R *parts, int count) {
  R mine = R::none();
  for (int i = threadIdx.x; i < count; i += reducers) mine = mine.with(parts[i]);
  return reduce(mine);
}

KERNEL NAME(dot)(int n, const T *x, int incx, const T *y, int incy, Sum *parts) {
  Sum mine = Sum::none();
  EACH(i, n) mine.value += x[at(i, n, incx)] * y[at(i, n, incy)];
  keep(mine, parts);
}
KERNEL NAME(asum)(int n, const T *x, int incx, Sum *parts) {
  Sum mine = Sum::none();
  EACH(i, n) mine.value += x[i * incx] < 0 ? -x[i * incx] : x[i * incx];
  keep(mine, parts);
}
KERNEL NAME(sum_parts)(const Sum *parts, int count, T *result) {
  const Sum all = gather(parts, count);
  if (threadIdx.x == 0) *result = all.value;
}
KERNEL NAME(nrm2)(int n, const T *x, int incx, Norm *parts) {
  Norm mine = Norm::none();
  EACH(i, n) mine = mine.with(Norm::of(x[i * incx]));
  keep(mine, parts);
}
KERNEL NAME(nrm2_parts)(const Norm *parts, int count, T *result) {
  const Norm all = gather(parts, count);
  if (threadIdx.x == 0) *result = all.root();
}
KERNEL ANAME(amax)(int n, const T *x, int incx, T sign, Best *parts) {
  Best mine = Best::none();
  EACH(i, n) {
    const T value = x[i * incx];
    mine = mine.with({sign * (value < 0 ? -value : value), i + 1});
  }
  keep(mine, parts);
}
KERNEL ANAME(amax_parts)(const Best *parts, int count, int *result) {
  const Best all = gather(parts, count);
  if (threadIdx.x == 0) *result = all.index;
}
KERNEL ANAME(amax_parts_64)(const Best *parts, int count, long long *result) {
  const Best all = gather(parts, count);
  if (threadIdx.x == 0) *result = all.index;
}

/* A thread per row: neighbours read neighbouring elements of each column. */
KERNEL NAME(gemv_n)(int m, int n, const T *a, int lda, const T *x, int incx, T *y, int incy, const void *alphaAt,
                    const void *betaAt, T alphaValue, T betaValue) {
  const T alpha = scalar(alphaValue, alphaAt, 0), beta = scalar(betaValue, betaAt, 0);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  T sum = 0;
  if (alpha != 0)
#pragma unroll 4
    for (int j = 0; j < n; ++j) sum += a[j * lda + i] * x[at(j, n, incx)];
  T &target = y[at(i, m, incy)];
  target = beta == 0 ? alpha * sum : alpha * sum + beta * target;
}
/* A warp per column. */
KERNEL NAME(gemv_t)(int m, int n, const T *a, int lda, const T *x, int incx, T *y, int incy, const void *alphaAt,
                    const void *betaAt, T alphaValue, T betaValue) {
  const T alpha = scalar(alphaValue, alphaAt, 0), beta = scalar(betaValue, betaAt, 0);
  const int j = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (j >= n) return;
  T sum = 0;
  if (alpha != 0)
    for (int i = threadIdx.x % 32; i < m; i += 32) sum += a[j * lda + i] * x[at(i, m, incx)];
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lane);
  if (threadIdx.x % 32 != 0) return;
  T &target = y[at(j, n, incy)];
  target = beta == 0 ? alpha * sum : alpha * sum + beta * target;
}
KERNEL NAME(ger)(int m, int n, const T *x, int incx, const T *y, int incy, T *a, int lda, const void *alphaAt,
                 T alphaValue) {
  const T alpha = scalar(alphaValue, alphaAt, 0);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  for (int j = blockIdx.y; j < n; j += gridDim.y) a[j * lda + i] += alpha * x[at(i, m, incx)] * y[at(j, n, incy)];
}
KERNEL NAME(geam)(int ta, int tb, int m, int n, const T *a, int lda, const T *b, int ldb, T *c, int ldc,
                  const void *alphaAt, const void *betaAt, T alphaValue, T betaValue) {
  const T alpha = scalar(alphaValue, alphaAt, 0), beta = scalar(betaValue, betaAt, 0);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  for (int j = blockIdx.y; j < n; j += gridDim.y) {
    T sum = 0;
    if (alpha != 0) sum += alpha * (ta ? a[i * lda + j] : a[j * lda + i]);
    if (beta != 0) sum += beta * (tb ? b[i * ldb + j] : b[j * ldb + i]);
    c[j * ldc + i] = sum;
  }
}
/*
 * A thread per right-hand side: a column of B (left), a row of it (right: the transposed system). `backward`: from the
 * last unknown to the first.
 */
KERNEL NAME(trsm)(int right, int trans, int backward, int unit, int size, int count, const T *a, int lda, T *b, int ldb,
                  const void *alphaAt, T alphaValue) {
  const T alpha = scalar(alphaValue, alphaAt, 0);
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  const int step = right ? ldb : 1;
  T *x = right ? b + r : b + r * ldb;
  for (int s = 0; s < size; ++s) {
    const int i = backward ? size - 1 - s : s;
    T value = 0;
    if (alpha != 0) {
      value = alpha * x[i * step];
      for (int o = 0; o < s; ++o) {
        const int l = backward ? size - 1 - o : o;
        value -= (trans != right ? a[i * lda + l] : a[l * lda + i]) * x[l * step];
      }
      if (!unit) value /= a[i * lda + i];
    }
    x[i * step] = value;
  }
}
#endif

#include "cublas-tiles.cuh"
#if BLAS_LT8
#include "cublas-f8.cuh"
#endif
