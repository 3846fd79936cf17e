/*
 * cuSOLVER for dense matrices: Cholesky, LU and QR factorizations and what is done with them, eigenvalues and singular
 * values. Every function is an import of the host program, answered by Simsight's runtime.
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
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
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

/* Eigenvalues of Hermitian matrices, and singular values. */
#define __SIMSIGHT_SPECTRA(T, R, X, SY)                                                                                \
  cusolverStatus_t cusolverDn##X##SY##evd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                \
                                                     cublasFillMode_t uplo, int n, const T *a, int lda, const R *w,    \
                                                     int *lwork);                                                      \
  cusolverStatus_t cusolverDn##X##SY##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,    \
                                          int n, T *a, int lda, R *w, T *work, int lwork, int *info);                  \
  cusolverStatus_t cusolverDn##X##SY##evdx_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,               \
                                                      cusolverEigRange_t range, cublasFillMode_t uplo, int n,          \
                                                      const T *a, int lda, R vl, R vu, int il, int iu, int *meig,      \
                                                      const R *w, int *lwork);                                         \
  cusolverStatus_t cusolverDn##X##SY##evdx(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                          \
                                           cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *a, int lda,      \
                                           R vl, R vu, int il, int iu, int *meig, R *w, T *work, int lwork,            \
                                           int *info);                                                                 \
  cusolverStatus_t cusolverDn##X##SY##evj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                \
                                                     cublasFillMode_t uplo, int n, const T *a, int lda, const R *w,    \
                                                     int *lwork, syevjInfo_t params);                                  \
  cusolverStatus_t cusolverDn##X##SY##evj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,    \
                                          int n, T *a, int lda, R *w, T *work, int lwork, int *info,                   \
                                          syevjInfo_t params);                                                         \
  cusolverStatus_t cusolverDn##X##SY##evjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,         \
                                                            cublasFillMode_t uplo, int n, const T *a, int lda,         \
                                                            const R *w, int *lwork, syevjInfo_t params,                \
                                                            int batchSize);                                            \
  cusolverStatus_t cusolverDn##X##SY##evjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                    \
                                                 cublasFillMode_t uplo, int n, T *a, int lda, R *w, T *work,           \
                                                 int lwork, int *info, syevjInfo_t params, int batchSize);             \
  cusolverStatus_t cusolverDn##X##SY##gvd_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype,               \
                                                     cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *a, \
                                                     int lda, const T *b, int ldb, const R *w, int *lwork);            \
  cusolverStatus_t cusolverDn##X##SY##gvd(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,  \
                                          cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb, R *w, T *work,   \
                                          int lwork, int *info);                                                       \
  cusolverStatus_t cusolverDn##X##SY##gvdx_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype,              \
                                                      cusolverEigMode_t jobz, cusolverEigRange_t range,                \
                                                      cublasFillMode_t uplo, int n, const T *a, int lda, const T *b,   \
                                                      int ldb, R vl, R vu, int il, int iu, int *meig, const R *w,      \
                                                      int *lwork);                                                     \
  cusolverStatus_t cusolverDn##X##SY##gvdx(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, \
                                           cusolverEigRange_t range, cublasFillMode_t uplo, int n, T *a, int lda,      \
                                           T *b, int ldb, R vl, R vu, int il, int iu, int *meig, R *w, T *work,        \
                                           int lwork, int *info);                                                      \
  cusolverStatus_t cusolverDn##X##SY##gvj_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype,               \
                                                     cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T *a, \
                                                     int lda, const T *b, int ldb, const R *w, int *lwork,             \
                                                     syevjInfo_t params);                                              \
  cusolverStatus_t cusolverDn##X##SY##gvj(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,  \
                                          cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb, R *w, T *work,   \
                                          int lwork, int *info, syevjInfo_t params);                                   \
  cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int *lwork);               \
  cusolverStatus_t cusolverDn##X##gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n,  \
                                        T *a, int lda, R *s, T *u, int ldu, T *vt, int ldvt, T *work, int lwork,       \
                                        R *rwork, int *info);                                                          \
  cusolverStatus_t cusolverDn##X##gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ,       \
                                                    int m, int n, const T *a, int lda, const R *s, const T *u,         \
                                                    int ldu, const T *v, int ldv, int *lwork, gesvdjInfo_t params);    \
  cusolverStatus_t cusolverDn##X##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n,    \
                                         T *a, int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int lwork,        \
                                         int *info, gesvdjInfo_t params);                                              \
  cusolverStatus_t cusolverDn##X##gesvdjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m,   \
                                                           int n, const T *a, int lda, const R *s, const T *u,         \
                                                           int ldu, const T *v, int ldv, int *lwork,                   \
                                                           gesvdjInfo_t params, int batchSize);                        \
  cusolverStatus_t cusolverDn##X##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T *a, \
                                                int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int lwork,       \
                                                int *info, gesvdjInfo_t params, int batchSize);                        \
  cusolverStatus_t cusolverDn##X##gesvdaStridedBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,   \
                                                            int rank, int m, int n, const T *a, int lda,               \
                                                            long long int strideA, const R *s, long long int strideS,  \
                                                            const T *u, int ldu, long long int strideU, const T *v,    \
                                                            int ldv, long long int strideV, int *lwork,                \
                                                            int batchSize);                                            \
  cusolverStatus_t cusolverDn##X##gesvdaStridedBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank,    \
                                                       int m, int n, const T *a, int lda, long long int strideA, R *s, \
                                                       long long int strideS, T *u, int ldu, long long int strideU,    \
                                                       T *v, int ldv, long long int strideV, T *work, int lwork,       \
                                                       int *info, double *residuals, int batchSize);
__SIMSIGHT_SPECTRA(float, float, S, sy)
__SIMSIGHT_SPECTRA(double, double, D, sy)
__SIMSIGHT_SPECTRA(cuComplex, float, C, he)
__SIMSIGHT_SPECTRA(cuDoubleComplex, double, Z, he)
#undef __SIMSIGHT_SPECTRA

/* How rotations find eigenvalues and singular values. */
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t *info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int maxSweeps);
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sort);
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info, double *residual);
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info, int *sweeps);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int maxSweeps);
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort);
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info, double *residual);
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info, int *sweeps);

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
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                             cudaDataType aType, const void *a, int64_t lda, cudaDataType wType,
                                             const void *w, cudaDataType computeType, size_t *deviceBytes,
                                             size_t *hostBytes);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType aType, void *a, int64_t lda,
                                  cudaDataType wType, void *w, cudaDataType computeType, void *deviceWork,
                                  size_t deviceBytes, void *hostWork, size_t hostBytes, int *info);
cusolverStatus_t cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                              cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo,
                                              int64_t n, cudaDataType aType, const void *a, int64_t lda, void *vl,
                                              void *vu, int64_t il, int64_t iu, int64_t *meig, cudaDataType wType,
                                              const void *w, cudaDataType computeType, size_t *deviceBytes,
                                              size_t *hostBytes);
cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                   cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType aType,
                                   void *a, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu, int64_t *meig,
                                   cudaDataType wType, void *w, cudaDataType computeType, void *deviceWork,
                                   size_t deviceBytes, void *hostWork, size_t hostBytes, int *info);
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                                   cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                                   cudaDataType aType, const void *a, int64_t lda, cudaDataType wType,
                                                   const void *w, cudaDataType computeType, size_t *deviceBytes,
                                                   size_t *hostBytes, int64_t batchSize);
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                        cublasFillMode_t uplo, int64_t n, cudaDataType aType, void *a, int64_t lda,
                                        cudaDataType wType, void *w, cudaDataType computeType, void *deviceWork,
                                        size_t deviceBytes, void *hostWork, size_t hostBytes, int *info,
                                        int64_t batchSize);
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                             signed char jobvt, int64_t m, int64_t n, cudaDataType aType, const void *a,
                                             int64_t lda, cudaDataType sType, const void *s, cudaDataType uType,
                                             const void *u, int64_t ldu, cudaDataType vType, const void *vt,
                                             int64_t ldvt, cudaDataType computeType, size_t *deviceBytes,
                                             size_t *hostBytes);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                  signed char jobvt, int64_t m, int64_t n, cudaDataType aType, void *a, int64_t lda,
                                  cudaDataType sType, void *s, cudaDataType uType, void *u, int64_t ldu,
                                  cudaDataType vType, void *vt, int64_t ldvt, cudaDataType computeType,
                                  void *deviceWork, size_t deviceBytes, void *hostWork, size_t hostBytes, int *info);
cusolverStatus_t cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                              cusolverEigMode_t jobz, int econ, int64_t m, int64_t n,
                                              cudaDataType aType, const void *a, int64_t lda, cudaDataType sType,
                                              const void *s, cudaDataType uType, const void *u, int64_t ldu,
                                              cudaDataType vType, const void *v, int64_t ldv, cudaDataType computeType,
                                              size_t *deviceBytes, size_t *hostBytes);
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                   int econ, int64_t m, int64_t n, cudaDataType aType, void *a, int64_t lda,
                                   cudaDataType sType, void *s, cudaDataType uType, void *u, int64_t ldu,
                                   cudaDataType vType, void *v, int64_t ldv, cudaDataType computeType, void *deviceWork,
                                   size_t deviceBytes, void *hostWork, size_t hostBytes, int *info,
                                   double *errorOfSigma);
cusolverStatus_t cusolverDnXgesvdr_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                              signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p,
                                              int64_t niters, cudaDataType aType, const void *a, int64_t lda,
                                              cudaDataType sType, const void *s, cudaDataType uType, const void *u,
                                              int64_t ldu, cudaDataType vType, const void *v, int64_t ldv,
                                              cudaDataType computeType, size_t *deviceBytes, size_t *hostBytes);
cusolverStatus_t cusolverDnXgesvdr(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                   signed char jobv, int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters,
                                   cudaDataType aType, void *a, int64_t lda, cudaDataType sType, void *s,
                                   cudaDataType uType, void *u, int64_t ldu, cudaDataType vType, void *v, int64_t ldv,
                                   cudaDataType computeType, void *deviceWork, size_t deviceBytes, void *hostWork,
                                   size_t hostBytes, int *info);
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                            cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,
                                            cudaDataType aType, const void *a, int64_t lda, cudaDataType wType,
                                            const void *w, cudaDataType vlType, const void *vl, int64_t ldvl,
                                            cudaDataType vrType, const void *vr, int64_t ldvr,
                                            cudaDataType computeType, size_t *deviceBytes, size_t *hostBytes);
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobvl,
                                 cusolverEigMode_t jobvr, int64_t n, cudaDataType aType, void *a, int64_t lda,
                                 cudaDataType wType, void *w, cudaDataType vlType, void *vl, int64_t ldvl,
                                 cudaDataType vrType, void *vr, int64_t ldvr, cudaDataType computeType,
                                 void *deviceWork, size_t deviceBytes, void *hostWork, size_t hostBytes, int *info);
cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag,
                                             int64_t n, cudaDataType aType, void *a, int64_t lda,
                                             size_t *deviceBytes, size_t *hostBytes);
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n,
                                  cudaDataType aType, void *a, int64_t lda, void *deviceWork, size_t deviceBytes,
                                  void *hostWork, size_t hostBytes, int *info);
#ifdef __cplusplus
}
#endif
