/** A kernel's page: its figures are those of the trace, its peaks those of the GPU. */
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { kernelView, occupancyFor } from '../../../engine/analysis/kernel-view.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { occupancyOf } from '../../../engine/sm/occupancy.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { temporaryFolder, write } from '../trace/example-recording.ts';

const trace = openTrace(write(join(temporaryFolder(), 'kernel.simsight')));
afterAll(() => trace.close());
const view = kernelView(trace, 1);
const metric = (name: string): number => view.metrics.find((each) => each.metric === name)?.value ?? 0;
const a100 = gpuById('a100');

describe('the page of a kernel', () => {
  test('says what it is', () => {
    expect(view).toMatchObject({ name: 'saxpy', startNs: 1300, durationNs: 2000, streamId: 13, gpu: { smCount: 108 } });
    expect(view.blocks).toBe(view.grid.reduce((a, b) => a * b));
    expect(() => kernelView(trace, 99)).toThrow(/no kernel 99/);
  });

  test('divides what was reached by what the GPU can do in that time', () => {
    const dram = view.throughput.find(({ name }) => name === 'DRAM')!;
    const bytes = metric('dram__bytes_read.sum') + metric('dram__bytes_write.sum');
    expect(bytes).toBeGreaterThan(0);
    expect(dram.percent).toBeCloseTo((100 * bytes) / (a100.memory.bandwidth * 2e-6), 6);
    expect(dram.achieved).toBeCloseTo(bytes / 2e-6, -3);
    expect(dram.peak).toBeCloseTo(a100.memory.bandwidth, -3);
    // Units without a counter are left out, not shown as zero.
    expect(view.throughput.map(({ name }) => name)).toEqual(['DRAM']);
  });

  test('adds up what warps did, by state, line and instruction', () => {
    const all = (places: typeof view.lines): number =>
      places.reduce((sum, { states }) => sum + states.reduce((part, [, cycles]) => part + cycles, 0), 0);
    expect(all(view.lines)).toBe(all(view.instructions));
    expect(view.stalls.reduce((sum, { percent }) => sum + percent, 0)).toBeCloseTo(100, 9);
    expect(view.stalls[0]!.state).toBe('Long Scoreboard');
    expect(view.stalls.find(({ state }) => state === 'Selected')!.cyclesPerIssue).toBe(1);
    expect(view.instructions.map(({ opcode }) => opcode)).toEqual(['LDC', 'LDG', 'FFMA', 'STS']);
  });

  test('has the occupancy of NVIDIA’s calculator, also of other blocks', () => {
    const { threadsPerBlock, registersPerThread, staticSharedBytes, dynamicSharedBytes } = view.resources;
    const own = occupancyOf(a100, { threadsPerBlock, registersPerThread, staticSharedBytes, dynamicSharedBytes });
    expect(view.occupancy).toMatchObject({ percent: own.percent, limiter: own.limiter, blocksPerSm: own.blocksPerSm });
    expect(view.waves).toBeCloseTo(view.blocks / (own.blocksPerSm * 108), 9);
    const request = { threadsPerBlock: 256, registersPerThread: 91, sharedBytesPerBlock: 8192 };
    const other = occupancyOf(a100, {
      ...{ threadsPerBlock: 256, registersPerThread: 91, staticSharedBytes: 8192, dynamicSharedBytes: 0 },
    });
    expect(occupancyFor(trace, 1, request)).toMatchObject({ percent: other.percent, limits: other.limits });
    expect(occupancyFor(trace, 1, request)!.limiter).toBe('registers');
  });
});
