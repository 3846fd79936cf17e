/** Arithmetic at the edges, as GPUs have it (test/semantics measures it all; here is what was once wrong). */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../../engine/warp/device.ts';
import { createDevice, dim, download, launch, upload } from './cuda.ts';

const source = `
extern "C" __global__ void narrow(const float *x, const double *d, int *o) {
  int i = threadIdx.x;
  o[i] = (unsigned char)x[i]; o[32 + i] = (signed char)x[i]; o[64 + i] = (unsigned short)x[i]; o[96 + i] = (short)x[i];
  o[128 + i] = (unsigned char)d[i]; o[160 + i] = (short)d[i];
}
extern "C" __global__ void one(float x, int *o) { o[threadIdx.x] = (unsigned char)x + ((short)x << 8); }
extern "C" __global__ void shifts(const unsigned *a, const int *n, unsigned *o, unsigned long long *w) {
  int i = threadIdx.x;
  o[i] = a[i] << n[i]; o[32 + i] = a[i] >> n[i]; o[64 + i] = (int)a[i] >> n[i]; o[96 + i] = 0xffffffffu >> (32 - i);
  w[i] = 1ull << (2 * i + 2); w[32 + i] = (long long)(a[i] | 1ull << 63) >> (unsigned)n[i];
}
extern "C" __global__ void sameForAll(unsigned a, int n, unsigned *o) {
  o[threadIdx.x] = a << n; o[32 + threadIdx.x] = a >> n; o[64 + threadIdx.x] = (int)a >> n;
}
extern "C" __global__ void constants(int *o, unsigned long long *w) {
  const float big = 3e10f, nan = __int_as_float(0x7fffffff);
  o[0] = (int)big; o[1] = (int)-big; o[2] = (unsigned)big; o[3] = (unsigned)-big; o[4] = (int)nan; o[5] = (int)1e300;
  w[0] = (long long)-1e30f; w[1] = (unsigned long long)1e30;
  unsigned high; unsigned long long wide;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(high) : "r"(0x80000001u), "r"(0x80000001u));
  asm("mul.wide.u32 %0, %1, %1;" : "=l"(wide) : "r"(0xfffffffeu));
  o[6] = high; w[2] = wide;
  asm("cvt.u64.u32 %0, %1;" : "=l"(w[3]) : "r"(0xad2f4de4u));
  asm("cvt.s64.s32 %0, %1;" : "=l"(w[4]) : "r"(0xad2f4de4u));
}
extern "C" __global__ void shifted(unsigned *o) {
  unsigned short r;
  asm("shr.u16 %0, %1, %2;" : "=h"(r) : "h"((unsigned short)0x8000), "r"((unsigned)threadIdx.x));
  o[threadIdx.x] = r;
}
`;
const names = ['narrow', 'one', 'shifts', 'sameForAll', 'constants', 'shifted'];
const values = [254.9, 256, 300, -1, 70000, 40000, 3e9, 5e9, -3e9, NaN, Infinity, -Infinity];
/** To 32 bits with saturation, then the low bits. */
const saturated = (x: number, least: number, most: number): number =>
  Number.isNaN(x) ? 0 : Math.min(Math.max(Math.trunc(x), least), most);
const low = {
  u8: (x: number) => saturated(x, 0, 2 ** 32 - 1) & 255,
  s8: (x: number) => (saturated(x, -(2 ** 31), 2 ** 31 - 1) << 24) >> 24,
  u16: (x: number) => saturated(x, 0, 2 ** 32 - 1) & 65535,
  s16: (x: number) => (saturated(x, -(2 ** 31), 2 ** 31 - 1) << 16) >> 16,
};

let device: Device;
beforeAll(async () => {
  device = await createDevice(source);
});
const run = (name: string, args: (number | Uint8Array)[]): void =>
  void launch(device, names, name, dim(1), dim(32), args);

describe('arithmetic', () => {
  it('floats become narrow integers by way of 32 bits', () => {
    const x = Array.from({ length: 32 }, (_, i) => values[i % values.length]!);
    const out = upload(device, new Int32Array(192));
    run('narrow', [upload(device, Float32Array.from(x)), upload(device, Float64Array.from(x)), out]);
    const floats = x.map(Math.fround);
    const whole = [low.u8, low.s8, low.u16, low.s16].flatMap((of) => floats.map(of));
    // A NaN from doubles is the highest bit alone, so the low bits are zero.
    expect([...download(device, out, new Int32Array(192))]).toEqual([...whole, ...x.map(low.u8), ...x.map(low.s16)]);
  });

  it('the same of a value that all lanes have', () => {
    const out = upload(device, new Int32Array(32));
    run('one', [new Uint8Array(Float32Array.of(70000).buffer), out]);
    expect([...download(device, out, new Int32Array(1))]).toEqual([112 + (4464 << 8)]);
  });

  it('shifts by the width or more leave nothing, or the sign', () => {
    const a = Uint32Array.from({ length: 32 }, (_, i) => (0x80000001 + i * 0x01234567) >>> 0);
    const n = Int32Array.from({ length: 32 }, (_, i) => [0, 1, 31, 32, 33, 63, 64, 65, 255, -1][i % 10]!);
    const [o, w] = [upload(device, new Uint32Array(128)), upload(device, new BigUint64Array(64))];
    run('shifts', [upload(device, a), upload(device, n), o, w]);
    const inside = (i: number): boolean => n[i]! >= 0 && n[i]! < 32;
    const lanes = Array.from({ length: 32 }, (_, i) => i);
    expect([...download(device, o, new Uint32Array(128))]).toEqual([
      ...lanes.map((i) => (inside(i) ? (a[i]! << n[i]!) >>> 0 : 0)),
      ...lanes.map((i) => (inside(i) ? a[i]! >>> n[i]! : 0)),
      ...lanes.map((i) => ((a[i]! | 0) >> (inside(i) ? n[i]! : 31)) >>> 0),
      ...lanes.map((i) => (i === 0 ? 0 : 0xffffffff >>> (32 - i))),
    ]);
    expect([...download(device, w, new BigUint64Array(64))]).toEqual([
      ...lanes.map((i) => (2 * i + 2 < 64 ? 1n << BigInt(2 * i + 2) : 0n)),
      ...lanes.map((i) => {
        const amount = BigInt(n[i]! >= 0 && n[i]! < 64 ? n[i]! : 63);
        return BigInt.asUintN(64, BigInt.asIntN(64, BigInt(a[i]!) | (1n << 63n)) >> amount);
      }),
    ]);
  });

  it('shifts of and by what all lanes have', () => {
    for (const n of [0, 31, 32, 40, -1]) {
      const out = upload(device, new Uint32Array(96));
      run('sameForAll', [0x80000001, n, out]);
      const r = download(device, out, new Uint32Array(96));
      const inside = n >= 0 && n < 32;
      const a = 0x80000001;
      expect([r[0], r[40], r[70]]).toEqual([
        inside ? (a << n) >>> 0 : 0,
        inside ? a >>> n : 0,
        ((a | 0) >> (inside ? n : 31)) >>> 0,
      ]);
    }
  });

  it('what the compiler knows is what hardware makes of it', () => {
    const [out, wide] = [upload(device, new Uint32Array(7)), upload(device, new BigUint64Array(5))];
    run('constants', [out, wide]);
    expect([...download(device, out, new Uint32Array(7))]).toEqual([
      0x7fffffff, 0x80000000, 0xffffffff, 0, 0, 0x7fffffff, 0x40000001,
    ]);
    expect([...download(device, wide, new BigUint64Array(5))]).toEqual([
      1n << 63n,
      (1n << 64n) - 1n,
      0xfffffffen * 0xfffffffen,
      0xad2f4de4n,
      0xffffffffad2f4de4n,
    ]);
  });

  it('a narrow constant shifted by what each lane has', () => {
    const out = upload(device, new Uint32Array(32));
    run('shifted', [out]);
    const expected = Uint32Array.from({ length: 32 }, (_, i) => (i < 16 ? 0x8000 >>> i : 0));
    expect(download(device, out, new Uint32Array(32))).toEqual(expected);
  });
});
