// Kernels one after the other, and as one: what one stores for the next to load goes through memory and back.
#include "../lab.h"

constexpr int threads = 256;

__global__ void scale(const float *x, float a, float *scaled) {
  const int i = blockIdx.x * threads + threadIdx.x;
  scaled[i] = a * x[i];
}
__global__ void add(const float *x, const float *y, float *sum) {
  const int i = blockIdx.x * threads + threadIdx.x;
  sum[i] = x[i] + y[i];
}
__global__ void addScale(const float *x, const float *y, float a, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = a * (x[i] + y[i]);
}
__global__ void saxpy(const float *x, float a, const float *y, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = a * x[i] + y[i];
}
__global__ void saxpyVectors(const float4 *x, float a, const float4 *y, float4 *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float4 p = x[i], q = y[i];
  out[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
}

// Softmax of rows, in steps as a framework makes them of an expression: largest element, exponentials, their sum, quotients.
constexpr int columns = 4 * threads; // of a row; a block per row

/** What all threads of the block have, by `combine`; each gets it. */
template <class Combine> __device__ float ofBlock(float value, Combine combine) {
  __shared__ float warps[threads / 32];
  for (int lanes = 16; lanes > 0; lanes /= 2) value = combine(value, __shfl_xor_sync(~0u, value, lanes));
  __syncthreads(); // those of the call before are no longer wanted
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = warps[0];
  for (int warp = 1; warp < threads / 32; ++warp) value = combine(value, warps[warp]);
  return value;
}
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
/** The same of what each has of `values`. */
template <class Combine> __device__ float ofRow(const float *values, Combine combine) {
  return ofBlock(combine(combine(values[0], values[threads]), combine(values[2 * threads], values[3 * threads])), combine);
}

__global__ void rowLargest(const float *x, float *largest) {
  const float value = ofRow(x + blockIdx.x * columns + threadIdx.x, Larger());
  if (threadIdx.x == 0) largest[blockIdx.x] = value;
}
__global__ void exponentials(const float *x, const float *largest, float *powers) {
  const int i = blockIdx.x * threads + threadIdx.x;
  powers[i] = expf(x[i] - largest[i / columns]);
}
__global__ void rowSum(const float *powers, float *sums) {
  const float value = ofRow(powers + blockIdx.x * columns + threadIdx.x, Sum());
  if (threadIdx.x == 0) sums[blockIdx.x] = value;
}
__global__ void quotients(const float *powers, const float *sums, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = powers[i] / sums[i / columns];
}

// The row stays in registers.
__global__ void softmax(const float *x, float *out) {
  x += blockIdx.x * columns + threadIdx.x, out += blockIdx.x * columns + threadIdx.x;
  float row[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) row[i] = x[i * threads];
  const float largest = ofBlock(fmaxf(fmaxf(row[0], row[1]), fmaxf(row[2], row[3])), Larger());
#pragma unroll
  for (float &element : row) element = expf(element - largest);
  const float sum = ofBlock(row[0] + row[1] + row[2] + row[3], Sum());
#pragma unroll
  for (int i = 0; i < 4; ++i) out[i * threads] = row[i] / sum;
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 24);
  const int n = lab.size, blocks = n / threads, rows = n / columns;
  if (n % columns != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", columns), 2;
  const float a = 1.75f;
  // Whole numbers and eighths: products with 1.75 are exact, fused or not. Quotients of their exponentials are far from underflow, near
  // which a division takes twice as many instructions.
  std::vector<float> hostX(n), hostY(n);
  for (int i = 0; i < n; ++i) hostX[i] = float(i % 4093), hostY[i] = float(i % 61) / 8;
  Device<float> x(hostX), y(hostY), between(n), out(n);

  const auto wrong = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (int i = 0; i < n; ++i) count += result[i] * 4.0f != 7.0f * hostX[i] + 4.0f * hostY[i];
    return count;
  };
  const auto quads = [](const Device<float> &words) { return reinterpret_cast<float4 *>(words.data); };
  lab.variant("separate", out, [&] { scale<<<blocks, threads>>>(x, a, between), add<<<blocks, threads>>>(between, y, out); }, wrong);
  lab.variant("fused", out, [&] { saxpy<<<blocks, threads>>>(x, a, y, out); }, wrong);
  lab.variant("vectors", out, [&] { saxpyVectors<<<blocks / 4, threads>>>(quads(x), a, quads(y), quads(out)); }, wrong);

  const auto wrongScaled = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (int i = 0; i < n; ++i) count += result[i] * 4.0f != 7.0f * (hostX[i] + hostY[i]);
    return count;
  };
  lab.variant("add-scale", out, [&] { add<<<blocks, threads>>>(x, y, between), scale<<<blocks, threads>>>(between, a, out); }, wrongScaled);
  lab.variant("add-scale-fused", out, [&] { addScale<<<blocks, threads>>>(x, y, a, out); }, wrongScaled);

  // Of some rows, and as near as float gets.
  const auto wrongSoftmax = [&](const std::vector<float> &result) {
    size_t count = 0;
    for (int row = 0; row < rows; row += 13) {
      const float *const in = &hostY[size_t(row) * columns], largest = *std::max_element(in, in + columns);
      double sum = 0;
      for (int i = 0; i < columns; ++i) sum += std::exp(double(in[i] - largest));
      for (int i = 0; i < columns; ++i) {
        const double quotient = std::exp(double(in[i] - largest)) / sum;
        count += !(std::fabs(result[size_t(row) * columns + i] - quotient) <= 1e-5 * quotient + 1e-35);
      }
    }
    return count;
  };
  Device<float> largest(rows), sums(rows);
  const auto inSteps = [&] {
    rowLargest<<<rows, threads>>>(y, largest);
    exponentials<<<blocks, threads>>>(y, largest, between);
    rowSum<<<rows, threads>>>(between, sums);
    quotients<<<blocks, threads>>>(between, sums, out);
  };
  lab.variant("softmax", out, inSteps, wrongSoftmax);
  lab.variant("softmax-fused", out, [&] { softmax<<<rows, threads>>>(y, out); }, wrongSoftmax);
  return lab.end();
}
