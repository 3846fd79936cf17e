/** Streams of warps against what small kernels must have done. */
import { beforeAll, expect, it } from 'vitest';
import { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import {
  kindOf,
  lengthOf,
  sectorsOf,
  syncAction,
  tokenType,
  typeOf,
  type WarpStream,
} from '../../../engine/model/warp-stream.ts';
import type { Dim3, KernelCounts } from '../../../engine/model/execution.ts';
import { caches, compileModule, dim, upload } from './cuda.ts';

const source = `
__global__ void loop(float *a, int n) {
  __shared__ float s[1024];
  s[threadIdx.x * 2] = a[threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) sum += a[i * 32 + threadIdx.x] + s[threadIdx.x];
  a[blockIdx.x * 64 + threadIdx.x] = sum;
}
__global__ void flags(int *a) { if (threadIdx.x == 0) a[blockIdx.x / 4 * 4096] = 1; }
__constant__ int table[64];
__global__ void lookUp(int *a, int step) { a[threadIdx.x] = table[threadIdx.x * step / 4]; }
__global__ void counted(int *a, int n) {
  volatile int *v = a;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i++) sum += v[i];
  a[threadIdx.x] = sum;
}
__global__ void waiting(int *a, int n) {
  volatile int *v = a;
  while (v[0] != n) n++;
  a[threadIdx.x] = n;
}
// The second warp works in turn with the first one, a phase each.
__global__ void turns(int *a, int n) {
  __shared__ unsigned long long bar[2];
  unsigned int first = (unsigned int)__cvta_generic_to_shared(bar), second = first + 8, over;
  if (threadIdx.x < 2) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(first + 8 * threadIdx.x) : "memory");
  __syncthreads();
  unsigned int mine = threadIdx.x < 32 ? first : second, others = threadIdx.x < 32 ? second : first;
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (threadIdx.x < 32) asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(mine) : "memory");
    do asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(over) : "r"(others), "r"(i & 1) : "memory");
    while (!over);
    if (threadIdx.x >= 32) asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(mine) : "memory");
  }
  a[threadIdx.x] = 1;
}
__global__ void numbered() {
  if (threadIdx.x < 32) asm volatile("bar.arrive 3, 64;" ::: "memory");
  else asm volatile("bar.sync 3, 64;" ::: "memory");
}
struct Point { float x, y, z; };
__global__ void fields(Point *p) { p[threadIdx.x] = Point{1, 2, 3}; }
__global__ void keeps(int *a, int n) {
  volatile int own[500];
#pragma unroll 1
  for (int i = 0; i < n; i++) own[(i * 7 + threadIdx.x) % 500] = i;
  a[threadIdx.x] = own[(a[0] + threadIdx.x) % 500];
}
__global__ void branch(int *a) { if (threadIdx.x < 40) a[threadIdx.x * 8] = 1; else atomicAdd(a, (int)threadIdx.x); }
`;

let module: DeviceModule;
let device: Device;
let buffer: number;
beforeAll(async () => {
  module = await compileModule(source);
  device = Device.create([module], { memoryBytes: 1 << 28 });
  buffer = upload(device, new Float32Array(1 << 16));
});

interface Access {
  site: number;
  kind: 'load' | 'store' | 'atomic';
  lines?: { line: number; sectors: number }[];
  passes?: number;
}
type Step = { block: number; mask: number; accesses: Access[] };

function decode(stream: WarpStream): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < stream.length;) {
    const word = stream[i++]!;
    const token = word >>> 30;
    if (token === 0) {
      steps.push({ block: word, mask: stream[i++]!, accesses: [] });
      continue;
    }
    const kind = (['load', 'store', 'atomic'] as const)[(word >>> 24) & 3]!;
    const site = (word >>> 8) & 0xffff;
    const amount = word & 0xff;
    if (token === 2) steps.at(-1)!.accesses.push({ site, kind, passes: amount });
    else {
      const lines = [...stream.subarray(i, (i += amount))].map((entry) => ({
        line: entry & 0x1ff_ffff,
        sectors: sectorsOf(entry),
      }));
      // How often it goes through the pipe of L1, if several times: see counts.slow.test.ts.
      i += (word >>> 29) & 1;
      steps.at(-1)!.accesses.push({ site, kind, lines });
    }
  }
  return steps;
}

function trace(
  name: string,
  parameters: number[],
  grid: Dim3,
  block: Dim3,
  blocks: number[],
  geometry = caches,
): Map<number, Step[][]> {
  const kernel = module.kernels.find((one) => one.name.includes(name))!;
  const bytes = new Uint8Array(kernel.parameterBytes);
  const view = new DataView(bytes.buffer);
  kernel.parameters.forEach(({ offset }, i) => view.setInt32(offset, parameters[i]!, true));
  const found = new Map<number, Step[][]>();
  const launch = { kernel: kernel.name, grid, block, dynamicSharedBytes: 0, parameters: bytes };
  device.launch(launch, geometry, undefined, {
    blocks,
    onBlock: (number, warps) => {
      found.set(number, warps.map(decode));
      return found.size < 2;
    },
  });
  return found;
}

it('follows warps through loops and barriers, with the lines that they touch and their bank conflicts', () => {
  const rounds = 5;
  const found = trace('loop', [buffer, rounds], dim(7), dim(64), [2, 6]);
  expect([...found.keys()]).toEqual([2, 6]);
  const warps = found.get(6)!;
  expect(warps).toHaveLength(2);
  warps.forEach((steps, warp) => {
    const all = steps.flatMap(({ accesses }) => accesses);
    const loads = all.filter(({ kind, lines }) => kind === 'load' && lines);
    expect(loads).toHaveLength(1 + rounds);
    loads.forEach(({ lines }, i) => {
      const line = buffer / 128 + (i === 0 ? warp : i - 1 + warp);
      expect(lines).toEqual([{ line, sectors: 15 }]);
    });
    // Two-way conflicts of the store; the loads have none.
    expect(all.filter(({ passes = 1 }) => passes > 1)).toEqual([
      { site: expect.any(Number), kind: 'store', passes: 2 },
    ]);
    expect(all.filter(({ kind, lines }) => kind === 'store' && lines).flatMap(({ lines }) => lines)).toEqual([
      { line: buffer / 128 + 6 * 2 + warp, sectors: 15 },
    ]);
    expect(steps.every(({ mask }) => mask === 0xffff_ffff)).toBe(true);
    const body = module.kernels.find(({ name }) => name.includes('loop'))!.sites[loads[1]!.site]!.block;
    expect(steps.filter(({ block }) => block === body)).toHaveLength(rounds);
  });
});

it('follows warps that read volatile memory a known number of times: they wait for nobody', () => {
  const waits = (name: string) => module.kernels.find((one) => one.name.includes(name))!.waits;
  expect([waits('counted'), waits('waiting')]).toEqual([false, true]);
  const rounds = 3;
  const [warps] = [...trace('counted', [buffer, rounds], dim(1), dim(32), [0]).values()];
  expect(warps![0]!.flatMap(({ accesses }) => accesses)).toHaveLength(rounds + 1);
});

/** Barrier operations of the warps of a block: action, offset from the first barrier, amount, the other figure. */
function syncs(name: string, parameters: number[]): number[][][] {
  const kernel = module.kernels.find((one) => one.name.includes(name))!;
  const bytes = new Uint8Array(kernel.parameterBytes);
  kernel.parameters.forEach(({ offset }, i) => new DataView(bytes.buffer).setInt32(offset, parameters[i]!, true));
  const launch = { kernel: kernel.name, grid: dim(1), block: dim(64), dynamicSharedBytes: 0, parameters: bytes };
  const found: number[][][] = [];
  const onBlock = (_: number, warps: WarpStream[]): boolean => {
    for (const words of warps) {
      const list: number[][] = [];
      for (let i = 0; i < words.length; i += lengthOf(words[i]!))
        if (typeOf(words[i]!) === tokenType.sync) list.push([kindOf(words[i]!), ...words.subarray(i + 1, i + 4)]);
      found.push(list);
    }
    return false;
  };
  counted = device.launch(launch, caches, undefined, { blocks: [0], onBlock });
  return found;
}
let counted: KernelCounts;

it('tells what is done to barriers in shared memory, without the tests that were in vain', () => {
  const rounds = 4;
  const { arrive, init, testParity: test } = syncAction;
  const [first, second] = syncs('turns', [buffer, rounds]) as [number[][], number[][]];
  const initialised = first.filter(([action]) => action === init);
  expect(initialised).toHaveLength(2);
  const place = initialised[0]![1]!;
  const numbers = Array.from({ length: rounds }, (_, i) => i + 1);
  expect(first.filter(([action]) => action !== init)).toEqual(
    numbers.flatMap((phase) => [
      [arrive, place, 32, 0],
      [test, place + 8, 1, phase],
    ]),
  );
  expect(second).toEqual(
    numbers.flatMap((phase) => [
      [test, place, 1, phase],
      [arrive, place + 8, 32, 0],
    ]),
  );
  // Both warps issue what is under a predicate: two arrivals in each round, in which each tests once. One initialises.
  expect(counted.warpInstructionsByClass.sync).toBe(1 + (2 * 2 + 2) * rounds);
  expect(module.kernels.find(({ name }) => name.includes('turns'))!.waits).toBe(false);
});

it('tells who comes to barriers with numbers', () => {
  expect(syncs('numbered', [])).toEqual([[[syncAction.numbered, 3, 64, 0]], [[syncAction.numbered, 3, 64, 1]]]);
});

it('knows the lanes of each branch', () => {
  const [warps] = [...trace('branch', [buffer], dim(1), dim(64), [0]).values()];
  const [first, second] = warps!;
  expect(first!.flatMap(({ accesses }) => accesses)).toEqual([
    {
      site: expect.any(Number),
      kind: 'store',
      lines: Array.from({ length: 8 }, (_, i) => ({ line: buffer / 128 + i, sectors: 15 })),
    },
  ]);
  const masks = second!.filter(({ accesses }) => accesses.length > 0).map(({ mask }) => mask);
  expect(masks.sort()).toEqual([0xff, 0xffff_ff00].sort());
});

it('leaves out of stores what has gone to L2 with the store before', () => {
  const [warps] = [...trace('fields', [buffer], dim(1), dim(32), [0]).values()];
  const stores = warps![0]!.flatMap(({ accesses }) => accesses);
  // 32 times 12 bytes are 3 lines: the first store touches all of their sectors.
  const lines = (sectors: number) => [0, 1, 2].map((i) => ({ line: buffer / 128 + i, sectors }));
  expect(stores.map((store) => store.lines)).toEqual([lines(15), lines(0), lines(0)]);
});

it('changes neither results nor counts', () => {
  const kernel = module.kernels.find(({ name }) => name.includes('loop'))!;
  const run = (blocks: number[]) => {
    const fresh = Device.create([module], { memoryBytes: 1 << 28 });
    const input = upload(
      fresh,
      Float32Array.from({ length: 1 << 14 }, (_, i) => i % 97),
    );
    const bytes = new Uint8Array(kernel.parameterBytes);
    const view = new DataView(bytes.buffer);
    kernel.parameters.forEach(({ offset }, i) => view.setInt32(offset, [input, 3][i]!, true));
    const request = { blocks, onBlock: () => true };
    const launch = { kernel: kernel.name, grid: dim(9), block: dim(64), dynamicSharedBytes: 0, parameters: bytes };
    const counts = fresh.launch(launch, caches, undefined, blocks.length > 0 ? request : null);
    // Counts by place exist only where blocks are traced.
    return {
      counts: { ...counts, places: undefined },
      memory: [...new Float32Array(fresh.memory.buffer, input, 1024)],
    };
  };
  expect(run([1, 2, 8])).toEqual(run([]));
});

it('a constant load has one pass per word that its lanes want', () => {
  const passes = (step: number): (number | undefined)[] =>
    [...trace('lookUp', [buffer, step], dim(1), dim(32), [0]).get(0)![0]!]
      .flatMap(({ accesses }) => accesses)
      .map((access) => access.passes)
      .filter((count) => count !== undefined);
  expect(passes(1)).toEqual([8]);
  expect(passes(4)).toEqual([32]);
});

it('stores meet as often, whichever blocks are traced', () => {
  const kernel = module.kernels.find(({ name }) => name.includes('flags'))!;
  const parameters = new Uint8Array(kernel.parameterBytes);
  new DataView(parameters.buffer).setInt32(0, buffer, true);
  const launch = { kernel: kernel.name, grid: dim(8), block: dim(32), dynamicSharedBytes: 0, parameters };
  // Four blocks are resident together.
  const few = { ...caches, smCount: 4, blocksPerSm: 1 };
  for (const blocks of [[], [3], [0, 3, 7]]) {
    const request = blocks.length > 0 ? { blocks, onBlock: () => true } : null;
    expect(device.launch(launch, few, undefined, request).globalAtomic.hottest).toBe(4);
  }
});

it('has room beside blocks that keep much, though not for as many as are resident', () => {
  // 62 KB each, and there are some 220 MB.
  const many = { ...caches, smCount: 132, blocksPerSm: 32 };
  const found = trace('keeps', [buffer, 2], dim(4224), dim(32), [1, 5], many);
  expect([...found.keys()]).toEqual([1, 5]);
});
