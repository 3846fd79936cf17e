/* Floating point of 6 bits: __nv_fp6_e2m3 (at most 7.5) and __nv_fp6_e3m2 (at most 28), alone, in pairs and in fours, a byte each. */
#pragma once
#define __CUDA_FP6_H__
#define __CUDA_FP6_TYPES_EXIST__
#include "simsight/small_floats.h"

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#ifdef __cplusplus
#define __SIMSIGHT_FP6(kind, call) (kind == __NV_E2M3 ? __simsight_small<3, 2>::call : __simsight_small<2, 3>::call)
__SIMSIGHT_SMALL_CALLS(6, 8, __SIMSIGHT_FP6)
#undef __SIMSIGHT_FP6
__SIMSIGHT_SMALL_TYPES(6, 8, e2m3, __NV_E2M3, 2)
__SIMSIGHT_SMALL_TYPES(6, 8, e3m2, __NV_E3M2, 2)
#endif
