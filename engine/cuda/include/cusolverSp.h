/*
 * cuSOLVER for sparse matrices: systems, least squares, eigenvalues by inverse iteration, orders of little fill, batches.
 * Every function is an import of the host program, answered by Simsight's runtime.
 */
#pragma once
/* NVIDIA's include guard, which programs ask for. */
#define CUSOLVERSP_H_
#include "cublas_v2.h"
#include "cusolver_common.h"
#include "cusparse.h"
#include <stdint.h>

typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef struct csrqrInfo *csrqrInfo_t;

#ifdef __cplusplus
extern "C" {
#endif
cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *streamId);
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA, const cusparseMatDescr_t descrA,
                                         const int *csrRowPtrA, const int *csrEndPtrA, const int *csrColIndA,
                                         int *issym);

#define __SIMSIGHT_SPARSE(T, R, BOX, X)                                                                                \
  cusolverStatus_t cusolverSp##X##csrlsvluHost(cusolverSpHandle_t handle, int n, int nnzA,                             \
                                               const cusparseMatDescr_t descrA, const T *csrValA,                      \
                                               const int *csrRowPtrA, const int *csrColIndA, const T *b, R tol,        \
                                               int reorder, T *x, int *singularity);                                   \
  cusolverStatus_t cusolverSp##X##csrlsvqr(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, \
                                           const T *csrVal, const int *csrRowPtr, const int *csrColInd, const T *b,    \
                                           R tol, int reorder, T *x, int *singularity);                                \
  cusolverStatus_t cusolverSp##X##csrlsvqrHost(cusolverSpHandle_t handle, int m, int nnz,                              \
                                               const cusparseMatDescr_t descrA, const T *csrValA,                      \
                                               const int *csrRowPtrA, const int *csrColIndA, const T *b, R tol,        \
                                               int reorder, T *x, int *singularity);                                   \
  cusolverStatus_t cusolverSp##X##csrlsvcholHost(cusolverSpHandle_t handle, int m, int nnz,                            \
                                                 const cusparseMatDescr_t descrA, const T *csrVal,                     \
                                                 const int *csrRowPtr, const int *csrColInd, const T *b, R tol,        \
                                                 int reorder, T *x, int *singularity);                                 \
  cusolverStatus_t cusolverSp##X##csrlsvchol(cusolverSpHandle_t handle, int m, int nnz,                                \
                                             const cusparseMatDescr_t descrA, const T *csrVal, const int *csrRowPtr,   \
                                             const int *csrColInd, const T *b, R tol, int reorder, T *x,               \
                                             int *singularity);                                                        \
  cusolverStatus_t cusolverSp##X##csrlsqvqrHost(cusolverSpHandle_t handle, int m, int n, int nnz,                      \
                                                const cusparseMatDescr_t descrA, const T *csrValA,                     \
                                                const int *csrRowPtrA, const int *csrColIndA, const T *b, R tol,       \
                                                int *rankA, T *x, int *p, R *min_norm);                                \
  cusolverStatus_t cusolverSp##X##csreigvsiHost(cusolverSpHandle_t handle, int m, int nnz,                             \
                                                const cusparseMatDescr_t descrA, const T *csrValA,                     \
                                                const int *csrRowPtrA, const int *csrColIndA, T mu0, const T *x0,      \
                                                int maxite, R tol, T *mu, T *x);                                       \
  cusolverStatus_t cusolverSp##X##csreigvsi(cusolverSpHandle_t handle, int m, int nnz,                                 \
                                            const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,  \
                                            const int *csrColIndA, T mu0, const T *x0, int maxite, R eps, T *mu,       \
                                            T *x);                                                                     \
  cusolverStatus_t cusolverSp##X##csreigsHost(cusolverSpHandle_t handle, int m, int nnz,                               \
                                              const cusparseMatDescr_t descrA, const T *csrValA,                       \
                                              const int *csrRowPtrA, const int *csrColIndA, BOX left_bottom_corner,    \
                                              BOX right_upper_corner, int *num_eigs);                                  \
  cusolverStatus_t cusolverSp##X##csrzfdHost(cusolverSpHandle_t handle, int n, int nnz,                                \
                                             const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA, \
                                             const int *csrColIndA, int *P, int *numnz);                               \
  cusolverStatus_t cusolverSp##X##csrqrBufferInfoBatched(                                                              \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, const T *csrVal,              \
      const int *csrRowPtr, const int *csrColInd, int batchSize, csrqrInfo_t info, size_t *internalDataInBytes,        \
      size_t *workspaceInBytes);                                                                                       \
  cusolverStatus_t cusolverSp##X##csrqrsvBatched(cusolverSpHandle_t handle, int m, int n, int nnz,                     \
                                                 const cusparseMatDescr_t descrA, const T *csrValA,                    \
                                                 const int *csrRowPtrA, const int *csrColIndA, const T *b, T *x,       \
                                                 int batchSize, csrqrInfo_t info, void *pBuffer);
__SIMSIGHT_SPARSE(float, float, cuComplex, S)
__SIMSIGHT_SPARSE(double, double, cuDoubleComplex, D)
__SIMSIGHT_SPARSE(cuComplex, float, cuComplex, C)
__SIMSIGHT_SPARSE(cuDoubleComplex, double, cuDoubleComplex, Z)
#undef __SIMSIGHT_SPARSE

#define __SIMSIGHT_ORDER(NAME)                                                                                         \
  cusolverStatus_t cusolverSpX##NAME(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,      \
                                     const int *csrRowPtrA, const int *csrColIndA, int *p);
__SIMSIGHT_ORDER(csrsymrcmHost)
__SIMSIGHT_ORDER(csrsymmdqHost)
__SIMSIGHT_ORDER(csrsymamdHost)
#undef __SIMSIGHT_ORDER
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                                           const int *csrRowPtrA, const int *csrColIndA, const int64_t *options,
                                           int *p);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                                   const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                                   const int *csrColIndA, const int *p, const int *q,
                                                   size_t *bufferSizeInBytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                        const cusparseMatDescr_t descrA, int *csrRowPtrA, int *csrColIndA,
                                        const int *p, const int *q, int *map, void *pBuffer);
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t *info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                                 const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                                 const int *csrColIndA, csrqrInfo_t info);
#ifdef __cplusplus
}
#endif
