import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SimsightError } from '../../../engine/base/errors.ts';
import { int8TensorCores } from '../../../engine/gpus/families.ts';
import { withFallbacks } from '../../../engine/gpus/fallbacks.ts';
import { gpuById, gpus } from '../../../engine/gpus/index.ts';

const positive = z.number().finite().positive();
const known = positive.nullable();
const bytes = z.number().int().nonnegative();
const source = z.string().regex(/^\S.{9,}\S$/);

/** The shape of a GPU file; strict, so that a misspelt or forgotten figure shows. */
const description = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  name: z.string().min(3),
  chip: z.string().min(3),
  architecture: z.string().min(3),
  computeCapability: z.strictObject({ major: z.number().int().min(2).max(9), minor: z.number().int().min(0).max(9) }),
  core: z.strictObject({
    source,
    smCount: z.number().int().min(1).max(256),
    smClockMhz: z.number().min(500).max(4000),
    memoryClockMhz: z.number().min(500).max(20000),
  }),
  limits: z.strictObject({
    source,
    warpsPerSm: z.number().int().positive(),
    threadsPerSm: z.number().int().positive(),
    blocksPerSm: z.number().int().positive(),
    threadsPerBlock: z.literal(1024),
    registersPerSm: z.literal([32768, 65536]),
    registersPerThread: z.literal([63, 255]),
    registerAllocationUnit: z.literal([64, 256]),
    doubleUnitRegisterCounts: z.array(z.number().int().positive()),
    registersPerWarpMin: z.number().int().positive(),
    sharedBytesPerSm: bytes,
    sharedBytesPerBlock: bytes,
    sharedBytesPerBlockOptin: bytes,
    sharedReservedBytesPerBlock: bytes,
    sharedAllocationUnit: z.literal([128, 256]),
    unifiedL1SharedBytes: bytes.nullable(),
    sharedCarveouts: z.array(bytes).min(1),
    sharedCarveoutDefault: z.literal(['needed', 'largest']),
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
    shuffle: known,
    loadStore: known,
    schedulers: z.literal([2, 4]),
  }),
  tensorCores: z.strictObject({
    source,
    fp16: known,
    tf32: known,
    fp8: known,
    fp64: known,
    clockShare: z.number().gt(0.5).lte(1),
  }),
  memory: z.strictObject({
    source,
    type: z.string().regex(/^(GDDR|HBM)/),
    capacityBytes: bytes,
    busWidthBits: z.number().int().positive(),
    bandwidth: positive.min(1e9),
    achievableFraction: z.number().gt(0.5).lt(1).nullable(),
    l2Bytes: bytes,
    l2Halves: z.literal(2).optional(),
    l2BytesPerClock: known,
  }),
  hostLink: z.strictObject({
    source,
    pcieGeneration: z.number().int().min(1).max(6),
    pcieLanes: z.literal([1, 2, 4, 8, 16]),
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

const byId = gpus.map((gpu) => [gpu.id, gpu] as const);

describe('the GPU catalogue', () => {
  it.each(byId)('%s has every figure, each of its kind and in its range', (_, gpu) => {
    expect(() => description.parse(gpu)).not.toThrow();
  });

  it.each(byId)('%s names a source for each group, and has no figure outside of one', (_, gpu) => {
    const walk = (value: unknown, path: string, sourced: boolean): void => {
      if (typeof value === 'number') {
        expect(sourced, `${path} has a source`).toBe(true);
        expect(Number.isFinite(value) && value >= 0, path).toBe(true);
      } else if (value !== null && typeof value === 'object') {
        const own = (value as { source?: string }).source;
        if (own !== undefined) expect(own.trim(), `${path}.source`).not.toBe('');
        for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`, sourced || own !== undefined);
      }
    };
    const { computeCapability: _namesTheTarget, ...rest } = gpu;
    walk(rest, gpu.id, false);
  });

  it.each(byId)('%s has limits of an SM that agree', (_, { limits, throughput }) => {
    expect(limits.threadsPerSm).toBe(limits.warpsPerSm * 32);
    expect(limits.threadsPerBlock).toBeLessThanOrEqual(limits.threadsPerSm);
    expect(limits.blocksPerSm).toBeLessThanOrEqual(limits.warpsPerSm);
    expect(limits.warpsPerSm % throughput.schedulers).toBe(0);

    expect(limits.registersPerSm % (throughput.schedulers * limits.registerAllocationUnit)).toBe(0);
    expect(limits.registersPerWarpMin % limits.registerAllocationUnit).toBe(0);
    for (const count of limits.doubleUnitRegisterCounts) expect(count).toBeLessThanOrEqual(limits.registersPerThread);
    // All warps fit with the fewest registers; a warp with the most fits into a sub-partition.
    expect(limits.warpsPerSm * limits.registersPerWarpMin).toBeLessThanOrEqual(limits.registersPerSm);
    expect(limits.registersPerThread * 32).toBeLessThanOrEqual(limits.registersPerSm / throughput.schedulers);

    expect(limits.sharedBytesPerBlock).toBeLessThanOrEqual(limits.sharedBytesPerBlockOptin);
    const largestBlock = limits.sharedBytesPerBlockOptin + limits.sharedReservedBytesPerBlock;
    expect(largestBlock).toBeLessThanOrEqual(limits.sharedBytesPerSm);
    expect(limits.sharedCarveouts).toEqual([...new Set(limits.sharedCarveouts)].sort((a, b) => a - b));
    expect(limits.sharedCarveouts.at(-1)).toBe(limits.sharedBytesPerSm);
    for (const size of [...limits.sharedCarveouts, largestBlock, limits.sharedReservedBytesPerBlock])
      expect(size % limits.sharedAllocationUnit).toBe(0);
    expect(limits.unifiedL1SharedBytes === null).toBe(limits.l1Bytes !== null);
    if (limits.unifiedL1SharedBytes !== null) {
      expect(limits.unifiedL1SharedBytes).toBeGreaterThan(limits.sharedBytesPerSm);
    }
  });

  it.each(byId)('%s has clocks, widths and rates that agree', (_, gpu) => {
    const { memory, core, latency, throughput, hostLink } = gpu;
    // Two transfers per clock of the memory clock that CUDA reports.
    const fromClock = (core.memoryClockMhz * 1e6 * 2 * memory.busWidthBits) / 8;
    expect(Math.abs(fromClock / memory.bandwidth - 1)).toBeLessThan(0.03);
    expect(memory.l2Bytes).toBeLessThan(memory.capacityBytes / 100);
    expect(throughput.fp64 ?? 0).toBeLessThanOrEqual(throughput.fp32);
    expect(throughput.fp32 % (throughput.schedulers * 16)).toBe(0);
    const { fp16, tf32, fp8, fp64 } = gpu.tensorCores;
    expect(fp16 === null).toBe(gpu.computeCapability.major < 7 || ['GA102', 'GA104'].includes(gpu.chip));
    if (tf32 !== null) expect(tf32).toBe(fp16! / 2);
    if (fp8 !== null) expect(fp8).toBe(fp16! * 2);
    // Floats of 16 bits are added up in 32 bits, which GeForce does at half the rate.
    const int8 = int8TensorCores.get(`${gpu.computeCapability.major}.${gpu.computeCapability.minor}`);
    if (int8 !== undefined) expect([2, 4]).toContain(int8.perClock / fp16!);
    if (fp64 !== null) expect(fp64).toBe(throughput.fp64! * 2);
    if (memory.l2BytesPerClock !== null) {
      expect(memory.l2BytesPerClock * core.smClockMhz * 1e6).toBeGreaterThan(memory.bandwidth);
    }
    // Less than 2 GB/s per lane of generation 4, halved or doubled per generation.
    const link = 2e9 * 2 ** (hostLink.pcieGeneration - 4) * hostLink.pcieLanes;
    for (const measured of [hostLink.hostToDevice, hostLink.deviceToHost]) {
      if (measured !== null) expect(measured).toBeLessThan(link);
    }
    const path = [latency.shared, latency.l1Hit, latency.l2Hit, latency.dram].filter((value) => value !== null);
    expect(path).toEqual([...path].sort((a, b) => a - b));
  });

  it('has ids and names that differ', () => {
    expect(new Set(gpus.map((gpu) => gpu.id)).size).toBe(gpus.length);
    expect(new Set(gpus.map((gpu) => gpu.name)).size).toBe(gpus.length);
  });

  it('has the GPUs that were asked for, oldest compute capability first', () => {
    expect(gpus.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['mx330', 'a4000', 'a6000', 'a100-40gb', 'a100-80gb', 'h100', 'h200', 'v100', 't4']),
    );
    expect(gpus.map(({ id }) => id)).toEqual(expect.arrayContaining(['rtx4090', 'c2050']));
    const capabilities = gpus.map(({ computeCapability: { major, minor } }) => 10 * major + minor);
    expect(capabilities).toEqual([...capabilities].sort((a, b) => a - b));
  });

  it('gives GPUs of one compute capability the same SM', () => {
    for (const gpu of gpus) {
      const { major, minor } = gpu.computeCapability;
      const relatives = gpus.filter((other) => {
        return other.computeCapability.major === major && other.computeCapability.minor === minor;
      });
      for (const other of relatives) expect(other.limits).toEqual(gpu.limits);
    }
  });
});

describe('gpuById', () => {
  it('finds ids, aliases and any case', () => {
    expect(gpuById('h200').core.smCount).toBe(132);
    expect(gpuById('a100').id).toBe('a100-80gb');
    expect(gpuById('H100').id).toBe('h100');
    expect(gpuById('RTX-A6000').id).toBe('a6000');
    expect(gpuById('tesla-c2050').id).toBe('c2050');
  });

  it('names the known GPUs and the nearest one', () => {
    const fault = faultOf(() => gpuById('h20'));
    expect(fault.code).toBe('unknown-gpu');
    expect(fault.message).toBe('There is no GPU "h20".');
    expect(fault.remedy).toMatch(/^Did you mean "h[12]00"\? Known GPUs: c2050, mx330, /);
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

  it('say why for what Fermi does not have', () => {
    const reasons = new Map(withFallbacks(gpuById('c2050')).assumptions.map(({ figure, reason }) => [figure, reason]));
    expect(reasons.get('throughput.shuffle')).toMatch(/has shuffles/);
    expect(reasons.get('throughput.fp16')).toMatch(/computed as FP32/);
    expect(withFallbacks(gpuById('c2050')).gpu.latency.fp64).toBe(44);
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
