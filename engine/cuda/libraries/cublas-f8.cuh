/* Products of 8-bit floats of cuBLASLt, of all combinations of types; `cublas-f8.ts` says which there are. */
#pragma once
#include <cuda_fp8.h>

/* What goes with them. Types as `cudaDataType`; a scale is 1 where its pointer is null, as where its matrix has more than 8 bits. */
struct Scales {
  const float *a, *b, *d;
  /* Is told the largest magnitude of the results, before they are scaled. */
  float *largest;
  int typeA, typeB, typeC, typeD, typeBias;
};
enum { TYPE_F32 = 0, TYPE_F16 = 2, TYPE_BF16 = 14, TYPE_E4M3 = 28, TYPE_E5M2 = 29 };

__device__ inline float elementOf(const void *matrix, size_t i, int type) {
  if (type == TYPE_F32) return ((const float *)matrix)[i];
  return type == TYPE_F16 ? widen<float>(((const __half *)matrix)[i]) : widen<float>(((const Bfloat16 *)matrix)[i]);
}
__device__ inline void setElement(void *matrix, size_t i, int type, float value) {
  if (type == TYPE_F32) ((float *)matrix)[i] = value;
  else if (type == TYPE_F16) ((__half *)matrix)[i] = narrow<__half>(value);
  else if (type == TYPE_BF16) ((Bfloat16 *)matrix)[i] = narrow<Bfloat16>(value);
  else ((__nv_fp8_storage_t *)matrix)[i] = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, type == TYPE_E4M3 ? __NV_E4M3 : __NV_E5M2);
}
__device__ inline float scaleAt(const float *at) { return at ? *at : 1; }
__device__ inline Elements elementsOf(int type) { return {1, type == TYPE_E4M3 ? sliceOfE4m3 : sliceOfE5m2}; }

extern "C" __global__ void __launch_bounds__(32)
    cublasLt_f8gemm_tiles_64x64(Matrices p, Epilogue e, float alphaValue, float betaValue, Scales s) {
  const float alpha = scalar(alphaValue, p.alphaAt, 0) * scaleAt(s.a) * scaleAt(s.b), beta = scalar(betaValue, p.betaAt, 0);
  const float scale = scaleAt(s.d);
  float largest = 0;
  sumsByTiles<float, 64, 32>(p, p.k, elementsOf(s.typeA), elementsOf(s.typeB), [&](float sum, int x, int y, int batch) {
    float value = alpha * sum;
    if (beta != 0) value += beta * elementOf(e.c, (size_t)(batch * e.strideC) + (size_t)y * e.ldc + x, s.typeC);
    if (e.flags & EPILOGUE_BIAS) value += elementOf(e.bias, batch * e.strideBias + x, s.typeBias);
    if (e.flags & EPILOGUE_GELU) value = gelu(value);
    if (e.flags & EPILOGUE_RELU) value = fmaxf(value, 0);
    largest = fmaxf(largest, fabsf(value));
    setElement(p.c, (size_t)(batch * p.strideC) + (size_t)y * p.ldc + x, s.typeD, value * scale);
  });
  /* Floats that are not negative are ordered as their bits are. */
  if (s.largest) atomicMax((int *)s.largest, __float_as_int(largest));
}
