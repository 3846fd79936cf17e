/** Clocks that kernels read, and blocks that are executed as if they had not been. */
import { beforeAll, expect, it } from 'vitest';
import { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { clockReading } from '../../../engine/warp/layout.ts';
import { WarpClocks } from '../../../engine/warp/clock.ts';
import type { LaunchClock } from '../../../engine/model/execution.ts';
import { caches, compileModule, dim, packed } from './cuda.ts';

const source = `
#include <cstdio>
__device__ int counter;
extern "C" __global__ void timed(long long* out, int* data) {
  long long start = clock64();
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
  atomicAdd(&counter, 1);
  printf("block %d\\n", blockIdx.x);
  long long end = clock64();
  unsigned long long timer;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
  if (threadIdx.x == 32) { out[2 * blockIdx.x] = end - start; out[2 * blockIdx.x + 1] = timer; }
}
extern "C" __global__ void endless(int* data) {
  long long start = clock64();
  while (clock64() - start < 1000000) data[threadIdx.x]++;
  data[1 << 28] = 0;
}`;
let module: DeviceModule;
beforeAll(async () => void (module = await compileModule(source)));

/** A launch of three blocks of two warps, its memory, and what it prints. */
function setUp() {
  const device = Device.create([module], { memoryBytes: 1 << 30 });
  const [out, data] = [device.allocate(64)!, device.allocate(1024)!];
  const parameters = packed(device.kernel('timed')!, [out, data]);
  const launch = { kernel: 'timed', grid: dim(3), block: dim(64), dynamicSharedBytes: 0, parameters };
  const counter = device.variables.find(({ name }) => name === 'counter')!;
  const memory = () => ({
    out: [...new BigInt64Array(device.memory.buffer, out, 6)].map(Number),
    data: [...new Int32Array(device.memory.buffer, data, 192)],
    counter: new Int32Array(device.memory.buffer, counter.address, 1)[0],
  });
  return { device, launch, memory, data };
}
const clock: LaunchClock = {
  starts: 1000,
  cyclesPerNanosecond: 2,
  launchTime: () => 0,
  asks: (block, warp, n) => 100 * block + 10 * warp + (n === 0 ? 0 : 7 * n),
};

it('tells warps the cycles of their own questions, and the timer in nanoseconds', () => {
  const { device, launch, memory } = setUp();
  device.launch(launch, caches, undefined, null, clock);
  expect(memory().out).toEqual(
    [7, 1012, 7, 1062, 7, 1112].map((value, i) => (i % 2 === 0 ? value : value - (value % 32))),
  );
});

it('rehearses blocks, counts and traces them, and leaves everything as it was', () => {
  const { device, launch, memory } = setUp();
  const before = memory();
  const traced: number[] = [];
  const counts = device.rehearse(
    launch,
    caches,
    { blocks: [0, 2], onBlock: (block, warps) => (traced.push(block, warps.length), true) },
    { ...clock, asks: null },
  )!;
  expect(traced).toEqual([0, 2, 2, 2]);
  expect(counts.blocks).toBe(2);
  expect(counts.globalAtomic.requests).toBeGreaterThan(0);
  expect(memory()).toEqual(before);
  expect(device.takeOutput()).toBe('');
  const after = device.launch(launch, caches, undefined, null, clock);
  expect(after.l2Misses).toBe(setUp().device.launch(launch, caches).l2Misses);
  expect(memory()).toMatchObject({ data: Array.from({ length: 192 }, () => 1), counter: 192 });
});

it('gives up a rehearsal that fails, and leaves everything as it was', () => {
  const { device, launch, memory, data } = setUp();
  const parameters = packed(device.kernel('endless')!, [data]);
  const before = memory();
  const request = { blocks: [0], onBlock: () => true };
  const endless = { ...launch, kernel: 'endless', parameters };
  expect(device.rehearse(endless, caches, request, { ...clock, asks: null })).toBeNull();
  expect(memory()).toEqual(before);
});

it('goes on while a warp launches: threads that come in their order do so at once', () => {
  const clocks = new WarpClocks({
    ...clock,
    asks: null,
    launchTime: (threads, isFirst) => 100 * threads + (isFirst ? 0 : 10),
  });
  const read = (block: number, warp: number): number => clocks.read(0, block, warp, clockReading(false, null)) - 2000;
  const steps = [3, 4, 31].map((thread) => clocks.launched(0, thread));
  expect(new Set(steps).size).toBe(1);
  expect(steps[0]!.ended).toBe(300);
  expect(read(0, 0)).toBe(600);
  expect(clocks.launched(0, 3).ended).toBe(410);
  expect(clocks.launched(0, 3).ended).toBe(520);
  expect(clocks.launched(0, 32).ended).toBe(100);
  expect([read(0, 0), read(0, 1), read(1, 0)]).toEqual([1040, 200, 0]);
});
