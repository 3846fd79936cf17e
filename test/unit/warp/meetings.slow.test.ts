/** Lanes of a warp meet at its operations, wherever in the kernel they are, as an H100 has it (test/reference/semantics/meetings.txt). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../../engine/base/paths.ts';
import type { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { Device as SimulatedDevice } from '../../../engine/warp/device.ts';
import { isSecond } from '../../../engine/warp/unit-code.ts';
import { compileModule, dim, download, launch, upload } from './cuda.ts';

const reference = (name: string): string => readFileSync(join(root, 'test', 'reference', 'semantics', name), 'utf8');
const measured = reference('meetings.txt')
  .trim()
  .split('\n')
  .map((line): [string, number[]] => {
    const [name, values] = line.split(': ') as [string, string];
    return [name, values.split(' ').map(Number)];
  });

const more = `
__global__ void waits_at_barrier(int *o) {
  int t = threadIdx.x, v = t;
  if (t < 16) for (int i = 1; i <= 8; i <<= 1) v += __shfl_down_sync(0xffffffffu, v, i);
  __syncthreads();
  o[t] = v;
}
__global__ void many_registers(const float *in, float *o, int n) { // much that lives across arms and loops
  int t = threadIdx.x;
  float a[8], s = 0;
  for (int k = 0; k < 8; k++) a[k] = in[(t * 8 + k) % n];
  for (int i = 0; i < n; i++) {
    if ((t ^ i) & 1) { for (int k = 0; k < 8; k++) a[k] += __shfl_xor_sync(0xffffffffu, a[(k + 1) & 7], 1 << (i & 3)); }
    else { s += a[i & 7]; for (int k = 0; k < 8; k++) a[k] -= __shfl_xor_sync(0xffffffffu, a[k ^ 1], 1 << (i & 3)); }
  }
  for (int k = 0; k < 8; k++) s += a[k];
  o[t] = s;
}
__global__ void apart_from(int *o, int n) {
  int t = threadIdx.x;
  o[t] = t < n ? t + __shfl_xor_sync(0xffffffffu, t, 1) : t - __shfl_xor_sync(0xffffffffu, t, 1);
}
__device__ int arrived;
__global__ void spin_behind(int *o) { // after lanes have met apart: a lock among them, a flag of another warp, a barrier of the grid
  __shared__ int lock, sum, flag;
  int t = threadIdx.x;
  if (t == 0) lock = sum = flag = 0;
  __syncthreads();
  int s = t & 1 ? __shfl_xor_sync(0xffffffffu, t, 1) : __shfl_xor_sync(0xffffffffu, 7 * t, 1);
  bool done = false;
  while (!done) if (atomicCAS(&lock, 0, 1) == 0) { sum += t; __threadfence_block(); atomicExch(&lock, 0); done = true; }
  if (t == 63) { __threadfence_block(); atomicExch(&flag, 5); }
  if (t < 32) while (atomicAdd(&flag, 0) != 5) { }
  __syncthreads();
  if (t == 0) { atomicAdd(&arrived, 1); while (*(volatile int *)&arrived < (int)gridDim.x) { } }
  __syncthreads();
  o[blockIdx.x * 64 + t] = s + sum + arrived;
}
`;

let module: DeviceModule;
let device: Device;
const names = (): string[] => module.kernels.map(({ name }) => name);
const line = (text: string): number =>
  reference('meetings.cu')
    .split('\n')
    .findIndex((each) => each.includes(text)) + 1;

beforeAll(async () => {
  module = await compileModule(reference('meetings.cu') + more);
  device = await SimulatedDevice.create([module], { memoryBytes: 1 << 30 });
});

/** Results of 64 threads, or of 44 for the kernel whose block is not a multiple of a warp. */
function run(name: string): number[] {
  const out = new Int32Array(64);
  const address = upload(device, out);
  launch(device, names(), name, dim(1), dim(name === 'short_block' ? 44 : 64), [address]);
  return [...download(device, address, out)];
}

describe('lanes in different places', () => {
  it.each(measured)('%s', (name, values) => {
    expect(run(name)).toEqual(values);
  });

  it('keep what they have while others are elsewhere', () => {
    const n = 37;
    const input = Float32Array.from({ length: n }, (_, i) => ((i * 29) % 31) / 8);
    const out = new Float32Array(32);
    const [from, to] = [upload(device, input), upload(device, out)];
    launch(device, names(), 'many_registers', dim(1), dim(32), [from, to, n]);
    expect([...download(device, to, out)]).toEqual(manyRegisters(input, n));
  });
});

describe('the functions in which lanes meet', () => {
  it('are compiled when a warp enters one', () => {
    const seconds: boolean[] = [];
    const bare = { ...module, units: module.units.map((unit) => ({ ...unit, wasm: null })) };
    const own = SimulatedDevice.create([bare], {
      memoryBytes: 1 << 28,
      compile: (unit) => {
        seconds.push(isSecond(unit));
        return module.units[bare.units.findIndex((each) => each === unit)]!.wasm!;
      },
    });
    const out = new Int32Array(32);
    const address = upload(own, out);
    const apart = (n: number): unknown => launch(own, names(), 'apart_from', dim(1), dim(32), [address, n]);
    apart(32);
    expect(seconds).toEqual([false]);
    apart(16);
    apart(15);
    expect(seconds).toEqual([false, true]);
    expect([...download(own, address, out)]).toEqual([...out.keys()].map((t) => (t < 15 ? t + (t ^ 1) : t - (t ^ 1))));
  });
});

describe('lanes that have met apart', () => {
  it('spin as others do', () => {
    const out = new Int32Array(3 * 64);
    const address = upload(device, out);
    launch(device, names(), 'spin_behind', dim(3), dim(64), [address]);
    const sum = (63 * 64) / 2;
    const given = (t: number): number => (t & 1 ? t : 7 * t);
    expect([...download(device, address, out)]).toEqual(
      Array.from({ length: 3 * 64 }, (_, i) => given((i % 64) ^ 1) + sum + 3),
    );
  });
});

describe('lanes that never meet', () => {
  const failing = (name: string): string => {
    try {
      run(name);
    } catch (error) {
      return (error as Error).message;
    }
    return 'no error';
  };
  it('wait at operations of different kinds', () => {
    const at = line('t % 32 < 16 ? __shfl_xor_sync(FULL, t + 100, 16) : (int)__ballot_sync');
    expect(failing('mixed_kinds')).toMatch(
      `lanes 0-15 wait at __shfl_xor_sync() at kernels.cu:${at} for lanes 16-31 of mask 0xffffffff, and lanes 16-31 wait at __ballot_sync() at kernels.cu:${at}`,
    );
    expect(failing('mixed_modes')).toMatch(/lanes 16-31 wait at __shfl_down_sync\(\)/);
  });
  it('wait in a loop and behind it', () => {
    expect(failing('loop_trips')).toMatch(
      /lanes 0-7 wait at __any_sync\(\) .* and lanes 8-31 wait at __shfl_xor_sync\(\)/,
    );
  });
  it('wait at a barrier of the block', () => {
    expect(failing('waits_at_barrier')).toMatch(
      /^Barrier error: .*lanes 0-15 wait at __shfl_down_sync\(\) at kernels\.cu:\d+ for lanes 16-31 .* lanes 16-31 wait at __syncthreads\(\)/,
    );
  });
});

describe('GPUs before Volta', () => {
  it('say once for each place where lanes of a mask are elsewhere', async () => {
    const kernels = await compileModule(
      `#define FULL 0xffffffffu
__global__ void apart(int *o) {
  int t = threadIdx.x, s;
  if (t < 16) s = __shfl_xor_sync(FULL, t, 16);
  else s = __shfl_xor_sync(FULL, t * 2, 16);
  o[t] = s;
}
__global__ void together(int *o) {
  int t = threadIdx.x, s = 0;
  if (t < 32) s = __shfl_xor_sync(FULL, t, 16);
  if (t & 1) s += __popc(__ballot_sync(__activemask(), 1));
  if (t < 20) s += __shfl_down_sync(0xfffff, s, 1);
  o[t] = s;
}`,
      { independentLanes: false },
    );
    const told: string[] = [];
    const pascal = await SimulatedDevice.create([kernels], {
      memoryBytes: 1 << 30,
      onUndefined: (text) => told.push(text),
    });
    const all = kernels.kernels.map(({ name }) => name);
    const out = pascal.allocate(256)!;
    for (const name of ['together', 'apart', 'apart']) launch(pascal, all, name, dim(1), dim(64), [out]);
    expect(told).toEqual([
      expect.stringMatching(/^__shfl_xor_sync\(\) at kernels\.cu:4 in .*apart.* its result is undefined\./),
      expect.stringMatching(/^__shfl_xor_sync\(\) at kernels\.cu:5 in .*apart/),
    ]);
  });
});

/** The kernel of that name, lane by lane in float32. */
function manyRegisters(input: Float32Array, n: number): number[] {
  const f = Math.fround;
  const a = Array.from({ length: 32 }, (_, t) => Array.from({ length: 8 }, (_, k) => input[(t * 8 + k) % n]!));
  const s = new Float32Array(32);
  for (let i = 0; i < n; i++) {
    const adds = (t: number): boolean => ((t ^ i) & 1) === 1;
    a.forEach((values, t) => {
      if (!adds(t)) s[t] = f(s[t]! + values[i & 7]!);
    });
    for (let k = 0; k < 8; k++) {
      const given = a.map((values, t) => values[adds(t) ? (k + 1) & 7 : k ^ 1]!);
      a.forEach((values, t) => {
        const got = given[t ^ (1 << (i & 3))]!;
        values[k] = adds(t) ? f(values[k]! + got) : f(values[k]! - got);
      });
    }
  }
  return a.map((values, t) => values.reduce((sum, value) => f(sum + value), s[t]!));
}
