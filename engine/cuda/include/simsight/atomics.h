/*
 * Atomic functions under CUDA's names, over Clang's. `_block` and `_system` variants have the scopes of the programming
 * guide; those that Clang has no builtin for are compare-and-swap loops, as on hardware.
 */
#pragma once

#define __SIMSIGHT_ATOMIC __device__ static __forceinline__

/* atomicAdd, atomicSub */
__SIMSIGHT_ATOMIC int atomicAdd(int *address, int value) { return __iAtomicAdd(address, value); }
__SIMSIGHT_ATOMIC int atomicAdd_block(int *address, int value) { return __iAtomicAdd_block(address, value); }
__SIMSIGHT_ATOMIC int atomicAdd_system(int *address, int value) { return __iAtomicAdd_system(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicAdd(unsigned int *address, unsigned int value) { return __uAtomicAdd(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicAdd_block(unsigned int *address, unsigned int value) { return __uAtomicAdd_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicAdd_system(unsigned int *address, unsigned int value) { return __uAtomicAdd_system(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicAdd(unsigned long long *address, unsigned long long value) { return __ullAtomicAdd(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicAdd_block(unsigned long long *address, unsigned long long value) { return __ullAtomicAdd_block(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicAdd_system(unsigned long long *address, unsigned long long value) { return __ullAtomicAdd_system(address, value); }
__SIMSIGHT_ATOMIC float atomicAdd(float *address, float value) { return __fAtomicAdd(address, value); }
__SIMSIGHT_ATOMIC float atomicAdd_block(float *address, float value) { return __fAtomicAdd_block(address, value); }
__SIMSIGHT_ATOMIC float atomicAdd_system(float *address, float value) { return __fAtomicAdd_system(address, value); }
/* Programs bring their own for older GPUs, under the same condition. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
__SIMSIGHT_ATOMIC double atomicAdd(double *address, double value) { return __dAtomicAdd(address, value); }
__SIMSIGHT_ATOMIC double atomicAdd_block(double *address, double value) { return __dAtomicAdd_block(address, value); }
__SIMSIGHT_ATOMIC double atomicAdd_system(double *address, double value) { return __dAtomicAdd_system(address, value); }
#endif
__SIMSIGHT_ATOMIC int atomicSub(int *address, int value) { return atomicAdd(address, (int)-value); }
__SIMSIGHT_ATOMIC int atomicSub_block(int *address, int value) { return atomicAdd_block(address, (int)-value); }
__SIMSIGHT_ATOMIC int atomicSub_system(int *address, int value) { return atomicAdd_system(address, (int)-value); }
__SIMSIGHT_ATOMIC unsigned int atomicSub(unsigned int *address, unsigned int value) { return atomicAdd(address, (unsigned int)-value); }
__SIMSIGHT_ATOMIC unsigned int atomicSub_block(unsigned int *address, unsigned int value) { return atomicAdd_block(address, (unsigned int)-value); }
__SIMSIGHT_ATOMIC unsigned int atomicSub_system(unsigned int *address, unsigned int value) { return atomicAdd_system(address, (unsigned int)-value); }

/* atomicExch */
__SIMSIGHT_ATOMIC int atomicExch(int *address, int value) { return __iAtomicExch(address, value); }
__SIMSIGHT_ATOMIC int atomicExch_block(int *address, int value) { return __iAtomicExch_block(address, value); }
__SIMSIGHT_ATOMIC int atomicExch_system(int *address, int value) { return __iAtomicExch_system(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicExch(unsigned int *address, unsigned int value) { return __uAtomicExch(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicExch_block(unsigned int *address, unsigned int value) { return __uAtomicExch_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicExch_system(unsigned int *address, unsigned int value) { return __uAtomicExch_system(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicExch(unsigned long long *address, unsigned long long value) { return __ullAtomicExch(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicExch_block(unsigned long long *address, unsigned long long value) { return __ullAtomicExch_block(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicExch_system(unsigned long long *address, unsigned long long value) { return __ullAtomicExch_system(address, value); }
__SIMSIGHT_ATOMIC float atomicExch(float *address, float value) { return __fAtomicExch(address, value); }
__SIMSIGHT_ATOMIC float atomicExch_block(float *address, float value) { return __fAtomicExch_block(address, value); }
__SIMSIGHT_ATOMIC float atomicExch_system(float *address, float value) { return __fAtomicExch_system(address, value); }

/* atomicMin, atomicMax */
__SIMSIGHT_ATOMIC int atomicMin(int *address, int value) { return __iAtomicMin(address, value); }
__SIMSIGHT_ATOMIC int atomicMin_block(int *address, int value) { return __iAtomicMin_block(address, value); }
__SIMSIGHT_ATOMIC int atomicMin_system(int *address, int value) { return __iAtomicMin_system(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicMin(unsigned int *address, unsigned int value) { return __uAtomicMin(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicMin_block(unsigned int *address, unsigned int value) { return __uAtomicMin_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicMin_system(unsigned int *address, unsigned int value) { return __uAtomicMin_system(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicMin(unsigned long long *address, unsigned long long value) { return __ullAtomicMin(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicMin_block(unsigned long long *address, unsigned long long value) { return __ullAtomicMin_block(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicMin_system(unsigned long long *address, unsigned long long value) { return __ullAtomicMin_system(address, value); }
__SIMSIGHT_ATOMIC long long atomicMin(long long *address, long long value) { return __illAtomicMin(address, value); }
__SIMSIGHT_ATOMIC long long atomicMin_block(long long *address, long long value) { return __illAtomicMin_block(address, value); }
__SIMSIGHT_ATOMIC long long atomicMin_system(long long *address, long long value) { return __illAtomicMin_system(address, value); }
__SIMSIGHT_ATOMIC int atomicMax(int *address, int value) { return __iAtomicMax(address, value); }
__SIMSIGHT_ATOMIC int atomicMax_block(int *address, int value) { return __iAtomicMax_block(address, value); }
__SIMSIGHT_ATOMIC int atomicMax_system(int *address, int value) { return __iAtomicMax_system(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicMax(unsigned int *address, unsigned int value) { return __uAtomicMax(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicMax_block(unsigned int *address, unsigned int value) { return __uAtomicMax_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicMax_system(unsigned int *address, unsigned int value) { return __uAtomicMax_system(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicMax(unsigned long long *address, unsigned long long value) { return __ullAtomicMax(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicMax_block(unsigned long long *address, unsigned long long value) { return __ullAtomicMax_block(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicMax_system(unsigned long long *address, unsigned long long value) { return __ullAtomicMax_system(address, value); }
__SIMSIGHT_ATOMIC long long atomicMax(long long *address, long long value) { return __illAtomicMax(address, value); }
__SIMSIGHT_ATOMIC long long atomicMax_block(long long *address, long long value) { return __illAtomicMax_block(address, value); }
__SIMSIGHT_ATOMIC long long atomicMax_system(long long *address, long long value) { return __illAtomicMax_system(address, value); }

/* atomicInc, atomicDec */
__SIMSIGHT_ATOMIC unsigned int atomicInc(unsigned int *address, unsigned int value) { return __uAtomicInc(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicInc_block(unsigned int *address, unsigned int value) { return __uAtomicInc_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicInc_system(unsigned int *address, unsigned int value) { return __uAtomicInc_system(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicDec(unsigned int *address, unsigned int value) { return __uAtomicDec(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicDec_block(unsigned int *address, unsigned int value) { return __uAtomicDec_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicDec_system(unsigned int *address, unsigned int value) { return __uAtomicDec_system(address, value); }

/* atomicCAS */
__SIMSIGHT_ATOMIC int atomicCAS(int *address, int compare, int value) {
  return __iAtomicCAS(address, compare, value);
}
__SIMSIGHT_ATOMIC int atomicCAS_block(int *address, int compare, int value) {
  return __iAtomicCAS_block(address, compare, value);
}
__SIMSIGHT_ATOMIC int atomicCAS_system(int *address, int compare, int value) {
  return __iAtomicCAS_system(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned int atomicCAS(unsigned int *address, unsigned int compare, unsigned int value) {
  return __uAtomicCAS(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned int atomicCAS_block(unsigned int *address, unsigned int compare, unsigned int value) {
  return __uAtomicCAS_block(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned int atomicCAS_system(unsigned int *address, unsigned int compare, unsigned int value) {
  return __uAtomicCAS_system(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned long long atomicCAS(unsigned long long *address, unsigned long long compare, unsigned long long value) {
  return __ullAtomicCAS(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned long long atomicCAS_block(unsigned long long *address, unsigned long long compare, unsigned long long value) {
  return __ullAtomicCAS_block(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned long long atomicCAS_system(unsigned long long *address, unsigned long long compare, unsigned long long value) {
  return __ullAtomicCAS_system(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned short atomicCAS(unsigned short *address, unsigned short compare, unsigned short value) {
  return __usAtomicCAS(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned short atomicCAS_block(unsigned short *address, unsigned short compare, unsigned short value) {
  return __usAtomicCAS_block(address, compare, value);
}
__SIMSIGHT_ATOMIC unsigned short atomicCAS_system(unsigned short *address, unsigned short compare, unsigned short value) {
  return __usAtomicCAS_system(address, compare, value);
}

/* atomicAnd, atomicOr, atomicXor */
__SIMSIGHT_ATOMIC int atomicAnd(int *address, int value) { return __iAtomicAnd(address, value); }
__SIMSIGHT_ATOMIC int atomicAnd_block(int *address, int value) { return __iAtomicAnd_block(address, value); }
__SIMSIGHT_ATOMIC int atomicAnd_system(int *address, int value) { return __iAtomicAnd_system(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicAnd(unsigned int *address, unsigned int value) { return __uAtomicAnd(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicAnd_block(unsigned int *address, unsigned int value) { return __uAtomicAnd_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicAnd_system(unsigned int *address, unsigned int value) { return __uAtomicAnd_system(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicAnd(unsigned long long *address, unsigned long long value) { return __ullAtomicAnd(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicAnd_block(unsigned long long *address, unsigned long long value) { return __ullAtomicAnd_block(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicAnd_system(unsigned long long *address, unsigned long long value) { return __ullAtomicAnd_system(address, value); }
__SIMSIGHT_ATOMIC long long atomicAnd(long long *address, long long value) { return __llAtomicAnd(address, value); }
__SIMSIGHT_ATOMIC long long atomicAnd_block(long long *address, long long value) { return __llAtomicAnd_block(address, value); }
__SIMSIGHT_ATOMIC long long atomicAnd_system(long long *address, long long value) { return __llAtomicAnd_system(address, value); }
__SIMSIGHT_ATOMIC int atomicOr(int *address, int value) { return __iAtomicOr(address, value); }
__SIMSIGHT_ATOMIC int atomicOr_block(int *address, int value) { return __iAtomicOr_block(address, value); }
__SIMSIGHT_ATOMIC int atomicOr_system(int *address, int value) { return __iAtomicOr_system(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicOr(unsigned int *address, unsigned int value) { return __uAtomicOr(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicOr_block(unsigned int *address, unsigned int value) { return __uAtomicOr_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicOr_system(unsigned int *address, unsigned int value) { return __uAtomicOr_system(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicOr(unsigned long long *address, unsigned long long value) { return __ullAtomicOr(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicOr_block(unsigned long long *address, unsigned long long value) { return __ullAtomicOr_block(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicOr_system(unsigned long long *address, unsigned long long value) { return __ullAtomicOr_system(address, value); }
__SIMSIGHT_ATOMIC long long atomicOr(long long *address, long long value) { return __llAtomicOr(address, value); }
__SIMSIGHT_ATOMIC long long atomicOr_block(long long *address, long long value) { return __llAtomicOr_block(address, value); }
__SIMSIGHT_ATOMIC long long atomicOr_system(long long *address, long long value) { return __llAtomicOr_system(address, value); }
__SIMSIGHT_ATOMIC int atomicXor(int *address, int value) { return __iAtomicXor(address, value); }
__SIMSIGHT_ATOMIC int atomicXor_block(int *address, int value) { return __iAtomicXor_block(address, value); }
__SIMSIGHT_ATOMIC int atomicXor_system(int *address, int value) { return __iAtomicXor_system(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicXor(unsigned int *address, unsigned int value) { return __uAtomicXor(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicXor_block(unsigned int *address, unsigned int value) { return __uAtomicXor_block(address, value); }
__SIMSIGHT_ATOMIC unsigned int atomicXor_system(unsigned int *address, unsigned int value) { return __uAtomicXor_system(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicXor(unsigned long long *address, unsigned long long value) { return __ullAtomicXor(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicXor_block(unsigned long long *address, unsigned long long value) { return __ullAtomicXor_block(address, value); }
__SIMSIGHT_ATOMIC unsigned long long atomicXor_system(unsigned long long *address, unsigned long long value) { return __ullAtomicXor_system(address, value); }
__SIMSIGHT_ATOMIC long long atomicXor(long long *address, long long value) { return __llAtomicXor(address, value); }
__SIMSIGHT_ATOMIC long long atomicXor_block(long long *address, long long value) { return __llAtomicXor_block(address, value); }
__SIMSIGHT_ATOMIC long long atomicXor_system(long long *address, long long value) { return __llAtomicXor_system(address, value); }

#undef __SIMSIGHT_ATOMIC
