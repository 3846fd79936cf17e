/*
 * cuSOLVER for dense matrices: Cholesky, LU and QR factorizations and what is done with them. Every function is an import
 * of the host program, answered by Simsight's runtime.
 */
#pragma once
/* NVIDIA's include guard, which programs ask for. */
#define CUSOLVERDN_H_
#include "cuComplex.h"
#include "cublas_v2.h"
#include "cuda_runtime.h"
#include "cusolver_common.h"

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1, CUSOLVERDN_SYEVBATCHED = 2 } cusolverDnFunction_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream);

#define __SIMSIGHT_SOLVER(T, X, ORG, ORM)                                                                              \
  cusolverStatus_t cusolverDn##X##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *a,      \
                                                   int lda, int *lwork);                                               \
  cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *a, int lda,        \
                                        T *work, int lwork, int *info);                                                \
  cusolverStatus_t cusolverDn##X##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T *a, \
                                        int lda, T *b, int ldb, int *info);                                            \
  cusolverStatus_t cusolverDn##X##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *a[],        \
                                               int lda, int *infos, int batchSize);                                    \
  cusolverStatus_t cusolverDn##X##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,      \
                                               T *a[], int lda, T *b[], int ldb, int *info, int batchSize);            \
  cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *a, int lda,             \
                                                   int *lwork);                                                        \
  cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t handle, int m, int n, T *a, int lda, T *work, int *pivots,  \
                                        int *info);                                                                    \
  cusolverStatus_t cusolverDn##X##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs,           \
                                        const T *a, int lda, const int *pivots, T *b, int ldb, int *info);             \
  cusolverStatus_t cusolverDn##X##laswp(cusolverDnHandle_t handle, int n, T *a, int lda, int k1, int k2,               \
                                        const int *pivots, int incx);                                                  \
  cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T *a, int lda,             \
                                                   int *lwork);                                                        \
  cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t handle, int m, int n, T *a, int lda, T *tau, T *work,       \
                                        int lwork, int *info);                                                         \
  cusolverStatus_t cusolverDn##X##ORG##_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T *a,         \
                                                   int lda, const T *tau, int *lwork);                                 \
  cusolverStatus_t cusolverDn##X##ORG(cusolverDnHandle_t handle, int m, int n, int k, T *a, int lda, const T *tau,     \
                                      T *work, int lwork, int *info);                                                  \
  cusolverStatus_t cusolverDn##X##ORM##_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side,                   \
                                                   cublasOperation_t trans, int m, int n, int k, const T *a, int lda,  \
                                                   const T *tau, const T *c, int ldc, int *lwork);                     \
  cusolverStatus_t cusolverDn##X##ORM(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans,       \
                                      int m, int n, int k, const T *a, int lda, const T *tau, T *c, int ldc, T *work,  \
                                      int lwork, int *info);
__SIMSIGHT_SOLVER(float, S, orgqr, ormqr)
__SIMSIGHT_SOLVER(double, D, orgqr, ormqr)
__SIMSIGHT_SOLVER(cuComplex, C, ungqr, unmqr)
__SIMSIGHT_SOLVER(cuDoubleComplex, Z, ungqr, unmqr)
#undef __SIMSIGHT_SOLVER

/* Sizes of 64 bits, and types that are arguments. */
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm);
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType aType, const void *a,
                                             int64_t lda, cudaDataType computeType, size_t *deviceBytes,
                                             size_t *hostBytes);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                                  int64_t n, cudaDataType aType, void *a, int64_t lda, cudaDataType computeType,
                                  void *deviceWork, size_t deviceBytes, void *hostWork, size_t hostBytes, int *info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                                  int64_t n, int64_t nrhs, cudaDataType aType, const void *a, int64_t lda,
                                  cudaDataType bType, void *b, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                             int64_t n, cudaDataType aType, const void *a, int64_t lda,
                                             cudaDataType computeType, size_t *deviceBytes, size_t *hostBytes);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType aType, void *a, int64_t lda, int64_t *pivots, cudaDataType computeType,
                                  void *deviceWork, size_t deviceBytes, void *hostWork, size_t hostBytes, int *info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans,
                                  int64_t n, int64_t nrhs, cudaDataType aType, const void *a, int64_t lda,
                                  const int64_t *pivots, cudaDataType bType, void *b, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                             int64_t n, cudaDataType aType, const void *a, int64_t lda,
                                             cudaDataType tauType, const void *tau, cudaDataType computeType,
                                             size_t *deviceBytes, size_t *hostBytes);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType aType, void *a, int64_t lda, cudaDataType tauType, void *tau,
                                  cudaDataType computeType, void *deviceWork, size_t deviceBytes, void *hostWork,
                                  size_t hostBytes, int *info);
#ifdef __cplusplus
}
#endif
