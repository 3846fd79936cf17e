/*
 * Every .cu file begins with this header, as with nvcc (-include). It is Simsight's own: a thin layer over the CUDA
 * headers that Clang brings along.
 *
 * The order matters. Clang's device declarations of the math functions have to stand before <cmath>, so that libc++
 * picks them up; the intrinsics need the vector types.
 */
#pragma once
#define __CUDA_RUNTIME_H__
#include "simsight/attributes.h"

#ifdef __CUDA__
#include <__clang_cuda_math_forward_declares.h>
#endif

#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <math.h>
#ifdef __cplusplus
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>
#endif

#include "vector_types.h"
#include "vector_functions.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"
#ifdef __cplusplus
#include "simsight/api_templates.h"
#endif

#ifdef __CUDA__
#include "simsight/builtin_variables.h"
/* What <<<…>>> becomes. */
extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0, void *stream = 0);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream);
#include "simsight/device.h"
#include "simsight/host_math.h"
/* A handle is the address of its condition. */
static inline __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
  *(volatile unsigned int *)handle = value;
}
#include "simsight/min_max.h"
#ifdef __cplusplus
#include "simsight/textures.h"
#endif
#endif
