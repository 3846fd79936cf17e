/* CUDA's language as attributes that Clang knows; versions that programs ask for. */
#pragma once

#define CUDART_VERSION 12080
#ifndef CUDA_VERSION
#define CUDA_VERSION 12080
#endif

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/*
 * Clang knows managed variables for HIP only. Here the host has the shadow variable that Clang makes for any device
 * variable; the device's, marked by its section, is put at the same address when the program registers it. Tables of
 * what is allocated count in 256 bytes.
 */
#define __managed__ __attribute__((device, used, section(".simsight.managed"), aligned(256)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
/* Lambdas for the device are as any other in Clang: their results have types on the host, too. */
#define __nv_is_extended_device_lambda_closure_type(T) false
#define __nv_is_extended_host_device_lambda_closure_type(T) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(T) false
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

/* __noinline__ is a keyword of Clang's in CUDA, and an attribute's name that libc++ uses elsewhere. */
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __cudart_builtin__
#define __device_builtin__
#define CUDART_CB
#define CUDARTAPI
#define CUDAAPI
#define CUDA_CB
