/**
 * The work and traffic of a kernel against what its GPU can: the roofline model (Williams, Waterman and Patterson, CACM 52(4), 2009), with
 * roofs for each precision and each level of memory.
 */
import { sectorBytes, wordBytes } from '../model/geometry.ts';
import type { Precision, Roofline } from '../model/kernel-view.ts';
import { int8TensorCores } from '../gpus/families.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { rowFor, type TensorPrecision } from '../model/opcodes.ts';
import type { Instruction } from './kernel-profiles.ts';

/** Multiply-adds of an SM's tensor cores in a cycle of its clock; null where that is not known. */
export function tensorRate(
  { tensorCores, computeCapability }: GpuDescription,
  precision: TensorPrecision,
): number | null {
  const { major, minor } = computeCapability;
  const rates: Record<TensorPrecision, number | null> = {
    'Tensor FP16': tensorCores.fp16,
    'Tensor TF32': tensorCores.tf32,
    'Tensor FP8': tensorCores.fp8,
    'Tensor FP64': tensorCores.fp64,
    'Tensor INT8': int8TensorCores.get(`${major}.${minor}`)?.perClock ?? null,
    'Tensor INT4': null,
    'Tensor INT1': null,
  };
  const rate = rates[precision];
  return rate === null ? null : rate * (precision === 'Tensor FP64' ? 1 : tensorCores.clockShare);
}

export function rooflineOf(
  gpu: GpuDescription,
  instructions: readonly Instruction[],
  metrics: ReadonlyMap<string, number>,
  durationNs: number,
): Roofline {
  const { core, throughput, memory } = gpu;
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
    const done = rowFor(opcode)?.work;
    if (done) add(done.precision, done.operations * (done.of === 'lane' ? threadsOn : executed));
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
  const tensorRoof = (precision: TensorPrecision): Roofline['roofs'] =>
    roof(precision, twice(tensorRate(gpu, precision)));
  const worked = (['Tensor FP8', 'Tensor INT8', 'Tensor TF32', 'Tensor FP64'] as const).filter((each) =>
    work.has(each),
  );
  return {
    roofs: [
      ...tensorRoof('Tensor FP16'),
      ...worked.flatMap(tensorRoof),
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
