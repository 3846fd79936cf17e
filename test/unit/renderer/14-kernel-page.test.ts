/** Computations of the kernel page's parts on the engine's figures. */
import { describe, expect, test } from 'vitest';
import type { KernelAccess, SampledAccess } from '../../../engine/model/kernel-accesses.ts';
import type {
  KernelBranch,
  KernelPlace,
  KernelView,
  Roofline,
  WarpIssues,
  WarpWindow,
} from '../../../engine/model/kernel-view.ts';
import {
  describeGlobal,
  describeLanes,
  describeShared,
  efficiencyOf,
  perRequest,
  wordsOf,
} from '../../../renderer/src/kernel/access-words.ts';
import { differenceOf } from '../../../renderer/src/kernel/difference.ts';
import {
  branchesByDivergence,
  divergedShare,
  partialLines,
  partialWarps,
} from '../../../renderer/src/kernel/divergence.ts';
import { memoryFlows } from '../../../renderer/src/kernel/memory-flows.ts';
import { instructionsBefore, placesOf } from '../../../renderer/src/kernel/place-metrics.ts';
import { decadesAround, formatFlops, pointsOf } from '../../../engine/model/roofline-points.ts';
import { whyNotSimulated } from '../../../renderer/src/kernel/verdict.ts';
import { busiestSlot, issuedBy, stepsOf } from '../../../renderer/src/kernel/warp-steps.ts';

test.each([
  [112.3, 100, '+12.3 %'],
  [50, 100, '−50.0 %'],
  [1000, 100, '×10.0'],
  [381_234, 100, '×3,812'],
  [-1, -2, '+50.0 %'],
  [5, 0, 'was 0'],
  [0, 0, ''],
  [100.01, 100, ''],
  [null, 5, ''],
  [5, undefined, ''],
])('%s after %s: "%s"', (now, before, text) => expect(differenceOf(now, before)).toBe(text));

describe('under the roofs', () => {
  const roofline: Roofline = {
    roofs: [{ precision: 'FP32', flopsPerSecond: 1e12 }],
    bandwidths: [
      { level: 'L2', bytesPerSecond: 1e12 },
      { level: 'DRAM', bytesPerSecond: 1e11 },
    ],
    work: [{ precision: 'FP32', flop: 1e6 }],
    traffic: [
      { level: 'L1', bytes: 4e6 },
      { level: 'L2', bytes: 1e5 },
      { level: 'DRAM', bytes: 1e6 },
    ],
    durationNs: 20_000,
  };

  test('a point for each level, and what is above it', () => {
    const [l1, l2, dram] = pointsOf(roofline, 'FP32');
    expect(l1).toMatchObject({ level: 'L1', intensity: 0.25, flopsPerSecond: 5e10, limit: null, share: null });
    expect(l2).toMatchObject({ intensity: 10, limit: { flopsPerSecond: 1e12, by: 'FP32' }, share: 0.05 });
    expect(dram).toMatchObject({ intensity: 1, limit: { flopsPerSecond: 1e11, by: 'DRAM' }, share: 0.5 });
    expect(pointsOf(roofline, 'FP64')).toEqual([]);
    expect(pointsOf({ ...roofline, durationNs: 0 }, 'FP32')).toEqual([]);
  });
  test.each([
    [5e10, '50.0 GFLOP/s'],
    [989.4e12, '989 TFLOP/s'],
    [1.979e15, '1.98 PFLOP/s'],
    [999.9e9, '1.00 TFLOP/s'],
    [3, '3.00 FLOP/s'],
  ])('%d in words', (value, text) => expect(formatFlops(value)).toBe(text));
  test('axes have room on both sides', () => {
    expect(decadesAround([0.25, 30])).toEqual([-1, 2]);
    expect(decadesAround([1])).toEqual([-1, 1]);
    expect(decadesAround([0, Number.NaN])).toEqual([0, 1]);
  });
});

describe('the instructions of a warp', () => {
  // Slot 1 waits 10–14 and 14–20, issues at 20 and 21, waits 22–30, issues at 30. Slot 0 issues 12 to 15, slot 2 at 25.
  const window: WarpWindow = {
    ...{ subPartition: 0, from: 10, to: 40, count: 6 },
    slots: Uint8Array.from([1, 1, 1, 1, 0, 2]),
    states: Uint8Array.from([4, 5, 0, 6, 0, 0]),
    starts: Float64Array.from([5, 14, 20, 22, 12, 25]),
    durations: Float64Array.from([9, 6, 2, 8, 4, 1]),
    shares: new Float32Array(6).fill(1),
    merged: new Uint32Array(6).fill(1),
  };
  const cycles = [12, 13, 14, 15, 20, 21, 25, 30];
  const issues: WarpIssues = {
    count: cycles.length,
    cycles: Float64Array.from(cycles),
    slots: Uint8Array.from([0, 0, 0, 0, 1, 1, 2, 1]),
    instructions: Uint32Array.from([7, 8, 9, 10, 3, 4, 1, 5]),
  };

  test('each with its waits, and who issued meanwhile', () => {
    const steps = stepsOf(window, issues, 1, 10);
    expect(
      steps.map(({ cycle, instruction, waited, covered, isCut }) => [cycle, instruction, waited, covered, isCut]),
    ).toEqual([
      // Waits that began before the window are counted from its start.
      [20, 3, 10, 4, true],
      [21, 4, 0, 0, false],
      [30, 5, 8, 1, false],
    ]);
    expect(steps[0]!.waits).toEqual([
      { state: 4, from: 10, to: 14 },
      { state: 5, from: 14, to: 20 },
    ]);
    expect(steps[0]!.by).toEqual([{ slot: 0, issues: 4 }]);
    expect(steps[2]!.by).toEqual([{ slot: 2, issues: 1 }]);
    expect(stepsOf(window, issues, 1, 21).map(({ cycle }) => cycle)).toEqual([21, 30]);
    expect(stepsOf(window, issues, 9, 10)).toEqual([]);
  });
  test('one issue slot, whose it was', () => {
    expect([...issuedBy({ from: 19, to: 26 }, issues)]).toEqual([-1, 1, 1, -1, -1, -1, 2]);
    expect(busiestSlot(issues, 10)).toBe(0);
    // Those that stopped before what is shown do not count.
    expect(busiestSlot(issues, 16)).toBe(1);
    expect(busiestSlot(issues, 31)).toBeNull();
  });
});

test('the same instructions of another recording: the n-th of an opcode at the same line', () => {
  const line = { ...{ executed: 1, threads: 32, threadsOn: 32, sectors: 0, sectorRequests: 0, wavefronts: 0 } };
  const code = (opcode: string, at: number) => ({
    ...{
      ...line,
      opcode,
      file: 'a.cu',
      line: at,
      wavefrontRequests: 0,
      partial: 0,
      idealSectors: 0,
      idealWavefronts: 0,
      operands: '',
      branches: 0,
      divergedBranches: 0,
    },
    states: [] as [string, number][],
  });
  const now = {
    sources: [{ path: 'a.cu', text: 'new\none\ntwo' }],
    instructions: [code('LDG', 2), code('FADD', 2), code('LDG', 2), code('STG', 3), code('MOV', 1)],
  };
  const before = {
    sources: [{ path: 'a.cu', text: 'one\ntwo' }],
    instructions: [code('LDG', 1), code('LDG', 1), code('STG', 2)],
  };
  const there = instructionsBefore(now, before);
  expect(now.instructions.map((_, i) => there(i))).toEqual([0, undefined, 1, 2, undefined]);
});

describe('lanes with nothing to do', () => {
  const place = (executed: number, threadsOn: number, cycles: number, line: number | null = 1): KernelPlace => ({
    ...{ file: 'a.cu', line, executed, threads: executed * 32, threadsOn, sectors: 0, sectorRequests: 0 },
    ...{ idealSectors: 0, wavefronts: 0, wavefrontRequests: 0, idealWavefronts: 0, branches: 0, divergedBranches: 0 },
    // Lanes that work fill as many warps as they can.
    ...{ partial: executed - Math.floor(threadsOn / 32), states: [['Selected', cycles]] },
  });
  test('their share, and the time in warps that are not full', () => {
    const found = partialWarps([place(10, 320, 30), place(10, 160, 70), place(0, 0, 0)])!;
    expect(found).toMatchObject({
      laneShare: 0.75,
      lanes: 640,
      lanesOn: 480,
      slots: 640,
      timeShare: 0.35,
    });
    expect(partialWarps([place(0, 0, 0)])).toBeNull();
  });
  test('one ragged warp of many is that much of the time, not all of it', () => {
    // 31,251 warps, the last of which has three lanes.
    const tail = { ...place(31_251, 31_250 * 32 + 3, 1e6), partial: 1 };
    const found = partialWarps([tail])!;
    expect(found.timeShare).toBeCloseTo(1 / 31_251, 9);
    // Half of its lanes all the time: all of it.
    expect(partialWarps([{ ...place(10, 160, 70), partial: 10 }])!.timeShare).toBe(1);
    expect(partialLines([{ ...place(10, 200, 8), partial: 5 }])[0]!.cycles).toBe(4);
  });
  test('branches and lines, the worst first', () => {
    const branch = (executed: number, diverged: number): KernelBranch => ({
      ...{ instruction: 0, file: null, line: null, executed, diverged, taken: null, notTaken: null },
    });
    const branches = [branch(10, 0), branch(4, 4), branch(0, 0), branch(20, 4)];
    expect(branchesByDivergence({ branches } as unknown as KernelView)).toEqual([
      branches[3],
      branches[1],
      branches[0],
    ]);
    expect(divergedShare(branch(8, 2))).toBe(0.25);
    expect(divergedShare(branch(0, 0))).toBe(0);
    const lines = [place(10, 320, 9, 1), place(10, 160, 5, 2), place(10, 10, 7, 3), place(4, 4, 99, null)];
    expect(partialLines(lines).map(({ line, lanesPerInstruction }) => [line, lanesPerInstruction])).toEqual([
      [3, 1],
      [2, 16],
    ]);
  });
});

describe('what lines and instructions are coloured by', () => {
  const place = (part: Partial<KernelPlace>): KernelPlace => ({
    ...{
      file: 'a.cu',
      line: 1,
      executed: 100,
      threads: 3200,
      threadsOn: 3200,
      partial: 0,
      sectors: 0,
      sectorRequests: 0,
    },
    ...{ idealSectors: 0, wavefronts: 0, wavefrontRequests: 0, idealWavefronts: 0, branches: 0, divergedBranches: 0 },
    ...{ states: [] },
    ...part,
  });
  const shared = (wavefronts: number, idealWavefronts: number): KernelPlace =>
    place({ wavefronts, wavefrontRequests: 100, idealWavefronts });
  test('wide accesses without conflicts are not hot, conflicts are', () => {
    const places = [shared(200, 200), shared(400, 200), shared(3200, 100), shared(200, 100)];
    const conflicts = placesOf(places, 'conflicts');
    expect(conflicts.map(({ value }) => value)).toEqual([0, 2, 31, 1]);
    expect(conflicts.map(({ heat }) => heat)).toEqual([0, 0.5, 31 / 32, 0.5]);
    expect(placesOf(places, 'wavefronts').map(({ value, heat }) => [value, heat])).toEqual([
      [2, 0],
      [4, 0.5],
      [32, 31 / 32],
      [2, 0.5],
    ]);
  });
  test('coalesced accesses are not hot, scattered ones are', () => {
    const global = (sectors: number, idealSectors: number): KernelPlace =>
      place({ sectors, sectorRequests: 100, idealSectors });
    expect(placesOf([global(400, 400), global(3200, 400)], 'sectors').map(({ heat }) => heat)).toEqual([0, 0.875]);
  });
});

describe('memory', () => {
  test('what moved between units, in bytes', () => {
    const metrics = Object.entries({
      'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum': 4,
      'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum': 16,
      'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum': 2,
      'l1tex__t_requests_pipe_lsu_mem_global_op_red.sum': 1,
      'l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum': 32,
      'l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum': 8,
      'smsp__inst_executed_op_tma_ld.sum': 2,
      'l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum': 64,
      'lts__t_sectors.sum': 10,
      'lts__t_sector_hit_rate.pct': 75,
      'dram__bytes_write.sum': 96,
    }).map(([metric, value]) => ({ metric, value }));
    expect(memoryFlows(metrics as KernelView['metrics'])).toMatchObject({
      ...{
        globalRequests: 5,
        globalBytes: 576 + 1024,
        localBytes: 256,
        bulkCopies: 2,
        bulkBytes: 2048,
        l2Bytes: 320,
        l2HitPercent: 75,
        l1HitPercent: null,
      },
      ...{ dramReadBytes: 0, dramWriteBytes: 96, sharedWavefronts: 0 },
    });
    expect(memoryFlows([])).toBeNull();
  });

  const access = (part: Partial<SampledAccess>): SampledAccess => ({
    ...{ block: 0, warp: 0, space: 'global', size: 4, lanes: 0, addresses: [], global: null, shared: null },
    ...part,
  });
  test('lanes that ask for the same are told together', () => {
    const addresses = Array.from({ length: 32 }, (_, lane) => (lane < 4 ? 64 : 64 + 4 * lane));
    expect(wordsOf(access({ lanes: 0b11_1111, addresses }))).toEqual([
      { address: 64, lanes: 0b1111, count: 4 },
      { address: 80, lanes: 0b1_0000, count: 1 },
      { address: 84, lanes: 0b10_0000, count: 1 },
    ]);
    expect(wordsOf(access({ lanes: 0x8000_0000, addresses }))[0]!.lanes).toBe(0x8000_0000);
    expect(describeLanes(0xffff_ffff)).toBe('0–31');
    expect(describeLanes(0x8000_0017)).toBe('0–2, 4, 31');
  });
  test('efficiency is of all samples together; figures per request of the whole grid', () => {
    const shared = (passes: number, ideal: number): SampledAccess =>
      access({
        ...{ space: 'shared' },
        shared: {
          wavefronts: Array.from({ length: passes }, () => ({ words: [], lanes: [] })),
          idealWavefronts: ideal,
        },
      });
    expect(efficiencyOf([shared(32, 1), shared(1, 1)])).toEqual({ share: 2 / 33, text: '6.1 %' });
    expect(efficiencyOf([])).toEqual({ share: 1, text: '100 %' });
    expect(describeShared(shared(32, 1).shared!)).toContain('32-way conflict');
    expect(describeShared(shared(2, 2).shared!)).toContain('no bank conflicts');
    const totals = { sectors: 0, wavefronts: 64, executed: 2 } as KernelAccess;
    expect(perRequest(totals)).toBe(32);
    expect(perRequest({ ...totals, sectors: 8 })).toBe(4);
    expect(perRequest({ ...totals, executed: 0 })).toBe(0);
    const global = {
      lines: [],
      sectors: 32,
      idealSectors: 4,
      bytes: 128,
      pattern: 'strided',
      strideBytes: -1024,
    } as const;
    expect(describeGlobal({ ...global, lines: [] })).toContain('1 KiB');
  });
});

test('of a kernel without warp states the page says why: it was not simulated, or a library’s was timed by measurement', () => {
  const metrics = [{ metric: 'gpu__time_duration.sum', value: 1000 }];
  expect(whyNotSimulated({ metrics })).toBe('This kernel was not simulated warp by warp.');
  const marked = [...metrics, { metric: 'simsight__timed_by_measurement', value: 1 }];
  expect(whyNotSimulated({ metrics: marked })).toContain('timed by measurement');
});
