/** Waits of warps in the streams of blocks that run side by side. */
import { beforeAll, expect, it } from 'vitest';
import { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import {
  anyAtomic,
  kindOf,
  lengthOf,
  syncAction,
  tokenType,
  typeOf,
  type WarpStream,
} from '../../../engine/model/warp-stream.ts';
import { caches, compileModule, dim, upload, packed } from './cuda.ts';

const source = `
#include <cooperative_groups.h>
__global__ void gridSync(int *a, int rounds) { for (int r = 0; r < rounds; r++) cooperative_groups::this_grid().sync(); }
// The last block that comes lets all others go.
__global__ void ticket(volatile int *a, int rounds) {
  for (int r = 0; r < rounds; r++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      int now = a[64];
      if (atomicAdd((int *)a, 1) == (r + 1) * gridDim.x - 1) a[64] = now + 1;
      else while (a[64] == now) {}
    }
    __syncthreads();
  }
}
__global__ void lock(int *a, int rounds) {
  for (int r = 0; r < rounds; r++) {
    while (atomicCAS(a, 0, 1) != 0) {}
    a[32] += 1;
    __threadfence();
    atomicExch(a, 0);
  }
}
`;

let module: DeviceModule;
let device: Device;
beforeAll(async () => {
  module = await compileModule(source);
  device = Device.create([module], { memoryBytes: 1 << 28 });
});

const actions = ['poll', 'pollEnd', 'await', 'signal'] as const;

/** Actions of the first warp of each block of the first SM: action, offset in the buffer (bytes), figure. */
function waitsOf(
  name: string,
  rounds: number,
  { blocks = 8, mostWords = Infinity } = {},
): [string, number, number][][] {
  const buffer = upload(device, new Int32Array(128));
  const kernel = module.kernels.find((one) => one.name.includes(name))!;
  expect(kernel.waits).toBe(true);
  const parameters = packed(kernel, [buffer, rounds]);
  const launch = { kernel: kernel.name, grid: dim(blocks), block: dim(64), dynamicSharedBytes: 0, parameters };
  const found: [string, number, number][][] = [];
  const onBlock = (_: number, [words]: WarpStream[]): boolean => {
    const list: [string, number, number][] = [];
    for (let at = 0; at < words!.length; at += lengthOf(words![at]!)) {
      const [token, place, count] = words!.subarray(at, at + 3) as unknown as [number, number, number];
      const action = actions.find((each) => typeOf(token) === tokenType.sync && syncAction[each] === kindOf(token));
      if (action !== undefined) list.push([action, place === anyAtomic ? -1 : 32 * place - buffer, count]);
    }
    found.push(list);
    return true;
  };
  let cuts = 0;
  const trace = { blocks: [0, 4], onBlock, mostWords, onCut: () => void cuts++ };
  device.launch(launch, { ...caches, blocksPerSm: 2 }, undefined, trace);
  expect(cuts).toBe(mostWords === Infinity ? 0 : 1);
  return found;
}

const without = (list: [string, number, number][], ...names: string[]): [string, number][] =>
  list.filter(([action]) => !names.includes(action)).map(([action, , count]) => [action, count]);

it('leaves each wait once, with the writes of both traced blocks that it has to see', () => {
  for (const list of waitsOf('gridSync', 3)) {
    expect(list.filter(([action]) => action === 'poll')).toHaveLength(3);
    expect(without(list, 'poll', 'pollEnd')).toEqual(
      [2, 4, 6].flatMap((all) => [
        ['signal', 1],
        ['await', all],
      ]),
    );
  }
});

it('takes what a block of another SM has written as written when the traced ones had come as far', () => {
  // The last of the eight blocks is not traced: both wait for its flag, and for the atomics of both.
  for (const list of waitsOf('ticket', 2)) {
    const awaits = list.filter(([action]) => action === 'await');
    expect(awaits.map(([, place, count]) => [place, count])).toEqual([
      [256, 0],
      [-1, 2],
      [256, 0],
      [-1, 4],
    ]);
  }
});

it('counts the locks that were taken as written, and those that were tried in vain not', () => {
  for (const list of waitsOf('lock', 2)) {
    const taken = list.filter(([action]) => action === 'await').length;
    // Each is taken by a compare and swap, and given back by an exchange.
    expect(list.filter(([action, place]) => action === 'signal' && place === 0)).toHaveLength(2 * taken);
  }
});

it('ends when it is long enough', () => {
  const [all, some] = [waitsOf('gridSync', 8000), waitsOf('gridSync', 8000, { mostWords: 100_000 })];
  expect(some).toHaveLength(2);
  expect(some[0]!.length).toBeLessThan(all[0]!.length);
  expect(without(all[0]!.slice(0, 50))).toEqual(without(some[0]!.slice(0, 50)));
});
