/* std::max_align_t with one layout on host and device: in kernels a long double has 8 bytes, and nvcc gives this type the host's size. */
#ifndef __CLANG_MAX_ALIGN_T_DEFINED
#define __CLANG_MAX_ALIGN_T_DEFINED
typedef struct {
  long long __clang_max_align_nonce1 __attribute__((__aligned__(8)));
  struct {
    long long __words[2];
  } __clang_max_align_nonce2 __attribute__((__aligned__(16)));
} max_align_t;
#endif
