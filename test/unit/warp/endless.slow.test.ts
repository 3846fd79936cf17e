/**
 * Kernels with endless loops: they are translated like any other, give the right results where the loop is not taken or where all
 * lanes leave it, and what is kept of those that go on is bounded.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { tokenType, typeOf, lengthOf, type WarpStream } from '../../../engine/model/warp-stream.ts';
import { caches, compileModule, dim, download, launch, upload, packed } from './cuda.ts';

/** Sources keyed by the kind of loop; each is endless where `n` is not 0, and adds 1 to a thread's place afterwards. */
const shapes: Record<string, string> = {
  empty: 'if (n) for (;;);',
  counts: 'if (n) while (true) v[0]++;',
  jumps: 'if (n) { again: v[0] = 1; goto again; }',
  pingPong: 'if (n) { a: v[0] = 1; if (v[1] == 7) goto c; b: v[1] = 2; goto a; c: v[2] = 3; goto b; }',
  atomics: 'if (n) while (true) atomicAdd(p, 1);',
  barriers: 'if (n) while (true) { __syncthreads(); v[0]++; }',
  shuffles: 'int x = i; if (n) while (true) { x = __shfl_xor_sync(~0u, x, 1); v[x] = x; }',
  sleeps: 'if (n) while (true) __nanosleep(100);',
  traps: 'if (n) while (true) { v[0]++; if (n == 5) __trap(); }',
  switches: 'if (n) while (true) switch (v[1]) { case 0: v[0]++; break; case 3: continue; default: v[3]++; }',
  prints: 'if (n) while (true) { v[0]++; if (n == 5) printf("x"); }',
  keeps: 'if (n) { volatile int a[16]; int k = 0; while (true) { a[k & 15] = k; k++; } }',
  assembly: 'int x = n; if (n) while (true) asm volatile("add.s32 %0, %0, 1;" : "+r"(x));',
  functions: 'if (n) never(v);',
  pointers: 'void (*f)(volatile int *) = n ? never : nothing; f(v);',
  recursion: 'if (n) v[1] = deeper(n, v);',
  cannotBe: 'if (n) __builtin_unreachable();',
  someLanes: 'while (true) { v[64 + i]++; if (i >= n) break; }',
  exits: 'if (n) while (true) { v[0]++; if (n == 5) asm volatile("exit;"); }',
};
const source = `
#include <cstdio>
__device__ __noinline__ void never(volatile int *v) { while (true) v[0]++; }
__device__ __noinline__ void nothing(volatile int *v) {}
__device__ __noinline__ int deeper(int n, volatile int *v) { v[0] = n; int r = deeper(n + 1, v) + 1; v[1] = r; return r; }
${Object.entries(shapes)
  .map(
    ([name, body]) => `__global__ void ${name}(int *p, int n) {
  volatile int *v = p;
  int i = threadIdx.x;
  ${body}
  p[i] += i + 1;
}`,
  )
  .join('\n')}
__global__ void plain(int *p) { for (;;); }
__global__ void around(int *p, int n) {
#pragma unroll 1
  for (int i = 0; i < n; i++) ((volatile int *)p)[threadIdx.x] += i;
}
`;

let module: DeviceModule;
beforeAll(async () => void (module = await compileModule(source)));

const expected = Int32Array.from({ length: 64 }, (_, i) => i + 1);
const on = (more: Partial<Parameters<typeof Device.create>[1]> = {}) =>
  Device.create([module], { memoryBytes: 1 << 28, ...more });
const names = () => module.kernels.map(({ name }) => name);

describe('an endless loop that is not taken', () => {
  it.each(Object.keys(shapes))('%s: what follows is done', (name) => {
    const device = on();
    const buffer = upload(device, new Int32Array(128));
    launch(device, names(), name, dim(1), dim(64), [buffer, 0]);
    expect(download(device, buffer, new Int32Array(64))).toEqual(expected);
  });
});

describe('an endless loop that is taken', () => {
  it.each(['counts', 'atomics', 'functions', 'pingPong', 'switches'])('%s: the budget names it', (name) => {
    const device = on({ maxInstructions: 1e5 });
    const buffer = upload(device, new Int32Array(128));
    const line =
      source.split('\n').findIndex((text) => text.includes(name === 'functions' ? 'void never(' : shapes[name]!)) + 1;
    expect(() => launch(device, names(), name, dim(1), dim(64), [buffer, 1])).toThrow(
      new RegExp(
        `more than 100000 warp instructions, and was in the kernel \\S*${name}\\S*, most often at kernels\\.cu:${line}\\.`,
      ),
    );
  });

  it('that is a recursion overflows the stack, as on hardware', () => {
    const device = on();
    const buffer = upload(device, new Int32Array(128));
    expect(() => launch(device, names(), 'recursion', dim(1), dim(64), [buffer, 1])).toThrow(
      /stack of a thread overflowed/,
    );
  });

  it('is where execution is said to be only as long as it is', () => {
    const device = on();
    const buffer = upload(device, new Int32Array(128));
    launch(device, names(), 'counts', dim(1), dim(64), [buffer, 0]);
    expect(device.whereabouts()).toBeNull();
  });
});

describe('what is kept of a block that does much', () => {
  const traced = (mostWordsOfBlock: number): { streams: WarpStream[]; cut: ReadonlySet<number> } => {
    const device = on();
    const buffer = upload(device, new Int32Array(128));
    const name = names().find((one) => one.includes('around'))!;
    const parameters = packed(device.kernel(name)!, [buffer, 100_000]);
    let found: { streams: WarpStream[]; cut: ReadonlySet<number> } | undefined;
    device.launch(
      { kernel: name, grid: dim(1), block: dim(64), dynamicSharedBytes: 0, parameters },
      caches,
      undefined,
      {
        blocks: [0],
        mostWordsOfBlock,
        onBlock: (_, streams, cut = new Set()) => {
          found = { streams, cut };
          return false;
        },
      },
    );
    return found!;
  };

  it('is all of it within the limit', () => {
    const { streams, cut } = traced(1 << 22);
    expect(cut.size).toBe(0);
    expect(streams[0]!.length).toBeGreaterThan(200_000);
  });

  it('is the same share of each warp beyond it, and whole tokens', () => {
    const whole = traced(1 << 22).streams;
    const { streams, cut } = traced(10_000);
    expect([...cut].sort()).toEqual([0, 1]);
    streams.forEach((stream, warp) => {
      expect(stream.length).toBeLessThanOrEqual(5000);
      expect(stream.length).toBeGreaterThan(4800);
      expect(stream).toEqual(whole[warp]!.slice(0, stream.length));
      let at = 0;
      while (at < stream.length) at += lengthOf(stream[at]!);
      expect(at).toBe(stream.length);
      expect(typeOf(whole[warp]![at]!)).toBe(tokenType.block);
    });
  });
});
