#pragma once

// Device code of the library, defined in lib/field.cu.
extern __constant__ float weights[3];
extern __device__ int steps;
__device__ float smoothed(const float *values, int i, int n);
__global__ void count_steps(int by);

void report(const char *what, double value);
