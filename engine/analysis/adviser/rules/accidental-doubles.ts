/**
 * Floats that are computed as doubles on their way: `v * 1.0001 + 0.5` with float v converts to double, computes there and converts back,
 * because a literal without `f` is a double, as is what a function of double returns.
 */
import type { KernelView } from '../../../model/kernel-view.ts';
import { parseOpcode, rowFor } from '../../../model/opcodes.ts';
import { counters, inPercent, kernelRule, measured } from '../kernel-rule.ts';
import { formatNumber } from '../../../model/format.ts';

const isDouble = (opcode: string): boolean => rowFor(opcode)?.class === 'fp64';
const isConversion = (opcode: string): boolean => parseOpcode(opcode)?.opcode === 'F2F';
const isOnXu = (opcode: string): boolean => rowFor(opcode)?.pipe === 'xu';

type Instruction = KernelView['instructions'][number];

export const accidentalDoubles = kernelRule({
  id: 'accidental-doubles',
  stage: 'compute',
  title: 'Floats computed as doubles',
  lab: null,
  find(kernel) {
    const { gpu, view } = kernel;
    const rate = gpu?.throughput.fp64;
    if (!gpu || rate === null || rate === undefined) return null;
    const { doubles, conversions } = thereAndBack(view.instructions);
    const sum = (of: readonly Instruction[]): number => of.reduce((total, { executed }) => total + executed, 0);
    const [operations, converted] = [sum(doubles), sum(conversions)];
    if (operations === 0) return null;
    const ofAll = (of: number, all: readonly Instruction[]): number => (sum(all) === 0 ? 0 : of / sum(all));
    // Each on its own unit: in float the operations take the part that the FP32 pipe is faster, and the conversions are gone.
    const slower = Math.max(0, 1 - rate / gpu.throughput.fp32);
    const inOperations =
      kernel.useOf('FP64 pipe') *
      ofAll(
        operations,
        view.instructions.filter(({ opcode }) => isDouble(opcode)),
      ) *
      slower;
    const onXu = view.instructions.filter(({ opcode }) => isOnXu(opcode));
    const inConversions = kernel.useOf('XU pipe (special)') * ofAll(converted, onXu);
    const share = Math.min(1, Math.max(inOperations, inConversions));
    return {
      says: `computes floats as doubles: ${formatNumber(operations)} operations of warps in FP64, and ${formatNumber(converted)} conversions`,
      evidence: [
        ...counters(kernel, 'sm__inst_executed_pipe_fp64.sum', 'sm__inst_executed_pipe_xu.sum'),
        measured('FP64 operations between a conversion to double and one back, on the same line', operations, 'count'),
        measured('conversions there', converted, 'count'),
        measured('FP64 results per clock and SM of this GPU', rate, 'count'),
        measured('FP32 results per clock and SM', gpu.throughput.fp32, 'count'),
      ],
      places: kernel.placesOf([...doubles, ...conversions], ({ executed }) => executed),
      why:
        `What comes from floats and goes back to floats is computed in double in between: a literal without f (0.5), a double constant, or ` +
        `a function of double makes the whole expression double. This GPU computes ${inPercent(rate / gpu.throughput.fp32)} as many ` +
        'doubles as floats at a time, and each conversion takes a unit of few lanes.',
      todo:
        'Write 0.5f in place of 0.5, constants as float, and sinf, powf, fabsf in place of sin, pow, fabs; nvcc warns of it with ' +
        '-Xcompiler -Wdouble-promotion. Where the precision is meant, add up in double alone, and leave the rest in float.',
      saves: {
        share,
        basis: `At most: for ${inPercent(share)} of the time the units of doubles and conversions are busy with that.`,
      },
    };
  },
});

/** On lines where values become doubles and the results floats again: operations on doubles, and the conversions. */
function thereAndBack(instructions: readonly Instruction[]): { doubles: Instruction[]; conversions: Instruction[] } {
  const registers = (one: Instruction): string[] => one.operands?.match(/\bR\d+/g) ?? [];
  const written = new Set<string>();
  const read = new Set<string>();
  for (const one of instructions) {
    if (!isDouble(one.opcode)) continue;
    const [to, ...from] = registers(one);
    // Comparisons write a predicate.
    if (rowFor(one.opcode)?.file === 'P') [to, ...from].forEach((name) => name !== undefined && read.add(name));
    else {
      if (to !== undefined) written.add(to);
      for (const name of from) read.add(name);
    }
  }
  const doubles: Instruction[] = [];
  const conversions: Instruction[] = [];
  for (const line of Map.groupBy(instructions, ({ file, line: number }) => `${file}:${number}`).values()) {
    const own = line.filter(({ opcode }) => isDouble(opcode));
    const converting = line.filter(({ opcode }) => isConversion(opcode));
    const into = converting.some((one) => read.has(registers(one)[0] ?? ''));
    const back = converting.some((one) => written.has(registers(one)[1] ?? ''));
    if (own.length === 0 || !into || !back) continue;
    doubles.push(...own);
    conversions.push(...converting);
  }
  return { doubles, conversions };
}
