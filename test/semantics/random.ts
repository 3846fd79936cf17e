/**
 * Random kernels: integers of 32 and 64 bits, floats and doubles; loops, branches, shuffles, shared memory. One text is compiled
 * for the device, where its words are macros, and by V8 for the host, where they are functions of host-words.ts. Shuffles and
 * exchanges through shared memory stand where all threads come by; there a thread of the host is a generator that yields.
 */
import { createHash } from 'node:crypto';
import { compileModule, dim, download, launch, upload } from '../unit/warp/cuda.ts';
import { Device } from '../../engine/warp/device.ts';
import { hostWords, wordNames } from './host-words.ts';
import { randomBits } from './values.ts';

/** Threads of each kernel, in one block. */
const threads = 64;
/** Result words of each thread: a, b, c, d, f, g, e (two), q (two), and two that stay zero. */
const words = 12;
/** Result size of one kernel, bytes. */
export const kernelBytes = 4 * threads * words;

const deviceWords = `
#include <cuda_fp16.h>
typedef unsigned int u; typedef unsigned long long w;
/* What compilers do not look through: to them shifts by the width, conversions out of range and the least integer by -1 mean
 * nothing, so that they make a test of a bit of (x >> n) & 1, say. Hardware's instructions are meant. */
__device__ __forceinline__ u hidden(u x) { u r; asm("mov.u32 %0, %1;" : "=r"(r) : "r"(x)); return r; }
__device__ __forceinline__ w hidden(w x) { w r; asm("mov.u64 %0, %1;" : "=l"(r) : "l"(x)); return r; }
__device__ __forceinline__ float hidden(float x) { float r; asm("mov.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define SHL(x, n) hidden((x) << hidden(n))
#define SHR(x, n) hidden((x) >> hidden(n))
#define SAR(x, n) hidden((u)((int)(x) >> hidden(n)))
#define DIVU(x, y) ((x) / ((y) | 1u))
#define REMU(x, y) ((x) % ((y) | 1u))
#define DIVS(x, y) ((u)((int)hidden(x) / (int)(hidden(y) | 1u)))
#define REMS(x, y) ((u)((int)hidden(x) % (int)(hidden(y) | 1u)))
#define HIGH(x, y) __umulhi(x, y)
#define CLZ(x) ((u)__clz(x))
#define POPC(x) ((u)__popc(x))
#define BREV(x) __brev(x)
#define FUNNEL(x, y, n) __funnelshift_l(x, y, n)
#define PERM(x, y, s) __byte_perm(x, y, s)
#define LT(x, y) ((x) < (y))
#define LTS(x, y) ((int)(x) < (int)(y))
#define EQ(x, y) ((x) == (y))
#define ODD(x) (((x) & 1u) != 0)
#define SEL(c, x, y) ((c) ? (x) : (y))
#define LEAST(x, y) min((u)(x), (u)(y))
#define MOST(x, y) max((u)(x), (u)(y))
#define LEASTS(x, y) ((u)min((int)(x), (int)(y)))
#define BYTE(x) ((u)(signed char)(x))
#define FADD(x, y) __fadd_rn(x, y)
#define FSUB(x, y) __fsub_rn(x, y)
#define FMUL(x, y) __fmul_rn(x, y)
#define FDIV(x, y) ((x) / (y))
#define FMA(x, y, z) fmaf(x, y, z)
#define FSQRT(x) sqrtf(x)
#define FMIN(x, y) fminf(x, y)
#define FMAX(x, y) fmaxf(x, y)
#define FABS(x) fabsf(x)
#define FLT(x, y) ((x) < (y))
#define FSEL(c, x, y) ((c) ? (x) : (y))
#define FLOOR(x) floorf(x)
#define RINT(x) rintf(x)
#define HALF(x) __half2float(__float2half(x))
#define S2F(x) ((float)(int)(x))
#define U2F(x) ((float)(x))
#define F2S(x) ((u)(int)hidden(x))
#define F2U(x) ((u)hidden(x))
#define F2B(x) ((u)(unsigned char)hidden(x))
#define DADD(x, y) __dadd_rn(x, y)
#define DMUL(x, y) __dmul_rn(x, y)
#define DDIV(x, y) ((x) / (y))
#define F2D(x) ((double)(x))
#define D2F(x) ((float)(x))
#define D2S(x) ((u)__double2int_rz(isnan(x) ? 0.0 : (x)))
#define QADD(x, y) ((x) + (y))
#define QMUL(x, y) ((x) * (y))
#define QXOR(x, y) ((x) ^ (y))
#define QSHL(x, n) hidden((x) << hidden(n))
#define QSHR(x, n) hidden((x) >> hidden(n))
#define QREM(x, y) ((x) % ((y) | 1ull))
#define U2Q(x) ((w)(x))
#define Q2U(x) ((u)(x))
#define LET(n, x) const u n = (x)
#define FOR(i, n) for (u i = 0; i < (n); i++)
#define XCHG_XOR(r, v, k) r = __shfl_xor_sync(~0u, v, k)
#define XCHG_DOWN(r, v, k) r = __shfl_down_sync(~0u, v, k)
#define XCHG_UP(r, v, k) r = __shfl_up_sync(~0u, v, k)
#define XCHG_LANE(r, v, k) r = __shfl_sync(~0u, v, k)
#define XCHG_SHARED(r, v, k) { shared[t] = v; __syncthreads(); r = shared[(t * 5u + k) & 63u]; __syncthreads(); }
#define XCHG_VOTE(r, v, k) r = __ballot_sync(~0u, (v) & 1u) + k
`;

/** A kernel's body; the same for the same number. */
export function bodyOf(number: number): string {
  const random = randomBits(number + 1);
  const pick = (count: number): number => Number(random() % BigInt(count));
  const of = <T>(list: readonly T[]): T => list[pick(list.length)]!;
  const edges = [
    '0u',
    '1u',
    '31u',
    '32u',
    '33u',
    '255u',
    '256u',
    '32767u',
    '65535u',
    '0x7fffffffu',
    '0x80000000u',
    '0xffffffffu',
    '0x80008000u',
  ];
  const floats = [
    '0.0f',
    '1.0f',
    '-1.0f',
    '0.5f',
    '3.0f',
    '70000.0f',
    '-300.5f',
    '1e10f',
    '1e-40f',
    '16777216.0f',
    '0.1f',
  ];
  let made = 0;
  let loops: string[] = [];
  const whole = (depth: number): string => {
    if (depth <= 0) return pick(5) === 0 ? of(edges) : of(['a', 'b', 'c', 'd', ...loops]);
    const x = (): string => whole(depth - 1);
    switch (pick(15)) {
      case 0: case 1: case 2: return `${of(['ADD', 'SUB', 'MUL', 'AND', 'OR', 'XOR'])}(${x()}, ${x()})`;
      case 3: case 4: return `${of(['SHL', 'SHR', 'SAR'])}(${x()}, ${pick(2) ? `AND(${x()}, 63u)` : x()})`;
      case 5: return `${of(['DIVU', 'REMU', 'DIVS', 'REMS'])}(${x()}, ${x()})`;
      case 6: return `${of(['HIGH', 'LEAST', 'MOST', 'LEASTS'])}(${x()}, ${x()})`;
      case 7: return `${of(['CLZ', 'POPC', 'BREV', 'BYTE'])}(${x()})`;
      case 8: return `${of(['FUNNEL', 'PERM'])}(${x()}, ${x()}, ${x()})`;
      case 9: return `SEL(${condition()}, ${x()}, ${x()})`;
      case 10: return `${of(['F2S', 'F2U', 'F2B'])}(${real(depth - 1)})`;
      case 11: return 'Q2U(q)';
      case 12: return 'D2S(e)';
      default: return x();
    }
  }; // prettier-ignore
  const real = (depth: number): string => {
    if (depth <= 0) return pick(4) === 0 ? of(floats) : of(['f', 'g']);
    const x = (): string => real(depth - 1);
    switch (pick(9)) {
      case 0: case 1: return `${of(['FADD', 'FSUB', 'FMUL', 'FDIV'])}(${x()}, ${x()})`;
      case 2: return `FMA(${x()}, ${x()}, ${x()})`;
      case 3: return `${of(['FMIN', 'FMAX'])}(${x()}, ${x()})`;
      case 4: return `${of(['FABS', 'FLOOR', 'RINT', 'HALF', 'FSQRT'])}(${x()})`;
      case 5: return `FSEL(${condition()}, ${x()}, ${x()})`;
      case 6: return `${of(['S2F', 'U2F'])}(${whole(depth - 1)})`;
      case 7: return 'D2F(e)';
      default: return x();
    }
  }; // prettier-ignore
  const condition = (): string =>
    pick(4) === 0
      ? `FLT(${real(0)}, ${real(0)})`
      : pick(3) === 0
        ? `ODD(${whole(1)})`
        : `${of(['LT', 'LTS', 'EQ'])}(${whole(0)}, ${whole(0)})`;
  const statement = (depth: number, inLoop: boolean): string => {
    const kind = depth <= 0 ? pick(6) : pick(10);
    if (kind <= 2) return `${of(['a', 'b', 'c', 'd'])} = ${whole(2)};\n`;
    if (kind === 3 || kind === 4) return `${of(['f', 'g'])} = ${real(2)};\n`;
    if (kind === 5)
      return pick(2)
        ? `q = ${of([`QADD(QMUL(q, U2Q(${whole(0)})), U2Q(${whole(0)}))`, `QSHL(q, ${whole(0)})`, `QSHR(q, AND(${whole(0)}, 127u))`, `QXOR(q, U2Q(${whole(1)}))`, `QREM(q, U2Q(${whole(0)}))`])};\n`
        : `e = ${of([`DADD(e, F2D(${real(0)}))`, `DMUL(e, F2D(${real(0)}))`, `DDIV(e, F2D(${real(0)}))`])};\n`;
    if (kind === 6 || kind === 7)
      return `if (${condition()}) {\n${block(depth - 1, inLoop)}} else {\n${block(depth - 1, inLoop)}}\n`;
    if (kind === 8) {
      const i = `i${made++}`;
      const before = loops;
      const head = `LET(n${i}, AND(${whole(0)}, 7u)); FOR(${i}, n${i}) {\n`;
      loops = [...loops, i];
      const text = `${head}${block(depth - 1, true)}}\n`;
      loops = before;
      return text;
    }
    return inLoop ? `if (${condition()}) ${of(['break', 'continue'])};\n` : `a = ${whole(2)};\n`;
  };
  const block = (depth: number, inLoop: boolean): string =>
    Array.from({ length: 1 + pick(3) }, () => statement(depth, inLoop)).join('');
  const exchange = (): string =>
    `${of(['XCHG_XOR', 'XCHG_DOWN', 'XCHG_UP', 'XCHG_LANE', 'XCHG_SHARED', 'XCHG_VOTE'])}(${of(['a', 'b', 'c', 'd'])}, ${of(['a', 'b', 'c', 'd'])}, ${1 + pick(20)}u);\n`;
  return `${block(2, false)}${exchange()}${block(2, false)}${exchange()}${block(1, false)}`;
}

export function deviceTextOf(numbers: readonly number[]): string {
  const kernels = numbers.map(
    (number) => `extern "C" __global__ void r${number}(const u *in, uint4 *o) {
const u t = threadIdx.x; __shared__ u shared[64];
u a = in[t], b = in[64 + t], c = t, d = 7u; float f = (float)(int)in[t] * 0.001953125f, g = (float)t - 5.0f; double e = (double)in[64 + t]; w q = (w)a << 32 | b;
${bodyOf(number)}const w z = e != e ? ~0ull : (w)__double_as_longlong(e);
o[t] = make_uint4(a, b, c, d); o[64 + t] = make_uint4(f != f ? ~0u : __float_as_uint(f), g != g ? ~0u : __float_as_uint(g), (u)z, (u)(z >> 32)); o[128 + t] = make_uint4((u)q, (u)(q >> 32), 0u, 0u);
}
`,
  );
  return deviceWords + kernels.join('');
}

export const inputOf = (): Uint32Array => {
  const random = randomBits(4711);
  const chosen = [0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 255, 70000, 31, 32, 33];
  return Uint32Array.from({ length: 2 * threads }, (_, i) => chosen[i % 13] ?? Number(random() & 0xffffffffn));
};

/** For a real GPU: writes what all kernels leave to the file that its argument names. */
export function hostTextOf(numbers: readonly number[]): string {
  return `#include <stdio.h>
#include <stdlib.h>
static const u input[] = {${[...inputOf()].map((value) => `${value}u`).join(',')}};
int main(int, char **v) {
  u *in; uint4 *o, h[${(threads * words) / 4}]; FILE *f = fopen(v[1], "wb");
  cudaMalloc(&in, sizeof input); cudaMalloc(&o, sizeof h); cudaMemcpy(in, input, sizeof input, cudaMemcpyHostToDevice);
${numbers.map((number) => `  r${number}<<<1, ${threads}>>>(in, o); if (cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess) exit(1); fwrite(h, 1, sizeof h, f);`).join('\n')}
  fclose(f);
}
`;
}

/** Result words of a kernel, evaluated from its own text on the host. */
export function evaluate(number: number): Uint32Array {
  const text = bodyOf(number)
    .replace(/\b(0x[0-9a-f]+|\d+)u\b/g, '$1')
    .replace(/\b(\d[\d.]*(?:e-?\d+)?)f\b/g, '$1')
    .replace(/\bLET\((\w+), (.*?)\); FOR\((\w+), \w+\)/g, 'const $1 = $2; for (let $3 = 0; $3 < $1; $3++)')
    .replace(
      /XCHG_(\w+)\((\w), (\w), (\d+)\);/g,
      (_, kind: string, to: string, from: string, k: string) => `${to} = yield ['${kind}', ${from}, ${k}];`,
    );
  const source = `'use strict'; const [${wordNames.join(', ')}] = host; return function* (t, a, b, f, g, e, q) { let c = t, d = 7; f = fround(f); ${text} return [a, b, c, d, f, g, e, q]; };`;
  type Exchange = [kind: string, value: number, k: number];
  type State = [number, number, number, number, number, number, number, bigint];
  // The text is our own.
  const start = new Function('host', 'fround', source)(
    wordNames.map((name) => hostWords[name]),
    Math.fround,
  ) as (...state: [number, number, number, number, number, number, bigint]) => Generator<Exchange, State, number>;
  const input = inputOf();
  const all = Array.from({ length: threads }, (_, t) => {
    const [a, b] = [input[t]!, input[threads + t]!];
    return start(t, a, b, Math.fround(Math.fround(a | 0) * 0.001953125), t - 5, b, (BigInt(a) << 32n) | BigInt(b));
  });
  let results = all.map((thread) => thread.next());
  while (!results[0]!.done) {
    const asked = results.map(({ value }) => value as Exchange);
    const values = asked.map(([, value]) => value >>> 0);
    results = all.map((thread, t) => {
      const [kind, own, k] = asked[t]!;
      const [lane, first] = [t & 31, t & ~31];
      const inside = (from: number): number => (from < 0 || from > 31 ? own >>> 0 : values[first + from]!);
      const votes = (): number =>
        values.slice(first, first + 32).reduce((bits, value, i) => bits | ((value & 1) << i), 0);
      const answer = {
        XOR: () => inside(lane ^ k),
        DOWN: () => inside(lane + k),
        UP: () => inside(lane - k),
        LANE: () => inside(k & 31),
        SHARED: () => values[(t * 5 + k) & 63]!,
        VOTE: () => (votes() + k) >>> 0,
      }[kind];
      return thread.next(answer!());
    });
  }
  const out = new Uint32Array(threads * words);
  const view = new DataView(new ArrayBuffer(8));
  results.forEach(({ value }, t) => {
    const [a, b, c, d, f, g, e, q] = value as State;
    const float = (x: number): number => (Number.isNaN(x) ? 0xffffffff : (view.setFloat32(0, x), view.getUint32(0)));
    view.setFloat64(0, e);
    const [high, low] = Number.isNaN(e) ? [0xffffffff, 0xffffffff] : [view.getUint32(0), view.getUint32(4)];
    const row = [a, b, c, d, float(f), float(g), low, high, Number(q & 0xffffffffn), Number(q >> 32n), 0, 0];
    row.forEach((word, k) => (out[((k >> 2) * threads + t) * 4 + (k & 3)] = word));
  });
  return out;
}

/** Result words of kernels on the simulated device. */
export async function simulateKernels(numbers: readonly number[]): Promise<Uint32Array[]> {
  const module = await compileModule(deviceTextOf(numbers));
  const device = Device.create([module], { memoryBytes: 1 << 26 });
  const names = module.kernels.map(({ name }) => name);
  const input = upload(device, inputOf());
  return numbers.map((number) => {
    const out = upload(device, new Uint32Array(threads * words));
    launch(device, names, `r${number}`, dim(1), dim(threads), [input, out]);
    return download(device, out, new Uint32Array(threads * words));
  });
}

export const digest = (results: Uint32Array): string =>
  createHash('sha256')
    .update(new Uint8Array(results.buffer, results.byteOffset, results.byteLength))
    .digest('hex')
    .slice(0, 16);
