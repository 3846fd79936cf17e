/*
 * What the kernels of eigenvalues and singular values have in common. One type per compilation: SOLVER_FLOAT,
 * SOLVER_DOUBLE, SOLVER_COMPLEX or SOLVER_DOUBLE_COMPLEX is defined. Matrices lie column by column.
 */
#pragma once
#define JOINED(X, REST) cusolver_##X##REST
#include "typed.cuh"

/* Half of what 1 and the next number differ by, and what is nothing beside 1 in every respect. */
constexpr Real epsilon = sizeof(Real) == 8 ? 1.1102230246251565e-16 : 5.9604644775390625e-8f;
constexpr Real nothing = epsilon * epsilon;

template <class R> __device__ inline R scaled(R a, R by) { return a * by; }
template <class R> __device__ inline Complex<R> scaled(Complex<R> a, R by) { return {a.x * by, a.y * by}; }
template <class R> __device__ inline R signOf(R a) { return a < 0 ? R(-1) : R(1); }

/* A power of two that brings the largest number of a block's threads to about 1, so that no square is too large or too small. */
__device__ inline Real scaleOverBlock(Real most) {
  __shared__ Real largest[mostWarps];
  for (int mask = 16; mask > 0; mask /= 2) most = fmax(most, otherLane(most, mask));
  __syncthreads();
  if (threadIdx.x % 32 == 0) largest[threadIdx.x / 32] = most;
  __syncthreads();
  for (int w = 0; w < blockDim.x / 32; ++w) most = fmax(most, largest[w]);
  return most > 0 && isfinite(most) ? scalbn(Real(1), -ilogb(most)) : Real(1);
}
/*
 * The reflector H = I - tau v v', v[0] = 1, whose H' leaves of a column only its first number, which is real: by a
 * block. v takes the column's place.
 */
__device__ inline void reflector(int m, T *column, T *tau, Real *first) {
  Real squares = 0;
  for (int i = 1 + threadIdx.x; i < m; i += blockDim.x) squares += square(column[i]);
  squares = sumOverBlock(squares);
  const T alpha = column[0];
  __syncthreads();
  const bool needed = squares != 0 || imaginaryPart(alpha) != 0;
  const Real length = sqrt(squares + square(alpha));
  const Real beta = !needed ? realPart(alpha) : realPart(alpha) >= 0 ? -length : length;
  const T scale = needed ? T(1) / (alpha - T(beta)) : T(0);
  for (int i = 1 + threadIdx.x; i < m; i += blockDim.x) column[i] = column[i] * scale;
  if (threadIdx.x == 0) {
    column[0] = T(1);
    *tau = needed ? (T(beta) - alpha) / T(beta) : T(0);
    *first = beta;
  }
  __syncthreads();
}

/* What turns two columns: `from`, which the last rotation left, and `to`, which the next goes on with. */
struct Rotation {
  Real c, s;
  int from, to;
};
/* What an iteration knows between two launches of it. */
struct Iteration {
  int at, tries, rotations, done;
};
