/*
 * What cuFFT's transforms on several GPUs need beside the kernels of `cufft.cu`: the factors between the two steps of a line that is spread
 * over them. `cufft-xt.ts` launches it.
 */
template <class Complex, class Real, class Turn>
__device__ inline void multiply(Complex *values, int columns, long long first, long long length, int count, int inverse,
                                Turn turn) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const long long row = i / columns, column = first + i % columns;
    Real s, c;
    turn((Real)((inverse ? 2.0 : -2.0) * (double)(row * column % length) / (double)length), &s, &c);
    const Complex v = values[i];
    values[i] = {v.x * c - v.y * s, v.x * s + v.y * c};
  }
}
extern "C" __global__ void __launch_bounds__(256)
    cufft_factors_single(float2 *values, int columns, long long first, long long length, int count, int inverse) {
  multiply<float2, float>(values, columns, first, length, count, inverse,
                          [](float x, float *s, float *c) { sincospif(x, s, c); });
}
extern "C" __global__ void __launch_bounds__(256)
    cufft_factors_double(double2 *values, int columns, long long first, long long length, int count, int inverse) {
  multiply<double2, double>(values, columns, first, length, count, inverse,
                            [](double x, double *s, double *c) { sincospi(x, s, c); });
}
