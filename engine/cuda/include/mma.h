/*
 * Warp matrix functions: nvcuda::wmma. A fragment is what one lane holds of a matrix; loads, stores and products are
 * Clang's builtins, which become llvm.nvvm.wmma.*.
 */
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define __CUDA_MMA__
#ifdef __CUDA__
namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
} // namespace experimental

template <class T> struct __simsight_storage {
  typedef T type;
};
template <> struct __simsight_storage<precision::tf32> {
  typedef float type;
};

template <class T, int count> struct __align__(8) __simsight_fragment {
  typedef T element_type;
  typedef typename __simsight_storage<T>::type storage_element_type;
  enum { num_elements = count, num_storage_elements = count };
  storage_element_type x[count];
};

/* Shapes and types that hardware does not have stay incomplete. */
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

template <class T, int count>
__SIMSIGHT_D void fill_fragment(__simsight_fragment<T, count> &f,
                                const typename __simsight_fragment<T, count>::storage_element_type &value) {
#pragma unroll
  for (int i = 0; i < count; ++i) f.x[i] = value;
}

/* To the precision of tf32: to nearest, ties away from zero. */
__SIMSIGHT_D float __float_to_tf32(float value) {
  return __builtin_bit_cast(float, __nvvm_f2tf32_rna(value));
}

/* Number of a layout, or of a pair of layouts, as the builtins take it. */
template <class Layout> struct __simsight_layout;
template <> struct __simsight_layout<row_major> {
  enum { value = 0 };
};
template <> struct __simsight_layout<col_major> {
  enum { value = 1 };
};
#define __SIMSIGHT_LAYOUTS(A, B) (2 * __simsight_layout<A>::value + __simsight_layout<B>::value)

#define __SIMSIGHT_MATRIX(use, M, N, K, T, count, S, builtin)                                                          \
  template <class Layout>                                                                                              \
  class fragment<use, M, N, K, T, Layout> : public __simsight_fragment<T, count> {};                                   \
  template <class Layout>                                                                                              \
  __SIMSIGHT_D void load_matrix_sync(fragment<use, M, N, K, T, Layout> &f,                                             \
                                     const typename __simsight_storage<T>::type *p, unsigned ldm) {                    \
    builtin((S *)f.x, (const S *)p, ldm, __simsight_layout<Layout>::value);                                            \
  }
#define __SIMSIGHT_ACCUMULATOR(M, N, K, T, count, S, load, store)                                                      \
  template <> class fragment<accumulator, M, N, K, T, void> : public __simsight_fragment<T, count> {};                 \
  __SIMSIGHT_D void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned ldm, layout_t layout) { \
    if (layout == mem_row_major) load((S *)f.x, (const S *)p, ldm, 0);                                                 \
    else load((S *)f.x, (const S *)p, ldm, 1);                                                                         \
  }                                                                                                                    \
  __SIMSIGHT_D void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned ldm,                  \
                                      layout_t layout) {                                                               \
    if (layout == mem_row_major) store((S *)p, (const S *)f.x, ldm, 0);                                                \
    else store((S *)p, (const S *)f.x, ldm, 1);                                                                        \
  }
/* `saturate`: 0 or 1, a constant to the builtins. */
#define __SIMSIGHT_MMA(M, N, K, T, D, C, SA, SD, SC, builtin, saturated)                                               \
  template <class A, class B>                                                                                          \
  __SIMSIGHT_D void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, A> &a,         \
                             const fragment<matrix_b, M, N, K, T, B> &b, const fragment<accumulator, M, N, K, C> &c,   \
                             bool satf = false) {                                                                      \
    if (saturated && satf)                                                                                             \
      builtin((SD *)d.x, (const SA *)a.x, (const SA *)b.x, (const SC *)c.x, __SIMSIGHT_LAYOUTS(A, B), saturated);      \
    else builtin((SD *)d.x, (const SA *)a.x, (const SA *)b.x, (const SC *)c.x, __SIMSIGHT_LAYOUTS(A, B), 0);           \
  }

/* half, with sums in half or float */
__SIMSIGHT_MATRIX(matrix_a, 16, 16, 16, __half, 16, int, __hmma_m16n16k16_ld_a)
__SIMSIGHT_MATRIX(matrix_b, 16, 16, 16, __half, 16, int, __hmma_m16n16k16_ld_b)
__SIMSIGHT_ACCUMULATOR(16, 16, 16, __half, 8, int, __hmma_m16n16k16_ld_c_f16, __hmma_m16n16k16_st_c_f16)
__SIMSIGHT_ACCUMULATOR(16, 16, 16, float, 8, float, __hmma_m16n16k16_ld_c_f32, __hmma_m16n16k16_st_c_f32)
__SIMSIGHT_MMA(16, 16, 16, __half, __half, __half, int, int, int, __hmma_m16n16k16_mma_f16f16, 0)
__SIMSIGHT_MMA(16, 16, 16, __half, float, float, int, float, float, __hmma_m16n16k16_mma_f32f32, 0)
__SIMSIGHT_MMA(16, 16, 16, __half, float, __half, int, float, int, __hmma_m16n16k16_mma_f32f16, 0)
__SIMSIGHT_MMA(16, 16, 16, __half, __half, float, int, int, float, __hmma_m16n16k16_mma_f16f32, 0)
__SIMSIGHT_MATRIX(matrix_a, 32, 8, 16, __half, 16, int, __hmma_m32n8k16_ld_a)
__SIMSIGHT_MATRIX(matrix_b, 32, 8, 16, __half, 16, int, __hmma_m32n8k16_ld_b)
__SIMSIGHT_ACCUMULATOR(32, 8, 16, __half, 8, int, __hmma_m32n8k16_ld_c_f16, __hmma_m32n8k16_st_c_f16)
__SIMSIGHT_ACCUMULATOR(32, 8, 16, float, 8, float, __hmma_m32n8k16_ld_c_f32, __hmma_m32n8k16_st_c_f32)
__SIMSIGHT_MMA(32, 8, 16, __half, __half, __half, int, int, int, __hmma_m32n8k16_mma_f16f16, 0)
__SIMSIGHT_MMA(32, 8, 16, __half, float, float, int, float, float, __hmma_m32n8k16_mma_f32f32, 0)
__SIMSIGHT_MMA(32, 8, 16, __half, float, __half, int, float, int, __hmma_m32n8k16_mma_f32f16, 0)
__SIMSIGHT_MMA(32, 8, 16, __half, __half, float, int, int, float, __hmma_m32n8k16_mma_f16f32, 0)
__SIMSIGHT_MATRIX(matrix_a, 8, 32, 16, __half, 16, int, __hmma_m8n32k16_ld_a)
__SIMSIGHT_MATRIX(matrix_b, 8, 32, 16, __half, 16, int, __hmma_m8n32k16_ld_b)
__SIMSIGHT_ACCUMULATOR(8, 32, 16, __half, 8, int, __hmma_m8n32k16_ld_c_f16, __hmma_m8n32k16_st_c_f16)
__SIMSIGHT_ACCUMULATOR(8, 32, 16, float, 8, float, __hmma_m8n32k16_ld_c_f32, __hmma_m8n32k16_st_c_f32)
__SIMSIGHT_MMA(8, 32, 16, __half, __half, __half, int, int, int, __hmma_m8n32k16_mma_f16f16, 0)
__SIMSIGHT_MMA(8, 32, 16, __half, float, float, int, float, float, __hmma_m8n32k16_mma_f32f32, 0)
__SIMSIGHT_MMA(8, 32, 16, __half, float, __half, int, float, int, __hmma_m8n32k16_mma_f32f16, 0)
__SIMSIGHT_MMA(8, 32, 16, __half, __half, float, int, int, float, __hmma_m8n32k16_mma_f16f32, 0)
/* bytes, with sums in int */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
__SIMSIGHT_MATRIX(matrix_a, 16, 16, 16, signed char, 8, int, __imma_m16n16k16_ld_a_s8)
__SIMSIGHT_MATRIX(matrix_b, 16, 16, 16, signed char, 8, int, __imma_m16n16k16_ld_b_s8)
__SIMSIGHT_MATRIX(matrix_a, 16, 16, 16, unsigned char, 8, int, __imma_m16n16k16_ld_a_u8)
__SIMSIGHT_MATRIX(matrix_b, 16, 16, 16, unsigned char, 8, int, __imma_m16n16k16_ld_b_u8)
__SIMSIGHT_ACCUMULATOR(16, 16, 16, int, 8, int, __imma_m16n16k16_ld_c, __imma_m16n16k16_st_c_i32)
__SIMSIGHT_MMA(16, 16, 16, signed char, int, int, int, int, int, __imma_m16n16k16_mma_s8, 1)
__SIMSIGHT_MMA(16, 16, 16, unsigned char, int, int, int, int, int, __imma_m16n16k16_mma_u8, 1)
__SIMSIGHT_MATRIX(matrix_a, 32, 8, 16, signed char, 16, int, __imma_m32n8k16_ld_a_s8)
__SIMSIGHT_MATRIX(matrix_b, 32, 8, 16, signed char, 4, int, __imma_m32n8k16_ld_b_s8)
__SIMSIGHT_MATRIX(matrix_a, 32, 8, 16, unsigned char, 16, int, __imma_m32n8k16_ld_a_u8)
__SIMSIGHT_MATRIX(matrix_b, 32, 8, 16, unsigned char, 4, int, __imma_m32n8k16_ld_b_u8)
__SIMSIGHT_ACCUMULATOR(32, 8, 16, int, 8, int, __imma_m32n8k16_ld_c, __imma_m32n8k16_st_c_i32)
__SIMSIGHT_MMA(32, 8, 16, signed char, int, int, int, int, int, __imma_m32n8k16_mma_s8, 1)
__SIMSIGHT_MMA(32, 8, 16, unsigned char, int, int, int, int, int, __imma_m32n8k16_mma_u8, 1)
__SIMSIGHT_MATRIX(matrix_a, 8, 32, 16, signed char, 4, int, __imma_m8n32k16_ld_a_s8)
__SIMSIGHT_MATRIX(matrix_b, 8, 32, 16, signed char, 16, int, __imma_m8n32k16_ld_b_s8)
__SIMSIGHT_MATRIX(matrix_a, 8, 32, 16, unsigned char, 4, int, __imma_m8n32k16_ld_a_u8)
__SIMSIGHT_MATRIX(matrix_b, 8, 32, 16, unsigned char, 16, int, __imma_m8n32k16_ld_b_u8)
__SIMSIGHT_ACCUMULATOR(8, 32, 16, int, 8, int, __imma_m8n32k16_ld_c, __imma_m8n32k16_st_c_i32)
__SIMSIGHT_MMA(8, 32, 16, signed char, int, int, int, int, int, __imma_m8n32k16_mma_s8, 1)
__SIMSIGHT_MMA(8, 32, 16, unsigned char, int, int, int, int, int, __imma_m8n32k16_mma_u8, 1)
#endif
/* bfloat16, tf32 and double */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__SIMSIGHT_MATRIX(matrix_a, 16, 16, 16, __nv_bfloat16, 8, int, __mma_bf16_m16n16k16_ld_a)
__SIMSIGHT_MATRIX(matrix_b, 16, 16, 16, __nv_bfloat16, 8, int, __mma_bf16_m16n16k16_ld_b)
__SIMSIGHT_MMA(16, 16, 16, __nv_bfloat16, float, float, int, float, float, __mma_bf16_m16n16k16_mma_f32, 0)
__SIMSIGHT_MATRIX(matrix_a, 32, 8, 16, __nv_bfloat16, 16, int, __mma_bf16_m32n8k16_ld_a)
__SIMSIGHT_MATRIX(matrix_b, 32, 8, 16, __nv_bfloat16, 4, int, __mma_bf16_m32n8k16_ld_b)
__SIMSIGHT_MMA(32, 8, 16, __nv_bfloat16, float, float, int, float, float, __mma_bf16_m32n8k16_mma_f32, 0)
__SIMSIGHT_MATRIX(matrix_a, 8, 32, 16, __nv_bfloat16, 4, int, __mma_bf16_m8n32k16_ld_a)
__SIMSIGHT_MATRIX(matrix_b, 8, 32, 16, __nv_bfloat16, 16, int, __mma_bf16_m8n32k16_ld_b)
__SIMSIGHT_MMA(8, 32, 16, __nv_bfloat16, float, float, int, float, float, __mma_bf16_m8n32k16_mma_f32, 0)
__SIMSIGHT_MATRIX(matrix_a, 16, 16, 8, precision::tf32, 4, int, __mma_tf32_m16n16k8_ld_a)
__SIMSIGHT_MATRIX(matrix_b, 16, 16, 8, precision::tf32, 4, int, __mma_tf32_m16n16k8_ld_b)
__SIMSIGHT_ACCUMULATOR(16, 16, 8, float, 8, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
__SIMSIGHT_MMA(16, 16, 8, precision::tf32, float, float, int, float, float, __mma_tf32_m16n16k8_mma_f32, 0)
__SIMSIGHT_MATRIX(matrix_a, 8, 8, 4, double, 1, double, __dmma_m8n8k4_ld_a)
__SIMSIGHT_MATRIX(matrix_b, 8, 8, 4, double, 1, double, __dmma_m8n8k4_ld_b)
__SIMSIGHT_ACCUMULATOR(8, 8, 4, double, 2, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
__SIMSIGHT_MMA(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64, 0)
#endif

#undef __SIMSIGHT_MATRIX
#undef __SIMSIGHT_ACCUMULATOR
#undef __SIMSIGHT_MMA
#undef __SIMSIGHT_LAYOUTS
} // namespace wmma
} // namespace nvcuda
#endif
