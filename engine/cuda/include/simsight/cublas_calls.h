/*
 * cuBLAS's calls that have sizes, increments, leading dimensions or numbers of matrices. `cublas_api.h` includes this once with sizes of
 * 32 bits and once with 64, for the names that end with `_64`: __BLAS_INT is a size, __BLAS_CALL declares a call, and __BLAS_V2 one whose
 * exported name has `_v2` in it.
 */

__BLAS_CALL(cublasSetVector, __BLAS_INT n, __BLAS_INT elemSize, const void *x, __BLAS_INT incx, void *y, __BLAS_INT incy)
__BLAS_CALL(cublasGetVector, __BLAS_INT n, __BLAS_INT elemSize, const void *x, __BLAS_INT incx, void *y, __BLAS_INT incy)
__BLAS_CALL(cublasSetMatrix, __BLAS_INT rows, __BLAS_INT cols, __BLAS_INT elemSize, const void *a, __BLAS_INT lda, void *b, __BLAS_INT ldb)
__BLAS_CALL(cublasGetMatrix, __BLAS_INT rows, __BLAS_INT cols, __BLAS_INT elemSize, const void *a, __BLAS_INT lda, void *b, __BLAS_INT ldb)
__BLAS_CALL(cublasSetVectorAsync, __BLAS_INT n, __BLAS_INT elemSize, const void *x, __BLAS_INT incx, void *y, __BLAS_INT incy, cudaStream_t stream)
__BLAS_CALL(cublasGetVectorAsync, __BLAS_INT n, __BLAS_INT elemSize, const void *x, __BLAS_INT incx, void *y, __BLAS_INT incy, cudaStream_t stream)
__BLAS_CALL(cublasSetMatrixAsync, __BLAS_INT rows, __BLAS_INT cols, __BLAS_INT elemSize, const void *a, __BLAS_INT lda, void *b, __BLAS_INT ldb, cudaStream_t stream)
__BLAS_CALL(cublasGetMatrixAsync, __BLAS_INT rows, __BLAS_INT cols, __BLAS_INT elemSize, const void *a, __BLAS_INT lda, void *b, __BLAS_INT ldb, cudaStream_t stream)
#define __BLAS_TYPE(T, X, I) \
  __BLAS_V2(cublas##X##axpy, cublasHandle_t h, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##scal, cublasHandle_t h, __BLAS_INT n, const T *alpha, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##dot, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *result) \
  __BLAS_V2(cublas##X##nrm2, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, T *result) \
  __BLAS_V2(cublas##X##asum, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, T *result) \
  __BLAS_V2(cublas##X##copy, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##swap, cublasHandle_t h, __BLAS_INT n, T *x, __BLAS_INT incx, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublasI##I##amax, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, __BLAS_INT *result) \
  __BLAS_V2(cublasI##I##amin, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, __BLAS_INT *result) \
  __BLAS_V2(cublas##X##gemv, cublasHandle_t h, cublasOperation_t trans, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##ger, cublasHandle_t h, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *a, __BLAS_INT lda) \
  __BLAS_CALL(cublas##X##geam, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *beta, const T *b, __BLAS_INT ldb, T *c, __BLAS_INT ldc) \
  __BLAS_V2(cublas##X##trsm, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, T *b, __BLAS_INT ldb) \
  __BLAS_V2(cublas##X##syrk, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *beta, T *c, __BLAS_INT ldc)
__BLAS_TYPE(float, S, s)
__BLAS_TYPE(double, D, d)
#undef __BLAS_TYPE
#define __BLAS_TYPE(T, X, CALL) \
  CALL(cublas##X##gemm, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, const T *beta, T *c, __BLAS_INT ldc) \
  __BLAS_CALL(cublas##X##gemmBatched, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *const a[], __BLAS_INT lda, const T *const b[], __BLAS_INT ldb, const T *beta, T *const c[], __BLAS_INT ldc, __BLAS_INT batchCount) \
  __BLAS_CALL(cublas##X##gemmStridedBatched, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, long long strideA, const T *b, __BLAS_INT ldb, long long strideB, const T *beta, T *c, __BLAS_INT ldc, long long strideC, __BLAS_INT batchCount)
__BLAS_TYPE(float, S, __BLAS_V2)
__BLAS_TYPE(double, D, __BLAS_V2)
__BLAS_TYPE(cuComplex, C, __BLAS_V2)
__BLAS_TYPE(cuDoubleComplex, Z, __BLAS_V2)
#ifdef __cplusplus
__BLAS_TYPE(__half, H, __BLAS_CALL)
#endif
#undef __BLAS_TYPE


/* Of the three levels, what is not above: other forms of matrices, complex vectors, rotations. */
#define __BLAS_TYPE(T, X, R) \
  __BLAS_V2(cublas##X##gbmv, cublasHandle_t h, cublasOperation_t trans, __BLAS_INT m, __BLAS_INT n, __BLAS_INT kl, __BLAS_INT ku, const T *alpha, const T *a, __BLAS_INT lda, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##symv, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_CALL(cublas##X##gemvBatched, cublasHandle_t h, cublasOperation_t trans, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *const a[], __BLAS_INT lda, const T *const x[], __BLAS_INT incx, const T *beta, T *const y[], __BLAS_INT incy, __BLAS_INT batchCount) \
  __BLAS_CALL(cublas##X##gemvStridedBatched, cublasHandle_t h, cublasOperation_t trans, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, long long strideA, const T *x, __BLAS_INT incx, long long strideX, const T *beta, T *y, __BLAS_INT incy, long long strideY, __BLAS_INT batchCount) \
  __BLAS_V2(cublas##X##trmv, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT n, const T *a, __BLAS_INT lda, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##trsv, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT n, const T *a, __BLAS_INT lda, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##tbmv, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT n, __BLAS_INT k, const T *a, __BLAS_INT lda, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##tbsv, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT n, __BLAS_INT k, const T *a, __BLAS_INT lda, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##tpmv, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT n, const T *a, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##tpsv, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT n, const T *a, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##syr, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, T *a, __BLAS_INT lda) \
  __BLAS_V2(cublas##X##syr2, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *a, __BLAS_INT lda) \
  __BLAS_V2(cublas##X##symm, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, const T *beta, T *c, __BLAS_INT ldc) \
  __BLAS_V2(cublas##X##syr2k, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, const T *beta, T *c, __BLAS_INT ldc) \
  __BLAS_CALL(cublas##X##syrkx, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, const T *beta, T *c, __BLAS_INT ldc) \
  __BLAS_V2(cublas##X##trmm, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, T *c, __BLAS_INT ldc) \
  __BLAS_CALL(cublas##X##trsmBatched, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *const a[], __BLAS_INT lda, T *const b[], __BLAS_INT ldb, __BLAS_INT batchCount) \
  __BLAS_CALL(cublas##X##dgmm, cublasHandle_t h, cublasSideMode_t side, __BLAS_INT m, __BLAS_INT n, const T *a, __BLAS_INT lda, const T *x, __BLAS_INT incx, T *c, __BLAS_INT ldc) \
  __BLAS_V2(cublas##X##rot, cublasHandle_t h, __BLAS_INT n, T *x, __BLAS_INT incx, T *y, __BLAS_INT incy, const R *c, const T *s)
__BLAS_TYPE(float, S, float)
__BLAS_TYPE(double, D, double)
__BLAS_TYPE(cuComplex, C, float)
__BLAS_TYPE(cuDoubleComplex, Z, double)
#undef __BLAS_TYPE

#define __BLAS_TYPE(T, X) \
  __BLAS_V2(cublas##X##rotm, cublasHandle_t h, __BLAS_INT n, T *x, __BLAS_INT incx, T *y, __BLAS_INT incy, const T *param) \
  __BLAS_V2(cublas##X##sbmv, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##spmv, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *a, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##spr, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, T *a) \
  __BLAS_V2(cublas##X##spr2, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *a) \
  __BLAS_CALL(cublas##X##gemmGroupedBatched, cublasHandle_t h, const cublasOperation_t transa[], const cublasOperation_t transb[], const __BLAS_INT m[], const __BLAS_INT n[], const __BLAS_INT k[], const T alpha[], const T *const a[], const __BLAS_INT lda[], const T *const b[], const __BLAS_INT ldb[], const T beta[], T *const c[], const __BLAS_INT ldc[], __BLAS_INT groupCount, const __BLAS_INT groupSize[])
__BLAS_TYPE(float, S)
__BLAS_TYPE(double, D)
#undef __BLAS_TYPE

#define __BLAS_TYPE(T, X, I, R, r, Q) \
  __BLAS_V2(cublas##X##axpy, cublasHandle_t h, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##scal, cublasHandle_t h, __BLAS_INT n, const T *alpha, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##r##scal, cublasHandle_t h, __BLAS_INT n, const R *alpha, T *x, __BLAS_INT incx) \
  __BLAS_V2(cublas##X##copy, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##swap, cublasHandle_t h, __BLAS_INT n, T *x, __BLAS_INT incx, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##dotu, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *result) \
  __BLAS_V2(cublas##X##dotc, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *result) \
  __BLAS_V2(cublas##Q##asum, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, R *result) \
  __BLAS_V2(cublas##Q##nrm2, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, R *result) \
  __BLAS_V2(cublasI##I##amax, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, __BLAS_INT *result) \
  __BLAS_V2(cublasI##I##amin, cublasHandle_t h, __BLAS_INT n, const T *x, __BLAS_INT incx, __BLAS_INT *result) \
  __BLAS_V2(cublas##X##r##rot, cublasHandle_t h, __BLAS_INT n, T *x, __BLAS_INT incx, T *y, __BLAS_INT incy, const R *c, const R *s) \
  __BLAS_V2(cublas##X##gemv, cublasHandle_t h, cublasOperation_t trans, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##hemv, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##hbmv, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##hpmv, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *a, const T *x, __BLAS_INT incx, const T *beta, T *y, __BLAS_INT incy) \
  __BLAS_V2(cublas##X##geru, cublasHandle_t h, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *a, __BLAS_INT lda) \
  __BLAS_V2(cublas##X##gerc, cublasHandle_t h, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *a, __BLAS_INT lda) \
  __BLAS_V2(cublas##X##her, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const R *alpha, const T *x, __BLAS_INT incx, T *a, __BLAS_INT lda) \
  __BLAS_V2(cublas##X##her2, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *a, __BLAS_INT lda) \
  __BLAS_V2(cublas##X##hpr, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const R *alpha, const T *x, __BLAS_INT incx, T *a) \
  __BLAS_V2(cublas##X##hpr2, cublasHandle_t h, cublasFillMode_t uplo, __BLAS_INT n, const T *alpha, const T *x, __BLAS_INT incx, const T *y, __BLAS_INT incy, T *a) \
  __BLAS_V2(cublas##X##hemm, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, const T *beta, T *c, __BLAS_INT ldc) \
  __BLAS_V2(cublas##X##syrk, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *beta, T *c, __BLAS_INT ldc) \
  __BLAS_V2(cublas##X##herk, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const R *alpha, const T *a, __BLAS_INT lda, const R *beta, T *c, __BLAS_INT ldc) \
  __BLAS_V2(cublas##X##her2k, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, const R *beta, T *c, __BLAS_INT ldc) \
  __BLAS_CALL(cublas##X##herkx, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, const R *beta, T *c, __BLAS_INT ldc) \
  __BLAS_V2(cublas##X##trsm, cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, T *b, __BLAS_INT ldb) \
  __BLAS_CALL(cublas##X##geam, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, const T *alpha, const T *a, __BLAS_INT lda, const T *beta, const T *b, __BLAS_INT ldb, T *c, __BLAS_INT ldc) \
  __BLAS_CALL(cublas##X##gemm3m, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, __BLAS_INT k, const T *alpha, const T *a, __BLAS_INT lda, const T *b, __BLAS_INT ldb, const T *beta, T *c, __BLAS_INT ldc)
__BLAS_TYPE(cuComplex, C, c, float, s, Sc)
__BLAS_TYPE(cuDoubleComplex, Z, z, double, d, Dz)
#undef __BLAS_TYPE


/* Vectors of a type that is an argument. */
__BLAS_CALL(cublasDotEx, cublasHandle_t h, __BLAS_INT n, const void *x, cudaDataType xType, __BLAS_INT incx, const void *y, cudaDataType yType, __BLAS_INT incy, void *result, cudaDataType resultType, cudaDataType executionType)
__BLAS_CALL(cublasDotcEx, cublasHandle_t h, __BLAS_INT n, const void *x, cudaDataType xType, __BLAS_INT incx, const void *y, cudaDataType yType, __BLAS_INT incy, void *result, cudaDataType resultType, cudaDataType executionType)
__BLAS_CALL(cublasNrm2Ex, cublasHandle_t h, __BLAS_INT n, const void *x, cudaDataType xType, __BLAS_INT incx, void *result, cudaDataType resultType, cudaDataType executionType)
__BLAS_CALL(cublasAxpyEx, cublasHandle_t h, __BLAS_INT n, const void *alpha, cudaDataType alphaType, const void *x, cudaDataType xType, __BLAS_INT incx, void *y, cudaDataType yType, __BLAS_INT incy, cudaDataType executionType)
__BLAS_CALL(cublasScalEx, cublasHandle_t h, __BLAS_INT n, const void *alpha, cudaDataType alphaType, void *x, cudaDataType xType, __BLAS_INT incx, cudaDataType executionType)
__BLAS_CALL(cublasCsyrkEx, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const cuComplex *alpha, const void *a, cudaDataType aType, __BLAS_INT lda, const cuComplex *beta, void *c, cudaDataType cType, __BLAS_INT ldc)
__BLAS_CALL(cublasCsyrk3mEx, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const cuComplex *alpha, const void *a, cudaDataType aType, __BLAS_INT lda, const cuComplex *beta, void *c, cudaDataType cType, __BLAS_INT ldc)
__BLAS_CALL(cublasCherkEx, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const float *alpha, const void *a, cudaDataType aType, __BLAS_INT lda, const float *beta, void *c, cudaDataType cType, __BLAS_INT ldc)
__BLAS_CALL(cublasCherk3mEx, cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, __BLAS_INT n, __BLAS_INT k, const float *alpha, const void *a, cudaDataType aType, __BLAS_INT lda, const float *beta, void *c, cudaDataType cType, __BLAS_INT ldc)
__BLAS_CALL(cublasRotEx, cublasHandle_t h, __BLAS_INT n, void *x, cudaDataType xType, __BLAS_INT incx, void *y, cudaDataType yType, __BLAS_INT incy, const void *c, const void *s, cudaDataType csType, cudaDataType executionType)
__BLAS_CALL(cublasGemmGroupedBatchedEx, cublasHandle_t h, const cublasOperation_t transa[], const cublasOperation_t transb[], const __BLAS_INT m[], const __BLAS_INT n[], const __BLAS_INT k[], const void *alpha, const void *const a[], cudaDataType aType, const __BLAS_INT lda[], const void *const b[], cudaDataType bType, const __BLAS_INT ldb[], const void *beta, void *const c[], cudaDataType cType, const __BLAS_INT ldc[], __BLAS_INT groupCount, const __BLAS_INT groupSize[], cublasComputeType_t computeType)
__BLAS_CALL(cublasGemmEx, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, __BLAS_INT k, const void *alpha, const void *a, cudaDataType aType, __BLAS_INT lda, const void *b, cudaDataType bType, __BLAS_INT ldb, const void *beta, void *c, cudaDataType cType, __BLAS_INT ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
__BLAS_CALL(cublasGemmStridedBatchedEx, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, __BLAS_INT k, const void *alpha, const void *a, cudaDataType aType, __BLAS_INT lda, long long strideA, const void *b, cudaDataType bType, __BLAS_INT ldb, long long strideB, const void *beta, void *c, cudaDataType cType, __BLAS_INT ldc, long long strideC, __BLAS_INT batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
__BLAS_CALL(cublasGemmBatchedEx, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, __BLAS_INT k, const void *alpha, const void *const a[], cudaDataType aType, __BLAS_INT lda, const void *const b[], cudaDataType bType, __BLAS_INT ldb, const void *beta, void *const c[], cudaDataType cType, __BLAS_INT ldc, __BLAS_INT batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
__BLAS_CALL(cublasSgemmEx, cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, __BLAS_INT m, __BLAS_INT n, __BLAS_INT k, const float *alpha, const void *a, cudaDataType aType, __BLAS_INT lda, const void *b, cudaDataType bType, __BLAS_INT ldb, const float *beta, void *c, cudaDataType cType, __BLAS_INT ldc)
