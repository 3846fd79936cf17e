/*
 * cuBLASXt: level 3 of BLAS on matrices of the host's or the devices', in tiles that are spread over several GPUs. Every function is an
 * import of the host program, answered by Simsight's runtime; the numbers of the enumerations are cuBLASXt's.
 */
#pragma once
#define CUBLAS_XT_H_
#include "cublas_v2.h"

typedef struct cublasXtContext *cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;
typedef enum {
  CUBLASXT_FLOAT = 0,
  CUBLASXT_DOUBLE = 1,
  CUBLASXT_COMPLEX = 2,
  CUBLASXT_DOUBLECOMPLEX = 3,
} cublasXtOpType_t;
typedef enum {
  CUBLASXT_GEMM = 0,
  CUBLASXT_SYRK = 1,
  CUBLASXT_HERK = 2,
  CUBLASXT_SYMM = 3,
  CUBLASXT_HEMM = 4,
  CUBLASXT_TRSM = 5,
  CUBLASXT_SYR2K = 6,
  CUBLASXT_HER2K = 7,
  CUBLASXT_SPMM = 8,
  CUBLASXT_SYRKX = 9,
  CUBLASXT_HERKX = 10,
  CUBLASXT_TRMM = 11,
  CUBLASXT_ROUTINE_MAX = 12,
} cublasXtBlasOp_t;

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtGetNumBoards(int nbDevices, int deviceId[], int *nbBoards);
cublasStatus_t cublasXtMaxBoards(int *nbGpuBoards);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int nbDevices, int deviceId[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int blockDim);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *blockDim);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp, cublasXtOpType_t type, void *blasFunctor);
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t blasOp, cublasXtOpType_t type, float ratio);

#define __XT_RANK_TWO(T, X, routine, R) \
  cublasStatus_t cublasXt##X##routine(cublasXtHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const R *beta, T *C, size_t ldc);
#define __XT_RANK(T, X, routine, R) \
  cublasStatus_t cublasXt##X##routine(cublasXtHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, size_t n, size_t k, const R *alpha, const T *A, size_t lda, const R *beta, T *C, size_t ldc);
#define __XT_SIDE(T, X, routine) \
  cublasStatus_t cublasXt##X##routine(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc);
#define __XT_TYPE(T, X) \
  cublasStatus_t cublasXt##X##gemm(cublasXtHandle_t h, cublasOperation_t transa, cublasOperation_t transb, size_t m, size_t n, size_t k, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, const T *beta, T *C, size_t ldc); \
  __XT_RANK(T, X, syrk, T) \
  __XT_RANK_TWO(T, X, syr2k, T) \
  __XT_RANK_TWO(T, X, syrkx, T) \
  __XT_SIDE(T, X, symm) \
  cublasStatus_t cublasXt##X##spmm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, size_t m, size_t n, const T *alpha, const T *AP, const T *B, size_t ldb, const T *beta, T *C, size_t ldc); \
  cublasStatus_t cublasXt##X##trmm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *A, size_t lda, const T *B, size_t ldb, T *C, size_t ldc); \
  cublasStatus_t cublasXt##X##trsm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, const T *alpha, const T *A, size_t lda, T *B, size_t ldb);
#define __XT_COMPLEX(T, X, R) \
  __XT_TYPE(T, X) \
  __XT_RANK(T, X, herk, R) \
  __XT_RANK_TWO(T, X, her2k, R) \
  __XT_RANK_TWO(T, X, herkx, R) \
  __XT_SIDE(T, X, hemm)
__XT_TYPE(float, S)
__XT_TYPE(double, D)
__XT_COMPLEX(cuComplex, C, float)
__XT_COMPLEX(cuDoubleComplex, Z, double)
#undef __XT_COMPLEX
#undef __XT_TYPE
#undef __XT_SIDE
#undef __XT_RANK
#undef __XT_RANK_TWO
#ifdef __cplusplus
}
#endif
