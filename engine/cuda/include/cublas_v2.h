/*
 * cuBLAS: the part of its API that programs with dense matrices use. Every function is an import of the host program,
 * answered by Simsight's runtime; the numbers of the enumerations are cuBLAS's.
 */
#pragma once
/* NVIDIA's include guards, which programs ask for. */
#define CUBLAS_V2_H_
#define CUBLAS_API_H_
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "cuComplex.h"
#include "library_types.h"

#define CUBLASAPI
#define CUBLASWINAPI
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 8
#define CUBLAS_VER_PATCH 4
#define CUBLAS_VERSION 120804

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2,
  CUBLAS_GEMM_ALGO3 = 3,
  CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
  CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
  CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;
typedef enum {
  CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
  CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
  CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t size);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *a, int lda, void *b, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *a, int lda, void *b, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *x, int incx, void *y, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *x, int incx, void *y, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void *a, int lda, void *b, int ldb,
                                    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void *a, int lda, void *b, int ldb,
                                    cudaStream_t stream);

#define __SIMSIGHT_BLAS(T, X, I)                                                                                       \
  cublasStatus_t cublas##X##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y, int incy);    \
  cublasStatus_t cublas##X##scal_v2(cublasHandle_t h, int n, const T *alpha, T *x, int incx);                          \
  cublasStatus_t cublas##X##dot_v2(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result);    \
  cublasStatus_t cublas##X##nrm2_v2(cublasHandle_t h, int n, const T *x, int incx, T *result);                         \
  cublasStatus_t cublas##X##asum_v2(cublasHandle_t h, int n, const T *x, int incx, T *result);                         \
  cublasStatus_t cublas##X##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy);                    \
  cublasStatus_t cublas##X##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy);                          \
  cublasStatus_t cublasI##I##amax_v2(cublasHandle_t h, int n, const T *x, int incx, int *result);                      \
  cublasStatus_t cublasI##I##amin_v2(cublasHandle_t h, int n, const T *x, int incx, int *result);                      \
  cublasStatus_t cublas##X##gemv_v2(cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha,           \
                                    const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy);         \
  cublasStatus_t cublas##X##ger_v2(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y,   \
                                   int incy, T *a, int lda);                                                           \
  cublasStatus_t cublas##X##geam(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
                                 const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c,        \
                                 int ldc);                                                                             \
  cublasStatus_t cublas##X##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,                    \
                                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha,      \
                                    const T *a, int lda, T *b, int ldb);                                               \
  cublasStatus_t cublas##X##syrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,    \
                                    const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc);
__SIMSIGHT_BLAS(float, S, s)
__SIMSIGHT_BLAS(double, D, d)
#undef __SIMSIGHT_BLAS
#define __SIMSIGHT_BLAS(T, X, v2)                                                                                      \
  cublasStatus_t cublas##X##gemm##v2(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m,      \
                                     int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb,           \
                                     const T *beta, T *c, int ldc);                                                    \
  cublasStatus_t cublas##X##gemmBatched(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m,   \
                                        int n, int k, const T *alpha, const T *const a[], int lda,                     \
                                        const T *const b[], int ldb, const T *beta, T *const c[], int ldc,             \
                                        int batchCount);                                                               \
  cublasStatus_t cublas##X##gemmStridedBatched(                                                                        \
      cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha,       \
      const T *a, int lda, long long strideA, const T *b, int ldb, long long strideB, const T *beta, T *c, int ldc,    \
      long long strideC, int batchCount);
__SIMSIGHT_BLAS(float, S, _v2)
__SIMSIGHT_BLAS(double, D, _v2)
__SIMSIGHT_BLAS(cuComplex, C, _v2)
__SIMSIGHT_BLAS(cuDoubleComplex, Z, _v2)
#ifdef __cplusplus
__SIMSIGHT_BLAS(__half, H, )
#endif
#undef __SIMSIGHT_BLAS

/* Of the three levels, what is not above: other forms of matrices, complex vectors, rotations. */
#define __SIMSIGHT_BLAS(T, X, R) \
  cublasStatus_t cublas##X##gbmv_v2(cublasHandle_t h, cublasOperation_t trans, int m, int n, int kl, int ku, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy); \
  cublasStatus_t cublas##X##symv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy); \
  cublasStatus_t cublas##X##gemvBatched(cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha, const T *const a[], int lda, const T *const x[], int incx, const T *beta, T *const y[], int incy, int batchCount); \
  cublasStatus_t cublas##X##gemvStridedBatched(cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha, const T *a, int lda, long long strideA, const T *x, int incx, long long strideX, const T *beta, T *y, int incy, long long strideY, int batchCount); \
  cublasStatus_t cublas##X##trmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx); \
  cublasStatus_t cublas##X##trsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx); \
  cublasStatus_t cublas##X##tbmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, int k, const T *a, int lda, T *x, int incx); \
  cublasStatus_t cublas##X##tbsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, int k, const T *a, int lda, T *x, int incx); \
  cublasStatus_t cublas##X##tpmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *a, T *x, int incx); \
  cublasStatus_t cublas##X##tpsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, const T *a, T *x, int incx); \
  cublasStatus_t cublas##X##syr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, T *a, int lda); \
  cublasStatus_t cublas##X##syr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda); \
  cublasStatus_t cublas##X##symm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc); \
  cublasStatus_t cublas##X##syr2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc); \
  cublasStatus_t cublas##X##syrkx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc); \
  cublasStatus_t cublas##X##trmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc); \
  cublasStatus_t cublas##X##trsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha, const T *const a[], int lda, T *const b[], int ldb, int batchCount); \
  cublasStatus_t cublas##X##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T *a, int lda, const T *x, int incx, T *c, int ldc); \
  cublasStatus_t cublas##X##tpttr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *packed, T *a, int lda); \
  cublasStatus_t cublas##X##trttp(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *a, int lda, T *packed); \
  cublasStatus_t cublas##X##rotg_v2(cublasHandle_t h, T *a, T *b, R *c, T *s); \
  cublasStatus_t cublas##X##rot_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const R *c, const T *s);
__SIMSIGHT_BLAS(float, S, float)
__SIMSIGHT_BLAS(double, D, double)
__SIMSIGHT_BLAS(cuComplex, C, float)
__SIMSIGHT_BLAS(cuDoubleComplex, Z, double)
#undef __SIMSIGHT_BLAS

#define __SIMSIGHT_BLAS(T, X) \
  cublasStatus_t cublas##X##rotm_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const T *param); \
  cublasStatus_t cublas##X##rotmg_v2(cublasHandle_t h, T *d1, T *d2, T *x1, const T *y1, T *param); \
  cublasStatus_t cublas##X##sbmv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy); \
  cublasStatus_t cublas##X##spmv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, const T *x, int incx, const T *beta, T *y, int incy); \
  cublasStatus_t cublas##X##spr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, T *a); \
  cublasStatus_t cublas##X##spr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a); \
  cublasStatus_t cublas##X##gemmGroupedBatched(cublasHandle_t h, const cublasOperation_t transa[], const cublasOperation_t transb[], const int m[], const int n[], const int k[], const T alpha[], const T *const a[], const int lda[], const T *const b[], const int ldb[], const T beta[], T *const c[], const int ldc[], int groupCount, const int groupSize[]);
__SIMSIGHT_BLAS(float, S)
__SIMSIGHT_BLAS(double, D)
#undef __SIMSIGHT_BLAS

#define __SIMSIGHT_BLAS(T, X, I, R, r, Q) \
  cublasStatus_t cublas##X##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y, int incy); \
  cublasStatus_t cublas##X##scal_v2(cublasHandle_t h, int n, const T *alpha, T *x, int incx); \
  cublasStatus_t cublas##X##r##scal_v2(cublasHandle_t h, int n, const R *alpha, T *x, int incx); \
  cublasStatus_t cublas##X##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy); \
  cublasStatus_t cublas##X##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy); \
  cublasStatus_t cublas##X##dotu_v2(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result); \
  cublasStatus_t cublas##X##dotc_v2(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result); \
  cublasStatus_t cublas##Q##asum_v2(cublasHandle_t h, int n, const T *x, int incx, R *result); \
  cublasStatus_t cublas##Q##nrm2_v2(cublasHandle_t h, int n, const T *x, int incx, R *result); \
  cublasStatus_t cublasI##I##amax_v2(cublasHandle_t h, int n, const T *x, int incx, int *result); \
  cublasStatus_t cublasI##I##amin_v2(cublasHandle_t h, int n, const T *x, int incx, int *result); \
  cublasStatus_t cublas##X##r##rot_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const R *c, const R *s); \
  cublasStatus_t cublas##X##gemv_v2(cublasHandle_t h, cublasOperation_t trans, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy); \
  cublasStatus_t cublas##X##hemv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy); \
  cublasStatus_t cublas##X##hbmv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, int k, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy); \
  cublasStatus_t cublas##X##hpmv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, const T *x, int incx, const T *beta, T *y, int incy); \
  cublasStatus_t cublas##X##geru_v2(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda); \
  cublasStatus_t cublas##X##gerc_v2(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda); \
  cublasStatus_t cublas##X##her_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx, T *a, int lda); \
  cublasStatus_t cublas##X##her2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda); \
  cublasStatus_t cublas##X##hpr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx, T *a); \
  cublasStatus_t cublas##X##hpr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a); \
  cublasStatus_t cublas##X##hemm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc); \
  cublasStatus_t cublas##X##syrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc); \
  cublasStatus_t cublas##X##herk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const R *alpha, const T *a, int lda, const R *beta, T *c, int ldc); \
  cublasStatus_t cublas##X##her2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const R *beta, T *c, int ldc); \
  cublasStatus_t cublas##X##herkx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const R *beta, T *c, int ldc); \
  cublasStatus_t cublas##X##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb); \
  cublasStatus_t cublas##X##geam(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc); \
  cublasStatus_t cublas##X##gemm3m(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc);
__SIMSIGHT_BLAS(cuComplex, C, c, float, s, Sc)
__SIMSIGHT_BLAS(cuDoubleComplex, Z, z, double, d, Dz)
#undef __SIMSIGHT_BLAS

/* Vectors of a type that is an argument. */
cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType xType, int incx, const void *y,
                           cudaDataType yType, int incy, void *result, cudaDataType resultType,
                           cudaDataType executionType);
cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void *x, cudaDataType xType, int incx, const void *y,
                            cudaDataType yType, int incy, void *result, cudaDataType resultType,
                            cudaDataType executionType);
cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void *x, cudaDataType xType, int incx, void *result,
                            cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void *alpha, cudaDataType alphaType, const void *x,
                            cudaDataType xType, int incx, void *y, cudaDataType yType, int incy,
                            cudaDataType executionType);
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void *alpha, cudaDataType alphaType, void *x,
                            cudaDataType xType, int incx, cudaDataType executionType);

cublasStatus_t cublasCsyrkEx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const cuComplex *alpha, const void *a, cudaDataType aType, int lda, const cuComplex *beta, void *c, cudaDataType cType, int ldc);
cublasStatus_t cublasCsyrk3mEx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const cuComplex *alpha, const void *a, cudaDataType aType, int lda, const cuComplex *beta, void *c, cudaDataType cType, int ldc);
cublasStatus_t cublasCherkEx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const float *alpha, const void *a, cudaDataType aType, int lda, const float *beta, void *c, cudaDataType cType, int ldc);
cublasStatus_t cublasCherk3mEx(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const float *alpha, const void *a, cudaDataType aType, int lda, const float *beta, void *c, cudaDataType cType, int ldc);
cublasStatus_t cublasRotEx(cublasHandle_t h, int n, void *x, cudaDataType xType, int incx, void *y, cudaDataType yType, int incy, const void *c, const void *s, cudaDataType csType, cudaDataType executionType);
cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t h, const cublasOperation_t transa[], const cublasOperation_t transb[], const int m[], const int n[], const int k[], const void *alpha, const void *const a[], cudaDataType aType, const int lda[], const void *const b[], cudaDataType bType, const int ldb[], const void *beta, void *const c[], cudaDataType cType, const int ldc[], int groupCount, const int groupSize[], cublasComputeType_t computeType);

/* How products are emulated by tensor cores; none of the GPUs here does that, so they are computed as they are. */
cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t h, cublasEmulationStrategy_t strategy);
cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t h, cublasEmulationStrategy_t *strategy);
cublasStatus_t cublasSetEmulationSpecialValuesSupport(cublasHandle_t h, cudaEmulationSpecialValuesSupport value);
cublasStatus_t cublasGetEmulationSpecialValuesSupport(cublasHandle_t h, cudaEmulationSpecialValuesSupport *value);
cublasStatus_t cublasSetFixedPointEmulationMantissaControl(cublasHandle_t h, cudaEmulationMantissaControl value);
cublasStatus_t cublasGetFixedPointEmulationMantissaControl(cublasHandle_t h, cudaEmulationMantissaControl *value);
cublasStatus_t cublasSetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t h, int value);
cublasStatus_t cublasGetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t h, int *value);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitOffset(cublasHandle_t h, int value);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitOffset(cublasHandle_t h, int *value);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t h, int * value);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t h, int * *value);

/* LU factorizations of batches, and what is done with them. */
#define __SIMSIGHT_BLAS(T, X)                                                                                          \
  cublasStatus_t cublas##X##getrfBatched(cublasHandle_t h, int n, T *const a[], int lda, int *pivots, int *info,       \
                                         int batchSize);                                                               \
  cublasStatus_t cublas##X##getrsBatched(cublasHandle_t h, cublasOperation_t trans, int n, int nrhs,                   \
                                         const T *const a[], int lda, const int *pivots, T *const b[], int ldb,        \
                                         int *info, int batchSize);                                                    \
  cublasStatus_t cublas##X##getriBatched(cublasHandle_t h, int n, const T *const a[], int lda, const int *pivots,      \
                                         T *const c[], int ldc, int *info, int batchSize);
__SIMSIGHT_BLAS(float, S)
__SIMSIGHT_BLAS(double, D)
__SIMSIGHT_BLAS(cuComplex, C)
__SIMSIGHT_BLAS(cuDoubleComplex, Z)
#undef __SIMSIGHT_BLAS

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                            const void *alpha, const void *a, cudaDataType aType, int lda, const void *b,
                            cudaDataType bType, int ldb, const void *beta, void *c, cudaDataType cType, int ldc,
                            cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType aType, int lda,
                                          long long strideA, const void *b, cudaDataType bType, int ldb,
                                          long long strideB, const void *beta, void *c, cudaDataType cType, int ldc,
                                          long long strideC, int batchCount, cublasComputeType_t computeType,
                                          cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                                   int k, const void *alpha, const void *const a[], cudaDataType aType, int lda,
                                   const void *const b[], cudaDataType bType, int ldb, const void *beta,
                                   void *const c[], cudaDataType cType, int ldc, int batchCount,
                                   cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                             const float *alpha, const void *a, cudaDataType aType, int lda, const void *b,
                             cudaDataType bType, int ldb, const float *beta, void *c, cudaDataType cType, int ldc);
#ifdef __cplusplus
}

/* CUDA has a type of its own for it. */
static inline cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t h, cudaEmulationStrategy strategy) {
  return cublasSetEmulationStrategy(h, (cublasEmulationStrategy_t)strategy);
}
static inline cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t h, cudaEmulationStrategy *strategy) {
  return cublasGetEmulationStrategy(h, (cublasEmulationStrategy_t *)strategy);
}

/* Before CUDA 11 the compute type was a data type. */
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m,
                                          int n, int k, const void *alpha, const void *a, cudaDataType aType, int lda,
                                          const void *b, cudaDataType bType, int ldb, const void *beta, void *c,
                                          cudaDataType cType, int ldc, cudaDataType computeType,
                                          cublasGemmAlgo_t algo) {
  const cublasComputeType_t compute = computeType == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
                                      : computeType == CUDA_R_64F ? CUBLAS_COMPUTE_64F
                                      : computeType == CUDA_C_64F ? CUBLAS_COMPUTE_64F
                                      : computeType == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                                  : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(h, transa, transb, m, n, k, alpha, a, aType, lda, b, bType, ldb, beta, c, cType, ldc, compute,
                      algo);
}
#endif

/* The names that programs write. */
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasSdot cublasSdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSger cublasSger_v2
#define cublasStrsm cublasStrsm_v2
#define cublasSsyrk cublasSsyrk_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDscal cublasDscal_v2
#define cublasDdot cublasDdot_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDger cublasDger_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasDsyrk cublasDsyrk_v2
#define cublasDgemm cublasDgemm_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasCgemm cublasCgemm_v2
#define cublasZgemm cublasZgemm_v2
#define cublasSgbmv cublasSgbmv_v2
#define cublasDgbmv cublasDgbmv_v2
#define cublasCgbmv cublasCgbmv_v2
#define cublasZgbmv cublasZgbmv_v2
#define cublasSsymv cublasSsymv_v2
#define cublasDsymv cublasDsymv_v2
#define cublasCsymv cublasCsymv_v2
#define cublasZsymv cublasZsymv_v2
#define cublasStrmv cublasStrmv_v2
#define cublasDtrmv cublasDtrmv_v2
#define cublasCtrmv cublasCtrmv_v2
#define cublasZtrmv cublasZtrmv_v2
#define cublasStrsv cublasStrsv_v2
#define cublasDtrsv cublasDtrsv_v2
#define cublasCtrsv cublasCtrsv_v2
#define cublasZtrsv cublasZtrsv_v2
#define cublasStbmv cublasStbmv_v2
#define cublasDtbmv cublasDtbmv_v2
#define cublasCtbmv cublasCtbmv_v2
#define cublasZtbmv cublasZtbmv_v2
#define cublasStbsv cublasStbsv_v2
#define cublasDtbsv cublasDtbsv_v2
#define cublasCtbsv cublasCtbsv_v2
#define cublasZtbsv cublasZtbsv_v2
#define cublasStpmv cublasStpmv_v2
#define cublasDtpmv cublasDtpmv_v2
#define cublasCtpmv cublasCtpmv_v2
#define cublasZtpmv cublasZtpmv_v2
#define cublasStpsv cublasStpsv_v2
#define cublasDtpsv cublasDtpsv_v2
#define cublasCtpsv cublasCtpsv_v2
#define cublasZtpsv cublasZtpsv_v2
#define cublasSsyr cublasSsyr_v2
#define cublasDsyr cublasDsyr_v2
#define cublasCsyr cublasCsyr_v2
#define cublasZsyr cublasZsyr_v2
#define cublasSsyr2 cublasSsyr2_v2
#define cublasDsyr2 cublasDsyr2_v2
#define cublasCsyr2 cublasCsyr2_v2
#define cublasZsyr2 cublasZsyr2_v2
#define cublasSsymm cublasSsymm_v2
#define cublasDsymm cublasDsymm_v2
#define cublasCsymm cublasCsymm_v2
#define cublasZsymm cublasZsymm_v2
#define cublasSsyr2k cublasSsyr2k_v2
#define cublasDsyr2k cublasDsyr2k_v2
#define cublasCsyr2k cublasCsyr2k_v2
#define cublasZsyr2k cublasZsyr2k_v2
#define cublasStrmm cublasStrmm_v2
#define cublasDtrmm cublasDtrmm_v2
#define cublasCtrmm cublasCtrmm_v2
#define cublasZtrmm cublasZtrmm_v2
#define cublasSrotg cublasSrotg_v2
#define cublasDrotg cublasDrotg_v2
#define cublasCrotg cublasCrotg_v2
#define cublasZrotg cublasZrotg_v2
#define cublasSrot cublasSrot_v2
#define cublasDrot cublasDrot_v2
#define cublasCrot cublasCrot_v2
#define cublasZrot cublasZrot_v2
#define cublasSrotm cublasSrotm_v2
#define cublasDrotm cublasDrotm_v2
#define cublasSrotmg cublasSrotmg_v2
#define cublasDrotmg cublasDrotmg_v2
#define cublasSsbmv cublasSsbmv_v2
#define cublasDsbmv cublasDsbmv_v2
#define cublasSspmv cublasSspmv_v2
#define cublasDspmv cublasDspmv_v2
#define cublasSspr cublasSspr_v2
#define cublasDspr cublasDspr_v2
#define cublasSspr2 cublasSspr2_v2
#define cublasDspr2 cublasDspr2_v2
#define cublasCaxpy cublasCaxpy_v2
#define cublasZaxpy cublasZaxpy_v2
#define cublasCscal cublasCscal_v2
#define cublasZscal cublasZscal_v2
#define cublasCcopy cublasCcopy_v2
#define cublasZcopy cublasZcopy_v2
#define cublasCswap cublasCswap_v2
#define cublasZswap cublasZswap_v2
#define cublasCdotu cublasCdotu_v2
#define cublasZdotu cublasZdotu_v2
#define cublasCdotc cublasCdotc_v2
#define cublasZdotc cublasZdotc_v2
#define cublasCgemv cublasCgemv_v2
#define cublasZgemv cublasZgemv_v2
#define cublasChemv cublasChemv_v2
#define cublasZhemv cublasZhemv_v2
#define cublasChbmv cublasChbmv_v2
#define cublasZhbmv cublasZhbmv_v2
#define cublasChpmv cublasChpmv_v2
#define cublasZhpmv cublasZhpmv_v2
#define cublasCgeru cublasCgeru_v2
#define cublasZgeru cublasZgeru_v2
#define cublasCgerc cublasCgerc_v2
#define cublasZgerc cublasZgerc_v2
#define cublasCher cublasCher_v2
#define cublasZher cublasZher_v2
#define cublasCher2 cublasCher2_v2
#define cublasZher2 cublasZher2_v2
#define cublasChpr cublasChpr_v2
#define cublasZhpr cublasZhpr_v2
#define cublasChpr2 cublasChpr2_v2
#define cublasZhpr2 cublasZhpr2_v2
#define cublasChemm cublasChemm_v2
#define cublasZhemm cublasZhemm_v2
#define cublasCsyrk cublasCsyrk_v2
#define cublasZsyrk cublasZsyrk_v2
#define cublasCherk cublasCherk_v2
#define cublasZherk cublasZherk_v2
#define cublasCher2k cublasCher2k_v2
#define cublasZher2k cublasZher2k_v2
#define cublasCtrsm cublasCtrsm_v2
#define cublasZtrsm cublasZtrsm_v2
#define cublasCsscal cublasCsscal_v2
#define cublasZdscal cublasZdscal_v2
#define cublasScasum cublasScasum_v2
#define cublasDzasum cublasDzasum_v2
#define cublasScnrm2 cublasScnrm2_v2
#define cublasDznrm2 cublasDznrm2_v2
#define cublasIcamax cublasIcamax_v2
#define cublasIzamax cublasIzamax_v2
#define cublasIcamin cublasIcamin_v2
#define cublasIzamin cublasIzamin_v2
#define cublasCsrot cublasCsrot_v2
#define cublasZdrot cublasZdrot_v2
