/** Several GPUs that share one memory: what is whose, who may access what, and what crosses from one to another. */
import { beforeAll, describe, expect, it } from 'vitest';
import { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import type { KernelCounts } from '../../../engine/model/execution.ts';
import { caches, compileModule, dim, packed } from './cuda.ts';

const source = `
__device__ int counter = 5;
__device__ int *where = &counter;
extern "C" __global__ void copy(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
extern "C" __global__ void count(int *out) { *out = *where; *where += 10; }
extern "C" __global__ void add(int *sum) { atomicAdd(sum + threadIdx.x, 1); }
`;
const threads = 1024;
const bytes = 4 * threads;
const sectors = bytes / 32;

let module: DeviceModule;
beforeAll(async () => void (module = await compileModule(source)));

class Pair {
  readonly device = Device.create([module], { memoryBytes: 1 << 28, others: [{ memoryBytes: 1 << 28 }], threads: 1 });
  readonly data = [0, 1].map((gpu) => this.device.allocate(bytes, 0, gpu)!);

  ints(address: number, count: number): number[] {
    return [...new Int32Array(this.device.memory.buffer, address, count)];
  }

  launch(gpu: number, kernel: string, ...args: number[]): KernelCounts {
    const parameters = packed(this.device.kernel(kernel)!, args);
    const [grid, block] = kernel === 'copy' ? [dim(threads / 128), dim(128)] : [dim(1), dim(kernel === 'add' ? 32 : 1)];
    return this.device.launch({ kernel, grid, block, dynamicSharedBytes: 0, parameters, gpu }, caches);
  }
}

describe('memory of two GPUs', () => {
  it('is out of reach until access is enabled, in that direction alone', () => {
    const pair = new Pair();
    const [here, there] = pair.data as [number, number];
    pair.launch(0, 'copy', here, here);
    pair.launch(1, 'copy', there, there);
    expect(() => pair.launch(0, 'copy', there, here)).toThrow(
      /read of size 4.*is memory of GPU 1, to which GPU 0 has no/,
    );
    pair.device.setPeerAccess(0, 1, true);
    pair.launch(0, 'copy', there, here);
    expect(() => pair.launch(1, 'copy', there, here)).toThrow(
      /write of size 4.*is memory of GPU 0, to which GPU 1 has no/,
    );
    pair.device.setPeerAccess(0, 1, false);
    expect(() => pair.launch(0, 'copy', there, here)).toThrow(/peer access/);
    pair.launch(1, 'copy', there, there);
  });

  it('what both see is in reach of both', () => {
    const pair = new Pair();
    const shared = pair.device.allocate(bytes)!;
    for (const gpu of [0, 1]) pair.launch(gpu, 'copy', shared, pair.data[gpu]!);
  });

  it('has room for each GPU by itself', () => {
    const pair = new Pair();
    for (const gpu of [0, 1]) expect(pair.device.allocate(200 << 20, 0, gpu)).not.toBeNull();
    for (const gpu of [0, 1]) expect(pair.device.allocate(200 << 20, 0, gpu)).toBeNull();
  });

  it('an allocation that is freed and made again belongs to the new owner', () => {
    const pair = new Pair();
    const [here, there] = pair.data as [number, number];
    pair.device.free(here);
    expect(pair.device.allocate(bytes, 0, 1)).toBe(here);
    pair.launch(1, 'copy', here, there);
    expect(() => pair.launch(0, 'copy', here, here)).toThrow(/peer access/);
  });
});

describe('variables', () => {
  it('each GPU has its own, also where they hold addresses of each other', () => {
    const pair = new Pair();
    for (const [gpu, expected] of [
      [0, 5],
      [0, 15],
      [1, 5],
      [0, 25],
      [1, 15],
    ] as const) {
      pair.launch(gpu, 'count', pair.data[gpu]!);
      expect(pair.ints(pair.data[gpu]!, 1)).toEqual([expected]);
    }
    const counters = pair.device.variables.filter(({ name }) => name === 'counter');
    expect(counters.map(({ gpu = 0, address }) => [gpu, ...pair.ints(address, 1)])).toEqual([
      [0, 35],
      [1, 25],
    ]);
  });
});

describe('what crosses the link', () => {
  it('is counted in sectors, and kept in no cache of this GPU', () => {
    const pair = new Pair();
    const [here, there] = pair.data as [number, number];
    pair.device.setPeerAccess(0, 1, true);
    expect(pair.launch(0, 'copy', here, here)).toMatchObject({ peerReads: 0, peerWrites: 0 });
    for (let pass = 0; pass < 2; pass++) {
      const read = pair.launch(0, 'copy', there, here);
      expect(read).toMatchObject({ peerReads: sectors, peerWrites: 0, l1Misses: sectors });
      expect(read.dramReadBytes).toBe(0);
    }
    expect(pair.launch(0, 'copy', here, there)).toMatchObject({ peerReads: 0, peerWrites: sectors, l2Stored: 0 });
    expect(pair.launch(0, 'add', there)).toMatchObject({ peerReads: 4, peerWrites: 4 });
    expect(pair.ints(there, 32).every((value) => value === 1)).toBe(true);
  });

  it('caches of one GPU know nothing of what the other did', () => {
    const pair = new Pair();
    pair.launch(0, 'copy', pair.data[0]!, pair.data[0]!);
    expect(pair.launch(1, 'copy', pair.data[1]!, pair.data[1]!).dramReadBytes).toBe(bytes);
    expect(pair.launch(0, 'copy', pair.data[0]!, pair.data[0]!).dramReadBytes).toBe(0);
    expect(pair.launch(1, 'copy', pair.data[1]!, pair.data[1]!).dramReadBytes).toBe(0);
  });

  it('one GPU counts no such thing', () => {
    const device = Device.create([module], { memoryBytes: 1 << 28 });
    const parameters = packed(device.kernel('count')!, [device.allocate(bytes)!]);
    const launch = { kernel: 'count', grid: dim(1), block: dim(1), dynamicSharedBytes: 0, parameters };
    expect(device.launch(launch, caches)).not.toHaveProperty('peerReads');
  });
});
