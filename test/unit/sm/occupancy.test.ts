import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gpuById, gpus } from '../../../engine/gpus/index.ts';
import { occupancyOf } from '../../../engine/sm/occupancy.ts';
import type { OccupancyLimiter } from '../../../engine/sm/occupancy.ts';

interface Measured {
  case: string;
  kernel: string;
  blocks: number;
  threads: number;
  registers: number;
  staticShared: number;
  dynamicShared: number;
  maxBlocks: number;
  occupancy: number;
  limits: Record<OccupancyLimiter, number> | null;
  waves: number | null;
  config: number | null;
}
const reference = JSON.parse(
  readFileSync(new URL('../../reference/h200/occupancy.json', import.meta.url), 'utf8'),
) as Measured[];

describe('occupancy', () => {
  // threads, registers, static shared, dynamic shared → blocks, limiter
  it.each([
    ['h200', 256, 32, 0, 0, 8, 'warps'],
    ['h200', 256, 33, 0, 0, 6, 'registers'],
    ['h200', 32, 16, 0, 0, 32, 'blocks'],
    ['h200', 32, 16, 8192, 0, 25, 'shared'],
    ['h200', 1024, 64, 0, 0, 1, 'registers'],
    ['h200', 1024, 65, 0, 0, 0, 'registers'],
    ['h200', 256, 16, 0, 232448, 1, 'shared'],
    ['h200', 256, 16, 0, 232449, 0, 'shared'],
    ['h200', 1025, 16, 0, 0, 0, 'warps'],
    ['h200', 33, 16, 0, 0, 32, 'warps'],
    ['h200', 256, 256, 0, 0, 0, 'registers'],
    ['mx330', 256, 32, 0, 0, 8, 'warps'],
    ['mx330', 256, 32, 48 * 1024, 0, 2, 'shared'],
    ['a4000', 512, 40, 0, 0, 3, 'warps'],
    ['a4000', 768, 40, 0, 0, 2, 'warps'],
    ['a4000', 64, 16, 0, 0, 16, 'blocks'],
    ['t4', 1024, 64, 0, 0, 1, 'warps'],
    ['a100', 128, 16, 20480, 0, 7, 'shared'],
  ] as const)(
    '%s: %i threads, %i registers, %i + %i bytes shared → %i blocks by %s',
    (id, threadsPerBlock, registersPerThread, staticSharedBytes, dynamicSharedBytes, blocks, limiter) => {
      const found = occupancyOf(gpuById(id), {
        threadsPerBlock,
        registersPerThread,
        staticSharedBytes,
        dynamicSharedBytes,
      });
      expect([found.blocksPerSm, found.limiter]).toEqual([blocks, limiter]);
    },
  );

  it('leaves to L1 what shared memory does not take', () => {
    const block = { threadsPerBlock: 1024, registersPerThread: 32, staticSharedBytes: 8192, dynamicSharedBytes: 0 };
    expect(occupancyOf(gpuById('h200'), block)).toMatchObject({ sharedConfigBytes: 32768, l1Bytes: 224 * 1024 });
    expect(occupancyOf(gpuById('mx330'), block)).toMatchObject({ sharedConfigBytes: 98304, l1Bytes: 48 * 1024 });
  });

  it('never grows when a block asks for more', () => {
    for (const gpu of gpus) {
      for (const threadsPerBlock of [32, 96, 256, 640, 1024]) {
        let previous = Infinity;
        for (let registersPerThread = 1; registersPerThread <= 255; registersPerThread++) {
          const block = { threadsPerBlock, registersPerThread, staticSharedBytes: 0, dynamicSharedBytes: 0 };
          const { blocksPerSm } = occupancyOf(gpu, block);
          expect(blocksPerSm).toBeLessThanOrEqual(previous);
          previous = blocksPerSm;
        }
      }
    }
  });

  it.each(reference.map((row) => [row.case, row] as const))('H200 reference, %s', (_, row) => {
    const found = occupancyOf(gpuById('h200'), {
      threadsPerBlock: row.threads,
      registersPerThread: row.registers,
      staticSharedBytes: row.staticShared,
      dynamicSharedBytes: row.dynamicShared,
    });
    expect(found.blocksPerSm).toBe(row.maxBlocks);
    expect(found.percent).toBeCloseTo(row.occupancy, 4);
    if (row.limits) {
      expect(found.limits.registers).toBe(row.limits.registers);
      expect(found.limits.warps).toBe(row.limits.warps);
      expect(found.limits.blocks).toBe(row.limits.blocks);
    }
    if (row.waves !== null) expect(row.blocks / (found.blocksPerSm * 132)).toBeCloseTo(row.waves, 1);
    if (row.config !== null) expect(found.sharedConfigBytes).toBeLessThanOrEqual(row.config);
  });
});
