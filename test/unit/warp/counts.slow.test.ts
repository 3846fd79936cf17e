/** Counts against hand computations: sectors, wavefronts, instructions, divergence, caches. */
import { beforeAll, describe, expect, it } from 'vitest';
import { idealWavefronts, wavefrontsOf } from '../../../engine/memory/accesses.ts';
import type { Device } from '../../../engine/warp/device.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import type { KernelCounts } from '../../../engine/model/execution.ts';
import { Device as SimulatedDevice } from '../../../engine/warp/device.ts';
import { widenModule } from '../../../engine/kernels/module.ts';
import l1 from '../../reference/h200/l1.json' with { type: 'json' };
import sets from '../../reference/h200/l1_sets.json' with { type: 'json' };
import { caches, compileModule, deviceIr, dim, download, launch as launchOn, upload } from './cuda.ts';

const source = `
__global__ void copy(const float *in, float *out, int stride, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride + offset];
}
__global__ void copy4(const float4 *in, float4 *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i]; }
__global__ void copyBytes(const char *in, char *out) { int i = threadIdx.x; out[i] = in[i]; }
__global__ void copyDoubles(const double *in, double *out) { int i = threadIdx.x; out[i] = in[i]; }
__global__ void broadcast(const float *in, float *out) { out[threadIdx.x] = in[blockIdx.x]; }
__global__ void fresh(const float *in, float *out) { out[threadIdx.x] = *(volatile const float *)(in + blockIdx.x) + __ldcg(in + blockIdx.x); }
__global__ void half(float *out) { if (threadIdx.x & 1) out[threadIdx.x] = 1; }
__global__ void permute(const int *index, const float *in, float *out) { out[threadIdx.x] = in[index[threadIdx.x]]; }
__global__ void banks(float *out, int stride) {
  __shared__ float s[33 * 32];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  out[t] = s[t * stride];
}
__global__ void matched(const int *in, unsigned *out) { out[threadIdx.x] = __match_any_sync(__activemask(), in[threadIdx.x]); }
__global__ void groups(const int *in, unsigned *out) { out[threadIdx.x] = __shfl_xor_sync(0xffu << (threadIdx.x & 24), in[threadIdx.x], 1); }
__global__ void wide(float4 *out) {
  __shared__ float4 s[32];
  s[threadIdx.x] = make_float4(1, 2, 3, 4);
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void wideBroadcast(float4 *out, int i) {
  __shared__ float4 s[32];
  s[threadIdx.x] = make_float4(1, 2, 3, 4);
  __syncthreads();
  out[threadIdx.x] = s[i + threadIdx.x / 32];
}
__global__ void wideUniform(float4 *out, int i) {
  __shared__ float4 s[32];
  s[threadIdx.x] = make_float4(1, 2, 3, 4);
  __syncthreads();
  out[threadIdx.x] = s[i];
}
__global__ void generic(float *out, int which) {
  __shared__ float s[32];
  s[threadIdx.x] = 2;
  float *p = which ? s : out;
  out[threadIdx.x] = p[31 - threadIdx.x];
}
template <class T> __device__ void gather(const int *index, T *out) {
  __shared__ T s[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = i;
  __syncthreads();
  out[threadIdx.x] = s[index[threadIdx.x]];
}
__global__ void gatherShorts(const int *index, short *out) { gather(index, out); }
__global__ void gatherWords(const int *index, int *out) { gather(index, out); }
__global__ void gatherDoubles(const int *index, double *out) { gather(index, out); }
__global__ void gatherGlobal(const int *index, const int *in, int *out) { out[threadIdx.x] = in[index[threadIdx.x]]; }
__global__ void gatherOf1(const int *index, const unsigned *in, unsigned *out) { out[threadIdx.x] = in[index[threadIdx.x]]; }
__global__ void gatherOf2(const int *index, const unsigned *in, uint2 *out) { out[threadIdx.x] = *(const uint2 *)(in + index[threadIdx.x]); }
__global__ void gatherOf4(const int *index, const unsigned *in, uint4 *out) { out[threadIdx.x] = *(const uint4 *)(in + index[threadIdx.x]); }
__global__ void scatter(float *out, int stride) { out[(blockIdx.x * blockDim.x + threadIdx.x) * stride] = 1; }
__global__ void axpy(float a, const float *x, float *y) { int i = threadIdx.x; y[i] = a * x[i] + y[i]; }
__global__ void histogram(int *bins) { __shared__ int s[32]; s[threadIdx.x] = 0; atomicAdd(&s[threadIdx.x & 3], threadIdx.x); atomicAdd(&bins[threadIdx.x], s[threadIdx.x]); }
__global__ void add(int *bins, int lanesEach) { atomicAdd(&bins[threadIdx.x / lanesEach], threadIdx.x); }
__global__ void addUniform(int *bins) { atomicAdd(bins, 1); }
__global__ void flag(int *o, int value) { if (threadIdx.x == 0) o[0] = value; }
__global__ void addOwn(int *bins) { atomicAdd(bins, threadIdx.x); }
__global__ void addReturning(int *bins, int *o) { o[threadIdx.x] = atomicAdd(bins, 2); }
__global__ void addFloats(float *bins) { atomicAdd(bins, 1.0f); }
__global__ void countShared(int *o) { __shared__ int s[4]; atomicAdd(&s[threadIdx.x & 3], 1); __syncthreads(); o[threadIdx.x] = s[threadIdx.x & 3]; }
__global__ void recurse(int *o, int n) { o[n] = n; }
`;

let module: DeviceModule;
let device: Device;
let input: number;
let output: number;
const runOn = (on: Device, name: string, args: number[], grid = dim(1), block = dim(32)): KernelCounts =>
  launchOn(
    on,
    module.kernels.map((kernel) => kernel.name),
    name,
    grid,
    block,
    args,
  );
const run = (name: string, args: number[], grid = dim(1), block = dim(32)): KernelCounts =>
  runOn(device, name, args, grid, block);

beforeAll(async () => {
  module = await compileModule(source);
  device = SimulatedDevice.create([module], { memoryBytes: 1 << 30 });
  input = upload(device, new Float32Array(32 * 1024));
  output = upload(device, new Float32Array(32 * 1024));
});

describe('global memory sectors per request', () => {
  it.each([
    ['coalesced', 1, 0, 4, 1],
    ['misaligned by one word', 1, 1, 5, 2],
    ['misaligned by a sector', 1, 8, 4, 2],
    ['stride 2', 2, 0, 8, 2],
    ['stride 8', 8, 0, 32, 8],
    ['stride 32', 32, 0, 32, 32],
    ['one address', 0, 5, 1, 1],
    ['backwards', -1, 40, 5, 2],
  ])('%s', (_, stride, offset, sectors, lines) => {
    const counts = run('copy', [input, output, stride, offset]);
    expect(counts.globalLoad).toMatchObject({ requests: 1, sectors, lines });
    expect(counts.globalStore).toMatchObject({ requests: 1, sectors: 4 });
  });
  it('of bytes, doubles and float4', () => {
    expect(run('copyBytes', [input, output]).globalLoad).toMatchObject({ requests: 1, sectors: 1 });
    expect(run('copyDoubles', [input, output]).globalStore).toMatchObject({ requests: 1, sectors: 8 });
    const counts = run('copy4', [input, output], dim(2), dim(64));
    expect(counts.globalLoad).toMatchObject({ requests: 4, sectors: 64 });
    expect(counts.globalStore).toMatchObject({ requests: 4, sectors: 64 });
    expect(counts.warpInstructionsByClass['load-global']).toBe(4);
  });
  it('of broadcasts, half-active warps and permutations', () => {
    expect(run('broadcast', [input, output], dim(3), dim(64)).globalLoad).toMatchObject({ requests: 6, sectors: 6 });
    expect(run('half', [output]).globalStore).toMatchObject({ requests: 1, sectors: 4 });
    const index = upload(
      device,
      Int32Array.from({ length: 32 }, (_, i) => (i * 5) % 32),
    );
    expect(run('permute', [index, input, output]).globalLoad).toMatchObject({ requests: 2, sectors: 8 });
  });
});

const noise = (lane: number): number => ((lane + 7) * 2654435761) % 997;
/** Elements that the lanes of a warp want. */
const patterns: Record<string, (lane: number) => number> = {
  consecutive: (lane) => lane,
  'consecutive from an odd one on': (lane) => lane + 3,
  'half warps on one row': (lane) => 64 + (lane % 16),
  'half warps on rows of a tile': (lane) => (lane >> 4) * 48 + (lane % 16),
  'half warps on rows that overlap': (lane) => (lane >> 4) * 5 + (lane % 16),
  'half warps on one element each': (lane) => (lane >> 4) * 17,
  'half warps on one bank': (lane) => (lane >> 4) * 128,
  'half warps, one on a row': (lane) => (lane < 16 ? 9 : 40 + lane),
  'one element': () => 5,
  'stride 2': (lane) => 2 * lane,
  'stride 6': (lane) => 6 * lane,
  'stride 32': (lane) => 32 * lane,
  'stride 32, halves alike': (lane) => 32 * (lane % 16),
  backwards: (lane) => 600 - lane,
  columns: (lane) => (lane % 4) * 32 + (lane >> 2),
  swizzled: (lane) => lane * 32 + (lane ^ 5),
  scattered: noise,
  'scattered, in pairs': (lane) => noise(lane >> 1),
};

describe('global memory, whatever the pattern', () => {
  it.each(Object.entries(patterns))('%s', (_, pattern) => {
    for (const threads of [32, 20]) {
      const index = Int32Array.from({ length: 32 }, (_, lane) => pattern(lane));
      const wanted = [...index.subarray(0, threads)];
      const granules = (words: number): number => new Set(wanted.map((each) => Math.floor(each / words))).size;
      const requests = { requests: 1, sectors: granules(8), lines: granules(32) };
      const table = upload(device, index);
      const base = run('gatherGlobal', [table, input, output], dim(1), dim(threads)).globalLoad;
      const own = { requests: 1, sectors: Math.ceil(threads / 8), lines: 1 };
      expect(base).toMatchObject({
        requests: 2,
        sectors: requests.sectors + own.sectors,
        lines: requests.lines + own.lines,
      });
    }
  });
});

describe('passes through the pipe of L1', () => {
  /** Where a line with a number that is a multiple of 32 begins. */
  const aligned = (address: number): number => Math.ceil(address / 4096) * 4096;
  const passesOf = (kernel: string, offsets: readonly number[]): { wavefronts: number; passes: number } => {
    const index = upload(device, Int32Array.from(offsets));
    const { globalLoad } = run(kernel, [index, aligned(input), aligned(output)]);
    return { wavefronts: globalLoad.wavefronts - 1, passes: globalLoad.passes - 1 };
  };
  it.each(l1.patterns)('$pattern, $words words: as an H200 counts', ({ words, offsets, wavefronts, conflicts }) => {
    const counted = passesOf(`gatherOf${words}`, offsets);
    expect(Math.abs(counted.wavefronts - wavefronts)).toBeLessThan(0.1);
    expect(counted.passes).toBe(Math.max(counted.wavefronts, Math.round(conflicts) + 1));
  });
  it('pairs of lines: one after the other where an H200 finds their tags in one set', () => {
    // The bits in which they differ decide: the first of them is taken to be where these are 0 in here.
    const bits = 2 ** 22;
    const roomy = SimulatedDevice.create([module], { memoryBytes: 2 ** 31 });
    const start = Math.ceil(roomy.allocate(2 * bits * 128)! / (bits * 128)) * bits * 128;
    const wrong = sets.pairs.filter(([a, b, conflict]) => {
      const apart = ((a! ^ b!) & (bits - 1)) * 32;
      const index = upload(
        roomy,
        Int32Array.from({ length: 32 }, (_, lane) => (lane < 16 ? lane : apart + lane)),
      );
      return runOn(roomy, 'gatherOf1', [index, start, index]).globalLoad.passes !== 2 + conflict!;
    });
    expect(sets.pairs.length).toBeGreaterThan(250);
    expect(wrong).toEqual([]);
  });
});

describe('what takes as long as lanes have values', () => {
  it('matches: the distinct values of each', () => {
    const values = upload(
      device,
      Int32Array.from({ length: 64 }, (_, i) => (i < 32 ? i % 5 : 7)),
    );
    // The first warp has five, the second one.
    expect(run('matched', [values, output], dim(1), dim(64))).toMatchObject({ matches: 2, matchedValues: 6, masks: 0 });
    // Matches count active lanes only.
    expect(run('matched', [values, output], dim(1), dim(3))).toMatchObject({ matches: 1, matchedValues: 3 });
  });
  it('groups with masks of their own: how many there are', () => {
    const values = upload(device, new Int32Array(64));
    expect(run('groups', [values, output], dim(1), dim(64))).toMatchObject({ maskedGroups: 2, masks: 8, matches: 0 });
    expect(run('groups', [values, output], dim(1), dim(16))).toMatchObject({ maskedGroups: 1, masks: 2 });
  });
});

describe('shared memory wavefronts', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 1],
    [4, 4],
    [8, 8],
    [32, 32],
    [33, 1],
    [0, 1],
  ])('stride %i words: %i', (stride, wavefronts) => {
    const counts = run('banks', [output, stride]);
    expect(counts.sharedLoad).toMatchObject({ requests: 1, wavefronts });
    expect(counts.sharedLoad.idealWavefronts).toBe(1);
    expect(counts.sharedStore).toEqual({ requests: 1, wavefronts: 1, idealWavefronts: 1 });
    expect(counts.barriers).toBe(1);
  });
  describe.each([
    ['gatherShorts', 2, (address: number) => download(device, address, new Int16Array(32))],
    ['gatherWords', 4, (address: number) => download(device, address, new Int32Array(32))],
    ['gatherDoubles', 8, (address: number) => download(device, address, new Float64Array(32))],
  ] as const)('%s: what its addresses say', (kernel, size, read) => {
    it.each(Object.entries(patterns))('%s', (_, pattern) => {
      for (const threads of [32, 20]) {
        const index = Int32Array.from({ length: 32 }, (_, lane) => pattern(lane));
        const lanes = (2 ** threads - 1) >>> 0;
        const access = { size, lanes, addresses: index.map((each) => each * size) };
        const wavefronts = wavefrontsOf('load', access).length;
        const ideal = idealWavefronts('load', access);
        const counts = run(kernel, [upload(device, index), output], dim(1), dim(threads));
        expect(counts.sharedLoad).toEqual({ requests: 1, wavefronts, idealWavefronts: ideal });
        expect([...read(output).subarray(0, threads)]).toEqual([...index.subarray(0, threads)]);
      }
    });
  });
  it('128-bit accesses: 4 when all differ, 2 from one address', () => {
    const counts = run('wide', [output]);
    expect(counts.sharedStore).toEqual({ requests: 1, wavefronts: 4, idealWavefronts: 4 });
    expect(counts.sharedLoad).toEqual({ requests: 1, wavefronts: 4, idealWavefronts: 4 });
    expect(run('wideBroadcast', [output, 3]).sharedLoad).toEqual({ requests: 1, wavefronts: 2, idealWavefronts: 2 });
    // One half of the warp.
    expect(run('wideBroadcast', [output, 3], dim(1), dim(16)).sharedLoad).toEqual({
      requests: 1,
      wavefronts: 1,
      idealWavefronts: 1,
    });
    expect(run('wideUniform', [output, 3]).sharedLoad).toEqual({ requests: 1, wavefronts: 2, idealWavefronts: 2 });
    expect(run('wideUniform', [output, 3], dim(1), dim(16)).sharedLoad).toEqual({
      requests: 1,
      wavefronts: 1,
      idealWavefronts: 1,
    });
  });
  it('generic pointers count where they lead', () => {
    const shared = run('generic', [output, 1]);
    expect(shared.sharedLoad).toEqual({ requests: 1, wavefronts: 1, idealWavefronts: 1 });
    expect(shared.warpInstructionsByClass['load-shared']).toBe(1);
    const global = run('generic', [output, 0]);
    expect(global.globalLoad).toMatchObject({ requests: 1, sectors: 4 });
    expect(global.warpInstructionsByClass['load-shared']).toBe(0);
  });
  it('counts stores of one sector that meet in one place, but not those of full lines', () => {
    expect(run('addReturning', [output, output + 4096], dim(1), dim(1)).globalAtomic.hottest).toBe(1);
    expect(run('flag', [output, 3], dim(64)).globalAtomic.hottest).toBe(64);
    expect(run('copy', [input, output, 1, 0], dim(64)).globalAtomic.hottest).toBe(0);
  });
  it('counts the passes of atomics, and who meets on one address', () => {
    // 32 lanes on 1, 4 and 32 addresses; a sector holds 8 words.
    expect(run('add', [output, 32]).globalAtomic).toMatchObject({
      sectors: 32,
      lines: 1,
      lanes: 32,
      conflicts: 32,
      hottest: 32,
    });
    expect(run('add', [output, 8]).globalAtomic).toMatchObject({
      sectors: 8,
      lines: 1,
      lanes: 32,
      conflicts: 8,
      hottest: 8,
    });
    expect(run('add', [output, 1]).globalAtomic).toMatchObject({
      sectors: 4,
      lines: 1,
      lanes: 32,
      conflicts: 1,
      hottest: 4,
    });
    // One lane adds for a warp that adds the same to one address without looking back.
    expect(run('addUniform', [output], dim(2), dim(64)).globalAtomic).toMatchObject({
      requests: 4,
      sectors: 4,
      lanes: 4,
      conflicts: 4,
      hottest: 4,
    });
    // Where they add different values, REDUX sums them up; where they look back, each knows what lanes before it added.
    const one = { requests: 1, sectors: 1, lanes: 1, conflicts: 1 };
    const words = new Int32Array(device.memory.buffer, output, 32);
    words[0] = 5;
    expect(run('addOwn', [output]).globalAtomic).toMatchObject(one);
    expect(words[0]).toBe(5 + (31 * 32) / 2);
    words[0] = 7;
    expect(run('addReturning', [output, output + 128]).globalAtomic).toMatchObject(one);
    expect([...new Int32Array(device.memory.buffer, output + 128, 32)]).toEqual(
      Array.from({ length: 32 }, (_, i) => 7 + 2 * i),
    );
    expect(words[0]).toBe(7 + 64);
    // Sums of floats depend on their order.
    expect(run('addFloats', [output]).globalAtomic).toMatchObject({ requests: 1, sectors: 32, lanes: 32 });
    // ATOMS.POPC.INC takes equal addresses together.
    expect(run('countShared', [output]).sharedAtomic).toMatchObject({ requests: 1, wavefronts: 1, lanes: 32 });
  });
  it('atomics on one word take turns', () => {
    const counts = run('histogram', [output]);
    expect(counts.sharedAtomic).toMatchObject({ requests: 1, wavefronts: 8 });
    expect(counts.globalAtomic).toMatchObject({ requests: 1, sectors: 4 });
  });
});

describe('instructions', () => {
  it('are those of the selected machine code', () => {
    const counts = run('axpy', [0, input, output], dim(2), dim(48));
    // LDC of the stack, the memory descriptor and three parameters; S2R, 2 IMAD.WIDE, 2 LDG, FFMA, STG, EXIT
    expect(counts.warpInstructionsByClass).toMatchObject({
      'load-constant': 5 * 4,
      int: 4,
      imad: 2 * 4,
      'load-global': 2 * 4,
      fp32: 4,
      'store-global': 4,
      branch: 4,
    });
    expect(counts.warpInstructions).toBe(13 * 4);
    expect(counts.threadInstructions).toBe(13 * 96);
    expect(counts.warps).toBe(4);
  });
  it('say when a branch diverges', () => {
    expect(run('half', [output]).divergentBranches).toBe(1);
    expect(run('axpy', [0, input, output]).divergentBranches).toBe(0);
  });
});

describe('caches', () => {
  it('L1 answers repeated reads, L2 keeps its contents between launches, DRAM moves the rest', async () => {
    const fresh = SimulatedDevice.create([module], { memoryBytes: 1 << 30 });
    const from = upload(fresh, new Float32Array(4096));
    const to = upload(fresh, new Float32Array(4096));
    const names = module.kernels.map(({ name }) => name);
    const first = launchOn(fresh, names, 'copy', dim(32), dim(128), [from, to, 1, 0]);
    expect(first).toMatchObject({ l1Hits: 0, l1Misses: 512, l2Misses: 512, l2Stored: 512 });
    expect(first).toMatchObject({ dramReadBytes: 16384, dramWriteBytes: 0 });
    const second = launchOn(fresh, names, 'copy', dim(32), dim(128), [from, to, 1, 0]);
    expect(second).toMatchObject({ l1Hits: 0, l1Misses: 512, l2Hits: 1024, l2Misses: 0, dramReadBytes: 0 });
    fresh.moved(caches.l2Bytes / 2);
    const half = launchOn(fresh, names, 'copy', dim(32), dim(128), [from, to, 1, 0]);
    expect(half).toMatchObject({ l2Misses: 0 });
    fresh.moved(caches.l2Bytes);
    const cold = launchOn(fresh, names, 'copy', dim(32), dim(128), [from, to, 1, 0]);
    expect(cold).toMatchObject({ l2Misses: 512, dramReadBytes: 16384 });
    // The memset's lines are there, and none of the kernel's stores.
    fresh.moved(caches.l2Bytes);
    fresh.wrote(from, 8192);
    const warm = launchOn(fresh, names, 'copy', dim(32), dim(128), [from, to, 1, 0]);
    expect(warm).toMatchObject({ l2Misses: 256, l2Stored: 512, dramReadBytes: 8192 });
    const repeated = launchOn(fresh, names, 'broadcast', dim(caches.smCount), dim(1024), [from, to]);
    expect(repeated).toMatchObject({ l1Hits: 31 * caches.smCount, l1Misses: caches.smCount });
    // Both loads want what L2 has.
    const volatile = launchOn(fresh, names, 'fresh', dim(caches.smCount), dim(1024), [from, to]);
    expect(volatile).toMatchObject({ l1Hits: 0, l1Misses: 2 * 32 * caches.smCount });
  });
  it('write back what no longer fits', async () => {
    const fresh = SimulatedDevice.create([module], { memoryBytes: 1 << 30 });
    const words = (16 << 20) / 4;
    const from = upload(fresh, new Float32Array(words));
    const to = upload(fresh, new Float32Array(words));
    const counts = launchOn(
      fresh,
      module.kernels.map(({ name }) => name),
      'copy',
      dim(words / 1024),
      dim(1024),
      [from, to, 1, 0],
    );
    expect(counts.dramReadBytes).toBe(16 << 20);
    // 4 MiB of L2 hold reads and writes in turn: about half of it stays dirty.
    expect(counts.dramWriteBytes).toBeGreaterThan(13 << 20);
    expect(counts.dramWriteBytes).toBeLessThan(15 << 20);
  });
});

describe('L2 in halves, and DRAM', () => {
  const geometry = { smCount: 2, l1Bytes: 128 << 10, l2Bytes: 8 << 20, l2Halves: 2 as const };
  const names = (): string[] => module.kernels.map(({ name }) => name);
  const create = (): Device => SimulatedDevice.create([module], { memoryBytes: 1 << 30 });
  const sectors = (1 << 20) / 32;
  /** Each block reads a line of each half, blocks are on the SMs in turn where all of them are resident. */
  const copy = (fresh: Device, blocks: number, args: number[], blocksPerSm = 1024): KernelCounts =>
    launchOn(fresh, names(), 'copy', dim(blocks), dim(128), args, 0, { ...geometry, blocksPerSm });

  it('each half keeps copies of what is at home in the other', () => {
    const fresh = create();
    const from = upload(fresh, new Float32Array(1 << 19));
    const to = upload(fresh, new Float32Array(1 << 19));
    // A megabyte is read; from two blocks on, by all SMs in turn.
    const first = copy(fresh, 2048, [from, to, 1, 0]);
    expect(first).toMatchObject({ l1Misses: sectors, l2Misses: sectors, dramReadBytes: 1 << 20 });
    expect(first.l2Across / sectors).toBeCloseTo(0.5, 1);
    // Again: those of the other half are there as copies, which it has to confirm.
    const second = copy(fresh, 2048, [from, to, 1, 0]);
    expect(second).toMatchObject({ l2Misses: 0, l2Across: 0, l2Confirmed: first.l2Across, dramReadBytes: 0 });
    // Loads by the other SMs: half of the lines belong to their half of L2, the rest is not in it yet.
    const shifted = copy(fresh, 2048, [from, to, 1, 128]);
    expect(shifted.l2Misses).toBe(4 * 4);
    expect(shifted.l2Across / sectors).toBeCloseTo(0.5, 1);
  });
  it('blocks that wait for a place get another one in each launch', () => {
    const fresh = create();
    const from = upload(fresh, new Float32Array(1 << 18));
    const to = upload(fresh, new Float32Array(1 << 18));
    const launch = (): KernelCounts => copy(fresh, 2048, [from, to, 1, 0], 1);
    const launches = Array.from({ length: 20 }, launch);
    // Half of a half each time, of what has no copy yet; none is looked for in DRAM.
    expect(launches[1]!.l2Across / sectors).toBeCloseTo(0.25, 1);
    expect(launches[2]!.l2Across / sectors).toBeCloseTo(0.125, 1);
    for (const { l2Across, l2Confirmed, l2Misses } of launches.slice(1)) {
      expect(l2Misses).toBe(0);
      // Half of all copies, those of fifteen launches ago among them.
      expect((l2Across + l2Confirmed!) / sectors).toBeCloseTo(0.5, 1);
    }
  });
  it('a copy is confirmed once in a launch', () => {
    const fresh = create();
    // Both blocks read the same lines over and over: stride 0.
    const from = upload(fresh, new Float32Array(1 << 10));
    const to = upload(fresh, new Float32Array(1 << 18));
    copy(fresh, 2048, [from, to, 0, 0]);
    const { l2Confirmed, l2Across } = copy(fresh, 2048, [from, to, 0, 0]);
    expect([l2Confirmed, l2Across]).toEqual([1, 0]);
  });
  it('what is stored makes copies void', () => {
    const fresh = create();
    const a = upload(fresh, new Float32Array(1 << 18));
    const b = upload(fresh, new Float32Array(1 << 18));
    copy(fresh, 2048, [a, b, 1, 0]);
    copy(fresh, 2048, [b, a, 1, 0]);
    const again = copy(fresh, 2048, [a, b, 1, 0]);
    expect(again.l2Misses).toBe(0);
    expect(again.l2Across / sectors).toBeCloseTo(0.5, 1);
  });
  it('a sector that misses brings its neighbour, and apart from others opens a row', () => {
    const run = (stride: number): KernelCounts[] => {
      const fresh = create();
      const from = upload(fresh, new Float32Array(64 * 128 * stride + 8));
      const to = upload(fresh, new Float32Array(1 << 13));
      return [0, 8].map((offset) => copy(fresh, 64, [from, to, stride, offset]));
    };
    const [all] = run(8);
    expect(all).toMatchObject({ l1Misses: 8192, l2Misses: 8192, dramReadBytes: 8192 * 32, dramRows: 256 });
    const [every, others] = run(16);
    expect(every).toMatchObject({ l1Misses: 8192, l2Misses: 8192, dramReadBytes: 8192 * 64, dramRows: 512 });
    expect(others).toMatchObject({ l1Misses: 8192, l2Misses: 0, dramReadBytes: 0, dramRows: 0 });
    expect(run(256)[0]).toMatchObject({ l2Misses: 8192, dramRows: 8192 });
  });
  it('sectors that stay incomplete are filled in, others are not', () => {
    const fresh = create();
    const run = (stride: number): KernelCounts =>
      launchOn(fresh, names(), 'scatter', dim(4096), dim(256), [upload(fresh, new Float32Array(1 << 23)), stride]);
    // The last 16384 lines may still be completed.
    const left = (lines: number): number => (lines - 16384) * 128;
    expect(run(2)).toMatchObject({ dramFilledBytes: left(65536), dramReadBytes: 0 });
    expect(run(8).dramFilledBytes).toBeGreaterThan(left(262144));
    expect(run(1).dramFilledBytes).toBeLessThanOrEqual(16384 * 128);
    expect(run(1).dramFilledBytes).toBe(0);
  });
  it('half of L2 is written back late, a third where others need the place', () => {
    const run = (blocks: number): number => {
      const fresh = create();
      const to = upload(fresh, new Float32Array(1 << 22));
      const one = { ...geometry, l2Halves: 1 as const };
      return launchOn(fresh, names(), 'scatter', dim(blocks), dim(256), [to, 1], 0, one).dramWriteBytes / (1 << 20);
    };
    expect(run(2048)).toBe(0);
    expect(run(6144)).toBeCloseTo(6 - 8 / 2, 1);
    // Five of sixteen lines when another comes, and that one.
    expect(run(16384)).toBeCloseTo(16 - (8 * 6) / 16, 1);
  });
});

describe('descriptions', () => {
  it('list parameters, shared and local memory and launch bounds', () => {
    const banks = module.kernels.find(({ name }) => name.includes('banks'));
    expect(banks).toMatchObject({
      parameters: [
        { offset: 0, size: 8 },
        { offset: 8, size: 4 },
      ],
      parameterBytes: 12,
      staticSharedBytes: 33 * 32 * 4,
      localBytes: 0,
      maxThreadsPerBlock: null,
    });
    for (const kernel of module.kernels) expect(kernel.registersPerThread).toBeGreaterThan(7);
  });
});

describe('what is not supported', () => {
  it.each([
    ['asm volatile("frobnicate.b32 %0, 5;" : "=r"(o[0]));', /PTX instruction "frobnicate\.b32 .*kernels\.cu:3/],
    [
      'asm volatile("mbarrier.pending_frobs.b64 [%0], 1;" :: "r"(0));',
      /PTX instruction "mbarrier\.pending_frobs.*kernels\.cu:3/,
    ],
    ['asm volatile("L: bra L;");', /this jump in inline PTX .*kernels\.cu:3/],
    ['o[0] = waits(o[1]);', /a barrier in a recursive function .*kernels\.cu:2/],
  ])('%s', async (body, message) => {
    const text = `
__device__ __noinline__ int waits(int n) { __syncthreads(); return n < 2 ? n : waits(n - 1) + waits(n - 2); }
__global__ void k(int *o) { ${body} }`;
    const ir = await deviceIr(text);
    expect(() => widenModule(ir, 'kernels.cu')).toThrow(message);
    expect(() => widenModule(ir, 'kernels.cu')).toThrow(/not supported yet/);
  });
  it.each([
    'asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 1;" :: "r"(0));',
    'asm volatile("{.reg .pred p; mbarrier.try_wait.shared.b64 p, [%0], %1;}" :: "r"(0), "l"(0LL));',
    'asm volatile("cp.async.bulk.commit_group;");',
  ])('what only newer GPUs have: %s', async (body) => {
    const ir = await deviceIr(`__global__ void k(int *o) { ${body} }`);
    const message = /^The PTX instruction \S+ needs compute capability 9\.0, and the GPU has 8\.0 \(in _Z1kPi\)\.$/;
    expect(() => widenModule(ir, 'kernels.cu')).toThrow(message);
  });
});
