/*
 * The kernels behind cuFFT's calls, compiled for one precision: CUFFT_SINGLE or CUFFT_DOUBLE is defined. `cufft.ts` launches
 * them and knows `struct Pass`; `cufft-passes.ts` says which passes a transform is made of.
 *
 * A pass transforms lines of n elements, wherever they lie: a block has some of them in shared memory and carries out
 * Stockham's stages of radix 8, 4, 2, 3, 5 and 7 there. All transforms are forward: others exchange real and imaginary parts
 * when they load and when they store.
 */
#if CUFFT_SINGLE
typedef float Real;
typedef float2 Complex;
#define NAME(kernel) cufft_##kernel##_single
__device__ inline void sincosOfPi(Real x, Real *s, Real *c) { sincospif(x, s, c); }
#else
typedef double Real;
typedef double2 Complex;
#define NAME(kernel) cufft_##kernel##_double
__device__ inline void sincosOfPi(Real x, Real *s, Real *c) { sincospi(x, s, c); }
#endif

const int mostLoops = 6, mostStages = 12, mostLines = 128;

struct Pass {
  const void *in;
  void *out;
  /* exp(-2 pi i k / n); of a chirp: its own. */
  const Complex *table;
  /* Elements from one to the next, and from an index to the next one of a whole line of real numbers. */
  long long inStride, outStride, realStride;
  /* Elements of that whole line; how much an element here and a step of each loop go ahead in it. */
  long long whole, inAhead, outAhead;
  /* Of the factors between two passes: exp(-2 pi i k column / twist), 0: none. */
  long long twist;
  long long inOf[mostLoops], outOf[mostLoops], inLoopAhead[mostLoops], outLoopAhead[mostLoops];
  double scale;
  int sizes[mostLoops];
  int loops, lines, perBlock, shift, n, stages;
  unsigned magic;
  /* The neighbours in memory are elements of one line, or lines. */
  int inLines, outLines, swapIn, swapOut;
  /* 0 complex, 1 real, 2 half of a Hermitian line. */
  int load, store;
  int radix[mostStages], span[mostStages];
  unsigned spanMagic[mostStages], countMagic[mostStages];
  /* Of a chirp: elements that are there, others are zeros. */
  int filled;
};

__device__ inline Complex make(Real x, Real y) { return {x, y}; }
__device__ inline Complex operator+(Complex a, Complex b) { return make(a.x + b.x, a.y + b.y); }
__device__ inline Complex operator-(Complex a, Complex b) { return make(a.x - b.x, a.y - b.y); }
__device__ inline Complex operator*(Complex a, Complex b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ inline Complex operator*(Complex a, Real b) { return make(a.x * b, a.y * b); }
/* Times -i. */
__device__ inline Complex turned(Complex a) { return make(a.y, -a.x); }
/* Exact for dividends and divisors of at most 16 bits; magic = 2^32 / divisor + 1, 0 for the divisor 1. */
__device__ inline unsigned quotient(unsigned a, unsigned magic) { return magic == 0 ? a : __umulhi(a, magic); }

__device__ inline void transform2(Complex *v) {
  const Complex a = v[0] + v[1], b = v[0] - v[1];
  v[0] = a, v[1] = b;
}
__device__ inline void transform4(Complex *v) {
  const Complex a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned(v[1] - v[3]);
  v[0] = a + c, v[1] = b + d, v[2] = a - c, v[3] = b - d;
}
__device__ inline void transform8(Complex *v) {
  Complex a[4] = {v[0], v[2], v[4], v[6]}, b[4] = {v[1], v[3], v[5], v[7]};
  transform4(a);
  transform4(b);
  const Real h = (Real)0.70710678118654752440;
  b[1] = make(b[1].x + b[1].y, b[1].y - b[1].x) * h;
  b[2] = turned(b[2]);
  b[3] = make(b[3].y - b[3].x, -b[3].x - b[3].y) * h;
  for (int k = 0; k < 4; ++k) v[k] = a[k] + b[k], v[k + 4] = a[k] - b[k];
}
/* Odd ones by sums and differences of opposite elements: cosines and sines of 2 pi k / R. */
template <int R> __device__ inline void transformOdd(Complex *v, const Real *cosines, const Real *sines) {
  Complex sum[R / 2], difference[R / 2];
  const Complex first = v[0];
  Complex total = first;
  for (int k = 0; k < R / 2; ++k) {
    sum[k] = v[k + 1] + v[R - 1 - k];
    difference[k] = turned(v[k + 1] - v[R - 1 - k]);
    total = total + sum[k];
  }
  v[0] = total;
#pragma unroll
  for (int j = 1; j <= R / 2; ++j) {
    Complex a = first, b = make(0, 0);
#pragma unroll
    for (int k = 0; k < R / 2; ++k) {
      const int m = j * (k + 1) % R;
      a = a + sum[k] * cosines[m];
      b = b + difference[k] * sines[m];
    }
    v[j] = a + b, v[R - j] = a - b;
  }
}
__device__ inline void transform3(Complex *v) {
  const Real c[3] = {1, (Real)-0.5, (Real)-0.5}, s = (Real)0.86602540378443864676, t[3] = {0, s, -s};
  transformOdd<3>(v, c, t);
}
__device__ inline void transform5(Complex *v) {
  const Real c1 = (Real)0.30901699437494742410, c2 = (Real)-0.80901699437494742410;
  const Real s1 = (Real)0.95105651629515357212, s2 = (Real)0.58778525229247312917;
  const Real c[5] = {1, c1, c2, c2, c1}, s[5] = {0, s1, s2, -s2, -s1};
  transformOdd<5>(v, c, s);
}
__device__ inline void transform7(Complex *v) {
  const Real c1 = (Real)0.62348980185873353053, c2 = (Real)-0.22252093395631440429, c3 = (Real)-0.90096886790241912624;
  const Real s1 = (Real)0.78183148246802980871, s2 = (Real)0.97492791218182360702, s3 = (Real)0.43388373911755812048;
  const Real c[7] = {1, c1, c2, c3, c3, c2, c1}, s[7] = {0, s1, s2, s3, -s3, -s2, -s1};
  transformOdd<7>(v, c, s);
}

template <int R> __device__ inline void transform(Complex *v) {
  if (R == 2) transform2(v);
  if (R == 3) transform3(v);
  if (R == 4) transform4(v);
  if (R == 5) transform5(v);
  if (R == 7) transform7(v);
  if (R == 8) transform8(v);
}

/* One stage of all of the block's lines, from one half of shared memory to the other. */
template <int R> __device__ void stage(const Pass &p, int s, const Complex *from, Complex *to) {
  const unsigned count = p.n / R, span = p.span[s], all = count << p.shift, step = count / span;
  for (unsigned q = threadIdx.x; q < all; q += blockDim.x) {
    const unsigned line = quotient(q, p.countMagic[s]), j = q - line * count;
    const unsigned group = quotient(j, p.spanMagic[s]), k = j - group * span;
    const Complex *const in = from + line * p.n + j;
    Complex v[R];
#pragma unroll
    for (int r = 0; r < R; ++r) v[r] = in[r * count];
    if (span > 1) {
#pragma unroll
      for (int r = 1; r < R; ++r) v[r] = v[r] * p.table[r * k * step];
    }
    transform<R>(v);
    Complex *const out = to + line * p.n + group * span * R + k;
#pragma unroll
    for (int r = 0; r < R; ++r) out[r * span] = v[r];
  }
}

/* Where the lines of a block lie. */
struct Lines {
  long long in[mostLines], out[mostLines], inAhead[mostLines], outAhead[mostLines];
  int column[mostLines];
};

__device__ inline void findLine(const Pass &p, int line, Lines *found, int at) {
  long long in = 0, out = 0, inAhead = 0, outAhead = 0;
  int column = 0;
  for (int loop = 0; loop < p.loops; ++loop) {
    const int index = line % p.sizes[loop];
    line /= p.sizes[loop];
    if (loop == 0) column = index;
    in += p.inOf[loop] * index, out += p.outOf[loop] * index;
    inAhead += p.inLoopAhead[loop] * index, outAhead += p.outLoopAhead[loop] * index;
  }
  found->in[at] = in, found->out[at] = out;
  found->inAhead[at] = inAhead, found->outAhead[at] = outAhead;
  found->column[at] = column;
}

template <bool complexOnly> __device__ inline Complex loadElement(const Pass &p, const Lines &lines, int line, int k) {
  const long long at = lines.in[line] + p.inStride * k;
  Complex v;
  if (complexOnly || p.load == 0) v = ((const Complex *)p.in)[at];
  else if (p.load == 1) v = make(((const Real *)p.in)[at], 0);
  else {
    const long long index = lines.inAhead[line] + p.inAhead * k;
    const bool mirrored = 2 * index > p.whole;
    v = ((const Complex *)p.in)[mirrored ? at + (p.whole - 2 * index) * p.realStride : at];
    if (mirrored) v.y = -v.y;
  }
  return p.swapIn ? make(v.y, v.x) : v;
}

template <bool complexOnly>
__device__ inline void storeElement(const Pass &p, const Lines &lines, int line, int k, Complex v) {
  const long long at = lines.out[line] + p.outStride * k;
  if (p.twist != 0) {
    const long long turns = (long long)lines.column[line] * k % p.twist;
    Real s, c;
    sincosOfPi((Real)(-2.0 * (double)turns / (double)p.twist), &s, &c);
    v = v * make(c, s);
  }
  if (p.swapOut) v = make(v.y, v.x);
  if (complexOnly || p.store == 0) ((Complex *)p.out)[at] = v;
  else if (p.store == 1) ((Real *)p.out)[at] = v.x;
  else if (2 * (lines.outAhead[line] + p.outAhead * k) <= p.whole) ((Complex *)p.out)[at] = v;
}

template <bool complexOnly> __device__ void transformLines(const Pass &p) {
  extern __shared__ double2 memory[];
  __shared__ Lines lines;
  const int first = blockIdx.x << p.shift, here = min(p.perBlock, p.lines - first), n = p.n;
  if (threadIdx.x < here) findLine(p, first + threadIdx.x, &lines, threadIdx.x);
  __syncthreads();
  Complex *from = (Complex *)memory, *to = from + (n << p.shift);
  const int all = n << p.shift;
  for (int e = threadIdx.x; e < all; e += blockDim.x) {
    const int line = p.inLines ? e & (p.perBlock - 1) : (int)quotient(e, p.magic);
    const int k = p.inLines ? e >> p.shift : e - line * n;
    from[line * n + k] = line < here ? loadElement<complexOnly>(p, lines, line, k) : make(0, 0);
  }
  for (int s = 0; s < p.stages; ++s) {
    __syncthreads();
    switch (p.radix[s]) {
    case 8: stage<8>(p, s, from, to); break;
    case 4: stage<4>(p, s, from, to); break;
    case 2: stage<2>(p, s, from, to); break;
    case 3: stage<3>(p, s, from, to); break;
    case 5: stage<5>(p, s, from, to); break;
    default: stage<7>(p, s, from, to);
    }
    Complex *const other = from;
    from = to, to = other;
  }
  __syncthreads();
  for (int e = threadIdx.x; e < all; e += blockDim.x) {
    const int line = p.outLines ? e & (p.perBlock - 1) : (int)quotient(e, p.magic);
    const int k = p.outLines ? e >> p.shift : e - line * n;
    if (line < here) storeElement<complexOnly>(p, lines, line, k, from[line * n + k]);
  }
}

extern "C" __global__ void __launch_bounds__(256) NAME(complex)(Pass p) { transformLines<true>(p); }
extern "C" __global__ void __launch_bounds__(256) NAME(real)(Pass p) { transformLines<false>(p); }

/*
 * Bluestein's algorithm for lengths with other prime factors ("A linear filtering approach to the computation of discrete
 * Fourier transform", 1970): lines are multiplied by a chirp, convolved with its conjugate, and multiplied again. A thread
 * has an element of each line, a block goes over lines.
 */
template <class Act> __device__ inline void forElements(const Pass &p, Act act) {
  __shared__ Lines lines;
  for (int line = blockIdx.y; line < p.lines; line += gridDim.y) {
    __syncthreads();
    if (threadIdx.x == 0) findLine(p, line, &lines, 0);
    __syncthreads();
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < p.n) act(lines, k);
  }
}
extern "C" __global__ void __launch_bounds__(256) NAME(chirp_in)(Pass p) {
  forElements(p, [&](const Lines &lines, int k) {
    const Complex v = k < p.filled ? loadElement<false>(p, lines, 0, k) * p.table[k] : make(0, 0);
    ((Complex *)p.out)[lines.out[0] + k] = v;
  });
}
extern "C" __global__ void __launch_bounds__(256) NAME(chirp_multiply)(Pass p) {
  forElements(p, [&](const Lines &lines, int k) {
    Complex *const at = (Complex *)p.out + lines.out[0] + k;
    *at = *at * p.table[k];
  });
}
extern "C" __global__ void __launch_bounds__(256) NAME(chirp_out)(Pass p) {
  forElements(p, [&](const Lines &lines, int k) {
    const Complex v = ((const Complex *)p.in)[lines.in[0] + k] * p.table[k] * (Real)p.scale;
    storeElement<false>(p, lines, 0, k, v);
  });
}
