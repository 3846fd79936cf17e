import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SimsightError } from '../../../engine/base/errors.ts';
import { withFallbacks } from '../../../engine/gpus/fallbacks.ts';
import { gpuById, gpus } from '../../../engine/gpus/index.ts';

const positive = z.number().finite().positive();
const known = positive.nullable();
const bytes = z.number().int().nonnegative();
const source = z.string().min(10);

/** The shape of a GPU file; strict, so that a misspelt or forgotten figure shows. */
const description = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  name: z.string().min(3),
  chip: z.string().min(3),
  architecture: z.string().min(3),
  computeCapability: z.strictObject({ major: z.number().int().min(6), minor: z.number().int().min(0) }),
  core: z.strictObject({
    source,
    smCount: z.number().int().positive(),
    smClockMhz: z.number().min(500).max(4000),
    memoryClockMhz: z.number().min(500).max(20000),
  }),
  limits: z.strictObject({
    source,
    warpsPerSm: z.number().int().positive(),
    threadsPerSm: z.number().int().positive(),
    blocksPerSm: z.number().int().positive(),
    threadsPerBlock: z.literal(1024),
    registersPerSm: z.literal(65536),
    registersPerThread: z.literal(255),
    registerAllocationUnit: z.literal(256),
    sharedBytesPerSm: bytes,
    sharedBytesPerBlock: bytes,
    sharedBytesPerBlockOptin: bytes,
    sharedReservedBytesPerBlock: bytes,
    sharedAllocationUnit: bytes,
    unifiedL1SharedBytes: bytes.nullable(),
    sharedCarveouts: z.array(bytes).min(1),
    l1Bytes: bytes.nullable(),
  }),
  throughput: z.strictObject({
    source,
    fp32: positive,
    fp64: known,
    fp16: known,
    int32: positive,
    imad: known,
    special: known,
    conversion: known,
    shuffle: positive,
    loadStore: known,
    schedulers: z.literal(4),
  }),
  memory: z.strictObject({
    source,
    type: z.string().regex(/^(GDDR|HBM)/),
    capacityBytes: bytes,
    busWidthBits: z.number().int().positive(),
    bandwidth: positive.min(1e9),
    achievableFraction: z.number().gt(0.5).lt(1).nullable(),
    l2Bytes: bytes,
    l2BytesPerClock: known,
  }),
  hostLink: z.strictObject({
    source,
    pcieGeneration: z.number().int().min(1).max(6),
    pcieLanes: z.number().int().min(1).max(16),
    copyEngines: z.number().int().positive().nullable(),
    hostToDevice: known,
    deviceToHost: known,
  }),
  latency: z.strictObject({
    source,
    alu: known,
    fp64: known,
    special: known,
    shared: known,
    l1Hit: known,
    l2Hit: known,
    dram: known,
    barrier: known,
  }),
});

describe('the GPU catalogue', () => {
  it.each(gpus.map((gpu) => [gpu.id, gpu] as const))('%s has every figure and a source for each group', (_, gpu) => {
    expect(() => description.parse(gpu)).not.toThrow();
  });

  it.each(gpus.map((gpu) => [gpu.id, gpu] as const))('%s agrees with itself', (_, gpu) => {
    const { limits, memory, core, latency } = gpu;
    expect(limits.threadsPerSm).toBe(limits.warpsPerSm * 32);
    expect(limits.sharedCarveouts).toEqual([...limits.sharedCarveouts].sort((a, b) => a - b));
    expect(limits.sharedCarveouts.at(-1)).toBe(limits.sharedBytesPerSm);
    expect(limits.unifiedL1SharedBytes === null).toBe(limits.l1Bytes !== null);
    // Two transfers per clock of the memory clock that CUDA reports.
    const fromClock = (core.memoryClockMhz * 1e6 * 2 * memory.busWidthBits) / 8;
    expect(Math.abs(fromClock / memory.bandwidth - 1)).toBeLessThan(0.01);
    for (const [near, far] of [[latency.l1Hit, latency.l2Hit] as const, [latency.l2Hit, latency.dram] as const]) {
      if (near !== null && far !== null) expect(near).toBeLessThan(far);
    }
  });

  it('has ids that differ', () => {
    expect(new Set(gpus.map((gpu) => gpu.id)).size).toBe(gpus.length);
  });
});

describe('gpuById', () => {
  it('finds ids, aliases and any case', () => {
    expect(gpuById('h200').core.smCount).toBe(132);
    expect(gpuById('a100').id).toBe('a100-80gb');
    expect(gpuById('H100').id).toBe('h100');
  });

  it('names the known GPUs and the nearest one', () => {
    const fault = faultOf(() => gpuById('h20'));
    expect(fault.code).toBe('unknown-gpu');
    expect(fault.message).toBe('There is no GPU "h20".');
    expect(fault.remedy).toMatch(/^Did you mean "h[12]00"\? Known GPUs: mx330, /);
    expect(faultOf(() => gpuById('radeon-vii-xyz')).remedy).toMatch(/^Known GPUs: /);
    expect(faultOf(() => gpuById('constructor')).code).toBe('unknown-gpu');
  });
});

describe('fallbacks', () => {
  it.each(gpus.map((gpu) => [gpu.id, gpu] as const))('leave no null in %s and change no known figure', (_, gpu) => {
    const { gpu: complete, assumptions } = withFallbacks(gpu);
    const assumed = new Map(assumptions.map((assumption) => [assumption.figure, assumption.value]));
    for (const group of ['throughput', 'memory', 'hostLink', 'latency'] as const) {
      for (const [name, value] of Object.entries(gpu[group])) {
        const filled = (complete[group] as Record<string, unknown>)[name];
        if (value !== null) expect(filled, `${group}.${name}`).toBe(value);
        else expect(filled, `${group}.${name}`).toBe(assumed.get(`${group}.${name}`));
        expect(filled).not.toBeNull();
      }
    }
    for (const assumption of assumptions) expect(assumption.reason.length).toBeGreaterThan(10);
  });

  it('assume nothing for the GPU that was measured', () => {
    expect(withFallbacks(gpuById('h200')).assumptions).toEqual([]);
  });

  it('scale an unmeasured link by generation and lanes', () => {
    expect(withFallbacks(gpuById('mx330')).gpu.hostLink.hostToDevice).toBeCloseTo(3.09e9, -8);
    expect(withFallbacks(gpuById('a4000')).gpu.hostLink.hostToDevice).toBeCloseTo(27.7e9, -9);
  });
});

function faultOf(action: () => unknown): SimsightError {
  try {
    action();
  } catch (error) {
    if (error instanceof SimsightError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
