/**
 * Facts of the kernels that matter, from the trace. Launches that did the same (shape, counters, profile) are one; their first stands
 * for all of them. Kernels of recordings of other tools, and those of libraries that were not simulated, have no counters and are left out.
 */
import { sectorBytes, warpSize } from '../../model/geometry.ts';
import type { KernelAccesses } from '../../model/kernel-accesses.ts';
import type { KernelPlace, KernelView } from '../../model/kernel-view.ts';
import type { GpuDescription } from '../../gpus/types.ts';
import { libraryMetric } from '../../model/metric-names.ts';
import { rowFor, type MemoryAccess } from '../../model/opcodes.ts';
import { labelsOfStates } from '../../model/warp-states.ts';
import { MemoryInUse } from '../../trace/memory-in-use.ts';
import { gpuOf, type Trace } from '../../trace/trace.ts';
import { num } from '../columns.ts';
import { kernelAccesses } from '../kernel-accesses.ts';
import { laneBytes } from '../kernel-profiles.ts';
import { kernelView } from '../kernel-view.ts';
import { latencyBound, leastShareOfKernels, leastShareOfRuntime } from './thresholds.ts';

/** Launches are looked at one kind at a time; of a kernel that is launched in very many ways, those that take most of its time. */
const mostVariants = 16;

export function kernelsOf(trace: Trace, spanNs: number): KernelFacts[] {
  const rows = trace.query(
    `SELECT s.deviceId, s.demangledName, e.launches, e.total, e.first, s.gridX, s.gridY, s.gridZ, s.blockX, s.blockY, s.blockZ,
       s.dynamicSharedMemory, s.metricSet, s.profile, s.localMemoryPerThread, s.sharedMemoryExecuted
     FROM (SELECT shape, count(*) AS launches, sum(length) AS total, min(rowid) AS first FROM SIMSIGHT_EVENTS_KERNEL GROUP BY shape) e
     JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape`,
  );
  const notSimulated = new Set(
    trace
      .query(
        'SELECT id FROM SIMSIGHT_METRIC_SETS WHERE nameId = (SELECT id FROM StringIds WHERE value = ?)',
        libraryMetric,
      )
      .map(([id]) => id),
  );
  let totalNs = 0;
  const byName = new Map<string, { totalNs: number; variants: Map<string, Variant> }>();
  for (const [device, name, launches, total, first, ...shape] of rows) {
    totalNs += num(total);
    const key = `${device} ${name}`;
    let kernel = byName.get(key);
    if (!kernel) byName.set(key, (kernel = { totalNs: 0, variants: new Map() }));
    kernel.totalNs += num(total);
    const [metricSet] = shape.slice(7);
    if (metricSet === null || notSimulated.has(metricSet!)) continue;
    // Streams and nodes of graphs are shapes of their own, and no difference here.
    const alike = shape.slice(0, 9).join(' ');
    const known = kernel.variants.get(alike);
    const [localBytes, sharedConfigBytes] = shape.slice(9).map(num) as [number, number];
    if (known) {
      known.totalNs += num(total);
      known.launches += num(launches);
      known.row = Math.min(known.row, num(first));
    } else {
      const variant = { row: num(first), launches: num(launches), totalNs: num(total), localBytes, sharedConfigBytes };
      kernel.variants.set(alike, variant);
    }
  }
  const least = Math.max(leastShareOfKernels * totalNs, leastShareOfRuntime * spanNs);
  const kernels = [...byName].flatMap(([key, { totalNs: ownNs, variants }]) => {
    if (ownNs < least) return [];
    const most = [...variants.values()].sort((a, b) => b.totalNs - a.totalNs || a.row - b.row).slice(0, mostVariants);
    return most.map((variant) => new KernelFacts(trace, key, variant, ownNs / totalNs));
  });
  return kernels.sort((a, b) => b.totalNs - a.totalNs || a.row - b.row);
}

interface Variant {
  row: number;
  launches: number;
  totalNs: number;
  localBytes: number;
  sharedConfigBytes: number;
}

/** States that more warps would hide: results that are not there yet, of memory and of arithmetic. */
export const latencyStates = labelsOfStates(({ hidden }) => hidden);
const globalStates = labelsOfStates(({ memory }) => memory === 'global');
const sharedStates = labelsOfStates(({ memory }) => memory === 'shared');

/** The kernel's limit: where it lies under its roofs, by Nsight Compute's rule. */
export type Bound = 'memory' | 'compute' | 'latency';

export class KernelFacts {
  /** The same of all launches of a kernel on a GPU. */
  readonly kernel: string;
  readonly row: number;
  readonly launches: number;
  readonly totalNs: number;
  /** Local memory of a thread. */
  readonly localBytes: number;
  readonly sharedConfigBytes: number;
  /** The kernel's share of the time of all kernels, in all its launches. */
  readonly share: number;
  private readonly trace: Trace;
  private knownView: KernelView | undefined;
  private knownAccesses: KernelAccesses | undefined;
  private knownGlobal: GlobalAccess[] | undefined;
  private knownMetrics: Map<string, number> | undefined;

  constructor(trace: Trace, kernel: string, variant: Variant, share: number) {
    this.trace = trace;
    this.kernel = kernel;
    this.share = share;
    this.row = variant.row;
    this.launches = variant.launches;
    this.totalNs = variant.totalNs;
    this.localBytes = variant.localBytes;
    this.sharedConfigBytes = variant.sharedConfigBytes;
  }

  get view(): KernelView {
    return (this.knownView ??= kernelView(this.trace, this.row));
  }

  get accesses(): KernelAccesses {
    return (this.knownAccesses ??= kernelAccesses(this.trace, this.row, null));
  }

  get name(): string {
    return this.view.name;
  }

  get gpu(): GpuDescription | null {
    return gpuOf(this.trace.facts, this.view.deviceId);
  }

  /** Under its name in Nsight Compute; null where the trace does not have it. */
  metric(name: string): number | null {
    this.knownMetrics ??= new Map(this.view.metrics.map(({ metric, value }) => [metric, value]));
    return this.knownMetrics.get(name) ?? null;
  }

  /** Mean duration of a launch. */
  get durationNs(): number {
    return this.totalNs / this.launches;
  }

  /** The part of its time that is its own: the rest is page faults, or other kernels beside it. */
  get ownShare(): number {
    const alone = this.metric('gpu__time_duration.sum');
    return alone === null || this.view.durationNs === 0 ? 1 : Math.min(1, alone / this.view.durationNs);
  }

  /** The time of a launch, without what is not its own. */
  get ownNs(): number {
    return this.view.durationNs * this.ownShare;
  }

  get warps(): number {
    return this.view.blocks * Math.ceil(this.view.resources.threadsPerBlock / warpSize);
  }

  /** The share of its warps' time in these states, 0 to 1; null where the trace does not say. */
  inStates(...states: readonly string[]): number | null {
    const { stalls } = this.view;
    if (stalls.length === 0) return null;
    return stalls.reduce((sum, { state, percent }) => sum + (states.includes(state) ? percent / 100 : 0), 0);
  }

  /** The same, of some instructions. */
  inStatesAt(places: readonly KernelPlace[], states: readonly string[]): number {
    const all = this.view.instructions.reduce((sum, one) => sum + cyclesIn(one), 0);
    return all === 0 ? 0 : places.reduce((sum, one) => sum + cyclesIn(one, states), 0) / all;
  }

  /** The share of its warps' time spent waiting for global memory, and for room to ask for it. */
  get waitForGlobal(): number | null {
    return this.inStates(...globalStates);
  }

  get waitForShared(): number | null {
    return this.inStates(...sharedStates);
  }

  /** Utilization of the busiest unit of a group, 0 to 1; 0 where nothing is known. */
  use(group: 'memory' | 'compute'): number {
    const { throughput, stalls } = this.view;
    const units = throughput.filter((unit) => unit.group === group).map(({ name }) => this.useOf(name));
    // Tensor cores have no entry of their own there: what they did of their roof.
    const tensor = group === 'compute' && stalls.length > 0 ? this.tensorUse : 0;
    return Math.min(1, Math.max(0, tensor, ...units));
  }

  useOf(unit: string): number {
    return (this.view.throughput.find(({ name }) => name === unit)?.percent ?? 0) / 100 / this.ownShare;
  }

  private get tensorUse(): number {
    const { roofline } = this.view;
    const uses = (roofline?.work ?? []).map(({ precision, flop }) => {
      const roof = roofline!.roofs.find((each) => each.precision === precision);
      const isTensor = precision.startsWith('Tensor');
      return isTensor && roof ? flop / (roof.flopsPerSecond * this.ownNs * 1e-9) : 0;
    });
    return Math.max(0, ...uses);
  }

  get bound(): Bound {
    const [memory, compute] = [this.use('memory'), this.use('compute')];
    if (memory < latencyBound && compute < latencyBound) return 'latency';
    return memory >= compute ? 'memory' : 'compute';
  }

  /** The share of its time that is left when units not named are as busy as they can be. */
  leftBeside(...groups: readonly ('memory' | 'compute')[]): number {
    return 1 - Math.max(0, ...groups.map((group) => this.use(group)));
  }

  /** Loads, stores and atomics of global memory, in the order of the machine code. */
  get global(): readonly GlobalAccess[] {
    return (this.knownGlobal ??= this.globalAccesses());
  }

  private globalAccesses(): GlobalAccess[] {
    const samples = new Map(this.accesses.accesses.map((access) => [access.instruction, access.samples]));
    return this.view.instructions.flatMap((place, instruction): GlobalAccess[] => {
      if (!isGlobal(place.opcode) || place.sectors === 0) return [];
      const own = (samples.get(instruction) ?? []).filter(({ space }) => space === 'global');
      const size = own[0]?.size ?? laneBytes(place.opcode);
      // As Nsight Compute has it: sectors of as many lanes if their bytes lay one behind the other.
      const ideal = Math.min(place.sectors, Math.max(place.executed, (place.threadsOn * size) / sectorBytes));
      return [{ ...place, instruction, size, ideal, samples: own }];
    });
  }

  /** Bytes of its GPU that were allocated when it began, if all that it was seen to access is among them; else null. */
  get footprint(): number | null {
    const { view } = this;
    const rows = this.trace.query(
      `SELECT address, max(bytes) FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE deviceId = ? AND memoryOperationType = 0 AND start <= ?
       GROUP BY address ORDER BY address`,
      view.deviceId,
      view.startNs,
    );
    const ranges = rows.map(([address, bytes]) => [num(address), num(address) + num(bytes)] as const);
    const isKnown = (address: number): boolean => ranges.some(([from, to]) => address >= from && address < to);
    const sampled = this.global.flatMap(({ samples }) => samples);
    const isOwn = sampled.every((sample) => isKnown(sample.addresses[firstLane(sample.lanes)]!));
    if (sampled.length === 0 || !isOwn) return null;
    return new MemoryInUse(this.trace, view.deviceId).at(view.startNs);
  }

  /** Lines of the program's own source by weight, the heaviest first, as places of a finding; then the kernel itself. */
  places(weigh: (line: KernelPlace) => number): KernelPlaces {
    const { row, view } = this;
    const own = new Set(view.sources.map(({ path }) => path));
    const lines = view.lines
      .map((line) => ({ line, weight: weigh(line) }))
      .filter(({ line, weight }) => weight > 0 && own.has(line.file ?? '') && line.line !== null)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, mostLines);
    return [
      ...lines.map(({ line }) => ({ kind: 'line' as const, kernel: row, file: line.file!, line: line.line! })),
      { kind: 'kernel', kernel: row, name: view.name },
    ];
  }

  /** The same of instructions, summed by line. */
  placesOf<Place extends KernelPlace>(instructions: readonly Place[], weigh: (one: Place) => number): KernelPlaces {
    const weights = new Map<string, number>();
    for (const one of instructions) {
      const key = `${one.file}:${one.line}`;
      weights.set(key, (weights.get(key) ?? 0) + weigh(one));
    }
    return this.places(({ file, line }) => weights.get(`${file}:${line}`) ?? 0);
  }
}

/** More lines than that do not tell where to look. */
const mostLines = 3;

type KernelPlaces = (
  { kind: 'kernel'; kernel: number; name: string } | { kind: 'line'; kernel: number; file: string; line: number }
)[];

export interface GlobalAccess extends KernelPlace {
  opcode: string;
  instruction: number;
  /** Bytes of each lane. */
  size: number;
  /** Sectors that the same lanes would need if their bytes lay one behind the other. */
  ideal: number;
  samples: KernelAccesses['accesses'][number]['samples'];
}

export const cyclesIn = ({ states }: KernelPlace, among?: readonly string[]): number =>
  states.reduce((sum, [state, cycles]) => sum + (among === undefined || among.includes(state) ? cycles : 0), 0);

/** The first lane of a mask that is not empty. */
export const firstLane = (lanes: number): number => 31 - Math.clz32(lanes & -lanes);

/** Not local memory, nor copies in bulk, whose rows are whole. */
export const isGlobal = (opcode: string): boolean => memoryOf(opcode)?.space === 'global';
export const isGlobalLoad = (opcode: string): boolean => isGlobal(opcode) && memoryOf(opcode)?.access === 'load';
export const isGlobalStore = (opcode: string): boolean => isGlobal(opcode) && memoryOf(opcode)?.access === 'store';
export const isAtomic = (opcode: string): boolean => memoryOf(opcode)?.access === 'atomic';
export const isLocal = (opcode: string): boolean => memoryOf(opcode)?.space === 'local';
export const isLocalLoad = (opcode: string): boolean => isLocal(opcode) && memoryOf(opcode)?.access === 'load';
/** True for loads of one word per lane from shared memory, false for those of matrices (LDSM). */
export const isSharedLoad = (opcode: string): boolean =>
  memoryOf(opcode)?.space === 'shared' && memoryOf(opcode)?.banks === 'load';
export const isSharedStore = (opcode: string): boolean =>
  memoryOf(opcode)?.space === 'shared' && memoryOf(opcode)?.banks === 'store';
/** True for barriers of the threads of a block. */
export function isBarrier(opcode: string): boolean {
  const effect = rowFor(opcode)?.effect;
  return effect === 'barrier' || effect === 'numbered';
}
const memoryOf = (opcode: string): MemoryAccess | null => rowFor(opcode)?.memory ?? null;
