/** Kernels of every kind run on whole warps and give what a host-side computation gives. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { Device as SimulatedDevice } from '../../../engine/warp/device.ts';
import { compileModule, dim, download, launch as launchOn, upload } from './cuda.ts';

const source = `
__constant__ float coefficients[16];
__device__ int counter;
__device__ unsigned table[4] = {10, 20, 30, 40};
struct Pair { float *a; long n; unsigned char tag; };

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
#define TILE 16
__global__ void __launch_bounds__(256) matmul(const float *A, const float *B, float *C, int n) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
  float s = 0;
  for (int t = 0; t < n; t += TILE) {
    a[y][x] = A[row * n + t + x];
    b[y][x] = B[(t + y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) s += a[y][k] * b[k][x];
    __syncthreads();
  }
  C[row * n + col] = s;
}
__host__ __device__ inline int walk(int i, int v) {
  int s = 0;
  for (int k = 0; k < v; k++) {
    if (k == 7) continue;
    for (int j = 0; j < k; j++) {
      if ((i + j) % 5 == 0) break;
      s += j;
      if (s > 1000) goto done;
    }
    if (s % 11 == 10) { s += 3; continue; }
  }
done:
  switch (v & 7) {
    case 0: s += 1; break;
    case 1: s *= 3;
    case 2: s -= 4; break;
    case 5: s ^= 77; break;
  }
  return s;
}
__global__ void diverge(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = walk(i, in[i]);
}
__global__ void collatz(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
  if (i >= n) return;
  unsigned v = i + 1;
  while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; steps++; }
  out[i] = steps;
}
__global__ void reduce(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    if (threadIdx.x == 0) atomicAdd(out, s);
  }
}
__global__ void treeReduce(const int *in, int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void votes(unsigned *o) {
  int t = threadIdx.x;
  unsigned b = __ballot_sync(0xffffffff, t % 3 == 0);
  o[t] = b + __popc(__activemask()) + __any_sync(~0u, t == 5) + __all_sync(~0u, t < 31);
  o[32 + t] = __shfl_sync(~0u, t * t, (t * 7 + 3) & 31);
  o[64 + t] = __shfl_up_sync(~0u, t, 3, 8);
  if (t & 1) o[96 + t] = __activemask(); else o[96 + t] = __brev(t) ^ __clz(t);
  o[128 + t] = __shfl_down_sync(~0u, t + 100, t & 3);
}
__global__ void atomics(int *out, float *f, unsigned long long *big) {
  __shared__ int bins[8];
  int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[(t * t) & 7], t);
  __syncthreads();
  if (t < 8) atomicAdd(&out[t], bins[t]);
  atomicMax(&out[8], t * 3 % 101);
  atomicMin(&out[9], -t);
  atomicAdd(f, 0.5f);
  atomicAdd(big, 1ull << (t & 31));
  int old = out[10], seen;
  do { seen = old; old = atomicCAS(&out[10], seen, seen + t); } while (old != seen);
  atomicAdd(&counter, 1);
  if (atomicExch(&out[11], t) == -1) out[12] = t;
  atomicXor(&out[13], t); atomicOr(&out[14], t);
}
__global__ void types(double *d, long long *l, signed char *c, unsigned short *s, const float4 *v, float4 *w, int *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  d[i] = sqrt(d[i]) * 1.5 + i;
  l[i] = l[i] * l[i] % 1000003 + (l[i] << 7) - (l[i] / (i + 1));
  c[i] = c[i] * 3 + i;
  s[i] = s[i] / 7 + (s[i] >> (i & 7));
  float4 x = v[i];
  x.x *= 2; x.w += x.y;
  w[i] = x;
  q[i] = q[i] / (i - 20 ? i - 20 : 1) + q[i] % (i + 3) + (int)((unsigned)q[i] / (i + 2u)) + (q[i] << (i & 15)) + __mulhi(q[i], 1 << 20);
}
__global__ void locals(int *o, int k, Pair p) {
  int t[16], i = threadIdx.x;
  for (int j = 0; j < 16; j++) t[j] = o[j * 32 + i];
  int s = 0;
  for (int j = 0; j < k; j++) { s = t[(s + j) & 15]; t[j & 15] += s + i; }
  o[i] = s + table[k & 3] + table[i & 3];
  p.a[i] = p.n + p.tag + coefficients[k] + coefficients[i & 15];
}
__device__ __noinline__ float horner(float x, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) { if (s > 1e6f) return -1; s = s * x + i; }
  return s;
}
__global__ void calls(float *o) { o[threadIdx.x] = horner(o[threadIdx.x], threadIdx.x); }
__global__ void shape(int *o) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  int w = gridDim.x * blockDim.x, h = gridDim.y * blockDim.y;
  o[(z * h + y) * w + x] = x + 100 * y + 10000 * z + 1000000 * threadIdx.z;
}
__global__ void math(const float *in, float *out, int n) {
  int i = threadIdx.x;
  float x = in[i];
  out[0 * n + i] = sinf(x); out[1 * n + i] = expf(x); out[2 * n + i] = logf(x + 8); out[3 * n + i] = powf(x + 8, 1.5f);
  out[4 * n + i] = rsqrtf(x + 8); out[5 * n + i] = fmaf(x, x, 1e-3f); out[6 * n + i] = floorf(x) + rintf(x) + truncf(x);
  out[7 * n + i] = fminf(x, 0.25f) + fmaxf(x, -1.f); out[8 * n + i] = tanhf(x); out[9 * n + i] = x / (x + 9.f);
  out[10 * n + i] = (float)__float2int_rn(x) + (float)(int)x + (float)(unsigned)fabsf(x); out[11 * n + i] = sqrtf(x + 8) + fabsf(x) + erff(x);
}
__global__ void unsignedLoop(unsigned *o, int n) {
  // A uniform counter that lanes carry out of a loop at different times.
  int i = threadIdx.x, k = 0;
  for (;; k++) if (k * k >= i || k > n) break;
  o[i] = k;
}
__global__ void earlyReturnAndBarrier(int *o, int n) {
  __shared__ int s[64];
  int i = threadIdx.x;
  if (i >= n) return;
  s[i] = i * 2;
  __syncthreads();
  o[i] = s[n - 1 - i];
}
__global__ void guarded(int *o) { if (o) o[threadIdx.x] = 1; else __trap(); }
__global__ void badBarrier(int *o) { if (threadIdx.x < 7) { __syncthreads(); o[threadIdx.x] = 1; } else o[threadIdx.x] = 2; }
__global__ void outside(int *o, int i) { __shared__ int s[4]; s[threadIdx.x + i] = 1; __syncthreads(); o[threadIdx.x] = s[3 - threadIdx.x]; }
`;

let module: DeviceModule;
let device: Device;
const launch = (...args: [string, ReturnType<typeof dim>, ReturnType<typeof dim>, (number | Uint8Array)[], number?]) =>
  launchOn(
    device,
    module.kernels.map(({ name }) => name),
    ...args,
  );

beforeAll(async () => {
  module = await compileModule(source);
  device = SimulatedDevice.create([module], { memoryBytes: 1 << 30 });
});

const fround = Math.fround;
const random = (seed: number) => () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;

describe('straight-line and tiled kernels', () => {
  it('adds vectors with a ragged tail and leaves the rest alone', () => {
    const n = 1000;
    const a = Float32Array.from({ length: 1024 }, (_, i) => i * 0.5);
    const b = Float32Array.from({ length: 1024 }, (_, i) => 3 - i);
    const c = upload(device, new Float32Array(1024).fill(-7));
    launch('add', dim(8), dim(128), [upload(device, a), upload(device, b), c, n]);
    expect(download(device, c, a)).toEqual(a.map((x, i) => (i < n ? fround(x + (b[i] ?? 0)) : -7)));
  });

  it('runs blocks that are no multiple of 32', () => {
    const n = 150;
    const a = Float32Array.from({ length: n }, (_, i) => i);
    const c = upload(device, new Float32Array(n));
    launch('add', dim(3), dim(50), [upload(device, a), upload(device, a), c, n]);
    expect(download(device, c, a)).toEqual(a.map((x) => 2 * x));
  });

  it('multiplies matrices through shared memory with barriers in a loop', () => {
    const n = 64;
    const next = random(1);
    const a = Float32Array.from({ length: n * n }, () => Math.floor(next() * 9) - 4);
    const b = Float32Array.from({ length: n * n }, () => Math.floor(next() * 9) - 4);
    const c = upload(device, new Float32Array(n * n));
    const counts = launch('matmul', dim(4, 4), dim(16, 16), [upload(device, a), upload(device, b), c, n]);
    const expected = Float32Array.from({ length: n * n }, (_, at) => {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += (a[Math.floor(at / n) * n + k] ?? 0) * (b[k * n + (at % n)] ?? 0);
      return sum;
    });
    expect(download(device, c, a)).toEqual(expected);
    expect(counts.barriers).toBe(16 * 8 * 4 * 2);
  });

  it('numbers threads and blocks in three dimensions', () => {
    const out = upload(device, new Int32Array(10 * 6 * 8));
    launch('shape', dim(2, 3, 2), dim(5, 2, 4), [out]);
    const expected = Int32Array.from({ length: 480 }, (_, i) => {
      const [x, y, z] = [i % 10, Math.floor(i / 10) % 6, Math.floor(i / 60)];
      return x + 100 * y + 10000 * z + 1000000 * (z % 4);
    });
    expect(download(device, out, expected)).toEqual(expected);
  });
});

function walk(i: number, v: number): number {
  let s = 0;
  done: {
    for (let k = 0; k < v; k++) {
      if (k === 7) continue;
      for (let j = 0; j < k; j++) {
        if ((i + j) % 5 === 0) break;
        s += j;
        if (s > 1000) break done;
      }
      if (s % 11 === 10) s += 3;
    }
  }
  const kind = v & 7;
  if (kind === 0) return s + 1;
  if (kind === 1) return s * 3 - 4;
  if (kind === 2) return s - 4;
  return kind === 5 ? s ^ 77 : s;
}

describe('divergence', () => {
  it('follows each lane through nested loops with break, continue, goto and switch', () => {
    const n = 200;
    const next = random(7);
    const input = Int32Array.from({ length: 256 }, () => Math.floor(next() * 60));
    const out = upload(device, new Int32Array(256).fill(-1));
    const counts = launch('diverge', dim(4), dim(64), [out, upload(device, input), n]);
    expect(download(device, out, input)).toEqual(input.map((v, i) => (i < n ? walk(i, v) : -1)));
    expect(counts.divergentBranches).toBeGreaterThan(100);
  });

  it('lets lanes leave a while loop at different times', () => {
    const out = upload(device, new Int32Array(128));
    launch('collatz', dim(1), dim(128), [out, 100]);
    const expected = Int32Array.from({ length: 128 }, (_, i) => {
      let steps = 0;
      for (let v = i + 1; i < 100 && v !== 1; steps++) v = v % 2 ? 3 * v + 1 : v / 2;
      return steps;
    });
    expect(download(device, out, expected)).toEqual(expected);
    const k = upload(device, new Uint32Array(64));
    launch('unsignedLoop', dim(1), dim(64), [k, 5]);
    expect(download(device, k, new Uint32Array(64))).toEqual(
      Uint32Array.from({ length: 64 }, (_, i) => Math.min(6, Math.ceil(Math.sqrt(i)))),
    );
  });

  it('counts threads that returned as arrived at a barrier', () => {
    const out = upload(device, new Int32Array(64));
    launch('earlyReturnAndBarrier', dim(1), dim(64), [out, 45]);
    expect(download(device, out, new Int32Array(64))).toEqual(
      Int32Array.from({ length: 64 }, (_, i) => (i < 45 ? (44 - i) * 2 : 0)),
    );
  });
});

describe('warp-level operations and atomics', () => {
  it('reduces with shuffles and dynamic shared memory', () => {
    const input = Float32Array.from({ length: 5000 }, (_, i) => (i % 17) - 8);
    const out = upload(device, new Float32Array(1));
    launch('reduce', dim(6), dim(256), [upload(device, input), out, 5000], 32);
    expect(download(device, out, new Float32Array(1))[0]).toBe(input.reduce((a, b) => a + b));
  });

  it('reduces in a tree with barriers in a loop', () => {
    const input = Int32Array.from({ length: 512 }, (_, i) => i * i);
    const out = upload(device, new Int32Array(4));
    launch('treeReduce', dim(4), dim(128), [upload(device, input), out]);
    expect([...download(device, out, new Int32Array(4))]).toEqual(
      [0, 1, 2, 3].map((b) => input.slice(b * 128, b * 128 + 128).reduce((x, y) => x + y)),
    );
  });

  it('votes and shuffles', () => {
    const out = upload(device, new Uint32Array(160));
    launch('votes', dim(1), dim(32), [out]);
    const got = download(device, out, new Uint32Array(160));
    let ballot = 0;
    for (let t = 0; t < 32; t += 3) ballot |= 1 << t;
    const brev = (x: number) => parseInt(x.toString(2).padStart(32, '0').split('').reverse().join(''), 2);
    for (let t = 0; t < 32; t++) {
      expect(got[t]).toBe((ballot + 32 + 1) >>> 0);
      expect(got[32 + t]).toBe(((t * 7 + 3) & 31) ** 2);
      expect(got[64 + t]).toBe(t % 8 >= 3 ? t - 3 : t);
      expect(got[96 + t]).toBe(t & 1 ? 0xaaaaaaaa : (brev(t) ^ Math.clz32(t)) >>> 0);
      expect(got[128 + t]).toBe(100 + (t + (t & 3) <= 31 ? t + (t & 3) : t));
    }
  });

  it('does atomics on shared and global memory', () => {
    const init = new Int32Array(16);
    init[11] = -1;
    const out = upload(device, init);
    const f = upload(device, new Float32Array(1));
    const big = upload(device, new BigUint64Array(1));
    launch('atomics', dim(2), dim(64), [out, f, big]);
    const got = download(device, out, init);
    const threads = Array.from({ length: 64 }, (_, t) => t);
    for (let bin = 0; bin < 8; bin++)
      expect(got[bin]).toBe(2 * threads.filter((t) => ((t * t) & 7) === bin).reduce((a, b) => a + b, 0));
    expect(got[8]).toBe(Math.max(...threads.map((t) => (t * 3) % 101)));
    expect(got[9]).toBe(-63);
    expect(got[10]).toBe(2 * 2016);
    expect(got[12]).toBe(0);
    expect(got[13]).toBe(0);
    expect(got[14]).toBe(63);
    expect(download(device, f, new Float32Array(1))[0]).toBe(64);
    expect(download(device, big, new BigUint64Array(1))[0]).toBe(4n * 0xffffffffn);
    const counter = device.variables.find(({ name }) => name === 'counter');
    expect(new Int32Array(device.memory.buffer, counter?.address ?? 0, 1)[0]).toBe(128);
  });
});

describe('types, memory spaces and calls', () => {
  it('computes with double, 64-bit, 8- and 16-bit values, float4 and division', () => {
    const n = 64;
    const d = Float64Array.from({ length: n }, (_, i) => i * i + 2);
    const l = BigInt64Array.from({ length: n }, (_, i) => BigInt(i) * 12345678n - 1000n);
    const c = Int8Array.from({ length: n }, (_, i) => i * 5 - 100);
    const s = Uint16Array.from({ length: n }, (_, i) => i * 1021);
    const v = Float32Array.from({ length: 4 * n }, (_, i) => i);
    const q = Int32Array.from({ length: n }, (_, i) => (i - 30) * 7654321);
    const at = {
      d: upload(device, d),
      l: upload(device, l),
      c: upload(device, c),
      s: upload(device, s),
      v: upload(device, v),
      w: upload(device, v),
      q: upload(device, q),
    };
    launch('types', dim(2), dim(32), [at.d, at.l, at.c, at.s, at.v, at.w, at.q]);
    expect(download(device, at.d, d)).toEqual(d.map((x, i) => Math.sqrt(x) * 1.5 + i));
    expect(download(device, at.l, l)).toEqual(l.map((x, i) => ((x * x) % 1000003n) + (x << 7n) - x / BigInt(i + 1)));
    expect(download(device, at.c, c)).toEqual(c.map((x, i) => x * 3 + i));
    expect(download(device, at.s, s)).toEqual(s.map((x, i) => Math.floor(x / 7) + (x >> (i & 7))));
    expect(download(device, at.w, v)).toEqual(
      v.map((x, i) => (i % 4 === 0 ? 2 * x : i % 4 === 3 ? x + (v[i - 2] ?? 0) : x)),
    );
    const expected = q.map((x, i) => {
      const divisor = i - 20 ? i - 20 : 1;
      const high = Number((BigInt(x) * 1048576n) >> 32n);
      return Math.trunc(x / divisor) + (x % (i + 3)) + Math.floor((x >>> 0) / (i + 2)) + (x << (i & 15)) + high;
    });
    expect(download(device, at.q, q)).toEqual(expected);
  });

  it('indexes local arrays, constants, device variables and struct parameters', () => {
    const o = Int32Array.from({ length: 512 }, (_, i) => (i * 37) % 101);
    const out = upload(device, o);
    const floats = upload(device, new Float32Array(32));
    const coefficients = Float32Array.from({ length: 16 }, (_, i) => i * 0.25);
    new Float32Array(
      device.memory.buffer,
      device.variables.find(({ name }) => name === 'coefficients')?.address ?? 0,
      16,
    ).set(coefficients);
    launch('locals', dim(1), dim(32), [out, 9, new Uint8Array(new Uint32Array([floats, 0, 1000, 0, 7]).buffer)]);
    const got = download(device, out, o);
    const table = [10, 20, 30, 40];
    for (let i = 0; i < 32; i++) {
      const t = Array.from({ length: 16 }, (_, j) => o[j * 32 + i] ?? 0);
      let s = 0;
      for (let j = 0; j < 9; j++) {
        s = t[(s + j) & 15] ?? 0;
        t[j & 15] = (t[j & 15] ?? 0) + s + i;
      }
      expect(got[i]).toBe(s + (table[9 & 3] ?? 0) + (table[i & 3] ?? 0));
    }
    expect([...download(device, floats, new Float32Array(32))]).toEqual(
      Array.from({ length: 32 }, (_, i) => 1007 + 2.25 + (i & 15) * 0.25),
    );
  });

  it('inlines device functions with several returns', () => {
    const x = Float32Array.from({ length: 32 }, (_, i) => i * 0.25);
    const out = upload(device, x);
    launch('calls', dim(1), dim(32), [out]);
    const expected = x.map((value, n) => {
      let s = 0;
      for (let i = 0; i < n; i++) {
        if (s > 1e6) return -1;
        s = fround(fround(s * value) + i);
      }
      return s;
    });
    expect(download(device, out, x)).toEqual(expected);
  });

  it('computes math functions to float accuracy', () => {
    const n = 64;
    const x = Float32Array.from({ length: n }, (_, i) => (i - 32) / 4.3);
    const out = upload(device, new Float32Array(12 * n));
    launch('math', dim(1), dim(n), [upload(device, x), out, n]);
    const got = download(device, out, new Float32Array(12 * n));
    const even = (v: number) => (Math.abs(v % 1) === 0.5 ? 2 * Math.round(v / 2) : Math.round(v));
    const rows: ((v: number) => number)[] = [
      Math.sin,
      Math.exp,
      (v) => Math.log(fround(v + 8)),
      (v) => fround(v + 8) ** 1.5,
      (v) => 1 / Math.sqrt(fround(v + 8)),
      (v) => v * v + fround(1e-3),
      (v) => Math.floor(v) + even(v) + Math.trunc(v),
      (v) => Math.min(v, 0.25) + Math.max(v, -1),
      Math.tanh,
      (v) => v / fround(v + 9),
      (v) => even(v) + Math.trunc(v) + Math.trunc(Math.abs(v)),
    ];
    rows.forEach((f, row) => {
      x.forEach((v, i) => {
        const want = fround(f(v));
        expect(Math.abs((got[row * n + i] ?? NaN) - want)).toBeLessThanOrEqual(Math.abs(want) * 2.5e-7 + 1e-30);
      });
    });
  });
});

describe('failures', () => {
  const failure = (run: () => unknown): { message: string; place: { line?: number } } => {
    try {
      run();
    } catch (error) {
      return error as { message: string; place: { line?: number } };
    }
    throw new Error('did not fail');
  };
  const lineOf = (text: string) => source.split('\n').findIndex((line) => line.includes(text)) + 1;

  it('names kernel, address and line of a null access', () => {
    const error = failure(() => launch('add', dim(1), dim(32), [0, 0, 0, 32]));
    expect(error.message).toMatch(
      /Invalid __global__ read of size 4 bytes by thread \(0,0,0\) in block \(0,0,0\) of _Z3add\w+ \(\S*kernels\.cu:\d+\): address 0x0 is out of bounds/,
    );
    expect(error.place.line).toBe(lineOf('c[i] = a[i] + b[i]'));
  });
  it('reports traps, misaligned addresses, divergent barriers, and shared memory out of range', () => {
    expect(failure(() => launch('guarded', dim(1), dim(32), [0])).message).toMatch(/trap/);
    const out = upload(device, new Int32Array(64));
    expect(failure(() => launch('guarded', dim(1), dim(32), [out + 2])).message).toMatch(/is misaligned/);
    expect(failure(() => launch('badBarrier', dim(1), dim(32), [out])).message).toMatch(/__syncthreads/);
    expect(failure(() => launch('outside', dim(1), dim(4), [out, 2])).message).toMatch(
      /outside of the block's shared memory/,
    );
    expect(failure(() => launch('add', dim(1), dim(2048), [0, 0, 0, 0])).message).toMatch(/2048 threads/);
  });
  it('runs on after a failure', () => {
    const out = upload(device, new Int32Array(32));
    launch('guarded', dim(1), dim(32), [out]);
    expect(download(device, out, new Int32Array(32))).toEqual(new Int32Array(32).fill(1));
  });
});

describe('device memory', () => {
  it('allocates 256-byte aligned, merges freed gaps, and says when it is full', async () => {
    const small = SimulatedDevice.create([], { memoryBytes: 4096 });
    const first = small.allocate(1) ?? -1;
    const second = small.allocate(1000) ?? -1;
    expect(first % 256).toBe(0);
    // With an unallocated stretch between them, so that what runs over an end is noticed.
    expect(second - first).toBe(512);
    expect(small.allocate(3000)).toBeNull();
    expect(small.free(first + 4)).toBe(false);
    expect(small.free(first) && small.free(second)).toBe(true);
    expect(small.usedBytes).toBe(0);
    expect(small.allocate(4096)).toBe(first);
  });
  it('repeats a launch exactly', async () => {
    const run = async () => {
      const fresh = SimulatedDevice.create([structuredClone(module)], { memoryBytes: 1 << 30 });
      const input = upload(
        fresh,
        Int32Array.from({ length: 256 }, (_, i) => (i * 31) % 60),
      );
      const out = upload(fresh, new Int32Array(256));
      const counts = launchOn(
        fresh,
        module.kernels.map(({ name }) => name),
        'diverge',
        dim(4),
        dim(64),
        [out, input, 200],
      );
      return { counts, out: download(fresh, out, new Int32Array(256)) };
    };
    expect(await run()).toEqual(await run());
  });
});
