/*
 * cuBLAS: the part of its API that programs with dense matrices use. Every function is an import of the host program,
 * answered by Simsight's runtime; the numbers of the enumerations are cuBLAS's.
 */
#pragma once
/* NVIDIA's include guard, which programs ask for. */
#define CUBLAS_API_H_
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "cuComplex.h"
#include "library_types.h"
#include <stdint.h>

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

#define __BLAS_INT int
#define __BLAS_CALL(name, ...) cublasStatus_t name(__VA_ARGS__);
#define __BLAS_V2(name, ...) cublasStatus_t name##_v2(__VA_ARGS__);
#include "simsight/cublas_calls.h"
#undef __BLAS_INT
#undef __BLAS_CALL
#undef __BLAS_V2
#define __BLAS_INT int64_t
#define __BLAS_CALL(name, ...) cublasStatus_t name##_64(__VA_ARGS__);
#define __BLAS_V2(name, ...)                                                                                           \
  cublasStatus_t name##_v2_64(__VA_ARGS__);                                                                            \
  cublasStatus_t name##_64(__VA_ARGS__) __asm__(#name "_v2_64");
#include "simsight/cublas_calls.h"
#undef __BLAS_INT
#undef __BLAS_CALL
#undef __BLAS_V2

/* Rotations, and other ways to store a triangle. */
#define __SIMSIGHT_BLAS(T, X, R) \
  cublasStatus_t cublas##X##tpttr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *packed, T *a, int lda); \
  cublasStatus_t cublas##X##trttp(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *a, int lda, T *packed); \
  cublasStatus_t cublas##X##rotg_v2(cublasHandle_t h, T *a, T *b, R *c, T *s);
__SIMSIGHT_BLAS(float, S, float)
__SIMSIGHT_BLAS(double, D, double)
__SIMSIGHT_BLAS(cuComplex, C, float)
__SIMSIGHT_BLAS(cuDoubleComplex, Z, double)
#undef __SIMSIGHT_BLAS
cublasStatus_t cublasSrotmg_v2(cublasHandle_t h, float *d1, float *d2, float *x1, const float *y1, float *param);
cublasStatus_t cublasDrotmg_v2(cublasHandle_t h, double *d1, double *d2, double *x1, const double *y1, double *param);

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
#define __SIMSIGHT_BLAS(T, X) \
  cublasStatus_t cublas##X##getrfBatched(cublasHandle_t h, int n, T *const a[], int lda, int *pivots, int *info, int batchSize); \
  cublasStatus_t cublas##X##getrsBatched(cublasHandle_t h, cublasOperation_t trans, int n, int nrhs, const T *const a[], int lda, const int *pivots, T *const b[], int ldb, int *info, int batchSize); \
  cublasStatus_t cublas##X##getriBatched(cublasHandle_t h, int n, const T *const a[], int lda, const int *pivots, T *const c[], int ldc, int *info, int batchSize);
__SIMSIGHT_BLAS(float, S)
__SIMSIGHT_BLAS(double, D)
__SIMSIGHT_BLAS(cuComplex, C)
__SIMSIGHT_BLAS(cuDoubleComplex, Z)
#undef __SIMSIGHT_BLAS

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
