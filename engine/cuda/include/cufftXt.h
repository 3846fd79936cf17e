/* cuFFT's further calls: plans by types of elements, and several GPUs. Callbacks are refused where they are called. */
#pragma once
#define _CUFFTXT_H_
#include "cudalibxt.h"
#include "cufft.h"

typedef enum cufftXtSubFormat_t {
  CUFFT_XT_FORMAT_INPUT = 0,
  CUFFT_XT_FORMAT_OUTPUT = 1,
  CUFFT_XT_FORMAT_INPLACE = 2,
  CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 3,
  CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 4,
  CUFFT_XT_FORMAT_DISTRIBUTED_INPUT = 5,
  CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT = 6,
  CUFFT_FORMAT_UNDEFINED = 7
} cufftXtSubFormat;
typedef enum cufftXtCopyType_t {
  CUFFT_COPY_HOST_TO_DEVICE = 0,
  CUFFT_COPY_DEVICE_TO_HOST = 1,
  CUFFT_COPY_DEVICE_TO_DEVICE = 2,
  CUFFT_COPY_UNDEFINED = 3
} cufftXtCopyType;
typedef enum cufftXtQueryType_t { CUFFT_QUERY_1D_FACTORS = 0, CUFFT_QUERY_UNDEFINED = 1 } cufftXtQueryType;
typedef struct cufftXt1dFactors_t {
  long long int size, stringCount, stringLength, substringLength, factor1, factor2;
  long long int stringMask, substringMask, factor1Mask, factor2Mask;
  int stringShift, substringShift, factor1Shift, factor2Shift;
} cufftXt1dFactors;
typedef enum cufftXtWorkAreaPolicy_t {
  CUFFT_WORKAREA_MINIMAL = 0,
  CUFFT_WORKAREA_USER = 1,
  CUFFT_WORKAREA_PERFORMANCE = 2
} cufftXtWorkAreaPolicy;
typedef enum cufftXtCallbackType_t {
  CUFFT_CB_LD_COMPLEX = 0,
  CUFFT_CB_LD_COMPLEX_DOUBLE = 1,
  CUFFT_CB_LD_REAL = 2,
  CUFFT_CB_LD_REAL_DOUBLE = 3,
  CUFFT_CB_ST_COMPLEX = 4,
  CUFFT_CB_ST_COMPLEX_DOUBLE = 5,
  CUFFT_CB_ST_REAL = 6,
  CUFFT_CB_ST_REAL_DOUBLE = 7,
  CUFFT_CB_UNDEFINED = 8
} cufftXtCallbackType;
typedef cufftComplex (*cufftCallbackLoadC)(void *in, size_t offset, void *info, void *shared);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void *in, size_t offset, void *info, void *shared);
typedef cufftReal (*cufftCallbackLoadR)(void *in, size_t offset, void *info, void *shared);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void *in, size_t offset, void *info, void *shared);
typedef void (*cufftCallbackStoreC)(void *out, size_t offset, cufftComplex element, void *info, void *shared);
typedef void (*cufftCallbackStoreZ)(void *out, size_t offset, cufftDoubleComplex element, void *info, void *shared);
typedef void (*cufftCallbackStoreR)(void *out, size_t offset, cufftReal element, void *info, void *shared);
typedef void (*cufftCallbackStoreD)(void *out, size_t offset, cufftDoubleReal element, void *info, void *shared);

#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                long long int istride, long long int idist, cudaDataType inputtype,
                                long long int *onembed, long long int ostride, long long int odist,
                                cudaDataType outputtype, long long int batch, size_t *workSize,
                                cudaDataType executiontype);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, cudaDataType inputtype,
                               long long int *onembed, long long int ostride, long long int odist,
                               cudaDataType outputtype, long long int batch, size_t *workSize,
                               cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy policy, size_t *workSize);
cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *gpus);
cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **descriptor, cufftXtSubFormat format);
cufftResult cufftXtMemcpy(cufftHandle plan, void *to, void *from, cufftXtCopyType type);
cufftResult cufftXtFree(cudaLibXtDesc *descriptor);
cufftResult cufftXtSetWorkArea(cufftHandle plan, void **workArea);
cufftResult cufftXtQueryPlan(cufftHandle plan, void *queryStruct, cufftXtQueryType queryType);
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction);
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction);
cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out);
cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out);
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction);
cufftResult cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out);
cufftResult cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out);
cufftResult cufftXtSetCallback(cufftHandle plan, void **routine, cufftXtCallbackType type, void **info);
cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType type);
cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType type, size_t bytes);
#ifdef __cplusplus
}
#endif
