/**
 * All that a trace knows of one kernel, for its page: how it was launched, what it reached of what its GPU can do, what its warps
 * waited for, and where in its source.
 *
 *   const { throughput, stalls, lines } = kernelView(trace, 2);
 */
import { sectorBytes, warpSize } from '../model/geometry.ts';
import type {
  HeldUpBy,
  KernelOccupancy,
  KernelThroughput,
  KernelView,
  OccupancyRequest,
} from '../model/kernel-view.ts';
import { SimsightError } from '../base/errors.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { rowFor } from '../model/opcodes.ts';
import { timeMetrics } from '../sm/counters.ts';
import { occupancyOfLaunch } from '../sm/occupancy.ts';
import { gpuOf, type Trace } from '../trace/trace.ts';
import { num } from './columns.ts';
import {
  branchesOf,
  instructionsOf,
  linesOf,
  profileOf,
  recordedBytes,
  type Instruction,
  type Place,
} from './kernel-profiles.ts';
import { rooflineOf, tensorRate } from './roofline.ts';

/** `row`: of the kernel in `CUPTI_ACTIVITY_KIND_KERNEL`. Throws `bad-request` where there is none. */
export function kernelView(trace: Trace, row: number): KernelView {
  const [cells] = trace.query(
    `SELECT d.value, s.value, k.start, k.end, k.deviceId, k.streamId, k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ,
       k.registersPerThread, k.staticSharedMemory, k.dynamicSharedMemory
     FROM CUPTI_ACTIVITY_KIND_KERNEL k LEFT JOIN StringIds d ON d.id = k.demangledName LEFT JOIN StringIds s ON s.id = k.shortName
     WHERE k.rowid = ?`,
    row,
  );
  if (!cells) throw new SimsightError('bad-request', `${trace.path} has no kernel ${row}.`);
  const [fullName, name, start, end, device, stream, ...launch] = cells;
  const [gridX, gridY, gridZ, blockX, blockY, blockZ, registers, staticShared, dynamicShared] = launch.map(num) as Nine;
  const gpu = gpuOf(trace.facts, num(device));
  const metrics = metricsOf(trace, row);
  const blocks = gridX * gridY * gridZ;
  const durationNs = num(end) - num(start);
  const resources: OccupancyRequest = {
    threadsPerBlock: blockX * blockY * blockZ,
    registersPerThread: registers,
    sharedBytesPerBlock: staticShared + dynamicShared,
  };
  const occupancy = gpu && resources.threadsPerBlock > 0 ? kernelOccupancy(gpu, resources) : null;
  const perWave = gpu && occupancy ? occupancy.blocksPerSm * gpu.core.smCount : 0;
  const profile = profileOf(trace, row);
  const instructions = profile === null ? [] : instructionsOf(trace, profile);
  return {
    row,
    name: String(name ?? fullName ?? ''),
    fullName: String(fullName ?? name ?? ''),
    startNs: num(start),
    durationNs,
    deviceId: num(device),
    streamId: num(stream),
    gpu: gpu && { name: gpu.name, smCount: gpu.core.smCount, smClockMhz: gpu.core.smClockMhz },
    grid: [gridX, gridY, gridZ],
    block: [blockX, blockY, blockZ],
    resources: { ...resources, staticSharedBytes: staticShared, dynamicSharedBytes: dynamicShared },
    blocks,
    waves: perWave > 0 ? blocks / perWave : null,
    tailBlocks: perWave > 0 ? blocks % perWave : null,
    occupancy,
    achievedOccupancyPercent: metrics.get('sm__warps_active.avg.pct_of_peak_sustained_active') ?? null,
    simulatedPercent: metrics.get('simsight__sampled.pct') ?? null,
    ...timesOf(metrics),
    throughput: gpu ? throughputOf(gpu, metrics, instructions, durationNs) : [],
    metrics: [...metrics].map(([metric, value]) => ({ metric, value })),
    stalls: stallsOf(instructions),
    lines: linesOf(instructions).map(figures),
    instructions: instructions.map((one) => ({ ...figures(one), opcode: one.opcode, operands: one.operands })),
    sources: trace.sources(),
    branches: (profile === null ? [] : branchesOf(trace, profile)).map((branch) => {
      const { file = null, line = null } = instructions[branch.instruction] ?? {};
      return { ...branch, file, line };
    }),
    recorded: recordedOf(trace, profile),
    roofline: gpu && rooflineOf(gpu, instructions, metrics, durationNs),
    ...warpsOf(trace, row),
  };
}
function recordedOf(trace: Trace, profile: number | null): KernelView['recorded'] {
  if (profile === null) return null;
  const { warps, accesses, launches } = recordedBytes(trace, profile);
  return { bytes: warps + accesses, launches };
}

function warpsOf(trace: Trace, row: number): Pick<KernelView, 'warpCycles' | 'warpSlots' | 'warpStates'> {
  const warps = trace.warps(row);
  const warpStates: string[] = [];
  for (const [id, label] of trace.query('SELECT id, label FROM ENUM_SIMSIGHT_WARP_STATE'))
    warpStates[num(id)] = String(label);
  return {
    warpCycles: warps?.end ?? 0,
    warpSlots: Array.from(warps?.slots ?? [], (slots) => slots ?? 0),
    warpStates,
  };
}

/** From here on another thing than the SMs is said to hold a kernel up. */
const wellAbove = 1.2;
/** The first counts where several take equally long: atomics are among what L2 does. */
const heldUpBy: [HeldUpBy, string][] = [
  ['atomics-on-one-place', timeMetrics.atomicsOnOnePlace],
  ['atomics', timeMetrics.atomics],
  ['l2', timeMetrics.l2],
  ['dram', timeMetrics.dram],
  ['nvlink', timeMetrics.nvlink],
  ['host-link', timeMetrics.host],
  ['dispatch', timeMetrics.dispatch],
];
function timesOf(metrics: ReadonlyMap<string, number>): Pick<KernelView, 'coveredPercent' | 'heldUp'> {
  const ofSm = metrics.get(timeMetrics.sm);
  if (ofSm === undefined) return { coveredPercent: null, heldUp: null };
  const [by, most] = heldUpBy
    .map(([by, metric]): [HeldUpBy, number] => [by, metrics.get(metric) ?? 0])
    .reduce((a, b) => (b[1] > a[1] ? b : a));
  const all = Math.max(ofSm, most);
  return {
    coveredPercent: (100 * ofSm) / all,
    heldUp: most > wellAbove * ofSm ? { by, percent: (100 * (most - ofSm)) / all } : null,
  };
}

type Nine = [number, number, number, number, number, number, number, number, number];

/** The limits of the blocks that an SM of the kernel's GPU holds; null where the GPU is not known. */
export function occupancyFor(trace: Trace, row: number, request: OccupancyRequest): KernelOccupancy | null {
  const device = trace.query('SELECT deviceId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid = ?', row)[0]?.[0];
  const gpu = device === undefined ? null : gpuOf(trace.facts, num(device));
  return gpu && kernelOccupancy(gpu, request);
}

function kernelOccupancy(gpu: GpuDescription, request: OccupancyRequest): KernelOccupancy {
  const { threadsPerBlock, registersPerThread, sharedBytesPerBlock } = request;
  const { blocksPerSm, warpsPerBlock, warpsPerSm, percent, limiter, limits } = occupancyOfLaunch(gpu, {
    ...{ threadsPerBlock, registersPerThread },
    staticSharedBytes: sharedBytesPerBlock,
    dynamicSharedBytes: 0,
  });
  const { threadsPerBlock: mostThreads, registersPerThread: mostRegisters, sharedBytesPerBlockOptin } = gpu.limits;
  return {
    ...{ blocksPerSm, warpsPerBlock, warpsPerSm, percent, limiter, limits },
    mostWarpsPerSm: gpu.limits.warpsPerSm,
    most: {
      threadsPerBlock: mostThreads,
      registersPerThread: mostRegisters,
      sharedBytesPerBlock: sharedBytesPerBlockOptin,
    },
  };
}

function metricsOf(trace: Trace, row: number): Map<string, number> {
  const rows = trace.query(
    'SELECT s.value, m.value FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds s ON s.id = m.nameId WHERE m.kernel = ?',
    row,
  );
  return new Map(rows.map(([name, value]) => [String(name), num(value)]));
}

/**
 * The throughput over the kernel's whole time, relative to what the GPU can do in that time: counters of Nsight Compute divided by peaks of
 * the GPU's description. A unit whose peak or counter is not known is left out.
 */
function throughputOf(
  gpu: GpuDescription,
  metrics: ReadonlyMap<string, number>,
  instructions: readonly Instruction[],
  durationNs: number,
): KernelThroughput[] {
  const { core, throughput, memory } = gpu;
  const cycles = (durationNs * core.smClockMhz) / 1e3;
  if (!(cycles > 0)) return [];
  const found: KernelThroughput[] = [];
  const add = (
    group: KernelThroughput['group'],
    name: string,
    amount: number | undefined,
    peakPerCycle: number | null,
    unit: KernelThroughput['unit'],
  ): void => {
    if (amount === undefined || peakPerCycle === null || !(peakPerCycle > 0)) return;
    // Instructions per clock of the SMs, bytes per second.
    const scale = unit === 'bytes-per-second' ? core.smClockMhz * 1e6 : 1;
    const percent = (100 * amount) / (cycles * peakPerCycle);
    found.push({ group, name, percent, achieved: (amount / cycles) * scale, peak: peakPerCycle * scale, unit });
  };
  const warpsPerClock = (lanes: number | null): number | null =>
    lanes === null ? null : (lanes / warpSize) * core.smCount;
  const pipe = (name: string): number | undefined => metrics.get(`sm__inst_executed_pipe_${name}.sum`);
  const ipc = 'instructions-per-clock';
  add('compute', 'Issue slots', metrics.get('smsp__inst_executed.sum'), throughput.schedulers * core.smCount, ipc);
  add('compute', 'FMA pipe (FP32)', pipe('fma'), warpsPerClock(throughput.fp32), ipc);
  add('compute', 'ALU pipe (integer)', pipe('alu'), warpsPerClock(throughput.int32), ipc);
  add('compute', 'FP64 pipe', pipe('fp64'), warpsPerClock(throughput.fp64), ipc);
  add('compute', 'XU pipe (special)', pipe('xu'), warpsPerClock(throughput.special), ipc);
  const tensor = tensorCycles(gpu, instructions);
  const ofFloats = pipe('tensor_op_hmma');
  const products =
    ofFloats === undefined ? undefined : ofFloats + (pipe('tensor_op_imma') ?? 0) + (pipe('tensor_op_dmma') ?? 0);
  if (tensor !== null && tensor > 0 && products !== undefined)
    add('compute', 'Tensor pipe', products, (products / tensor) * core.smCount, ipc);
  add('memory', 'LSU pipe', pipe('lsu'), warpsPerClock(throughput.loadStore), ipc);
  // The wavefronts that the banks give at once, per cycle.
  const wavefronts = metrics.get('l1tex__data_pipe_lsu_wavefronts.sum');
  add('memory', 'L1 data', wavefronts, core.smCount, 'wavefronts-per-clock');
  const l2 = metrics.get('lts__t_sectors.sum');
  const bytes = 'bytes-per-second';
  add('memory', 'L2', l2 === undefined ? undefined : l2 * sectorBytes, memory.l2BytesPerClock, bytes);
  const [read, written] = [metrics.get('dram__bytes_read.sum'), metrics.get('dram__bytes_write.sum')];
  const dram = read === undefined && written === undefined ? undefined : (read ?? 0) + (written ?? 0);
  add('memory', 'DRAM', dram, memory.bandwidth / (core.smClockMhz * 1e6), bytes);
  return found;
}

/** Cycles of one SM's tensor cores for all that the kernel has them do; null where their rate is not known. */
function tensorCycles(gpu: GpuDescription, instructions: readonly Instruction[]): number | null {
  let cycles = 0;
  for (const { opcode, executed } of instructions) {
    const work = rowFor(opcode)?.work;
    if (work?.of !== 'warp') continue;
    const perCycle = tensorRate(gpu, work.precision);
    if (perCycle === null) return null;
    cycles += (executed * work.operations) / 2 / perCycle;
  }
  return cycles;
}

/** The stalls of all warp-cycles, the most first. */
function stallsOf(instructions: readonly Instruction[]): KernelView['stalls'] {
  const sums = new Map<string, number>();
  for (const { states } of instructions) {
    for (const [state, cycles] of states) sums.set(state, (sums.get(state) ?? 0) + cycles);
  }
  const all = [...sums.values()].reduce((a, b) => a + b, 0);
  const issued = sums.get('Selected') ?? 0;
  return [...sums]
    .filter(([, cycles]) => cycles > 0)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([state, cycles]) => ({
      ...{ state, percent: (100 * cycles) / all },
      cyclesPerIssue: issued > 0 ? cycles / issued : null,
    }));
}

const figures = (place: Place): KernelView['lines'][number] => ({
  file: place.file,
  line: place.line,
  executed: place.executed,
  threads: place.threads,
  threadsOn: place.threadsOn,
  partial: place.partial,
  sectors: place.sectors,
  sectorRequests: place.sectorRequests,
  idealSectors: place.idealSectors,
  idealWavefronts: place.idealWavefronts,
  wavefronts: place.wavefronts,
  branches: place.branches,
  divergedBranches: place.divergedBranches,
  wavefrontRequests: place.wavefrontRequests,
  states: [...place.states],
});
