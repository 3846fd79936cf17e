/** Products of matrices on the FMA pipe of a GPU that has tensor cores. */
import { warpSize } from '../../../model/geometry.ts';
import type { GpuDescription } from '../../../gpus/types.ts';
import { parseOpcode, type Opcode } from '../../../model/opcodes.ts';
import { laneBytes } from '../../kernel-profiles.ts';
import { isGlobalLoad, isGlobalStore, isSharedLoad, type KernelFacts } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, measured } from '../kernel-rule.ts';

export const missedTensorCores = kernelRule({
  id: 'missed-tensor-cores',
  stage: 'compute',
  title: 'Products of matrices without tensor cores',
  lab: 'tensor-cores',
  find(kernel) {
    const { gpu } = kernel;
    const work = multiplications(kernel);
    if (!gpu || !work) return null;
    const tensor = tensorRate(gpu, work.kind);
    if (tensor === null) return null;
    const durationNs = kernel.ownNs;
    const cycles = (durationNs * gpu.core.smClockMhz) / 1e3;
    const needed = work.count / (tensor.perCycle * gpu.core.smCount * cycles);
    const dram = kernel.useOf('DRAM');
    return {
      says: `multiplies and adds ${work.name} at ${inPercent(work.share)} of the peak of ordinary cores, and uses no tensor cores`,
      evidence: [
        ...counters(
          kernel,
          'sm__inst_executed_pipe_fma.sum',
          'sm__inst_executed_pipe_fp64.sum',
          'sm__inst_executed_pipe_tensor_op_hmma.sum',
        ),
        measured(`multiply-adds of ${work.name} by threads`, work.count, 'count'),
        measured('operands loaded for each multiply-add', work.wordsPerOperation, 'ratio'),
        measured('time that they would take on tensor cores', Math.round(needed * durationNs), 'ns'),
      ],
      places: kernel.placesOf(work.instructions, (one) => one.threadsOn),
      why:
        `Nearly all that it computes are multiply-adds of operands that it loads, as in a product of matrices or a convolution. The tensor ` +
        `cores of the ${gpu.name} do ${Math.round(tensor.perCycle / work.perCycle)} times as many of them in a cycle.`,
      todo: tensor.advice,
      saves: {
        share: Math.max(0, 1 - Math.max(needed, dram)),
        basis:
          'At most: what it would take longer than tensor cores need for as many operations, and DRAM for its bytes.',
      },
    };
  },
});

type Kind = 'fp16' | 'fp32' | 'fp64';
const names: Readonly<Record<Kind, string>> = { fp16: 'half', fp32: 'float', fp64: 'double' };
const fused = { fp16: 'HFMA2', fp32: 'FFMA', fp64: 'DFMA' } as const satisfies Record<Kind, Opcode>;
/** Other work on floats. */
const other: ReadonlySet<Opcode> = new Set([
  ...(['FADD', 'FMUL', 'DADD', 'DMUL', 'HADD2', 'HMUL2'] as const),
  ...(['MUFU', 'FSETP', 'FSEL'] as const),
]);

/** Nearly all floating-point instructions are multiply-adds, which a product of matrices consists of. */
const fusedShare = 0.9;
/** Each multiply-add takes two operands, loaded once for all that a thread uses them for: 8 by 8 results take 16 for 64. */
const words = { least: 1 / 16, most: 2.5 };

interface Multiplications {
  kind: Kind;
  name: string;
  count: number;
  /** The share of what the pipe can do in the kernel's time, 0 to 1. */
  share: number;
  perCycle: number;
  wordsPerOperation: number;
  instructions: KernelFacts['view']['instructions'];
}

/**
 * Multiplications that look like a product: multiply-adds alone, each of operands that come from memory, used again so often that the
 * kernel is not bound by DRAM. A recurrence in registers loads nothing, a stencil adds, a dot product reads as fast as DRAM can.
 */
function multiplications(kernel: KernelFacts): Multiplications | null {
  const { gpu, view } = kernel;
  const { instructions, roofline } = view;
  if (!gpu || roofline?.work.some(({ precision }) => precision.startsWith('Tensor'))) return null;
  const threadsOf = (isCounted: (opcode: Opcode) => boolean): number =>
    instructions.reduce((sum, { opcode, threadsOn }) => {
      const code = parseOpcode(opcode);
      return code !== null && isCounted(code.opcode) ? sum + threadsOn : sum;
    }, 0);
  for (const kind of ['fp16', 'fp32', 'fp64'] as const) {
    const own = instructions.filter(({ opcode }) => parseOpcode(opcode)?.opcode === fused[kind]);
    const halves = kind === 'fp16' ? 2 : 1;
    const count = halves * threadsOf((opcode) => opcode === fused[kind]);
    const others = Object.values<Opcode>(fused).filter((opcode) => opcode !== fused[kind]);
    const rest = threadsOf((opcode) => other.has(opcode) || others.includes(opcode));
    const pipe = { fp16: gpu.throughput.fp16, fp32: gpu.throughput.fp32, fp64: gpu.throughput.fp64 }[kind];
    if (count === 0 || pipe === null || count / halves < fusedShare * (count / halves + rest)) continue;
    const loaded = instructions
      .filter(({ opcode }) => isGlobalLoad(opcode) || isSharedLoad(opcode))
      .reduce((sum, one) => sum + (one.threadsOn * laneBytes(one.opcode)) / operandBytes[kind], 0);
    const wordsPerOperation = loaded / count;
    if (wordsPerOperation < words.least || wordsPerOperation > words.most) continue;
    // Loops of products: each thread multiplies many times for each result that it stores.
    const results = instructions
      .filter(({ opcode }) => isGlobalStore(opcode))
      .reduce((sum, one) => sum + (one.threadsOn * laneBytes(one.opcode)) / operandBytes[kind], 0);
    if (
      count < leastProducts * results ||
      kernel.bound === 'latency' ||
      (kernel.useOf('DRAM') >= kernel.use('memory') && kernel.bound === 'memory')
    )
      continue;
    if (!hasSharedOperands(kernel)) continue;
    const cycles = (kernel.ownNs * gpu.core.smClockMhz) / 1e3;
    const share = Math.min(1, count / (pipe * gpu.core.smCount * cycles));
    return { kind, name: names[kind], count, share, perCycle: pipe, wordsPerOperation, instructions: own };
  }
  return null;
}
/**
 * The lanes of a warp share one factor (a row for several columns) and have different others. What is loaded to be added, or has a
 * lane's own factor each time, is no product.
 */
function hasSharedOperands(kernel: KernelFacts): boolean {
  const loads = kernel.accesses.accesses.filter(
    ({ kind, executed }) => kind === 'load' && executed >= (kernel.warps * leastProducts) / 4,
  );
  const distinct = loads.map(({ samples }) => {
    const most = samples.map(
      ({ lanes, addresses }) => new Set(addresses.filter((_, lane) => (lanes >>> lane) & 1)).size,
    );
    return Math.max(0, ...most);
  });
  const fewest = Math.min(...distinct.filter((count) => count > 0));
  return fewest <= warpSize / 4 && distinct.some((count) => count > fewest);
}

const operandBytes: Readonly<Record<Kind, number>> = { fp16: 2, fp32: 4, fp64: 8 };
/** The depth of the smallest product that a tensor core does: 16. */
const leastProducts = 16;

/** Multiply-adds per cycle and SM. */
function tensorRate({ tensorCores }: GpuDescription, kind: Kind): { perCycle: number; advice: string } | null {
  const { fp16, tf32, fp64, clockShare } = tensorCores;
  const library = 'cuBLAS and cuDNN use them; by hand, nvcuda::wmma or mma.sync on fragments of 16 x 16';
  if (kind === 'fp16')
    return fp16 === null ? null : { perCycle: fp16 * clockShare, advice: `${library}, with sums in float.` };
  if (kind === 'fp64')
    return fp64 === null
      ? null
      : { perCycle: fp64, advice: `${library}, with double (m8n8k4): results have the same precision.` };
  if (tf32 !== null) {
    return {
      perCycle: tf32 * clockShare,
      advice: `${library}, with TF32: operands have 10 bits of mantissa instead of 23, sums stay float. If that is not enough, this does not apply.`,
    };
  }
  return fp16 === null
    ? null
    : {
        perCycle: fp16 * clockShare,
        advice: `${library}, if half precision of the operands is enough; sums stay float.`,
      };
}
