/*
 * threadIdx, blockIdx, blockDim and gridDim, without what Clang knows of their ranges: nvcc makes no use of that. It divides
 * threadIdx.x with its sign, and keeps loops over threadIdx.x that no thread goes around twice (SASS of the H200 reference:
 * sgemm_reg). The translation reads these functions as the intrinsics that they stand for (engine/ir/parse.ts).
 */
#pragma once
#define SIMSIGHT_SREG(name) extern "C" __device__ __attribute__((const, noconvergent)) unsigned __simsight_sreg_##name(void);
SIMSIGHT_SREG(tid_x)
SIMSIGHT_SREG(tid_y)
SIMSIGHT_SREG(tid_z)
SIMSIGHT_SREG(ctaid_x)
SIMSIGHT_SREG(ctaid_y)
SIMSIGHT_SREG(ctaid_z)
SIMSIGHT_SREG(ntid_x)
SIMSIGHT_SREG(ntid_y)
SIMSIGHT_SREG(ntid_z)
SIMSIGHT_SREG(nctaid_x)
SIMSIGHT_SREG(nctaid_y)
SIMSIGHT_SREG(nctaid_z)
#undef SIMSIGHT_SREG
#define __nvvm_read_ptx_sreg_tid_x __simsight_sreg_tid_x
#define __nvvm_read_ptx_sreg_tid_y __simsight_sreg_tid_y
#define __nvvm_read_ptx_sreg_tid_z __simsight_sreg_tid_z
#define __nvvm_read_ptx_sreg_ctaid_x __simsight_sreg_ctaid_x
#define __nvvm_read_ptx_sreg_ctaid_y __simsight_sreg_ctaid_y
#define __nvvm_read_ptx_sreg_ctaid_z __simsight_sreg_ctaid_z
#define __nvvm_read_ptx_sreg_ntid_x __simsight_sreg_ntid_x
#define __nvvm_read_ptx_sreg_ntid_y __simsight_sreg_ntid_y
#define __nvvm_read_ptx_sreg_ntid_z __simsight_sreg_ntid_z
#define __nvvm_read_ptx_sreg_nctaid_x __simsight_sreg_nctaid_x
#define __nvvm_read_ptx_sreg_nctaid_y __simsight_sreg_nctaid_y
#define __nvvm_read_ptx_sreg_nctaid_z __simsight_sreg_nctaid_z
#include <__clang_cuda_builtin_vars.h>
#undef __nvvm_read_ptx_sreg_tid_x
#undef __nvvm_read_ptx_sreg_tid_y
#undef __nvvm_read_ptx_sreg_tid_z
#undef __nvvm_read_ptx_sreg_ctaid_x
#undef __nvvm_read_ptx_sreg_ctaid_y
#undef __nvvm_read_ptx_sreg_ctaid_z
#undef __nvvm_read_ptx_sreg_ntid_x
#undef __nvvm_read_ptx_sreg_ntid_y
#undef __nvvm_read_ptx_sreg_ntid_z
#undef __nvvm_read_ptx_sreg_nctaid_x
#undef __nvvm_read_ptx_sreg_nctaid_y
#undef __nvvm_read_ptx_sreg_nctaid_z
