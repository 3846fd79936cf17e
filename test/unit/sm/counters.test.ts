/** Which of Nsight Compute's counters instructions of the simulated SM are in. */
import { expect, test } from 'vitest';
import { gpuById } from '../../../engine/gpus/index.ts';
import { assemble } from '../../../engine/sm/core/program.ts';
import { simulateSm } from '../../../engine/sm/core/sm.ts';
import { simulatedCounters } from '../../../engine/sm/counters.ts';
import { block, machineBlock, repeat, stream } from './programs.ts';

const h200 = gpuById('h200');

/** Counters of pipes that are not zero, for `warps` of which one was simulated. */
function pipes(lines: string[], warps = 1): Record<string, number> {
  const program = assemble([machineBlock(...lines)], h200);
  let next = 0;
  const result = simulateSm({
    ...{ program, residentBlocks: 1, warpsPerBlock: 1, l1Bytes: 128 << 10, perInstruction: true },
    memory: { l2BytesPerCycle: 64, dramBytesPerCycle: 64, l2HitShare: 0 },
    nextBlock: () => (next++ === 0 ? [stream(block(0))] : null),
  });
  const counters = simulatedCounters(program, result, lines.length * warps, h200);
  return Object.fromEntries(
    Object.entries(counters).flatMap(([name, count]) => {
      const [, pipe] = /^sm__inst_executed_pipe_(\w+)\.sum$/.exec(name) ?? [];
      return pipe !== undefined && count > 0 ? [[pipe, count]] : [];
    }),
  );
}

test('IMAD runs on the FMA pipe, comparisons and votes on the ALU, conversions and POPC on the XU', () => {
  const code = [
    'a = FFMA x',
    'b = IMAD x',
    'p = FSETP x',
    'v = VOTE p',
    'c = F2F x',
    'd = POPC x',
    'l = LDG x',
    'u = UMOV',
  ];
  expect(pipes([...code, 'EXIT'])).toEqual({ fma: 2, alu: 2, xu: 2, lsu: 1, uniform: 1 });
});

test('halves have a pipe without a counter here, and converting them is theirs', () => {
  expect(pipes(['a = HFMA2 x', 'b = F2F.F16 x', 'EXIT'])).toEqual({});
});

test('tensor cores by what they multiply, of all warps', () => {
  const code = ['HMMA', 'HMMA.TF32', 'IMMA', 'IMMA.S4', 'BMMA', 'DMMA'].map((opcode, i) => `r${i} = ${opcode} x`);
  expect(pipes([...code, 'EXIT'], 10)).toEqual({ tensor_op_hmma: 20, tensor_op_imma: 30, tensor_op_dmma: 10 });
  expect(pipes([...repeat(3, () => 'r = DMMA x'), 'EXIT'])).toEqual({ tensor_op_dmma: 3 });
});
