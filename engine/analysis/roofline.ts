/**
 * The work and traffic of a kernel against what its GPU can: the roofline model (Williams, Waterman and Patterson, CACM 52(4), 2009), with
 * roofs for each precision and each level of memory.
 */
import type { Precision, Roofline } from '../model/kernel-view.ts';
import type { GpuDescription } from '../gpus/types.ts';
import type { Instruction } from './kernel-profiles.ts';

/** Operations of a lane, a fused multiply-add being two; of tensor cores, of a warp: see `instructionsOf` in engine/warp/widen/tensor.ts. */
const operations: [RegExp, Precision, number][] = [
  [/^FFMA/, 'FP32', 2],
  [/^(FADD|FMUL)/, 'FP32', 1],
  [/^DFMA/, 'FP64', 2],
  [/^(DADD|DMUL)/, 'FP64', 1],
  [/^HFMA/, 'FP16', 4],
  [/^(HADD|HMUL)/, 'FP16', 2],
];
const tensorOperations: [RegExp, Precision, number][] = [
  [/^HMMA\.TF32/, 'Tensor TF32', 2 * 16 * 8 * 8],
  [/^HMMA/, 'Tensor FP16', 2 * 16 * 8 * 16],
  [/^QMMA/, 'Tensor FP8', 2 * 16 * 8 * 32],
  [/^DMMA/, 'Tensor FP64', 2 * 8 * 8 * 4],
];
const sectorBytes = 32;
const wordBytes = 4;

export function rooflineOf(
  gpu: GpuDescription,
  instructions: readonly Instruction[],
  metrics: ReadonlyMap<string, number>,
  durationNs: number,
): Roofline {
  const { core, throughput, tensorCores, memory } = gpu;
  const cyclesPerSecond = core.smClockMhz * 1e6;
  const perSecond = (perCycle: number | null): number | null =>
    perCycle === null ? null : perCycle * core.smCount * cyclesPerSecond;
  const roof = (precision: Precision, perCycle: number | null): Roofline['roofs'] => {
    const flopsPerSecond = perSecond(perCycle);
    return flopsPerSecond === null ? [] : [{ precision, flopsPerSecond }];
  };
  const twice = (value: number | null): number | null => (value === null ? null : 2 * value);
  const work = new Map<Precision, number>();
  const add = (precision: Precision, amount: number): void =>
    void work.set(precision, (work.get(precision) ?? 0) + amount);
  for (const { opcode, executed, threadsOn } of instructions) {
    const [, precision, each] = operations.find(([pattern]) => pattern.test(opcode)) ?? [];
    if (precision !== undefined && each !== undefined) add(precision, each * threadsOn);
    const [, kind, ofWarp] = tensorOperations.find(([pattern]) => pattern.test(opcode)) ?? [];
    if (kind !== undefined && ofWarp !== undefined) add(kind, ofWarp * executed);
  }
  const sum = (...names: string[]): number | null =>
    names.some((name) => metrics.has(name)) ? names.reduce((all, name) => all + (metrics.get(name) ?? 0), 0) : null;
  const sectors = [
    ...['ld', 'st', 'atom', 'red'].map((what) => `l1tex__t_sectors_pipe_lsu_mem_global_op_${what}.sum`),
    ...['ld', 'st'].map((what) => `l1tex__t_sectors_pipe_lsu_mem_local_op_${what}.sum`),
    'l1tex__t_sectors_pipe_tex_mem_texture.sum',
    ...['ld', 'st'].map((what) => `l1tex__t_sectors_pipe_tex_mem_surface_op_${what}.sum`),
  ];
  const traffic = (level: Roofline['traffic'][number]['level'], bytes: number | null): Roofline['traffic'] =>
    bytes === null || bytes === 0 ? [] : [{ level, bytes }];
  const scaled = (amount: number | null): number | null => (amount === null ? null : amount * sectorBytes);
  const { loadStore } = throughput;
  const tensor = (perCycle: number | null): number | null => perCycle && perCycle * tensorCores.clockShare;
  const worked = (precision: Precision): boolean => work.has(precision);
  return {
    roofs: [
      ...roof('Tensor FP16', twice(tensor(tensorCores.fp16))),
      ...(worked('Tensor FP8') ? roof('Tensor FP8', twice(tensor(tensorCores.fp8))) : []),
      ...(worked('Tensor TF32') ? roof('Tensor TF32', twice(tensor(tensorCores.tf32))) : []),
      ...(worked('Tensor FP64') ? roof('Tensor FP64', twice(tensorCores.fp64)) : []),
      ...roof('FP16', twice(throughput.fp16)),
      ...roof('FP32', twice(throughput.fp32)),
      ...roof('FP64', twice(throughput.fp64)),
    ],
    bandwidths: [
      ...(loadStore === null ? [] : [{ level: 'L1' as const, bytesPerSecond: perSecond(loadStore * wordBytes)! }]),
      ...(memory.l2BytesPerClock === null
        ? []
        : [{ level: 'L2' as const, bytesPerSecond: memory.l2BytesPerClock * cyclesPerSecond }]),
      { level: 'DRAM', bytesPerSecond: memory.bandwidth },
    ],
    work: [...work].filter(([, flop]) => flop > 0).map(([precision, flop]) => ({ precision, flop })),
    traffic: [
      ...traffic('L1', scaled(sum(...sectors))),
      ...traffic('L2', scaled(sum('lts__t_sectors.sum'))),
      ...traffic('DRAM', sum('dram__bytes_read.sum', 'dram__bytes_write.sum')),
    ],
    durationNs,
  };
}
