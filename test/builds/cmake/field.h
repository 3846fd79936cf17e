#pragma once
#ifdef __CUDACC__
__device__ int advanced(int value, int step);
#endif
#ifdef __cplusplus
extern "C" {
#endif
int start(int i);
int sum(int n);
#ifdef __cplusplus
}
#endif
