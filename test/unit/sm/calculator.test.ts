/**
 * Occupancy against NVIDIA's published calculator, worked out by hand from its rules for each compute capability, case
 * by case: the comment says how. R: registers of a warp, W: warps that the register file holds, S: shared memory of a
 * block. The rules are those of `cuda_occupancy.h` (CUDA 12.6; 8.0 for compute capability 2.0) and of the occupancy
 * calculator's GPU data.
 */
import { describe, expect, it } from 'vitest';
import { gpuById } from '../../../engine/gpus/index.ts';
import {
  occupancyOf,
  occupancyOfLaunch,
  withinRegisters,
  type OccupancyLimiter,
} from '../../../engine/sm/occupancy.ts';

/** Threads per block, registers per thread, shared memory per block in bytes → blocks per SM, the limiter. */
type Case = [threads: number, registers: number, shared: number, blocks: number, limiter: OccupancyLimiter];

const families: Record<string, { gpus: string[]; rules: string; cases: Case[] }> = {
  '2.0': {
    gpus: ['c2050'],
    rules: '48 warps, 8 blocks, 32 K registers in 2 partitions, 64 per unit (128 for some counts), 48 KiB by 128 bytes',
    cases: [
      [192, 16, 0, 8, 'warps'], // 48 / 6 warps; 8 blocks as well
      [256, 20, 0, 6, 'warps'], // R 640: W 2 x floor(16384 / 640) = 50; 50 / 8 = 6, as many as 48 / 8
      [256, 21, 0, 5, 'registers'], // 672 in units of 128: R 768, W 2 x 21 = 42; 42 / 8
      [256, 22, 0, 5, 'registers'], // 704 in units of 128: R 768
      [256, 23, 0, 5, 'registers'], // R 736 to 768: W 42
      [192, 30, 0, 5, 'registers'], // 960 in units of 128: R 1024, W 32; 32 / 6
      [192, 28, 0, 6, 'registers'], // R 896: W 2 x 18 = 36; 36 / 6
      [256, 38, 0, 3, 'registers'], // 1216 in units of 128: R 1280, W 2 x 12 = 24; 24 / 8
      [64, 46, 0, 8, 'blocks'], // R 1536, W 2 x 10 = 20; 20 / 2 = 10
      [96, 63, 0, 5, 'registers'], // R 2016 to 2048: W 16; 16 / 3
      [512, 63, 0, 1, 'registers'], // R 2048 x 16 warps = 32768: the whole file
      [544, 63, 0, 0, 'registers'], // 2048 x 18 (17 warps, rounded up to 2 partitions) > 32768
      [32, 64, 0, 0, 'registers'], // 63 per thread at most
      [1024, 20, 0, 1, 'warps'], // 48 / 32
      [1024, 32, 0, 1, 'warps'], // 1024 x 32 = 32768 registers
      [1024, 33, 0, 0, 'registers'], // R 1056 to 1088: x 32 = 34816
      [32, 10, 0, 8, 'blocks'],
      [128, 10, 12288, 4, 'shared'], // 49152 / 12288
      [128, 10, 12289, 3, 'shared'], // S 12416
      [64, 10, 6144, 8, 'blocks'], // 49152 / 6144 = 8 too
      [64, 10, 49152, 1, 'shared'],
      [64, 10, 49153, 0, 'shared'],
      [33, 20, 0, 8, 'blocks'], // 2 warps: 48 / 2 = 24
    ],
  },
  '6.1': {
    gpus: ['mx330'],
    rules: '64 warps, 32 blocks, 64 K registers in 4 partitions, 256 per unit, 96 KiB by 256 bytes, 48 KiB per block',
    cases: [
      [256, 32, 0, 8, 'warps'], // R 1024, W 64
      [256, 33, 0, 6, 'registers'], // R 1056 to 1280: W 4 x floor(16384 / 1280) = 48; 48 / 8
      [128, 40, 0, 12, 'registers'], // R 1280: 48 / 4
      [96, 72, 0, 9, 'registers'], // R 2304: W 4 x 7 = 28; 28 / 3
      [64, 255, 0, 4, 'registers'], // R 8160 to 8192: W 8; 8 / 2
      [1024, 64, 0, 1, 'registers'], // 2048 x 32 = 65536
      [1024, 65, 0, 0, 'registers'],
      [32, 16, 0, 32, 'blocks'],
      [64, 16, 0, 32, 'warps'], // 64 / 2, and 32 blocks
      [256, 32, 24576, 4, 'shared'], // 98304 / 24576
      [256, 32, 24577, 3, 'shared'], // S 24832
      [256, 32, 49152, 2, 'shared'],
      [256, 32, 49153, 0, 'shared'], // no opt-in
    ],
  },
  '7.0': {
    gpus: ['v100'],
    rules: 'as 6.1, with sizes of shared memory of 0, 8, 16, 32, 64, 96 KiB and 96 KiB per block by opt-in',
    cases: [
      [256, 32, 0, 8, 'warps'],
      [256, 33, 0, 6, 'registers'],
      [640, 48, 0, 2, 'registers'], // R 1536: W 4 x 10 = 40; 40 / 20
      [224, 56, 0, 5, 'registers'], // R 1792: W 4 x 9 = 36; 36 / 7
      [800, 72, 0, 1, 'registers'], // R 2304: x 28 (25 rounded up) = 64512, fits; W 28 / 25
      [928, 72, 0, 0, 'registers'], // 29 warps count as 32: 73728 > 65536
      [32, 16, 3072, 32, 'blocks'], // 98304 / 3072 = 32 too
      [32, 16, 3073, 29, 'shared'], // S 3328: 29.5
      [1024, 32, 65536, 1, 'shared'],
      [128, 32, 98304, 1, 'shared'], // opt-in
      [128, 32, 98305, 0, 'shared'],
    ],
  },
  '7.5': {
    gpus: ['t4'],
    rules: '32 warps, 16 blocks, 64 K registers in 4 partitions, 256 per unit, 64 KiB by 256 bytes',
    cases: [
      [1024, 64, 0, 1, 'warps'],
      [256, 64, 0, 4, 'warps'], // R 2048: W 32
      [256, 65, 0, 3, 'registers'], // R 2080 to 2304: W 28; 28 / 8
      [128, 96, 0, 5, 'registers'], // R 3072: W 4 x 5 = 20; 20 / 4
      [64, 32, 0, 16, 'warps'], // 32 / 2, and 16 blocks
      [32, 32, 0, 16, 'blocks'],
      [96, 64, 0, 10, 'warps'], // 32 / 3
      [512, 32, 32768, 2, 'warps'], // 65536 / 32768 = 2 too
      [128, 32, 16384, 4, 'shared'],
      [128, 32, 16385, 3, 'shared'], // S 16640
      [128, 32, 65536, 1, 'shared'],
      [128, 32, 65537, 0, 'shared'],
    ],
  },
  '8.0': {
    gpus: ['a100-40gb', 'a100-80gb'],
    rules: '64 warps, 32 blocks, 164 KiB by 128 bytes, of which the system takes 1 KiB per block; 163 KiB per block',
    cases: [
      [256, 32, 0, 8, 'warps'],
      [256, 40, 0, 6, 'registers'],
      [256, 41, 0, 5, 'registers'], // R 1312 to 1536: W 40; 40 / 8
      [1024, 65, 0, 0, 'registers'],
      [32, 16, 0, 32, 'blocks'], // S 1024: 164
      [32, 16, 4224, 32, 'blocks'], // S 5248 = 167936 / 32
      [32, 16, 4225, 31, 'shared'], // S 5376: 31.2
      [128, 16, 20480, 7, 'shared'], // S 21504: 7.8
      [128, 16, 19968, 8, 'shared'], // S 20992 = 167936 / 8
      [128, 16, 19969, 7, 'shared'], // S 21120
      [128, 16, 82944, 2, 'shared'], // S 83968 = 167936 / 2
      [128, 16, 82945, 1, 'shared'],
      [128, 16, 166912, 1, 'shared'],
      [128, 16, 166913, 0, 'shared'],
    ],
  },
  '8.6': {
    gpus: ['a4000', 'a6000'],
    rules: '48 warps, 16 blocks, 64 K registers in 4 partitions, 100 KiB by 128 bytes less 1 KiB per block',
    cases: [
      [512, 40, 0, 3, 'warps'], // 48 / 16; R 1280: W 48
      [512, 41, 0, 2, 'registers'], // R 1536: W 40; 40 / 16
      [768, 40, 0, 2, 'warps'],
      [1024, 32, 0, 1, 'warps'], // 48 / 32
      [96, 40, 0, 16, 'warps'], // 48 / 3, and 16 blocks
      [64, 16, 0, 16, 'blocks'],
      [128, 72, 0, 7, 'registers'], // W 28; 28 / 4
      [64, 16, 5376, 16, 'blocks'], // S 6400 = 102400 / 16
      [64, 16, 5377, 15, 'shared'], // S 6528: 15.7
      [256, 32, 49152, 2, 'shared'], // S 50176: 2.04
      [256, 32, 50177, 1, 'shared'], // S 51328
      [256, 32, 101376, 1, 'shared'],
      [256, 32, 101377, 0, 'shared'],
    ],
  },
  '8.9': {
    gpus: ['rtx4090'],
    rules: 'as 8.6, with 24 blocks',
    cases: [
      [64, 16, 0, 24, 'warps'], // 48 / 2, and 24 blocks
      [32, 16, 0, 24, 'blocks'],
      [33, 16, 0, 24, 'warps'],
      [128, 40, 0, 12, 'warps'], // 48 / 4; W 48
      [128, 48, 0, 10, 'registers'], // R 1536: W 40; 40 / 4
      [1024, 64, 0, 1, 'warps'],
      [1024, 65, 0, 0, 'registers'],
      [32, 16, 3200, 24, 'blocks'], // S 4224: 24.2
      [32, 16, 3201, 23, 'shared'], // S 4352: 23.5
      [256, 32, 101376, 1, 'shared'],
      [256, 32, 101377, 0, 'shared'],
    ],
  },
  '9.0': {
    gpus: ['h100', 'h200'],
    rules: '64 warps, 32 blocks, 64 K registers in 4 partitions, 228 KiB by 128 bytes less 1 KiB per block',
    cases: [
      [256, 32, 0, 8, 'warps'],
      [256, 91, 8192, 2, 'registers'], // R 2912 to 3072: W 20; 20 / 8
      [384, 168, 0, 1, 'registers'], // R 5376: W 4 x 3 = 12; 12 / 12
      [96, 168, 0, 4, 'registers'], // 12 / 3
      [1024, 65, 0, 0, 'registers'],
      [32, 16, 0, 32, 'blocks'], // S 1024: 228
      [32, 16, 6272, 32, 'blocks'], // S 7296 = 233472 / 32
      [32, 16, 6273, 31, 'shared'], // S 7424: 31.4
      [128, 32, 115712, 2, 'shared'], // S 116736 = 233472 / 2
      [128, 32, 115713, 1, 'shared'],
      [128, 32, 232448, 1, 'shared'],
      [128, 32, 232449, 0, 'shared'],
    ],
  },
};

for (const [capability, { gpus, rules, cases }] of Object.entries(families)) {
  describe(`compute capability ${capability}: ${rules}`, () => {
    it.each(gpus.flatMap((id) => cases.map((row) => [id, ...row] as const)))(
      '%s, %i threads, %i registers, %i bytes shared: %i blocks, by %s',
      (id, threadsPerBlock, registersPerThread, shared, blocks, limiter) => {
        const gpu = gpuById(id);
        expect(`${gpu.computeCapability.major}.${gpu.computeCapability.minor}`).toBe(capability);
        for (const [staticSharedBytes, dynamicSharedBytes] of [[0, shared] as const, [shared, 0] as const]) {
          const block = { threadsPerBlock, registersPerThread, staticSharedBytes, dynamicSharedBytes };
          const found = occupancyOf(gpu, block);
          expect([found.blocksPerSm, found.limiter]).toEqual([blocks, limiter]);
        }
      },
    );
  });
}

describe('a preference between shared memory and L1', () => {
  // GPU, shared memory per block in bytes, percent → size set apart in KiB, L1 in KiB, blocks of 64 threads
  it.each([
    ['c2050', 0, -1, 48, 16, 8], // the default of 2.x
    ['c2050', 0, 0, 16, 48, 8], // cudaFuncCachePreferL1
    ['c2050', 4096, 0, 16, 48, 4], // 16 KiB / 4 KiB
    ['c2050', 4096, 50, 48, 16, 8], // cudaFuncCachePreferEqual: 24 KiB is not offered
    ['c2050', 20480, 0, 48, 16, 2], // a block does not fit into 16 KiB
    ['mx330', 8192, 0, 96, 48, 12], // nothing to choose
    ['v100', 0, 0, 0, 128, 32],
    ['v100', 3072, 0, 8, 120, 2], // the smallest that holds a block: 8 KiB / 3 KiB
    ['v100', 3072, 50, 64, 64, 21], // 48 KiB is not offered
    ['v100', 3072, 100, 96, 32, 32],
    ['t4', 8192, 0, 32, 64, 4],
    ['t4', 8192, 51, 64, 32, 8],
    ['a100', 0, 0, 8, 184, 8], // 1 KiB of each block is the system's
    ['a100', 7168, 25, 64, 128, 8], // 41 KiB → 64; S 8 KiB
    ['a100', 7168, 61, 132, 60, 16], // 100.04 KiB → 132; S 8 KiB: 16.5
    ['a6000', 7168, 50, 64, 64, 8], // 50 KiB → 64
    ['rtx4090', 7168, 64, 64, 64, 8], // exactly 64 KiB
    ['rtx4090', 7168, 65, 100, 28, 12],
    ['h200', 7168, 86, 228, 28, 28], // 196.08 KiB → 228
    ['h200', 232448, 0, 228, 28, 1],
  ] as const)(
    '%s, %i bytes, %i percent: %i KiB and %i KiB of L1, %i blocks',
    (id, shared, percent, config, l1, blocks) => {
      const found = occupancyOf(gpuById(id), {
        threadsPerBlock: 64,
        registersPerThread: 16,
        staticSharedBytes: shared,
        dynamicSharedBytes: 0,
        preferredCarveout: percent,
      });
      expect([found.sharedConfigBytes / 1024, found.l1Bytes / 1024, found.blocksPerSm]).toEqual([config, l1, blocks]);
    },
  );
});

describe('a preference, as an H200 answers', () => {
  const block = (staticSharedBytes: number, preferredCarveout: number) => ({
    threadsPerBlock: 64,
    registersPerThread: 8,
    staticSharedBytes,
    dynamicSharedBytes: 0,
    preferredCarveout,
  });
  const h200 = gpuById('h200');

  // cuOccupancyMaxActiveBlocksPerMultiprocessor after cuFuncSetAttribute, for these bytes of shared memory.
  const sizes = [0, 3000, 6000, 7168, 20000, 40000];
  it.each([
    [-1, [32, 32, 32, 28, 11, 5]],
    [0, [8, 2, 1, 1, 1, 1]],
    [1, [8, 2, 1, 1, 1, 1]],
    [10, [32, 8, 4, 4, 1, 1]],
    [25, [32, 16, 9, 8, 3, 1]],
    [50, [32, 32, 19, 16, 6, 3]],
    [75, [32, 32, 28, 24, 9, 4]],
    [86, [32, 32, 32, 28, 11, 5]],
    [100, [32, 32, 32, 28, 11, 5]],
  ])('of %i percent', (percent, blocks) => {
    expect(sizes.map((size) => occupancyOf(h200, block(size, percent)).blocksPerSm)).toEqual(blocks);
  });

  // Rounds of 32 blocks per SM that wait 2 ms each: how often the waiting time passed.
  it.each([
    [-1, [1, 1, 3]],
    [0, [1, 32, 32]],
    [25, [1, 4, 11]],
    [50, [1, 2, 6]],
    [100, [1, 1, 3]],
  ])('of %i percent, by the blocks that were resident', (percent, rounds) => {
    const found = [0, 6000, 20000].map((size) =>
      Math.ceil(32 / occupancyOfLaunch(h200, block(size, percent)).blocksPerSm),
    );
    expect(found).toEqual(rounds);
  });
});

describe('registers that ptxas keeps to', () => {
  it.each([
    ['c2050', null, 63],
    ['c2050', 1024, 32], // 32768 / 1024
    ['c2050', 768, 42], // 24 warps: 32768 / 24 = 1365 of each, of which 1344 are 42 x 32
    ['h200', null, 255],
    ['h200', 256, 255], // 8 warps of 8192
    ['h200', 1024, 64],
    ['h200', 768, 80], // 24 warps: 2730 of each, of which 2560 are whole units
  ] as const)('%s, __launch_bounds__(%s): %i', (id, threads, registers) => {
    expect(withinRegisters(255, gpuById(id), threads)).toBe(registers);
  });
});
