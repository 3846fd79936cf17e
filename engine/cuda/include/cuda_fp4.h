/* Floating point of 4 bits: __nv_fp4_e2m1 (0, 0.5, 1, 1.5, 2, 3, 4, 6), alone, in pairs and in fours, without gaps. */
#pragma once
#define __CUDA_FP4_H__
#define __CUDA_FP4_TYPES_EXIST__
#include "cuda_fp6.h"

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#ifdef __cplusplus
#define __SIMSIGHT_FP4(kind, call) ((void)(kind), __simsight_small<1, 2>::call)
__SIMSIGHT_SMALL_CALLS(4, 4, __SIMSIGHT_FP4)
#undef __SIMSIGHT_FP4
__SIMSIGHT_SMALL_TYPES(4, 4, e2m1, __NV_E2M1, 1)
#endif
