/**
 * A simulated GPU's memory and its kernels: allocates, launches, counts. Synchronous, deterministic, no notion of time.
 *
 *   const device = Device.create([module], { memoryBytes: 8 * 2 ** 30 });
 *   const a = device.allocate(4096);
 *   new Float32Array(device.memory.buffer, a, 1024).set(input);
 *   const counts = device.launch({ kernel: '_Z3addPf', grid, block, dynamicSharedBytes: 0, parameters }, geometry);
 */
import { SimsightError } from '../base/errors.ts';
import { importsFor } from '../base/program-imports.ts';
import {
  blockCounterBytes,
  blockStateBytes,
  dramRowEntries,
  checkBit,
  crewBase,
  guardBase,
  guardBytes,
  guardGranule,
  heapStart,
  hotGranules,
  l2AreaBytes,
  l1SetBytes,
  l1SetLines,
  l2SetBytes,
  l2SetLines,
  launchBytes,
  statistics,
  launchField,
  lineBytes,
  ownerBytes,
  managedPageBytes,
  managedPageEntryBytes,
  managedPageField,
  pageBytes,
  partialLineBytes,
  partialLines,
  shadowBytes,
  siteBanks,
  siteCounterBytes,
  siteLocalSectors,
  sitePasses,
  siteWide,
  sitePastL1,
  staticLimit,
  warpField,
  warpsOfTurn,
} from './layout.ts';
import { stoppedClock, WarpClocks } from './clock.ts';
import { Crew, type StartCrewThread } from './crew.ts';
import { withSharedMemory } from './shared-memory.ts';
import { SystemCalls } from './system-calls.ts';
import { Tracer } from './trace.ts';
import type { TraceRequest } from '../model/kernel-timing.ts';
import type { DeviceModule, ModuleKernel, ModuleUnit } from './module.ts';
import type {
  BlockCounts,
  CacheGeometry,
  DeviceVariable,
  Dim3,
  GlobalAccesses,
  InstructionClass,
  KernelCounts,
  KernelDescription,
  KernelLaunch,
  LaunchClock,
  OnChildLaunch,
  AccessSample,
  SiteCounts,
  TouchedPages,
  DeviceCheck,
} from '../model/execution.ts';
import type { Neighbour, Whereabouts } from './faults.ts';
import { cudaErrors, faultError, KernelError, undefinedText, whereText } from './faults.ts';
import type { PassedOptions } from '../model/record-options.ts';
import { instructionClasses } from '../model/execution.ts';

/** Where there is memory of others, the table of who owns what lies before the GPUs' caches. */
const ownersBase = guardBase + guardBytes;
/** HOST_OWNER of runtime/l2-sets.c. */
const hostOwner = 255;
/** Above it lies what parts of grids need. */
const addressLimit = crewBase;
const allocationAlign = 256;
const warpSize = 32;
/** As many freed allocations are remembered, for messages about their use. */
const freedRemembered = 4096;
/** Blocks that may wait for each other where nothing is said of the GPU. */
const defaultBlocksPerSm = 8;
/** Limits of every CUDA device since Fermi. */
const maxThreadsPerBlock = 1024;

/** Blocks that are executed between two looks at how many are done. */
const blocksPerLook = 64;

/** What the recording was told is among them: `maxInstructions`, `maxMemoryBytes`. */
export interface DeviceOptions extends PassedOptions {
  /** Simulated capacity, bytes; what fits into 4 GiB of addresses at most. */
  memoryBytes: number;
  /** GPUs beside the first, which share its addresses. */
  others?: readonly { memoryBytes: number }[];
  checks?: readonly DeviceCheck[];
  /** Names for messages by mangled name. */
  names?: ReadonlyMap<string, string>;
  /** Threads that execute one grid; default: one per core. Nothing but time depends on it. */
  threads?: number;
  /** How such a thread is started, where the executing one may start none. */
  startThread?: StartCrewThread;
  /** Grids that take longer than this are executed by several threads. */
  aloneMilliseconds?: number;
  /** Is told, once for each place, where results are undefined on this GPU. */
  onUndefined?: (text: string) => void;
  /** Compiles a unit that comes without its WebAssembly, when one of its kernels is first launched. */
  compile?: (unit: ModuleUnit) => Uint8Array;
  /**
   * For others to look at meanwhile: blocks executed of the grid that is being executed, and how many it has; 0 of 0 where none is, or
   * its blocks may wait for each other.
   */
  blocks?: Float64Array<SharedArrayBuffer>;
}

interface LoadedUnit {
  number: number;
  module: WebAssembly.Module;
  instance: WebAssembly.Instance;
  /** The unit's own data as after instantiation: all units are linked to the same place, above the stack. */
  image: Uint8Array;
  stackPointer: WebAssembly.Global<'i32'>;
  stackTop: number;
}

interface LoadedKernel {
  kernel: ModuleKernel;
  unit: ModuleUnit;
  /** By GPU, all variables of its module. */
  variables: DeviceVariable[][];
  /** The kernels of its module. */
  siblings: ModuleKernel[];
}

/** Words of variables that hold the address of another. */
interface Relocation {
  variable: DeviceVariable;
  offset: number;
  target: DeviceVariable;
}

/** What belongs to one GPU. */
interface GpuState {
  readonly capacity: number;
  used: number;
  /** The GPUs whose memory its kernels may access: a bit for each. */
  reach: number;
  l2Bytes: number;
  /** By copies to and from the host since the last launch. */
  movedBytes: number;
  /** By memsets and copies within the device since the last launch: from one line to another, which is not among them. */
  written: { first: number; end: number }[];
  launches: number;
}

/** Thrown inside `env.fault` and turned into a SimsightError by `launch`, which knows the kernel. */
class Fault extends Error {
  readonly code: number;
  readonly site: number;
  readonly address: number;
  constructor(code: number, site: number, address: number) {
    super('kernel fault');
    this.code = code;
    this.site = site;
    this.address = address >>> 0;
  }
}

/** Blocks of a kernel that were executed in one way, and how long that took. */
interface Pace {
  blocks: number;
  milliseconds: number;
}
const perBlock = ({ blocks, milliseconds }: Pace): number => (blocks > 0 ? milliseconds / blocks : Infinity);
/**
 * Passes that one of floats or doubles on an address is worth: L2 adds to one address 1.33 integers per ns, and 0.56 floats
 * (test/reference/h200/atomics.json). Addresses that share a slice do not show it (W14 segment_sum).
 */
const floatPasses = 1.334 / 0.564;
/**
 * Blocks whose atomics wait in L2's queues, those that have ended among them, by those that are resident; where nobody waits for
 * results. H200 reference, A6 per_block_address: 1.44.
 */
const queuedAtomics = 1.5;
/** Until then, starting the threads weighs too much for several of them to be called slower. */
const settledMilliseconds = 250;

export class Device {
  /** Device memory: a device pointer is an address in it. Its `buffer` changes whenever memory grows. */
  readonly memory: WebAssembly.Memory;
  readonly variables: DeviceVariable[] = [];
  private readonly gpus: GpuState[];
  /** The GPU that executes, and those for whose memory the table of what is allocated stands. */
  private executing = 0;
  /** Kernels have been able to reach page-locked memory of the host. */
  private hasHostMemory = false;
  private shown = ~0;
  private readonly relocations: Relocation[] = [];
  private readonly kernels = new Map<string, LoadedKernel>();
  private readonly units = new Map<ModuleUnit, LoadedUnit>();
  private readonly crew: Crew;
  /** Kernels that stay on one thread: their blocks got in each other's way, or several were not faster. */
  private readonly refused = new Set<ModuleKernel>();
  private readonly paces = new Map<ModuleKernel, { alone: Pace; crew: Pace }>();
  /** Allocations by address, and the free gaps between them, ordered by address. */
  private readonly allocations = new Map<number, Omit<NewAllocation, 'address'> & { size: number }>();
  private freed: Neighbour[] = [];
  private readonly options: DeviceOptions;
  /** printf and malloc of kernels. */
  readonly calls: SystemCalls;
  private executed = 0;
  private launched = 0;
  /** What the launch under way has executed until now. */
  private soFar: () => number = () => 0;
  /** The kernel that is being executed, and the counters of its blocks of code. */
  private underWay: { kernel: ModuleKernel; counts: number } | null = null;
  private gaps: { start: number; end: number }[];
  private managedPages = { first: 0, pages: 0 };
  private resident: LoadedUnit | null = null;
  /** Of the launch under way, if its blocks are traced. */
  private tracer: Tracer | null = null;
  private clock = new WarpClocks(stoppedClock);

  private constructor(options: DeviceOptions) {
    this.options = options;
    const { memoryBytes, others = [] } = options;
    this.gpus = [{ memoryBytes }, ...others].map((gpu, index) => ({
      capacity: Math.min(gpu.memoryBytes, addressLimit - heapStart),
      used: 0,
      reach: 1 << index,
      l2Bytes: -1,
      movedBytes: 0,
      written: [],
      launches: 0,
    }));
    if (others.length > 0) this.shown = 1;
    this.memory = new WebAssembly.Memory({ initial: heapStart / pageBytes, maximum: 65536, shared: true });
    this.crew = new Crew(this.memory, options.threads, options.startThread);
    this.gaps = [{ start: heapStart, end: addressLimit }];
    this.calls = new SystemCalls(this.memory, {
      allocate: (bytes) => this.allocate(bytes, 0, this.executing),
      free: (address) => this.free(address),
    });
  }

  static create(modules: DeviceModule[], options: DeviceOptions): Device {
    const device = new Device(options);
    for (const module of modules) device.load(module);
    return device;
  }

  private load(module: DeviceModule): void {
    const variables: DeviceVariable[][] = [];
    this.gpus.forEach((_, gpu) => variables.push(this.loadVariables(module, gpu, variables[0])));
    for (const kernel of module.kernels) {
      this.kernels.set(kernel.name, { kernel, unit: module.units[kernel.unit]!, variables, siblings: module.kernels });
    }
  }

  /** Every GPU has variables of its own, but for managed ones, which are those of the first. */
  private loadVariables(module: DeviceModule, gpu: number, ofFirst: DeviceVariable[] | undefined): DeviceVariable[] {
    const variables = module.variables.map(({ name, size, managed }, i): DeviceVariable => {
      if (managed && ofFirst) return ofFirst[i]!;
      const address = this.allocate(Math.max(1, size), 0, managed ? undefined : gpu);
      if (address === null)
        throw new SimsightError('kernel-failed', `Device memory is too small for the variable ${name}.`);
      return { name, address, size, managed, ...(ofFirst ? { gpu } : {}) };
    });
    this.variables.push(...variables.filter((variable) => !ofFirst?.includes(variable)));
    const byName = new Map(variables.map((variable) => [variable.name, variable]));
    module.variables.forEach(({ bytes, relocations, size }, i) => {
      const variable = variables[i]!;
      if (ofFirst?.includes(variable)) return;
      if (bytes !== null) new Uint8Array(this.memory.buffer, variable.address, size).set(bytes);
      for (const { offset, variable: name } of relocations) {
        const target = byName.get(name)!;
        this.addTo(variable, offset, target.address);
        this.relocations.push({ variable, offset, target });
      }
    });
    return variables;
  }

  private addTo({ address, size }: DeviceVariable, offset: number, distance: number): void {
    const view = new DataView(this.memory.buffer, address, size);
    view.setUint32(offset, view.getUint32(offset, true) + distance, true);
  }

  /** Moves a variable, with what it holds, before any kernel has run; false when something else lies there. */
  moveVariable(variable: DeviceVariable, address: number): boolean {
    const from = variable.address;
    const { size } = variable;
    if (address % guardGranule !== 0 || !this.take(address, Math.max(1, size), 0)) return false;
    const bytes = new Uint8Array(this.memory.buffer);
    bytes.copyWithin(address, from, from + size);
    this.free(from);
    for (const { variable: holder, offset, target } of this.relocations) {
      if (target === variable) this.addTo(holder, offset, address - from);
    }
    variable.address = address;
    return true;
  }

  /** The unit of a kernel, compiled and in place. */
  private unitFor({ unit, kernel }: LoadedKernel): LoadedUnit {
    let loaded = this.units.get(unit);
    if (loaded === undefined) {
      const wasm = unit.wasm ?? this.options.compile?.(unit);
      if (!wasm) throw new SimsightError('internal', `The kernel ${kernel.name} has not been compiled.`);
      loaded = this.instantiate(wasm);
      this.units.set(unit, loaded);
    } else if (this.resident !== loaded) {
      new Uint8Array(this.memory.buffer, loaded.stackTop, staticLimit - loaded.stackTop).set(loaded.image);
    }
    this.resident = loaded;
    return loaded;
  }

  private instantiate(wasm: Uint8Array): LoadedUnit {
    new Uint8Array(this.memory.buffer, 0, staticLimit).fill(0);
    const module = new WebAssembly.Module(withSharedMemory(wasm) as BufferSource);
    const imports = importsFor(module, {
      env: {
        memory: this.memory,
        fault: (code: number, site: number, address: number) => {
          throw new Fault(code, site, address);
        },
        tick: () => this.checkBudget(this.soFar),
        sequence: () => Atomics.add(this.crew.sequence, 0, 1),
        drain: () => this.tracer?.drain(),
        clock: (estimate: number, block: number, warp: number, reading: number) =>
          this.clock.read(estimate, block >>> 0, warp, reading),
        ...this.calls.imports,
      },
    });
    const instance = new WebAssembly.Instance(module, imports);
    const stackPointer = instance.exports['__stack_pointer'] as WebAssembly.Global<'i32'>;
    const stackTop = stackPointer.value;
    const image = new Uint8Array(this.memory.buffer, stackTop, staticLimit - stackTop).slice();
    return { number: this.units.size, module, instance, image, stackPointer, stackTop };
  }

  kernel(name: string): KernelDescription | undefined {
    return this.kernels.get(name)?.kernel;
  }

  /** Blocks that several threads executed side by side, of all launches. */
  get blocksSideBySide(): number {
    return this.crew.blocks;
  }

  /** Bytes allocated and not freed, as `cudaMemGetInfo` would see them missing. */
  get usedBytes(): number {
    return this.gpus.reduce((sum, { used }) => sum + used, 0);
  }

  /**
   * First fit from `lowest` on, 256-byte aligned like cudaMalloc; null when the simulated device is full. New memory is
   * zero. It belongs to a GPU, or to all of them: what they share with the host. Managed memory may be more than
   * a device has, and is never given back.
   */
  allocate(bytes: number, lowest = 0, gpu?: number, managed = false): number | null {
    // One unallocated granule behind each allocation, so that what runs over its end is noticed.
    const size = Math.ceil(bytes / allocationAlign) * allocationAlign + guardGranule;
    const from = Math.ceil(lowest / allocationAlign) * allocationAlign;
    const gap = this.gaps.find(({ start, end }) => end - Math.max(start, from) >= size);
    if (gap === undefined) return null;
    const address = Math.max(gap.start, from);
    return this.take(address, bytes, guardGranule, gpu, managed) ? address : null;
  }

  /** Allocates a place; false when it is taken, or the device full. `unallocated` bytes behind it go with it. */
  private take(address: number, bytes: number, unallocated: number, gpu?: number, managed = false): boolean {
    const end = address + sizeOf(bytes) + unallocated;
    const isFree = this.gaps.some((gap) => gap.start <= address && end <= gap.end);
    if (!isFree || !this.enter({ address, bytes, end, gpu }, managed)) return false;
    this.closeGap(address, end);
    return true;
  }

  /** Makes memory of addresses that nothing else has; false when the device is full. */
  private enter({ address, bytes, end, gpu }: NewAllocation, managed: boolean): boolean {
    const owner = this.gpus[gpu ?? 0]!;
    const size = sizeOf(bytes);
    if (!Number.isFinite(size) || bytes < 0) return false;
    if (!managed && owner.used + size > owner.capacity) return false;
    const { maxMemoryBytes = Infinity } = this.options;
    if (this.usedBytes + size > maxMemoryBytes) {
      throw new SimsightError(
        'budget-exceeded',
        `The program was stopped: it allocates more than ${maxMemoryBytes} bytes of device memory.`,
        'Allow more with --max-memory, or use smaller problem sizes.',
      );
    }
    const missing = address + size - this.memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.memory.grow(Math.ceil(missing / pageBytes));
      } catch {
        return false;
      }
    }
    this.allocations.set(address, { size, bytes, end, gpu });
    if (!managed) owner.used += size;
    this.own(address, size, gpu === undefined ? 0 : gpu + 1);
    if (this.isShown(gpu)) this.show(address, bytes);
    return true;
  }

  /** Takes addresses without memory; null when there are none left. */
  reserve(bytes: number): number | null {
    const size = sizeOf(bytes) + guardGranule;
    const gap = this.gaps.find(({ start, end }) => end - start >= size);
    if (gap === undefined) return null;
    const { start } = gap;
    this.closeGap(start, start + size);
    return start;
  }

  unreserve(address: number, bytes: number): void {
    this.openGap(address, address + sizeOf(bytes) + guardGranule);
  }

  /** Memory at addresses that were reserved, until it is freed; false when the device is full. */
  place(address: number, bytes: number, gpu?: number): boolean {
    return this.enter({ address, bytes, end: address, gpu }, false);
  }

  private closeGap(address: number, end: number): void {
    const index = this.gaps.findIndex((gap) => gap.start <= address && end <= gap.end);
    const gap = this.gaps[index]!;
    const rests = [
      { start: gap.start, end: address },
      { start: end, end: gap.end },
    ];
    this.gaps.splice(index, 1, ...rests.filter((rest) => rest.start < rest.end));
  }

  private openGap(start: number, end: number): void {
    const at = this.gaps.findIndex((gap) => gap.start > start);
    this.gaps.splice(at < 0 ? this.gaps.length : at, 0, { start, end });
    this.gaps = this.gaps.reduce<{ start: number; end: number }[]>((merged, gap) => {
      const last = merged.at(-1);
      if (last !== undefined && last.end === gap.start) last.end = gap.end;
      else merged.push({ ...gap });
      return merged;
    }, []);
  }

  private isShown(gpu: number | undefined): boolean {
    return gpu === undefined || (this.shown & (1 << gpu)) !== 0;
  }

  /** Enters an allocation into the table of what is allocated. */
  private show(address: number, bytes: number): void {
    const guards = new Uint8Array(this.memory.buffer, guardBase, guardBytes);
    const rest = bytes % guardGranule;
    guards.fill(255, address / guardGranule, (address + bytes - rest) / guardGranule);
    if (rest !== 0) guards[(address + bytes - rest) / guardGranule] = rest;
  }

  private hide(address: number, size: number): void {
    new Uint8Array(this.memory.buffer, guardBase + address / guardGranule, size / guardGranule).fill(0);
  }

  /** Page-locked memory of the host that kernels can reach from now on, or no longer. */
  ownByHost(address: number, bytes: number, owned: boolean): void {
    if (!this.hasOwners) {
      new Uint8Array(this.memory.buffer, ownersBase, ownerBytes).fill(0);
      // The caches move.
      for (const gpu of this.gpus) gpu.l2Bytes = 0;
    }
    this.hasHostMemory = true;
    this.own(address, Math.ceil(bytes / guardGranule) * guardGranule, owned ? hostOwner : 0);
  }

  private get hasOwners(): boolean {
    return this.gpus.length > 1 || this.hasHostMemory;
  }

  private own(address: number, size: number, owner: number): void {
    if (!this.hasOwners) return;
    new Uint8Array(this.memory.buffer, ownersBase, ownerBytes).fill(
      owner,
      address / guardGranule,
      (address + size) / guardGranule,
    );
  }

  /** Whether kernels of one GPU may access the memory of another (`cudaDeviceEnablePeerAccess`). */
  setPeerAccess(gpu: number, peer: number, enabled: boolean): void {
    if (enabled) this.gpus[gpu]!.reach |= 1 << peer;
    else this.gpus[gpu]!.reach &= ~(1 << peer);
  }

  /** Makes the table of what is allocated that of a GPU: only what is within the reach of one and not of another changes. */
  private execution(gpu: number): GpuState {
    const state = this.gpus[gpu]!;
    this.executing = gpu;
    if (this.gpus.length > 1) {
      const changed = this.shown ^ state.reach;
      this.shown = state.reach;
      if (changed !== 0)
        for (const [address, { size, bytes, gpu: owner }] of this.allocations) {
          if (owner === undefined || (changed & (1 << owner)) === 0) continue;
          if (this.isShown(owner)) this.show(address, bytes);
          else this.hide(address, size);
        }
    }
    return state;
  }

  /** False if `address` is not the start of an allocation. */
  free(address: number): boolean {
    const allocation = this.allocations.get(address);
    if (allocation === undefined) return false;
    const { size, bytes, end, gpu } = allocation;
    this.allocations.delete(address);
    this.gpus[gpu ?? 0]!.used -= size;
    this.freed.push({ address, bytes, freed: true });
    if (this.freed.length > 2 * freedRemembered) this.freed = this.freed.slice(-freedRemembered);
    new Uint8Array(this.memory.buffer, address, size).fill(0);
    this.hide(address, size);
    this.own(address, size, 0);
    // What was placed leaves its addresses reserved.
    if (end > address) this.openGap(address, end);
    return true;
  }

  /** The allocation that holds an address or lies next to it. */
  private nearest(address: number): Neighbour | null {
    for (const [start, { bytes, gpu }] of this.allocations) {
      if (this.isShown(gpu) || address < start || address >= start + bytes) continue;
      return { address: start, bytes, freed: false, of: gpu!, from: this.executing };
    }
    const inFreed = this.freed.findLast((block) => address >= block.address && address < block.address + block.bytes);
    if (inFreed !== undefined) return inFreed;
    let nearest: Neighbour | null = null;
    let least = Infinity;
    for (const [start, { bytes }] of this.allocations) {
      const distance = address < start ? start - address : Math.max(0, address - start - bytes);
      if (distance >= least) continue;
      least = distance;
      nearest = { address: start, bytes, freed: false };
    }
    return nearest;
  }

  /** Copies to and from the host moved so many bytes through L2. */
  moved(bytes: number, gpu = 0): void {
    this.gpus[gpu]!.movedBytes += bytes;
  }
  /** A memset or a copy within the device wrote these bytes. */
  wrote(address: number, bytes: number, gpu = 0): void {
    const { written } = this.gpus[gpu]!;
    const first = Math.floor(address / lineBytes);
    const end = Math.ceil((address + bytes) / lineBytes);
    const last = written.at(-1);
    if (last !== undefined && first >= last.first && first <= last.end) last.end = Math.max(last.end, end);
    else written.push({ first, end });
  }

  /** Where managed memory is: launches say which of its pages they touched. */
  watchManaged(address: number, bytes: number): void {
    const first = Math.floor(address / managedPageBytes);
    const end = Math.ceil((address + bytes) / managedPageBytes);
    const before = this.managedPages;
    if (before.pages === 0) this.managedPages = { first, pages: end - first };
    else {
      const lowest = Math.min(first, before.first);
      this.managedPages = { first: lowest, pages: Math.max(end, before.first + before.pages) - lowest };
    }
  }

  /** What kernels printed since the last call. */
  takeOutput(): string {
    return this.calls.takeOutput();
  }

  /**
   * Where execution is, for what is said when it is stopped: the kernel, and the place in it that has been executed most often, which
   * is in the innermost loop. Null outside of kernels.
   */
  whereabouts(): Whereabouts | null {
    if (this.underWay === null) return null;
    const { kernel, counts } = this.underWay;
    const times = new BigUint64Array(this.memory.buffer);
    const timesOf = (block: number): bigint => times[(counts + block * blockCounterBytes) / 8]!;
    let most = 0;
    kernel.blocks.forEach((_, block) => {
      if (timesOf(block) > timesOf(most)) most = block;
    });
    const places = kernel.machine?.blocks[most]?.instructions.flatMap(({ place }) => place ?? []) ?? [];
    return { kernel: this.options.names?.get(kernel.name) ?? kernel.name, place: places[0] ?? kernel.place };
  }

  private countKernel(): void {
    const { maxKernels = Infinity } = this.options;
    if (++this.launched <= maxKernels) return;
    throw new SimsightError(
      'budget-exceeded',
      `The program was stopped: it launched more than ${maxKernels} kernels.`,
      'Allow more with --max-kernels, or let the program do less.',
    );
  }

  private checkBudget(soFar: () => number): void {
    const { maxInstructions = Infinity } = this.options;
    if (maxInstructions === Infinity || this.executed + soFar() <= maxInstructions) return;
    throw new SimsightError(
      'budget-exceeded',
      `The program was stopped: its kernels executed more than ${maxInstructions} warp instructions${whereText(this.whereabouts())}.`,
      'Allow more with --max-instructions, or use smaller problem sizes.',
    );
  }

  /**
   * Runs a grid to its end. Throws 'kernel-failed' where a real device would report an error of the kernel. What it
   * launches itself is for the caller to run.
   */
  launch(
    launch: KernelLaunch,
    caches: CacheGeometry,
    onChild: OnChildLaunch = refuseChildren,
    trace: TraceRequest | null = null,
    clock: LaunchClock = stoppedClock,
  ): KernelCounts {
    this.countKernel();
    return this.execute(launch, caches, onChild, trace, clock, false)!;
  }

  /**
   * Executes the blocks that `trace` asks for, and nothing else, as if nothing had happened afterwards: to find out when the
   * launch asks the time. Null where that cannot be done.
   */
  rehearse(launch: KernelLaunch, caches: CacheGeometry, trace: TraceRequest, clock: LaunchClock): KernelCounts | null {
    if (this.kernels.get(launch.kernel)?.kernel.asksTime !== true || launch.cooperative === true) return null;
    return this.execute(launch, caches, refuseChildren, trace, clock, true);
  }

  private execute(
    launch: KernelLaunch,
    caches: CacheGeometry,
    onChild: OnChildLaunch,
    trace: TraceRequest | null,
    clock: LaunchClock,
    rehearsal: boolean,
  ): KernelCounts | null {
    const found = this.kernels.get(launch.kernel);
    if (found === undefined) throw new SimsightError('bad-request', `There is no kernel ${launch.kernel}.`);
    const { kernel } = found;
    const { grid, block } = launch;
    const threads = block.x * block.y * block.z;
    const blocks = grid.x * grid.y * grid.z;
    if (!(threads >= 1 && threads <= maxThreadsPerBlock && blocks >= 1 && blocks < 2 ** 32)) {
      throw new SimsightError(
        'bad-request',
        `Invalid launch of ${launch.kernel}: ${blocks} blocks of ${threads} threads.`,
        'A block has 1 to 1024 threads.',
      );
    }
    const warps = Math.ceil(threads / warpSize);
    const unit = this.unitFor(found);
    const { gpu = 0 } = launch;
    const state = this.execution(gpu);
    const moduleVariables = found.variables[gpu]!;

    const arena = new Arena(guardBase + guardBytes, heapStart, launch.kernel);
    const l1Sets = Math.max(1, Math.floor(caches.l1Bytes / (lineBytes * l1SetLines)));
    const { l2Halves = 1 } = caches;
    const l2Sets = Math.max(1, Math.floor(caches.l2Bytes / l2Halves / (lineBytes * l2SetLines)));
    // First, so that the contents of L2 keep their place from launch to launch; then rows of DRAM and lines stored in part.
    const l2Bytes = l2Halves * l2Sets * l2SetBytes;
    const rowsBytes = 4 * dramRowEntries;
    const memoryState = l2Bytes + rowsBytes + partialLines * partialLineBytes;
    let l2Base = arena.takeAt(guardBase + guardBytes, memoryState);
    if (this.hasOwners) {
      arena.takeAt(ownersBase + ownerBytes, this.gpus.length * l2AreaBytes);
      l2Base = ownersBase + ownerBytes + gpu * l2AreaBytes;
    }
    const at = arena.take(launchBytes);
    const variables = arena.take(4 * moduleVariables.length);
    const l1Base = arena.take(Math.min(blocks, caches.smCount) * l1Sets * l1SetBytes);
    const parameters = arena.take(Math.max(launch.parameters.length, kernel.parameterBytes));
    const counts = arena.take(kernel.blocks.length * blockCounterBytes);
    const sites = arena.take(kernel.sites.length * siteCounterBytes);
    const sharedBytes = Math.ceil(kernel.staticSharedBytes / 16) * 16 + launch.dynamicSharedBytes;
    const hot = arena.take(8 * hotGranules);
    const { first: managedFirst, pages } = this.managedPages;
    const managed = arena.take(pages * managedPageEntryBytes);
    const touched = arena.take(pages * 4);
    const raceChecks = this.raceChecks(kernel, launch);
    const checked = raceChecks !== 0;
    const shadow = arena.take(checked ? (sharedBytes / 4 + 1) * shadowBytes : 0);
    // Places for blocks that wait for each other: as many as are resident on the GPU, if there is room.
    const sharedStride = align(Math.max(sharedBytes, 128));
    const localTotal = warps * warpSize * kernel.localBytes;
    const localStride = align(localTotal);
    const resident = Math.min(blocks, (caches.blocksPerSm ?? defaultBlocksPerSm) * caches.smCount);
    const perSlot = sharedStride + localStride + warps * kernel.warpBytes + blockStateBytes;
    const slots = checked ? 1 : Math.max(1, Math.min(resident, Math.floor((arena.free - 4096) / perSlot)));
    if (launch.cooperative === true && slots < blocks)
      throw new KernelError(
        cudaErrors.cooperativeLaunchTooLarge,
        `The cooperative launch of ${this.options.names?.get(kernel.name) ?? kernel.name} has ${blocks} blocks, but only ${slots} can be resident.`,
        'Launch fewer blocks.',
      );
    const tracer = trace === null ? null : new Tracer(this.memory, kernel, trace, (bytes) => arena.take(bytes));
    const blockStates = arena.take(slots * blockStateBytes);
    const shared = arena.take(slots * sharedStride);
    const warpBase = arena.take(slots * warps * kernel.warpBytes);
    const local = arena.take(slots * localStride);

    const bytes = new Uint8Array(this.memory.buffer);
    const words = new Int32Array(this.memory.buffer);
    bytes.fill(0, at, at + launchBytes);
    bytes.fill(0, l1Base, l1Base + Math.min(blocks, caches.smCount) * l1Sets * l1SetBytes);
    bytes.fill(0, counts, counts + kernel.blocks.length * blockCounterBytes);
    bytes.fill(0, sites, sites + kernel.sites.length * siteCounterBytes);
    kernel.sites.forEach(({ pastL1, addsFloats }, i) => {
      if (pastL1 === true || addsFloats === true) bytes[sites + i * siteCounterBytes + sitePastL1] = 1;
    });
    bytes.fill(0, shared, shared + sharedBytes);
    bytes.fill(0, blockStates, blockStates + slots * blockStateBytes);
    bytes.fill(0, hot, hot + 8 * hotGranules);
    bytes.fill(0, managed, managed + pages * managedPageEntryBytes);
    if (checked) bytes.fill(0, shadow, shadow + (sharedBytes / 4 + 1) * shadowBytes);
    if (state.l2Bytes !== caches.l2Bytes || state.movedBytes >= caches.l2Bytes) {
      bytes.fill(0, l2Base, l2Base + memoryState);
      state.l2Bytes = caches.l2Bytes;
    }
    state.movedBytes = 0;
    bytes.set(launch.parameters, parameters);
    words.set(
      moduleVariables.map(({ address }) => address),
      variables / 4,
    );
    const set = (field: number, ...values: number[]): void => words.set(values, (at + field) / 4);
    set(launchField.params, parameters, shared, sharedBytes);
    set(launchField.ntid, block.x, block.y, block.z, grid.x, grid.y, grid.z);
    set(launchField.local, local, kernel.localBytes, heapStart);
    set(
      launchField.warps,
      warps,
      kernel.warpBytes,
      warpBase,
      Math.max(1, caches.smCount),
      l1Sets,
      l2Sets,
      l1Base,
      l2Base,
    );
    set(launchField.l2Halves, l2Halves, l2Base + l2Bytes, l2Base + l2Bytes + rowsBytes);
    set(launchField.number, state.launches);
    if (!rehearsal) state.launches++;
    (unit.instance.exports['begin_launch'] as (launch: number) => void)(at);
    const stored = unit.instance.exports['stored'] as (launch: number, line: number, count: number) => void;
    // Of more than L2 holds, only the end is in it; a bit more than that, as not all sets get equally many lines.
    const most = Math.ceil((1.25 * caches.l2Bytes) / lineBytes);
    if (this.hasOwners) set(launchField.owners, ownersBase, gpu + 1);
    for (const { first, end } of state.written) stored(at, Math.max(first, end - most), Math.min(end - first, most));
    state.written = [];
    set(launchField.variables, variables);
    if (pages > 0) set(launchField.managed, managed, managedFirst, pages, touched, 0);
    set(launchField.resident, Math.max(1, resident));
    set(launchField.slots, slots, blockStates, sharedStride, localStride);
    set(launchField.hot, hot, raceChecks, shadow);
    set(launchField.localTotal, localTotal);
    for (let warp = 0; warp < warps; warp++) {
      const base = (warpBase + warp * kernel.warpBytes) / 4;
      for (let lane = 0; lane < warpSize; lane++) {
        const thread = warp * warpSize + lane;
        words[base + lane] = thread % block.x;
        words[base + 32 + lane] = Math.floor(thread / block.x) % block.y;
        words[base + 64 + lane] = Math.floor(thread / (block.x * block.y));
      }
      const active = Math.min(warpSize, threads - warp * warpSize);
      words[base + warpField.mask / 4] = active === warpSize ? -1 : (1 << active) - 1;
      words[base + warpField.id / 4] = warp;
    }

    const run = unit.instance.exports[`run_${kernel.entry}`] as (...args: number[]) => void;
    this.soFar = () => this.executedBy(kernel, counts);
    this.underWay = { kernel, counts };
    let hottest = 0;
    const endGeneration = (): void => {
      const passesOf = new Uint32Array(this.memory.buffer, hot, 2 * hotGranules);
      let [most, mostFloats] = [0, 0];
      for (let i = 0; i < hotGranules; i++) {
        if (passesOf[i]! > most) most = passesOf[i]!;
        if (passesOf[hotGranules + i]! > mostFloats) mostFloats = passesOf[hotGranules + i]!;
      }
      hottest += Math.max(most, mostFloats * floatPasses);
      passesOf.fill(0);
    };
    // Atomics that meet are those of blocks that are resident together. Without atomics, who executes which blocks when is open.
    const meeting = kernel.globalAtomics === 'sent' ? Math.ceil(resident * queuedAtomics) : resident;
    const progress = this.options.blocks;
    const tell = (done: number): void => void progress?.set([done, blocks]);
    const alone = (first: number, end: number): void => {
      const isFree = kernel.globalAtomics === 'none';
      // Who waits for others has to be executed together with them.
      const isOnePiece = kernel.waits || kernel.asksTime || kernel.mayLaunch || progress === undefined;
      if (isFree && isOnePiece) return run(at, first, end - first, counts, sites);
      const step = isFree ? blocksPerLook : meeting;
      for (let next = first; next < end;) {
        const stop = Math.min(end, next - (next % step) + step);
        run(at, next, stop - next, counts, sites);
        if (!isFree && stop % meeting === 0) endGeneration();
        tell(stop);
        next = stop;
      }
    };
    const forCrew = {
      unit,
      at,
      counts,
      sites,
      warps,
      sharedBytes,
      l1Base,
      l1Bytes: l1Sets * l1SetBytes,
      measured: false,
      tell,
    };
    const range = (first: number, end: number): void => {
      if (this.mayBeShared(kernel, end - first, caches.smCount))
        this.together(kernel, forCrew, caches, alone, first, end);
      else alone(first, end);
    };
    const clocks = new WarpClocks(clock, {
      keeps: tracer !== null && kernel.clockLoops.length > 0,
      rehearses: rehearsal,
    });
    this.calls.beginKernel(found.siblings, (child) =>
      onChild({ ...child, step: clocks.launched(child.block, child.thread) }),
    );
    this.tracer = tracer;
    this.clock = clocks;
    let executed: number;
    const runTraced = (between: (first: number, end: number) => void): number => {
      let next = 0;
      for (const block of trace?.blocks ?? []) {
        if (tracer === null || tracer.done || block >= blocks) break;
        if (next < block) between(next, block);
        tracer.run(
          block,
          at,
          sites,
          warps,
          () => alone(block, block + 1),
          (warp) => this.clock.shown(warp),
        );
        next = block + 1;
      }
      return next;
    };
    if (rehearsal) {
      const l2 = bytes.slice(l2Base, l2Base + memoryState);
      let ended: boolean;
      this.calls.silent = true;
      try {
        ended = this.crew.rehearse(at, () => void runTraced(() => undefined));
      } finally {
        this.calls.silent = false;
        bytes.set(l2, l2Base);
      }
      unit.stackPointer.value = unit.stackTop;
      if (!ended) {
        this.underWay = null;
        return null;
      }
      executed = tracer?.traced ?? 0;
    } else {
      executed = blocks;
      tell(0);
      try {
        if (tracer !== null && kernel.waits) tracer.runBeside(at, sites, warps, () => range(0, blocks));
        else {
          const next = runTraced(range);
          if (next < blocks) range(next, blocks);
        }
      } catch (error) {
        unit.stackPointer.value = unit.stackTop;
        // Who was stopped by a limit is asked where it was.
        const isStopped = error instanceof SimsightError && error.code === 'budget-exceeded';
        if (!isStopped) this.underWay = null;
        throw this.kernelError(kernel, error, at, sites, block);
      }
    }
    progress?.fill(0);
    endGeneration();
    this.countSkipped(counts);
    const result = this.collect(kernel, {
      blocks: executed,
      warps: executed * warps,
      counts,
      sites,
      statistics: at + launchField.statistics,
      peers: this.gpus.length > 1 ? at + launchField.peerReads : null,
      host: this.hasHostMemory ? at + launchField.hostReads : null,
      hottest,
      samples: rehearsal ? null : (tracer?.accessSamples() ?? null),
    });
    this.tellUndefined(kernel, sites);
    const { prints } = this.calls;
    if (prints !== null) result.prints = prints;
    if (pages > 0) result.touched = this.touchedPages(at, managedFirst, managed, touched, resident);
    if (!rehearsal) this.executed += result.warpInstructions;
    this.checkBudget(() => 0);
    this.underWay = null;
    return result;
  }

  /** Operations of warps that found lanes of their masks elsewhere, on GPUs where that is undefined; each place once. */
  private tellUndefined(kernel: ModuleKernel, sites: number): void {
    const { onUndefined, names } = this.options;
    if (onUndefined === undefined) return;
    const counters = new BigUint64Array(this.memory.buffer);
    kernel.sites.forEach((site, i) => {
      if (site.operation === undefined || counters[(sites + i * siteCounterBytes) / 8] === 0n) return;
      const text = undefinedText(names?.get(kernel.name) ?? kernel.name, site);
      if (this.toldUndefined.has(text)) return;
      this.toldUndefined.add(text);
      onUndefined(text);
    });
  }
  private readonly toldUndefined = new Set<string>();

  /** What is looked for on shared memory, as {@link checkBit}. Blocks that wait for others are executed together, and are not looked at. */
  private raceChecks(kernel: ModuleKernel, launch: KernelLaunch): number {
    const { checks = [] } = this.options;
    if (checks.includes('racecheck')) return checkBit.racecheck;
    const isAlone = !kernel.waits && !kernel.otherBarriers && launch.cooperative !== true;
    return checks.includes('order') && isAlone ? checkBit.order : 0;
  }

  /** Adds the times around silent loops that were not executed, with as many lanes as the others. */
  private countSkipped(counts: number): void {
    const counters = new BigUint64Array(this.memory.buffer);
    for (const [block, rounds] of this.clock.skipped) {
      const at = (counts + block * blockCounterBytes) / 8;
      const [times, lanes] = [Number(counters[at]), Number(counters[at + 1])];
      counters[at] = BigInt(times + rounds);
      counters[at + 1] = BigInt(Math.round(lanes * (1 + rounds / times)));
      counters[at + 3] = BigInt(Math.round(Number(counters[at + 3]) * (1 + rounds / times)));
    }
  }

  /** In the order of their first accesses. */
  private touchedPages(at: number, first: number, managed: number, touched: number, resident: number): TouchedPages {
    const words = new Uint32Array(this.memory.buffer);
    const count = words[(at + launchField.touchedCount) / 4]!;
    const field = (page: number, name: keyof typeof managedPageField): number =>
      words[(managed + page * managedPageEntryBytes + managedPageField[name]) / 4]!;
    const round = (page: number): number => Math.floor(field(page, 'turn') / warpsOfTurn);
    const order = words.slice(touched / 4, touched / 4 + count).sort((a, b) => {
      const earlier = (name: keyof typeof managedPageField): number => field(a, name) - field(b, name);
      return earlier('generation') || earlier('turn') || earlier('block') || a - b;
    });
    const rounds = new Uint32Array(count);
    for (let i = 1; i < count; i++) {
      const [before, page] = [order[i - 1]!, order[i]!];
      const isSame = field(before, 'generation') === field(page, 'generation') && round(before) === round(page);
      rounds[i] = rounds[i - 1]! + (isSame ? 0 : 1);
    }
    return {
      pages: order.map((page) => page + first),
      sectors: order.map((page) => field(page, 'sectors')),
      access: Uint8Array.from(order, (page) => field(page, 'access')),
      blocks: order.map((page) => field(page, 'blocks')),
      rounds,
      resident,
    };
  }

  /** Executes blocks on several threads, unless that turns out to be slower. */
  private together(
    kernel: ModuleKernel,
    run: {
      unit: LoadedUnit;
      at: number;
      counts: number;
      sites: number;
      warps: number;
      sharedBytes: number;
      l1Base: number;
      l1Bytes: number;
      /** Whether blocks of this grid were executed on one thread first, to compare. */
      measured: boolean;
      /** How many are done. */
      tell: (done: number) => void;
    },
    { smCount }: CacheGeometry,
    alone: (first: number, end: number) => void,
    first: number,
    end: number,
  ): void {
    const pace = this.paces.get(kernel) ?? {
      alone: { blocks: 0, milliseconds: 0 },
      crew: { blocks: 0, milliseconds: 0 },
    };
    this.paces.set(kernel, pace);
    const measure = (of: Pace, work: () => number, from: number): number => {
      const start = performance.now();
      const next = work();
      of.blocks += next - from;
      of.milliseconds += performance.now() - start;
      return next;
    };
    const { aloneMilliseconds = 4 } = this.options;
    const isShort = (end - first) * perBlock(pace.alone) < aloneMilliseconds;
    if (run.measured && isShort) return alone(first, end);
    const next = run.measured ? first : measure(pace.alone, () => this.aWhile(alone, first, end, smCount), first);
    run.measured = true;
    const executed = (): number =>
      this.crew.run(
        {
          unit: run.unit,
          entry: kernel.entry,
          launch: run.at,
          counts: run.counts,
          sites: run.sites,
          blockCounters: kernel.blocks.length,
          siteCounters: kernel.sites.length,
          warps: run.warps,
          warpBytes: kernel.warpBytes,
          sharedBytes: run.sharedBytes,
          smCount,
          l1: { address: run.l1Base, bytes: Math.min(end, smCount) * run.l1Bytes },
          heapEnd: this.gaps.at(-1)!.start,
        },
        next,
        end,
        run.tell,
      );
    const rest = measure(pace.crew, executed, next);
    const isSlower = pace.crew.milliseconds > settledMilliseconds && perBlock(pace.alone) < perBlock(pace.crew);
    if (rest < end || isSlower) this.refused.add(kernel);
    if (rest < end) alone(rest, end);
  }

  /** Worth several threads, as far as can be told before. */
  private mayBeShared(kernel: ModuleKernel, blocks: number, smCount: number): boolean {
    if (this.crew.parts < 2 || !kernel.byBlocks || this.refused.has(kernel)) return false;
    const { maxInstructions = Infinity, checks = [] } = this.options;
    return blocks >= 2 * Math.min(smCount, 16) && maxInstructions === Infinity && checks.length === 0;
  }

  /** Executes blocks for a while, in case they are done by then; returns the first that remains. */
  private aWhile(alone: (first: number, end: number) => void, first: number, end: number, smCount: number): number {
    const { aloneMilliseconds = 4 } = this.options;
    const start = performance.now();
    let next = first;
    while (next < end && performance.now() - start < aloneMilliseconds) {
      const stop = Math.min(end, next + smCount);
      alone(next, stop);
      next = stop;
    }
    return next;
  }

  private executedBy(kernel: ModuleKernel, counts: number): number {
    const view = new DataView(this.memory.buffer);
    return kernel.blocks.reduce((sum, { mix, counted }) => {
      const times = Number(view.getBigUint64(counts + counted * blockCounterBytes, true));
      return sum + times * mix.reduce((all, amount) => all + amount, 0);
    }, 0);
  }

  /** A string in device memory, as far as it is sensible. */
  private text(address: number): string {
    const bytes = new Uint8Array(this.memory.buffer, Math.min(address, this.memory.buffer.byteLength)).subarray(
      0,
      4096,
    );
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(bytes.slice(0, Math.max(0, end)));
  }

  private kernelError(kernel: ModuleKernel, error: unknown, at: number, sites: number, block: Dim3): SimsightError {
    const name = this.options.names?.get(kernel.name) ?? kernel.name;
    if (error instanceof Fault) {
      const words = new Uint32Array(this.memory.buffer);
      const field = (offset: number): number => words[(at + offset) / 4] ?? 0;
      const warp = words[(field(launchField.warp) + warpField.id) / 4] ?? 0;
      const thread = warp * warpSize + field(launchField.lane);
      const [x = 0, y = 0, z = 0] = words.subarray((at + launchField.ctaid) / 4);
      const fault = {
        code: error.code,
        site: kernel.sites[(error.site - sites) / siteCounterBytes],
        address: error.address,
        size: field(launchField.size),
        thread: {
          x: thread % block.x,
          y: Math.floor(thread / block.x) % block.y,
          z: Math.floor(thread / (block.x * block.y)),
        },
        block: { x, y, z },
        assertion: {
          text: this.text(field(launchField.assertion)),
          file: this.text(field(launchField.assertion + 4)),
          line: field(launchField.assertion + 8),
          function: this.text(field(launchField.assertion + 12)),
        },
        meeting: {
          waiting: field(launchField.assertion),
          missing: field(launchField.assertion + 4),
          missingAt: kernel.sites[field(launchField.assertion + 8)],
        },
        other: kernel.sites[(field(launchField.assertion) - sites) / siteCounterBytes],
      };
      return faultError(kernel, name, fault, this.nearest(error.address));
    }
    if (error instanceof WebAssembly.RuntimeError) {
      const what = /out of bounds/.test(error.message)
        ? 'accesses memory outside the device’s memory'
        : /unreachable/.test(error.message)
          ? 'stops at a trap'
          : `fails: ${error.message}`;
      const place = kernel.place;
      return new KernelError(
        /out of bounds/.test(error.message) ? cudaErrors.illegalAddress : cudaErrors.launchFailure,
        `The kernel ${name} ${what}.`,
        'Check the indices it computes.',
        place === null ? {} : { file: place.file, line: place.line },
      );
    }
    // Of the functions that call each other, which are the host's as well. Other range errors are none of the kernel's.
    if (error instanceof RangeError && /call stack/.test(error.message))
      return new KernelError(cudaErrors.launchFailure, `The kernel ${name} needs too much stack.`);
    throw error;
  }

  private collect(
    kernel: ModuleKernel,
    run: {
      blocks: number;
      warps: number;
      counts: number;
      sites: number;
      statistics: number;
      /** What was read from and written to other GPUs, where there are any. */
      peers: number | null;
      /** Likewise the host, where its memory is within reach. */
      host: number | null;
      hottest: number;
      /** Also by block of code and by access. */
      samples: AccessSample[][] | null;
    },
  ): KernelCounts {
    const view = new DataView(this.memory.buffer);
    const u64 = (at: number): number => Number(view.getBigUint64(at, true));
    const byClass = new Float64Array(instructionClasses.length);
    const counts: KernelCounts = {
      blocks: run.blocks,
      warps: run.warps,
      warpInstructions: 0,
      warpInstructionsByClass: {} as Record<InstructionClass, number>,
      threadInstructions: 0,
      branches: 0,
      divergentBranches: 0,
      barriers: 0,
      globalLoad: { ...noAccesses },
      globalStore: { ...noAccesses },
      globalAtomic: { ...noAccesses, lanes: 0, conflicts: 0, hottest: 0 },
      globalReduction: { requests: 0, sectors: 0 },
      localLoad: { requests: 0, sectors: 0 },
      localStore: { requests: 0, sectors: 0 },
      sharedLoad: { requests: 0, wavefronts: 0, idealWavefronts: 0 },
      sharedStore: { requests: 0, wavefronts: 0, idealWavefronts: 0 },
      sharedAtomic: { requests: 0, wavefronts: 0, idealWavefronts: 0, lanes: 0 },
      bulkLoad: { requests: 0, sectors: 0, lines: 0 },
      bulkStore: { requests: 0, sectors: 0, lines: 0 },
      textureLoad: { requests: 0, sectors: 0, lines: 0 },
      surfaceLoad: { requests: 0, sectors: 0, lines: 0 },
      surfaceStore: { requests: 0, sectors: 0, lines: 0 },
      ...(Object.fromEntries(statistics.map((name, i) => [name, u64(run.statistics + 8 * i)])) as Record<
        (typeof statistics)[number],
        number
      >),
      ...(run.peers === null ? {} : { peerReads: u64(run.peers), peerWrites: u64(run.peers + 8) }),
      ...(run.host === null
        ? {}
        : { hostReads: u64(run.host), hostWrites: u64(run.host + 8), hostPartial: u64(run.host + 16) }),
    };
    // Tests of barriers in vain, by block, and their lanes.
    const vain = kernel.blocks.map(() => ({ times: 0, lanes: 0 }));
    kernel.sites.forEach(({ block, kind, unit }, i) => {
      if (unit !== 'sync' || kind !== 'load') return;
      const at = run.sites + i * siteCounterBytes;
      vain[block]!.times += u64(at + 40);
      vain[block]!.lanes += u64(at + 48);
    });
    const timesOf = (block: number): number => u64(run.counts + block * blockCounterBytes) - vain[block]!.times;
    const lanesOf = (block: number): number => u64(run.counts + block * blockCounterBytes + 8) - vain[block]!.lanes;
    const executed = kernel.blocks.map(({ mix, branches, barriers, counted }, i) => {
      const at = run.counts + i * blockCounterBytes;
      const times = timesOf(counted);
      const lanes = lanesOf(counted);
      mix.forEach((amount, k) => {
        byClass[k] = (byClass[k] ?? 0) + amount * times;
        counts.threadInstructions += amount * lanes;
      });
      counts.branches += branches * times;
      counts.barriers += barriers * times;
      counts.divergentBranches += u64(at + 16);
      return timesOf(i);
    });
    const move = (from: InstructionClass, to: InstructionClass, amount: number): void => {
      byClass[instructionClasses.indexOf(from)]! -= amount;
      byClass[instructionClasses.indexOf(to)]! += amount;
    };
    kernel.sites.forEach(({ block, kind, space, unit, isReduction }, i) => {
      const at = run.sites + i * siteCounterBytes;
      if (kind === 'trap' || unit === 'sync') return;
      const requests = executed[block] ?? 0;
      if (unit !== undefined) {
        const other = unit === 'texture' ? counts.textureLoad : counts[`${unit}${kind === 'load' ? 'Load' : 'Store'}`];
        // Lanes copy one after the other, each by an instruction of its own.
        other.requests += unit === 'bulk' ? u64(at + 40) : requests;
        other.sectors += u64(at);
        other.lines += u64(at + 32);
        return;
      }
      const [sectors, wavefronts, toShared, toLocal] = [u64(at), u64(at + 8), u64(at + 16), u64(at + 24)];
      const global = kind === 'load' ? counts.globalLoad : kind === 'store' ? counts.globalStore : counts.globalAtomic;
      const shared = kind === 'load' ? counts.sharedLoad : kind === 'store' ? counts.sharedStore : counts.sharedAtomic;
      const toBanks = space === 3 ? requests : space === 0 ? toShared : 0;
      shared.requests += toBanks;
      shared.idealWavefronts += toBanks + u64(at + siteWide);
      if (space === 1) global.requests += requests;
      if (space === 0) {
        // Generic addresses: only the run shows where they lead.
        global.requests += requests - toShared - toLocal;
        move(`${kind}-global`, `${kind}-shared`, toShared);
        if (kind !== 'atomic') move(`${kind}-global`, `${kind}-local`, toLocal);
      }
      global.sectors += sectors;
      global.lines += u64(at + 32);
      global.wavefronts += u64(at + siteBanks);
      global.passes += u64(at + sitePasses);
      if (kind !== 'atomic') {
        const local = kind === 'load' ? counts.localLoad : counts.localStore;
        local.requests += space === 5 ? requests : toLocal;
        local.sectors += u64(at + siteLocalSectors);
      } else if (isReduction === true) {
        counts.globalReduction.requests += space === 1 ? requests : space === 0 ? requests - toShared - toLocal : 0;
        counts.globalReduction.sectors += sectors;
      }
      if (kind === 'atomic') {
        (space === 3 ? counts.sharedAtomic : counts.globalAtomic).lanes += u64(at + 40);
        counts.globalAtomic.conflicts += u64(at + 48);
      }
      if (space !== 4) shared.wavefronts += wavefronts;
    });
    counts.globalAtomic.hottest = run.hottest;
    // Loops that are unrolled leave fractions.
    instructionClasses.forEach((name, i) => {
      counts.warpInstructionsByClass[name] = Math.round(byClass[i] ?? 0);
      counts.warpInstructions += counts.warpInstructionsByClass[name];
    });
    counts.threadInstructions = Math.round(counts.threadInstructions);
    if (run.samples !== null)
      counts.places = {
        blocks: kernel.blocks.map(({ counted }, i): BlockCounts => {
          const diverged = u64(run.counts + i * blockCounterBytes + 16);
          // Lanes are missing where the predicate is off, too.
          const full = Math.max(0, timesOf(i) - u64(run.counts + i * blockCounterBytes + 24));
          const times = timesOf(counted);
          return { times, lanes: lanesOf(counted), on: lanesOf(i), diverged, partial: Math.max(0, times - full) };
        }),
        sites: kernel.sites.map(({ block, space, unit }, i): SiteCounts => {
          const at = run.sites + i * siteCounterBytes;
          const wavefronts = u64(at + 8);
          const toBanks = space === 3 ? (executed[block] ?? 0) : u64(at + 16);
          // Textures and constant memory have no banks.
          const hasBanks = unit === undefined && (space === 3 || space === 0);
          return {
            sectors: u64(at) + u64(at + siteLocalSectors),
            wavefronts,
            idealWavefronts: hasBanks ? Math.min(wavefronts, toBanks + u64(at + siteWide)) : wavefronts,
            samples: run.samples![i]!,
          };
        }),
      };
    return counts;
  }
}

const noAccesses: GlobalAccesses = { requests: 0, sectors: 0, lines: 0, wavefronts: 0, passes: 0 };

const refuseChildren: OnChildLaunch = () => cudaErrors.launchFailure;

const align = (bytes: number): number => Math.ceil(bytes / 128) * 128;

interface NewAllocation {
  address: number;
  bytes: number;
  /** Of the addresses that go with it: its own where they were reserved before. */
  end: number;
  gpu: number | undefined;
}

/** What an allocation takes of the memory. */
const sizeOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / allocationAlign)) * allocationAlign;

/** Places the parts of one launch between module data and heap, 128-byte aligned. */
class Arena {
  private next: number;
  private readonly end: number;
  private readonly kernel: string;

  constructor(start: number, end: number, kernel: string) {
    this.next = start;
    this.end = end;
    this.kernel = kernel;
  }

  get free(): number {
    return this.end - this.next;
  }

  take(bytes: number): number {
    const address = Math.ceil(this.next / 128) * 128;
    this.next = address + bytes;
    if (this.next > this.end)
      throw new SimsightError(
        'kernel-failed',
        `The kernel ${this.kernel} needs too much local memory.`,
        'Use smaller arrays per thread or smaller blocks.',
      );
    return address;
  }
  takeAt(address: number, bytes: number): number {
    this.next = address;
    return this.take(bytes);
  }
}
