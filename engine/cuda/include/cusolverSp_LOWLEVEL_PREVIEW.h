/*
 * cuSOLVER's sparse factorizations step by step: analysis, factor, solution. Every function is an import of the host program,
 * answered by Simsight's runtime.
 */
#pragma once
/* NVIDIA's include guard, which programs ask for. */
#define CUSOLVERSP_LOWLEVEL_PREVIEW_H_
#include "cusolverSp.h"

typedef struct csrluInfoHost *csrluInfoHost_t;
typedef struct csrqrInfoHost *csrqrInfoHost_t;
typedef struct csrcholInfoHost *csrcholInfoHost_t;
typedef struct csrcholInfo *csrcholInfo_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverSpCreateCsrluInfoHost(csrluInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA,
                                              const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                              const int *csrColIndA, csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *nnzLRef, int *nnzURef, csrluInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrqrInfoHost(csrqrInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfoHost(csrqrInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfoHost(csrcholInfoHost_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfoHost(csrcholInfoHost_t info);
cusolverStatus_t cusolverSpCreateCsrcholInfo(csrcholInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrcholInfo(csrcholInfo_t info);

/* The same on the host and on the device. */
#define __SIMSIGHT_SPARSE_ANALYSIS(HOST, QR, CHOL)                                                                     \
  cusolverStatus_t cusolverSpXcsrqrAnalysis##HOST(cusolverSpHandle_t handle, int m, int n, int nnzA,                   \
                                                  const cusparseMatDescr_t descrA, const int *csrRowPtrA,              \
                                                  const int *csrColIndA, QR info);                                     \
  cusolverStatus_t cusolverSpXcsrcholAnalysis##HOST(cusolverSpHandle_t handle, int n, int nnzA,                        \
                                                    const cusparseMatDescr_t descrA, const int *csrRowPtrA,            \
                                                    const int *csrColIndA, CHOL info);
__SIMSIGHT_SPARSE_ANALYSIS(Host, csrqrInfoHost_t, csrcholInfoHost_t)
__SIMSIGHT_SPARSE_ANALYSIS(, csrqrInfo_t, csrcholInfo_t)
#undef __SIMSIGHT_SPARSE_ANALYSIS

#define __SIMSIGHT_SPARSE_STEPS(T, R, X, HOST, QR, CHOL)                                                               \
  cusolverStatus_t cusolverSp##X##csrqrBufferInfo##HOST(                                                               \
      cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const T *csrValA,            \
      const int *csrRowPtrA, const int *csrColIndA, QR info, size_t *internalDataInBytes, size_t *workspaceInBytes);   \
  cusolverStatus_t cusolverSp##X##csrqrSetup##HOST(cusolverSpHandle_t handle, int m, int n, int nnzA,                  \
                                                   const cusparseMatDescr_t descrA, const T *csrValA,                  \
                                                   const int *csrRowPtrA, const int *csrColIndA, T mu, QR info);       \
  cusolverStatus_t cusolverSp##X##csrqrFactor##HOST(cusolverSpHandle_t handle, int m, int n, int nnzA, T *b, T *x,     \
                                                    QR info, void *pBuffer);                                           \
  cusolverStatus_t cusolverSp##X##csrqrZeroPivot##HOST(cusolverSpHandle_t handle, QR info, R tol, int *position);      \
  cusolverStatus_t cusolverSp##X##csrqrSolve##HOST(cusolverSpHandle_t handle, int m, int n, T *b, T *x, QR info,       \
                                                   void *pBuffer);                                                     \
  cusolverStatus_t cusolverSp##X##csrcholBufferInfo##HOST(                                                             \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const T *csrValA,                   \
      const int *csrRowPtrA, const int *csrColIndA, CHOL info, size_t *internalDataInBytes, size_t *workspaceInBytes); \
  cusolverStatus_t cusolverSp##X##csrcholFactor##HOST(                                                                 \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const T *csrValA,                   \
      const int *csrRowPtrA, const int *csrColIndA, CHOL info, void *pBuffer);                                         \
  cusolverStatus_t cusolverSp##X##csrcholZeroPivot##HOST(cusolverSpHandle_t handle, CHOL info, R tol, int *position);  \
  cusolverStatus_t cusolverSp##X##csrcholSolve##HOST(cusolverSpHandle_t handle, int n, const T *b, T *x, CHOL info,    \
                                                     void *pBuffer);
#define __SIMSIGHT_SPARSE_TYPE(T, R, X)                                                                                \
  cusolverStatus_t cusolverSp##X##csrluBufferInfoHost(                                                                 \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const T *csrValA,                   \
      const int *csrRowPtrA, const int *csrColIndA, csrluInfoHost_t info, size_t *internalDataInBytes,                 \
      size_t *workspaceInBytes);                                                                                       \
  cusolverStatus_t cusolverSp##X##csrluFactorHost(                                                                     \
      cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA, const T *csrValA,                   \
      const int *csrRowPtrA, const int *csrColIndA, csrluInfoHost_t info, R pivot_threshold, void *pBuffer);           \
  cusolverStatus_t cusolverSp##X##csrluZeroPivotHost(cusolverSpHandle_t handle, csrluInfoHost_t info, R tol,           \
                                                     int *position);                                                   \
  cusolverStatus_t cusolverSp##X##csrluSolveHost(cusolverSpHandle_t handle, int n, const T *b, T *x,                   \
                                                 csrluInfoHost_t info, void *pBuffer);                                 \
  cusolverStatus_t cusolverSp##X##csrluExtractHost(cusolverSpHandle_t handle, int *P, int *Q,                          \
                                                   const cusparseMatDescr_t descrL, T *csrValL, int *csrRowPtrL,       \
                                                   int *csrColIndL, const cusparseMatDescr_t descrU, T *csrValU,       \
                                                   int *csrRowPtrU, int *csrColIndU, csrluInfoHost_t info,             \
                                                   void *pBuffer);                                                     \
  cusolverStatus_t cusolverSp##X##csrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info, R *diag);                 \
  __SIMSIGHT_SPARSE_STEPS(T, R, X, Host, csrqrInfoHost_t, csrcholInfoHost_t)                                           \
  __SIMSIGHT_SPARSE_STEPS(T, R, X, , csrqrInfo_t, csrcholInfo_t)
__SIMSIGHT_SPARSE_TYPE(float, float, S)
__SIMSIGHT_SPARSE_TYPE(double, double, D)
__SIMSIGHT_SPARSE_TYPE(cuComplex, float, C)
__SIMSIGHT_SPARSE_TYPE(cuDoubleComplex, double, Z)
#undef __SIMSIGHT_SPARSE_TYPE
#undef __SIMSIGHT_SPARSE_STEPS
#ifdef __cplusplus
}
#endif
