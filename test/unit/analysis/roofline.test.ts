/** Operations and bytes of kernels, against the peaks of their GPU. */
import { expect, test } from 'vitest';
import type { Instruction } from '../../../engine/analysis/kernel-profiles.ts';
import { rooflineOf } from '../../../engine/analysis/roofline.ts';
import { gpuById } from '../../../engine/gpus/index.ts';

const instruction = (opcode: string, executed: number, threadsOn = executed * 32): Instruction => ({
  ...{ opcode, executed, threads: executed * 32, threadsOn, file: null, line: null, states: new Map() },
  ...{ sectors: 0, sectorRequests: 0, wavefronts: 0, wavefrontRequests: 0, branches: 0, divergedBranches: 0 },
  ...{ operands: '', partial: 0, idealSectors: 0, idealWavefronts: 0 },
});
const of = (instructions: Instruction[], metrics: [string, number][] = [], gpu = 'h100') =>
  rooflineOf(gpuById(gpu), instructions, new Map(metrics), 1000);
const peak = (precision: string, instructions: Instruction[] = [], gpu = 'h100'): number | undefined =>
  of(instructions, [], gpu).roofs.find((each) => each.precision === precision)?.flopsPerSecond;

test('operations of lanes that are on: a fused multiply-add is two, half precision has two in a register', () => {
  const { work } = of([
    instruction('FFMA', 10),
    instruction('FADD', 3, 5),
    instruction('DFMA', 1),
    instruction('HFMA2', 2),
    instruction('IMAD', 100),
    instruction('LDG', 100),
  ]);
  expect(work).toEqual([
    { precision: 'FP32', flop: 10 * 32 * 2 + 5 },
    { precision: 'FP64', flop: 64 },
    { precision: 'FP16', flop: 2 * 32 * 4 },
  ]);
});

test('tensor cores: of warps, by what they multiply', () => {
  const opcodes = ['HMMA', 'HMMA.TF32', 'DMMA', 'QMMA', 'IMMA', 'IMMA.S4', 'BMMA'];
  expect(of(opcodes.map((opcode) => instruction(opcode, 1))).work).toEqual([
    { precision: 'Tensor FP16', flop: 2 * 16 * 8 * 16 },
    { precision: 'Tensor TF32', flop: 2 * 16 * 8 * 8 },
    { precision: 'Tensor FP64', flop: 2 * 8 * 8 * 4 },
    { precision: 'Tensor FP8', flop: 2 * 16 * 8 * 32 },
    { precision: 'Tensor INT8', flop: 2 * 16 * 8 * 32 },
    { precision: 'Tensor INT4', flop: 2 * 16 * 8 * 64 },
    { precision: 'Tensor INT1', flop: 2 * 16 * 8 * 256 },
  ]);
});

test('roofs are the published ones', () => {
  // Product data of the H100 SXM5: 66.9, 33.5 and 989 TFLOP/s; of the A100: 19.5, 9.7 and 312; of the V100 125 at 1530 MHz.
  expect(peak('FP32')! / 1e12).toBeCloseTo(66.9, 1);
  expect(peak('FP64')! / 1e12).toBeCloseTo(33.5, 1);
  expect(peak('Tensor FP16')! / 1e12).toBeCloseTo(989, 0);
  expect(peak('Tensor FP64', [instruction('DMMA', 1)])! / 1e12).toBeCloseTo(66.9, 1);
  expect(peak('Tensor TF32', [instruction('HMMA.TF32', 1)])! / 1e12).toBeCloseTo(494.7, 0);
  // 8-bit integers reach 1979 TOPS, 624 on the A100.
  expect(peak('Tensor INT8', [instruction('IMMA', 1)])! / 1e12).toBeCloseTo(1979, -1);
  expect(peak('Tensor INT8', [instruction('IMMA', 1)], 'a100-40gb')! / 1e12).toBeCloseTo(624, 0);
  expect(peak('Tensor INT8', [instruction('IMMA', 1)], 'v100')).toBeUndefined();
  expect(peak('FP32', [], 'a100-40gb')! / 1e12).toBeCloseTo(19.5, 1);
  expect(peak('FP64', [], 'a100-40gb')! / 1e12).toBeCloseTo(9.7, 1);
  expect(peak('Tensor FP16', [], 'a100-40gb')! / 1e12).toBeCloseTo(312, 0);
  expect(peak('Tensor FP16', [], 'v100')! / 125e12).toBeCloseTo(gpuById('v100').core.smClockMhz / 1530, 2);
  // Unused precisions and unknown peaks are left out.
  expect(peak('Tensor FP64')).toBeUndefined();
  expect(peak('Tensor FP16', [], 'a4000')).toBeUndefined();
  expect(peak('FP16', [], 'mx330')! / peak('FP32', [], 'mx330')!).toBeCloseTo(1 / 64, 6);
  expect(of([], [], 'h100').bandwidths.find(({ level }) => level === 'DRAM')).toEqual({
    ...{ level: 'DRAM', bytesPerSecond: 3350e9 },
  });
});

test('traffic by level; a level that nothing was counted of has none', () => {
  const { traffic, durationNs } = of(
    [],
    [
      ['l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum', 10],
      ['l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum', 2],
      ['dram__bytes_read.sum', 64],
      ['lts__t_sectors.sum', 0],
    ],
  );
  expect(durationNs).toBe(1000);
  expect(traffic).toEqual([
    { level: 'L1', bytes: 384 },
    { level: 'DRAM', bytes: 64 },
  ]);
});
